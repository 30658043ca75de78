/* The words of sentences as numbers, in the order in which words are first met.
 *
 * limner.text.token_table does the same in Python where this was not compiled.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

typedef struct {
    char *bytes;
    size_t n, size; /* bytes in use, and bytes there are */
} Growing;

static char *grow(Growing *growing, size_t n)
{
    if (growing->n + n > growing->size) {
        const size_t size = (growing->n + n) * 2;
        char *bytes = realloc(growing->bytes, size);
        if (bytes == NULL)
            return (char *)PyErr_NoMemory();
        growing->bytes = bytes;
        growing->size = size;
    }
    growing->n += n;
    return growing->bytes + growing->n - n;
}

typedef struct {
    Growing letters; /* the words one after another, in UTF-8 */
    Growing ends;    /* where each ends there: size_t */
    Growing slots;   /* the number that a hash leads to, there or in the next slots: int32_t; NONE ends them */
    size_t mask;     /* one less than the number of slots, a power of two */
} Words;

static size_t count(const Words *words)
{
    return words->ends.n / sizeof(size_t);
}

static const char *word(const Words *words, size_t number, size_t *n)
{
    const size_t *ends = (const size_t *)(const void *)words->ends.bytes;
    const size_t start = number ? ends[number - 1] : 0;
    *n = ends[number] - start;
    return words->letters.bytes + start;
}

static size_t slot_of(const Words *words, const char *letters, size_t n)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)letters[i]) * 0x100000001B3u;
    size_t slot = (size_t)(hash ^ hash >> 29) & words->mask, m;
    const int32_t *slots = (const int32_t *)(const void *)words->slots.bytes;
    for (; slots[slot] != NONE; slot = (slot + 1) & words->mask) {
        const char *known = word(words, (size_t)slots[slot], &m);
        if (m == n && memcmp(known, letters, n) == 0)
            break;
    }
    return slot;
}

/* Have this many slots, and put every word there is into its own. */
static int fill_slots(Words *words, size_t n_slots)
{
    words->slots.n = 0;
    if (grow(&words->slots, n_slots * sizeof(int32_t)) == NULL)
        return -1;
    words->mask = n_slots - 1;
    memset(words->slots.bytes, 0xff, n_slots * sizeof(int32_t));
    for (size_t number = 0; number < count(words); number++) {
        size_t n;
        const char *letters = word(words, number, &n);
        ((int32_t *)(void *)words->slots.bytes)[slot_of(words, letters, n)] = (int32_t)number;
    }
    return 0;
}

/* The number of a word, its own from now on; NONE with an error. */
static int32_t number_of(Words *words, const char *letters, size_t n)
{
    size_t slot = slot_of(words, letters, n);
    int32_t number = ((int32_t *)(void *)words->slots.bytes)[slot];
    if (number != NONE)
        return number;
    if (count(words) == INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "there are too many words");
        return NONE;
    }
    number = (int32_t)count(words);
    char *kept = grow(&words->letters, n);
    if (kept == NULL)
        return NONE;
    memcpy(kept, letters, n);
    char *end = grow(&words->ends, sizeof(size_t));
    if (end == NULL)
        return NONE;
    memcpy(end, &words->letters.n, sizeof(size_t));
    ((int32_t *)(void *)words->slots.bytes)[slot] = number;
    if (count(words) * 2 > words->mask && fill_slots(words, (words->mask + 1) * 4) < 0)
        return NONE;
    return number;
}

/* Add the numbers of a sentence's words, which stand between single spaces, and how many they are. */
static int add_sentence(const char *text, size_t n, Words *words, Growing *numbers, Growing *lengths)
{
    int64_t length = 0;
    const char *const end = text + n;
    while (n > 0 && text <= end) {
        const char *space = memchr(text, ' ', (size_t)(end - text));
        const char *const stop = space ? space : end;
        const int32_t number = number_of(words, text, (size_t)(stop - text));
        char *place;
        if (number == NONE || (place = grow(numbers, sizeof(number))) == NULL)
            return -1;
        memcpy(place, &number, sizeof(number));
        length++;
        text = stop + 1;
    }
    char *place = grow(lengths, sizeof(length));
    if (place == NULL)
        return -1;
    memcpy(place, &length, sizeof(length));
    return 0;
}

