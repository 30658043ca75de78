/* Which nodes of a trie of phrases are reached from each word of many sentences.
 *
 * limner.score.meteor.meteor_sentences does the same with arrays where this was not compiled.
 */
#include "../sentences.h"

#define NONE (-1)
#define N_TRIE_ARRAYS 3
/* A look into the trie is a bisection over memory that is far away. */
#define STEPS_OF_A_LOOK 32

/* The words and children are too many to copy: whatever they say, no place outside of them is looked at. */
typedef struct {
    Py_buffer buffers[2];
    int n_buffers;
    const uint32_t *words, *children;
    int64_t *known;
    int64_t n_nodes;
    int32_t *firsts; /* for each distinct word, the child of the root that it leads to */
} Trie;

typedef struct {
    int32_t *nodes;
    int64_t n, room, n_steps;
} Found;

static void trie_release(Trie *trie)
{
    free(trie->firsts);
    free(trie->known);
    while (trie->n_buffers > 0)
        PyBuffer_Release(&trie->buffers[--trie->n_buffers]);
}

static const uint32_t *trie_items(Trie *trie, PyObject *object, int64_t *n)
{
    const uint32_t *found = held_items(object, &trie->buffers[trie->n_buffers], &UINT32, 0, n);
    trie->n_buffers += found != NULL;
    return found;
}

/* The child of a node by its word. */
static int32_t child(const Trie *trie, int32_t node, int64_t word)
{
    int64_t low = trie->children[node], high = trie->children[node + 1];
    const int64_t end = high;
    if (word < 0 || end > trie->n_nodes)
        return NONE;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (trie->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    /* A child stands after its parent, so that no walk goes on for ever. */
    return low < end && low > node && trie->words[low] == word ? (int32_t)low : NONE;
}

/* Read the arrays `trie_words`, `trie_children` and `known`. */
static int trie_read(Trie *trie, PyObject *const *arrays, int64_t n_words)
{
    int64_t n_children, n_known;
    memset(trie, 0, sizeof(Trie));
    if ((trie->words = trie_items(trie, arrays[0], &trie->n_nodes)) == NULL
        || (trie->children = trie_items(trie, arrays[1], &n_children)) == NULL
        || (trie->known = copied_items(arrays[2], &INT64, &n_known)) == NULL)
        return -1;
    if (n_children != trie->n_nodes + 1 || trie->n_nodes < 1 || trie->n_nodes >= INT32_MAX || n_known != n_words) {
        PyErr_SetString(PyExc_ValueError, "the lengths of the trie's arrays do not match");
        return -1;
    }
    trie->firsts = malloc(sizeof(int32_t) * (size_t)(n_words ? n_words : 1));
    if (trie->firsts == NULL)
        return no_memory();
    for (int64_t w = 0; w < n_words; w++)
        trie->firsts[w] = child(trie, 0, trie->known[w]);
    return 0;
}

static int add(Found *found, int32_t node)
{
    if (found->n == found->room) {
        const int64_t room = 2 * found->room + 1024;
        int32_t *nodes = realloc(found->nodes, sizeof(int32_t) * (size_t)room);
        if (nodes == NULL)
            return no_memory();
        found->nodes = nodes;
        found->room = room;
    }
    found->nodes[found->n++] = node;
    return 0;
}

static int walk_sentence(const Table *table, const Trie *trie, int64_t sentence, int64_t *counts, Found *found)
{
    const int64_t end = table->starts[sentence + 1];
    for (int64_t t = table->starts[sentence]; t < end; t++) {
        int32_t node = trie->firsts[table->numbers[t]];
        int64_t next = t;
        while (node != NONE) {
            if (add(found, node) < 0)
                return -1;
            node = ++next < end ? child(trie, node, trie->known[table->numbers[next]]) : NONE;
        }
        counts[t] = next - t;
        if (is_interrupted(&found->n_steps, STEPS_OF_A_LOOK * (1 + next - t)))
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(walk_doc, "walk(numbers, starts, groups, n_words, trie_words, trie_children, known, counts)\n--\n\n"
    "The nodes that are reached from each word, as int32 in bytes; counts, int64 [words], is filled with how many.");

static PyObject *walk(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[N_TABLE_ARRAYS + N_TRIE_ARRAYS], *out;
    Py_ssize_t n_words;
    Table table;
    Trie trie;
    Py_buffer buffer;
    Found found = {NULL, 0, 0, 0};
    if (!PyArg_ParseTuple(arguments, "OOOnOOOO:walk", &arrays[0], &arrays[1], &arrays[2], &n_words, &arrays[3],
                          &arrays[4], &arrays[5], &out)
        || table_read(&table, arrays, n_words) < 0)
        return NULL;
    if (trie_read(&trie, arrays + N_TABLE_ARRAYS, table.n_words) == 0) {
        int64_t *counts = held_room(out, &buffer, &INT64, table.n_tokens, arrays, N_TABLE_ARRAYS + N_TRIE_ARRAYS);
        if (counts != NULL) {
            /* From here on only copies and buffers that are held are touched, so that other threads may run. */
            Py_BEGIN_ALLOW_THREADS
            for (int64_t s = 0; s < table.n_sentences; s++)
                if (walk_sentence(&table, &trie, s, counts, &found) < 0)
                    break;
            Py_END_ALLOW_THREADS
            PyBuffer_Release(&buffer);
        }
    }
    trie_release(&trie);
    table_release(&table);
    PyObject *answer = PyErr_Occurred()
        ? NULL
        : PyBytes_FromStringAndSize((const char *)found.nodes, found.n * (Py_ssize_t)sizeof(int32_t));
    free(found.nodes);
    return answer;
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, walk_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_trie",
    .m_doc = "Walks over a trie of phrases.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__trie(void)
{
    return PyModuleDef_Init(&module);
}
