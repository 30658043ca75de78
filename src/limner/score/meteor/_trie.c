/* Which nodes of a trie of phrases are reached from each word of many sentences.
 *
 * limner.score.meteor.meteor_sentences does the same with arrays where this was not compiled.
 */
#include "../sentences.h"
#include <stdlib.h>

#define NONE (-1)

typedef struct {
    Py_buffer buffers[3];
    int n_buffers;
    const uint32_t *words, *children;
    const int64_t *known;
    int64_t n_nodes;
    int32_t *firsts; /* for each distinct word, the child of the root that it leads to */
} Trie;

typedef struct {
    int32_t *nodes;
    int64_t n, room;
} Found;

static void trie_release(Trie *trie)
{
    free(trie->firsts);
    while (trie->n_buffers > 0)
        PyBuffer_Release(&trie->buffers[--trie->n_buffers]);
}

static const void *trie_items(Trie *trie, PyObject *object, int64_t size, int64_t *n)
{
    const void *found = items(object, &trie->buffers[trie->n_buffers], size, 0, n);
    trie->n_buffers += found != NULL;
    return found;
}

/* The child of a node by its word. A trie may say anything; no place outside of it is looked at. */
static int32_t child(const Trie *trie, int32_t node, int64_t word)
{
    int64_t low = trie->children[node], high = trie->children[node + 1];
    if (word < 0 || high > trie->n_nodes)
        return NONE;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (trie->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    const int is_it = low < trie->n_nodes && low < (int64_t)trie->children[node + 1] && trie->words[low] == word;
    /* A child stands after its parent, so that no walk goes on for ever. */
    return is_it && low > node ? (int32_t)low : NONE;
}

static int trie_read(Trie *trie, PyObject *words, PyObject *children, PyObject *known, int64_t n_words)
{
    int64_t n_children, n_known;
    trie->n_buffers = 0;
    trie->firsts = NULL;
    if ((trie->words = trie_items(trie, words, sizeof(uint32_t), &trie->n_nodes)) == NULL
        || (trie->children = trie_items(trie, children, sizeof(uint32_t), &n_children)) == NULL
        || (trie->known = trie_items(trie, known, sizeof(int64_t), &n_known)) == NULL)
        return -1;
    if (n_children != trie->n_nodes + 1 || trie->n_nodes < 1 || trie->n_nodes >= INT32_MAX || n_known != n_words) {
        PyErr_SetString(PyExc_ValueError, "the lengths of the trie's arrays do not match");
        return -1;
    }
    trie->firsts = malloc(sizeof(int32_t) * (size_t)(n_words ? n_words : 1));
    if (trie->firsts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int64_t w = 0; w < n_words; w++)
        trie->firsts[w] = child(trie, 0, trie->known[w]);
    return 0;
}

static int add(Found *found, int32_t node)
{
    if (found->n == found->room) {
        const int64_t room = 2 * found->room + 1024;
        int32_t *nodes = realloc(found->nodes, sizeof(int32_t) * (size_t)room);
        if (nodes == NULL) {
            return no_memory();
        }
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
    }
    return 0;
}

PyDoc_STRVAR(walk_doc, "walk(numbers, starts, groups, n_words, trie_words, trie_children, known, counts)\n--\n\n"
    "The nodes that are reached from each word, as int32 in bytes; counts, int64 [words], is filled with how many.");

static PyObject *walk(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *numbers, *starts, *groups, *trie_words, *trie_children, *known, *out;
    Py_ssize_t n_words;
    Table table;
    Trie trie;
    Py_buffer buffer;
    Found found = {NULL, 0, 0};
    if (!PyArg_ParseTuple(arguments, "OOOnOOOO:walk", &numbers, &starts, &groups, &n_words, &trie_words,
                          &trie_children, &known, &out)
        || table_read(&table, numbers, starts, groups, n_words) < 0)
        return NULL;
    int64_t *counts = written(out, &buffer, table.n_tokens);
    if (counts != NULL) {
        if (trie_read(&trie, trie_words, trie_children, known, table.n_words) == 0) {
            /* From here on only buffers that are held are touched, so that other threads may run. */
            Py_BEGIN_ALLOW_THREADS
            for (int64_t s = 0; s < table.n_sentences && !is_interrupted(s); s++)
                if (walk_sentence(&table, &trie, s, counts, &found) < 0)
                    break;
            Py_END_ALLOW_THREADS
        }
        trie_release(&trie);
        PyBuffer_Release(&buffer);
    }
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
