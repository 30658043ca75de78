/* The n-grams of captions and their references, for BLEU and CIDEr.
 *
 * An n-gram is numbered by the pair (number of its first n - 1 words, last word), and pairs are compared whole: equal numbers
 * are equal n-grams, whatever their hashes. One order of n-grams is held at a time.
 *
 * limner.score.ngrams does the same with arrays where this was not compiled.
 */
#include "sentences.h"
#include <math.h>

#define NONE (-1)

/* An order takes a pass over all words, even where no sentence is so long. */
#define MAX_ORDER 1000

static int is_order(int n)
{
    if (n >= 1 && n <= MAX_ORDER)
        return 1;
    PyErr_Format(PyExc_ValueError, "n must be from 1 to %d, not %d", MAX_ORDER, n);
    return 0;
}

/* Pairs of numbers, each with a number of its own: 0, 1, 2, … in the order in which they are added. */

typedef struct {
    uint64_t *keys;             /* the pair of each number */
    int32_t *slots;             /* the number that a hash leads to, there or in the next slots; NONE ends them */
    int64_t n, n_keys, n_slots; /* how many pairs there are, and what there is memory for */
    int64_t mask;               /* one less than the slots that are in use */
} Pairs;

static uint64_t pair(int32_t first, int32_t second)
{
    return (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
}

/* Odd numbers that nobody knows in advance. With known ones, captions could be written whose pairs all want one slot. */
static uint64_t multipliers[2];

static uint64_t hash_of(uint64_t key)
{
    uint64_t hash = key * multipliers[0];
    hash ^= hash >> 32;
    return hash * multipliers[1] >> 32;
}

static int64_t slot_of(const Pairs *pairs, uint64_t key)
{
    int64_t slot = (int64_t)hash_of(key) & pairs->mask;
    while (pairs->slots[slot] != NONE && pairs->keys[pairs->slots[slot]] != key)
        slot = (slot + 1) & pairs->mask;
    return slot;
}

static int reserve_keys(Pairs *pairs, int64_t n)
{
    if (n <= pairs->n_keys)
        return 0;
    if (n > INT32_MAX) {
        const PyGILState_STATE state = PyGILState_Ensure();
        PyErr_SetString(PyExc_OverflowError, "too many n-grams");
        PyGILState_Release(state);
        return -1;
    }
    uint64_t *keys = realloc(pairs->keys, (size_t)n * sizeof(uint64_t));
    if (keys == NULL)
        return no_memory();
    pairs->keys = keys;
    pairs->n_keys = n;
    return 0;
}

/* Have this many slots, a power of two, and put every pair there is into its own. */
static int fill_slots(Pairs *pairs, int64_t n)
{
    if (n > pairs->n_slots) {
        free(pairs->slots);
        pairs->n_slots = 0;
        if ((pairs->slots = malloc((size_t)n * sizeof(int32_t))) == NULL)
            return no_memory();
        pairs->n_slots = n;
    }
    pairs->mask = n - 1;
    memset(pairs->slots, 0xff, (size_t)n * sizeof(int32_t));
    for (int64_t id = 0; id < pairs->n; id++)
        pairs->slots[slot_of(pairs, pairs->keys[id])] = (int32_t)id;
    return 0;
}

/* Forget every pair, and have room for this many. */
static int pairs_empty(Pairs *pairs, int64_t n)
{
    int64_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    pairs->n = 0;
    return reserve_keys(pairs, n) < 0 ? -1 : fill_slots(pairs, n_slots);
}

static int pairs_grow(Pairs *pairs)
{
    if (pairs->n == pairs->n_keys) {
        const int64_t n = pairs->n < 512 ? 1024 : 2 * pairs->n;
        if (reserve_keys(pairs, n > INT32_MAX && pairs->n < INT32_MAX ? INT32_MAX : n) < 0)
            return -1;
    }
    return 2 * pairs->n > pairs->mask ? fill_slots(pairs, 4 * (pairs->mask + 1)) : 0;
}

/* The number of the pair, which is added where it is new; NONE with an error where there is no memory. */
static int32_t pairs_add(Pairs *pairs, uint64_t key)
{
    int64_t slot = slot_of(pairs, key);
    if (pairs->slots[slot] != NONE)
        return pairs->slots[slot];
    if (pairs->n == pairs->n_keys || 2 * pairs->n > pairs->mask) {
        if (pairs_grow(pairs) < 0)
            return NONE;
        slot = slot_of(pairs, key);
    }
    pairs->keys[pairs->n] = key;
    return pairs->slots[slot] = (int32_t)pairs->n++;
}

/* The n-grams of one order. */

typedef struct {
    union {
        struct {
            int32_t n_images;   /* whose references have it */
            int32_t last_image; /* the last of them, from 1 */
        } df;
        double weight;
        int32_t at_most; /* how often a reference of the image at hand has it */
    };
    int32_t in_caption, in_reference; /* how often those at hand have it */
} Gram;

/* For each word, the n-gram that begins there, one order after the other; and the n-grams of the order at hand. */
typedef struct {
    Pairs pairs;
    int32_t *ids;
    Gram *grams;
    int64_t n_grams, n_steps;
} Order;

static int order_start(Order *order, const Table *table)
{
    const size_t size = (size_t)table->n_tokens * sizeof(int32_t);
    memset(order, 0, sizeof(Order));
    if ((order->ids = malloc(size ? size : 1)) == NULL)
        return no_memory();
    memcpy(order->ids, table->numbers, size);
    return 0;
}

static void order_release(Order *order)
{
    free(order->pairs.keys);
    free(order->pairs.slots);
    free(order->ids);
    free(order->grams);
}

/* Whether signals are looked at after so many pairs. A pair is looked for in memory that is far away. */
static inline int is_at_signal(int64_t n_pairs)
{
    const int64_t between = STEPS_BETWEEN_SIGNALS / 16;
    return n_pairs % between == between - 1;
}

/* Note that document frequencies have an n-gram twice; -1. */
static int has_repeated_pairs(void)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_SetString(PyExc_ValueError, "the document frequencies have an n-gram twice");
    PyGILState_Release(state);
    return -1;
}