static int add(PyObject *sentence, Words *words, Growing *numbers, Growing *lengths)
{
    Py_ssize_t n;
    if (!PyUnicode_Check(sentence)) {
        PyErr_SetString(PyExc_TypeError, "a sentence is a string");
        return -1;
    }
    const char *text = PyUnicode_AsUTF8AndSize(sentence, &n);
    if (text != NULL)
        return add_sentence(text, (size_t)n, words, numbers, lengths);
    if (!PyErr_ExceptionMatches(PyExc_UnicodeError))
        return -1;
    PyErr_Clear(); /* half of a surrogate pair, as JSON may hold it */
    PyObject *encoded = PyUnicode_AsEncodedString(sentence, "utf-8", "surrogatepass");
    char *bytes;
    if (encoded == NULL || PyBytes_AsStringAndSize(encoded, &bytes, &n) < 0) {
        Py_XDECREF(encoded);
        return -1;
    }
    const int done = add_sentence(bytes, (size_t)n, words, numbers, lengths);
    Py_DECREF(encoded);
    return done;
}

static PyObject *list_of(const Words *words)
{
    PyObject *list = PyList_New((Py_ssize_t)count(words));
    for (size_t number = 0; list != NULL && number < count(words); number++) {
        size_t n;
        const char *letters = word(words, number, &n);
        PyObject *one = PyUnicode_DecodeUTF8(letters, (Py_ssize_t)n, "surrogatepass");
        if (one == NULL || PyList_SetItem(list, (Py_ssize_t)number, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyDoc_STRVAR(number_words_doc, "number_words(sentences)\n--\n\n"
    "The distinct words of sentences, the number of every word (int32), and how many words each sentence has (int64).");

static PyObject *number_words(PyObject *Py_UNUSED(module), PyObject *sentences)
{
    PyObject *iterator = PyObject_GetIter(sentences), *sentence, *answer = NULL;
    Words words;
    Growing numbers = {NULL, 0, 0}, lengths = {NULL, 0, 0};
    memset(&words, 0, sizeof(words));
    /* Memory is asked for at once, so that there is a place to copy from even where there are no words. */
    int failed = iterator == NULL || fill_slots(&words, 1 << 12) < 0 || grow(&numbers, 64) == NULL
        || grow(&lengths, 64) == NULL || grow(&words.letters, 64) == NULL;
    numbers.n = lengths.n = words.letters.n = 0;
    while (!failed && (sentence = PyIter_Next(iterator)) != NULL) {
        failed = add(sentence, &words, &numbers, &lengths) < 0;
        Py_DECREF(sentence);
    }
    if (!failed && !PyErr_Occurred()) {
        PyObject *list = list_of(&words);
        PyObject *n = PyByteArray_FromStringAndSize(numbers.bytes, (Py_ssize_t)numbers.n);
        PyObject *l = PyByteArray_FromStringAndSize(lengths.bytes, (Py_ssize_t)lengths.n);
        if (list != NULL && n != NULL && l != NULL)
            answer = PyTuple_Pack(3, list, n, l);
        Py_XDECREF(list);
        Py_XDECREF(n);
        Py_XDECREF(l);
    }
    free(words.letters.bytes);
    free(words.ends.bytes);
    free(words.slots.bytes);
    free(numbers.bytes);
    free(lengths.bytes);
    Py_XDECREF(iterator);
    return answer;
}

static PyMethodDef methods[] = {
    {"number_words", number_words, METH_O, number_words_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_token_table", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__token_table(void)
{
    return PyModule_Create(&definition);
}
