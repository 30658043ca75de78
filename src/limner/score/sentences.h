/* Sentences whose words are numbers, as the kernels of this folder are given them.
 *
 * Sentences stand one after another in `numbers`: sentence s has those from starts[s] up to starts[s + 1]. Image i has the
 * sentences from groups[i], its caption, up to groups[i + 1]: its references.
 */
#ifndef LIMNER_SENTENCES_H
#define LIMNER_SENTENCES_H

#include "buffers.h"

/* How many arrays a table is read from. */
#define N_TABLE_ARRAYS 3

typedef struct {
    int32_t *numbers;
    int64_t *starts, *groups;
    int64_t n_tokens, n_sentences, n_images, n_words;
} Table;

static inline void table_release(Table *table)
{
    free(table->numbers);
    free(table->starts);
    free(table->groups);
}

static inline const char *table_fault(const Table *table)
{
    if (table->n_tokens > INT32_MAX || table->n_sentences >= INT32_MAX)
        return "too many words";
    if (table->n_words < 0 || table->n_words >= INT32_MAX)
        return "too many distinct words";
    if (table->starts[0] != 0 || table->starts[table->n_sentences] != table->n_tokens)
        return "starts must run from 0 to the number of words";
    if (table->groups[0] != 0 || table->groups[table->n_images] != table->n_sentences)
        return "groups must run from 0 to the number of sentences";
    for (int64_t s = 0; s < table->n_sentences; s++)
        if (table->starts[s] > table->starts[s + 1])
            return "starts must not decrease";
    for (int64_t i = 0; i < table->n_images; i++)
        if (table->groups[i] >= table->groups[i + 1])
            return "an image has no caption";
    for (int64_t t = 0; t < table->n_tokens; t++)
        if (table->numbers[t] < 0 || table->numbers[t] >= table->n_words)
            return "a word number is out of range";
    return NULL;
}

/* Read the arrays `numbers`, `starts` and `groups`. Everything that the loops of kernels rely on is checked here, once. */
static inline int table_read(Table *table, PyObject *const *arrays, Py_ssize_t n_words)
{
    int64_t n_starts, n_groups;
    memset(table, 0, sizeof(Table));
    table->n_words = n_words;
    if ((table->numbers = copied_items(arrays[0], &INT32, &table->n_tokens)) == NULL
        || (table->starts = copied_items(arrays[1], &INT64, &n_starts)) == NULL
        || (table->groups = copied_items(arrays[2], &INT64, &n_groups)) == NULL) {
        table_release(table);
        return -1;
    }
    table->n_sentences = n_starts - 1;
    table->n_images = n_groups - 1;
    const char *fault = n_starts < 1 || n_groups < 1 ? "starts and groups must begin with 0" : table_fault(table);
    if (fault != NULL) {
        PyErr_SetString(PyExc_ValueError, fault);
        table_release(table);
        return -1;
    }
    return 0;
}

#endif