/* How many steps it takes to go over the words of an image. */
static int64_t steps_of_image(const Table *table, int64_t image)
{
    return 4 * (table->starts[table->groups[image + 1]] - table->starts[table->groups[image]]) + 16;
}

/* Give the words of a sentence their n-grams. */
static int order_sentence(Order *order, const Table *table, int n, int64_t sentence)
{
    const int64_t end = table->starts[sentence + 1];
    for (int64_t t = table->starts[sentence]; t + n <= end; t++) {
        order->ids[t] = pairs_add(&order->pairs, pair(order->ids[t], table->numbers[t + n - 1]));
        if (order->ids[t] == NONE || (is_at_signal(t) && has_signal()))
            return -1;
    }
    return 0;
}

/* From the (n - 1)-grams to the n-grams, of which the known ones have the first numbers; captions count if wanted. */
static int order_next(Order *order, const Table *table, int n, const uint64_t *known, int64_t n_known, int has_captions)
{
    free(order->grams);
    order->grams = NULL;
    order->n_grams = table->n_words;
    if (n > 1) {
        if (pairs_empty(&order->pairs, n_known) < 0)
            return -1;
        for (int64_t g = 0; g < n_known; g++)
            if (pairs_add(&order->pairs, known[g]) == NONE || (is_at_signal(g) && has_signal()))
                return -1;
        if (order->pairs.n != n_known)
            return has_repeated_pairs();
        for (int64_t i = 0; i < table->n_images; i++)
            for (int64_t s = table->groups[i] + !has_captions; s < table->groups[i + 1]; s++)
                if (order_sentence(order, table, n, s) < 0)
                    return -1;
        order->n_grams = order->pairs.n;
    }
    if ((order->grams = calloc((size_t)order->n_grams + 1, sizeof(Gram))) == NULL)
        return no_memory();
    return 0;
}

/* Count, for each n-gram, the images whose references have it. */
static void count_images(const Order *order, const Table *table, int n)
{
    for (int64_t i = 0; i < table->n_images; i++)
        for (int64_t s = table->groups[i] + 1; s < table->groups[i + 1]; s++)
            for (int64_t t = table->starts[s]; t + n <= table->starts[s + 1]; t++) {
                Gram *gram = &order->grams[order->ids[t]];
                if (gram->df.last_image != (int32_t)(i + 1)) {
                    gram->df.last_image = (int32_t)(i + 1);
                    gram->df.n_images++;
                }
            }
}

/* BLEU: the n-grams of a caption that its references have, each as often as the one that has it most at most. */

