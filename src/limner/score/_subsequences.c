/* The longest common subsequences of captions and their references, for ROUGE-L.
 *
 * A row of the table of lengths is held as bits, 64 words of the caption at a time, and one word of a reference takes it to
 * the next row by an addition (Crochemore et al. 2001; Hyyrö 2004). Memory does not grow with the product of two lengths.
 *
 * limner.score.rouge_l does the same with Python's own whole numbers where this was not compiled.
 */
#include "sentences.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t *masks; /* for each word, its places in the block of the caption at hand */
    uint8_t *carries; /* for each word of the references, what the block before carries over */
} Subsequences;

static int64_t zeros(uint64_t bits)
{
    int64_t n = 0;
    for (bits = ~bits; bits != 0; bits &= bits - 1)
        n++;
    return n;
}

/* How many words of the block of the caption are in the common subsequence with a reference. */
static int64_t block_length(const int32_t *words, int64_t n, const uint64_t *masks, uint8_t *carries)
{
    uint64_t row = ~(uint64_t)0;
    for (int64_t t = 0; t < n; t++) {
        const uint64_t shared = row & masks[words[t]], sum = row + shared, carried = sum + carries[t];
        /* Only one of the two sums can overflow. */
        carries[t] = (sum < row) | (carried < sum);
        row = carried | (row - shared);
    }
    return zeros(row);
}

static void subsequences_of(const Table *table, int64_t image, Subsequences *work, int64_t *answer)
{
    const int64_t caption = table->groups[image], *starts = table->starts;
    const int64_t first = starts[caption + 1];
    memset(work->carries, 0, (size_t)(starts[table->groups[image + 1]] - first));
    for (int64_t s = caption; s < table->groups[image + 1]; s++)
        answer[s] = 0;
    for (int64_t block = starts[caption]; block < first; block += 64) {
        const int64_t end = block + 64 < first ? block + 64 : first;
        for (int64_t t = block; t < end; t++)
            work->masks[table->numbers[t]] |= (uint64_t)1 << (t - block);
        for (int64_t s = caption + 1; s < table->groups[image + 1]; s++)
            answer[s] += block_length(table->numbers + starts[s], starts[s + 1] - starts[s], work->masks,
                                      work->carries + (starts[s] - first));
        for (int64_t t = block; t < end; t++)
            work->masks[table->numbers[t]] = 0;
    }
}

PyDoc_STRVAR(subsequences_doc, "subsequences(numbers, starts, groups, n_words, out)\n--\n\n"
    "Fill out, int64 [sentences], with the length of the longest subsequence each reference shares with its caption.");

static PyObject *subsequences(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *numbers, *starts, *groups, *out;
    Py_ssize_t n_words;
    Table table;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "OOOnO:subsequences", &numbers, &starts, &groups, &n_words, &out)
        || table_read(&table, numbers, starts, groups, n_words) < 0)
        return NULL;
    int64_t *answer = written(out, &buffer, table.n_sentences);
    if (answer != NULL) {
        Subsequences work = {
            calloc((size_t)(table.n_words ? table.n_words : 1), sizeof(uint64_t)),
            malloc((size_t)(table.n_tokens ? table.n_tokens : 1)),
        };
        if (work.masks == NULL || work.carries == NULL)
            PyErr_NoMemory();
        else
            for (int64_t i = 0; i < table.n_images && !is_interrupted(i); i++)
                subsequences_of(&table, i, &work, answer);
        free(work.masks);
        free(work.carries);
        PyBuffer_Release(&buffer);
    }
    table_release(&table);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"subsequences", subsequences, METH_VARARGS, subsequences_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_subsequences",
    .m_doc = "The longest common subsequences of captions and their references.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__subsequences(void)
{
    return PyModuleDef_Init(&module);
}