static int64_t match(const Order *order, const Table *table, int64_t image, int n)
{
    const int64_t caption = table->groups[image], *starts = table->starts;
    int64_t n_matches = 0;
    for (int64_t t = starts[caption]; t + n <= starts[caption + 1]; t++)
        order->grams[order->ids[t]].in_caption++;
    for (int64_t s = caption + 1; s < table->groups[image + 1]; s++) {
        for (int64_t t = starts[s]; t + n <= starts[s + 1]; t++)
            order->grams[order->ids[t]].in_reference++;
        for (int64_t t = starts[s]; t + n <= starts[s + 1]; t++) {
            Gram *gram = &order->grams[order->ids[t]];
            if (gram->in_caption > 0 && gram->in_reference > gram->at_most)
                gram->at_most = gram->in_reference;
            gram->in_reference = 0;
        }
    }
    for (int64_t t = starts[caption]; t + n <= starts[caption + 1]; t++) {
        Gram *gram = &order->grams[order->ids[t]];
        n_matches += gram->in_caption < gram->at_most ? gram->in_caption : gram->at_most;
        gram->in_caption = gram->at_most = 0;
    }
    return n_matches;
}

PyDoc_STRVAR(matches_doc, "matches(numbers, starts, groups, n_words, n, out)\n--\n\n"
    "Fill out, int64 [images, n], with the n-grams of each caption that its references have too.");

static PyObject *matches(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[N_TABLE_ARRAYS], *out;
    Py_ssize_t n_words;
    int n;
    Table table;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OOOniO:matches", &arrays[0], &arrays[1], &arrays[2], &n_words, &n, &out)
        || !is_order(n) || table_read(&table, arrays, n_words) < 0)
        return NULL;
    int64_t *answer = held_room(out, &buffer, &INT64, table.n_images * n, arrays, N_TABLE_ARRAYS);
    if (answer != NULL) {
        Order order;
        /* Nothing of Python's is touched from here on but the room for the answer, which is held. */
        Py_BEGIN_ALLOW_THREADS
        int fails = order_start(&order, &table) < 0;
        for (int k = 1; !fails && k <= n; k++) {
            fails = order_next(&order, &table, k, NULL, 0, 1) < 0;
            for (int64_t i = 0; !fails && i < table.n_images; i++) {
                answer[i * n + k - 1] = match(&order, &table, i, k);
                fails = is_interrupted(&order.n_steps, steps_of_image(&table, i));
            }
        }
        order_release(&order);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&buffer);
    }
    table_release(&table);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* CIDEr: cosines of tf-idf vectors of n-grams. */

/* The document frequencies of one order that were counted before: (pairs, counts), or counts alone for single words. */
typedef struct {
    Py_buffer buffers[2];
    const uint64_t *pairs;
    const int64_t *counts;
    int64_t n_pairs, n_counts;
} Given;

static void given_release(Given *given)
{
    if (given->pairs != NULL)
        PyBuffer_Release(&given->buffers[0]);
    if (given->counts != NULL)
        PyBuffer_Release(&given->buffers[1]);
    memset(given, 0, sizeof(Given));
}

static int given_is_sound(const Given *given, int n, int64_t n_before)
{
    for (int64_t g = 0; n > 1 && g < given->n_pairs; g++)
        if ((int64_t)(given->pairs[g] >> 32) >= n_before)
            return 0;
    return given->n_counts == (n == 1 ? n_before : given->n_pairs) && given->n_counts <= INT32_MAX;
}

/* Hold the pairs and the counts of an order. */
static int given_hold(Given *given, PyObject *entry, const Py_buffer *room)
{
    PyObject *pairs, *counts;
    if (!PyTuple_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "document frequencies must be pairs and counts");
        return 0;
    }
    return PyArg_ParseTuple(entry, "OO", &pairs, &counts)
        && (given->pairs = held_items(pairs, &given->buffers[0], &UINT64, 0, &given->n_pairs)) != NULL
        && (given->counts = held_items(counts, &given->buffers[1], &INT64, 0, &given->n_counts)) != NULL
        && is_apart(pairs, room) && is_apart(counts, room);
}

/* Read those of n-grams, where there are n_before (n - 1)-grams; nothing where orders are None. */
static int given_read(Given *given, PyObject *orders, int n, int64_t n_before, const Py_buffer *room)
{
    memset(given, 0, sizeof(Given));
    if (orders == Py_None)
        return 0;
    PyObject *entry = PySequence_GetItem(orders, n - 1);
    int is_read = entry != NULL && given_hold(given, entry, room);
    Py_XDECREF(entry);
    if (is_read && !given_is_sound(given, n, n_before)) {
        PyErr_SetString(PyExc_ValueError, "the document frequencies are not those of these words");
        is_read = 0;
    }
    if (!is_read)
        given_release(given);
    return is_read ? 0 : -1;
}

/* Weigh each n-gram by the images that have it, of so many: those given, or else those of the references. */
static void weigh(const Order *order, const Table *table, int n, double n_images, const Given *given)
{
    if (given->counts == NULL)
        count_images(order, table, n);
    for (int64_t g = 0; g < order->n_grams; g++) {
        Gram *gram = &order->grams[g];
        double count = gram->df.n_images;
        if (given->counts != NULL)
            count = g < given->n_counts ? (double)given->counts[g] : 0.0;
        /* What every image has weighs nothing, and not what rounding leaves. */
        gram->weight = count < n_images ? log(n_images) - log(count > 1.0 ? count : 1.0) : 0.0;
    }
}

/* The cosine of each reference of an image and its caption; with is_clipped, no more of an n-gram than the reference has. */
static void compare(const Order *order, const Table *table, int64_t image, int n, int is_clipped, double *answer,
                    int64_t stride)
{
    const int64_t caption = table->groups[image], *starts = table->starts;
    double caption_norm = 0.0;
    for (int64_t t = starts[caption]; t + n <= starts[caption + 1]; t++)
        order->grams[order->ids[t]].in_caption++;
    for (int64_t t = starts[caption]; t + n <= starts[caption + 1]; t++) {
        /* An n-gram that is there c times comes by c times, and adds c in all to its c. */
        const Gram *gram = &order->grams[order->ids[t]];
        caption_norm += gram->weight * gram->weight * gram->in_caption;
    }
    for (int64_t s = caption + 1; s < table->groups[image + 1]; s++) {
        double reference_norm = 0.0, product = 0.0;
        for (int64_t t = starts[s]; t + n <= starts[s + 1]; t++)
            order->grams[order->ids[t]].in_reference++;
        for (int64_t t = starts[s]; t + n <= starts[s + 1]; t++) {
            Gram *gram = &order->grams[order->ids[t]];
            const int32_t r = gram->in_reference, h = gram->in_caption;
            const double square = gram->weight * gram->weight * r;
            reference_norm += square * r;
            product += square * (is_clipped && h > r ? r : h);
            gram->in_reference = 0;
        }
        if (caption_norm > 0.0 && reference_norm > 0.0)
            answer[s * stride] = product / (sqrt(caption_norm) * sqrt(reference_norm));
    }
    for (int64_t t = starts[caption]; t + n <= starts[caption + 1]; t++)
        order->grams[order->ids[t]].in_caption = 0;
}

static void fill_cosines(const Table *table, int n, double n_images, PyObject *orders, int is_clipped, double *answer,
                         const Py_buffer *room)
{
    Order order;
    int fails = order_start(&order, table) < 0;
    int64_t n_before = table->n_words;
    memset(answer, 0, (size_t)(table->n_sentences * n) * sizeof(double));
    for (int k = 1; !fails && k <= n; k++) {
        Given given;
        if (given_read(&given, orders, k, n_before, room) < 0) {
            order_release(&order);
            return;
        }
        Py_BEGIN_ALLOW_THREADS
        fails = order_next(&order, table, k, given.pairs, given.n_pairs, 1) < 0;
        if (!fails)
            weigh(&order, table, k, n_images, &given);
        for (int64_t i = 0; !fails && i < table->n_images; i++) {
            compare(&order, table, i, k, is_clipped, answer + k - 1, n);
            fails = is_interrupted(&order.n_steps, steps_of_image(table, i));
        }
        Py_END_ALLOW_THREADS
        n_before = given.n_counts;
        given_release(&given);
    }
    order_release(&order);
}

PyDoc_STRVAR(cosines_doc, "cosines(numbers, starts, groups, n_words, n, n_images, given, is_clipped, out)\n--\n\n"
    "Fill out, float64 [sentences, n], with the cosine of each reference and its caption, for n-grams of each order.\n\n"
    "given is None, and document frequencies are those of the references, or what count answers, once for each n-gram.");

static PyObject *cosines(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[N_TABLE_ARRAYS], *orders, *out;
    Py_ssize_t n_words;
    int n, is_clipped;
    double n_images;
    Table table;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OOOnidOpO:cosines", &arrays[0], &arrays[1], &arrays[2], &n_words, &n, &n_images,
                          &orders, &is_clipped, &out)
        || !is_order(n) || table_read(&table, arrays, n_words) < 0)
        return NULL;
    double *answer = held_room(out, &buffer, &FLOAT64, table.n_sentences * n, arrays, N_TABLE_ARRAYS);
    if (answer != NULL) {
        fill_cosines(&table, n, n_images, orders, is_clipped, answer, &buffer);
        PyBuffer_Release(&buffer);
    }
    table_release(&table);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* Document frequencies. */

static PyObject *counted(const Order *order, const Table *table, int n)
{
    PyObject *counts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(order->n_grams * (int64_t)sizeof(int64_t)));
    if (counts == NULL)
        return NULL;
    count_images(order, table, n);
    char *place = PyBytes_AsString(counts);
    for (int64_t g = 0; g < order->n_grams; g++) {
        int64_t n_images = order->grams[g].df.n_images;
        memcpy(place + g * (int64_t)sizeof n_images, &n_images, sizeof n_images);
    }
    Py_ssize_t size = n > 1 ? (Py_ssize_t)(order->n_grams * (int64_t)sizeof(uint64_t)) : 0;
    return Py_BuildValue("y#N", size ? (const char *)order->pairs.keys : "", size, counts);
}

PyDoc_STRVAR(count_doc, "count(numbers, starts, groups, n_words, n)\n--\n\n"
    "For each order, its n-grams and the number of images whose references have them, as bytes.\n\n"
    "An n-gram is a pair, uint64: the place of its first n - 1 words in the order before (32 bits), then its last word.\n"
    "Single words have no pairs: their counts, int64, are in the order of the words.");

static PyObject *count(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[N_TABLE_ARRAYS];
    Py_ssize_t n_words;
    int n;
    Table table;
    Order order;
    if (!PyArg_ParseTuple(arguments, "OOOni:count", &arrays[0], &arrays[1], &arrays[2], &n_words, &n) || !is_order(n)
        || table_read(&table, arrays, n_words) < 0)
        return NULL;
    PyObject *answer = order_start(&order, &table) < 0 ? NULL : PyList_New(0);
    for (int k = 1; answer != NULL && k <= n; k++) {
        int fails;
        Py_BEGIN_ALLOW_THREADS
        fails = order_next(&order, &table, k, NULL, 0, 0) < 0;
        Py_END_ALLOW_THREADS
        PyObject *found = fails ? NULL : counted(&order, &table, k);
        if (found == NULL || PyList_Append(answer, found) < 0)
            Py_CLEAR(answer);
        Py_XDECREF(found);
    }
    order_release(&order);
    table_release(&table);
    return answer;
}

PyDoc_STRVAR(hash_doc, "hash(pair)\n--\n\nThe hash of a pair, which is another in every process.");

static PyObject *hash(PyObject *Py_UNUSED(module), PyObject *pair_number)
{
    const uint64_t key = PyLong_AsUnsignedLongLong(pair_number);
    return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(hash_of(key));
}

static int draw_multipliers(PyObject *Py_UNUSED(module))
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *bytes = os ? PyObject_CallMethod(os, "urandom", "n", (Py_ssize_t)sizeof multipliers) : NULL;
    const char *drawn = bytes ? PyBytes_AsString(bytes) : NULL;
    if (drawn != NULL && PyBytes_Size(bytes) == (Py_ssize_t)sizeof multipliers)
        memcpy(multipliers, drawn, sizeof multipliers);
    multipliers[0] |= 1;
    multipliers[1] |= 1;
    Py_XDECREF(bytes);
    Py_XDECREF(os);
    return drawn != NULL ? 0 : -1;
}

static PyMethodDef methods[] = {
    {"matches", matches, METH_VARARGS, matches_doc},
    {"cosines", cosines, METH_VARARGS, cosines_doc},
    {"count", count, METH_VARARGS, count_doc},
    {"hash", hash, METH_O, hash_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)draw_multipliers},
    {0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_ngrams",
    .m_doc = "The n-grams of captions and their references.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__ngrams(void)
{
    return PyModuleDef_Init(&module);
}
