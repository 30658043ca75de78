/* Sentences whose words are numbers, as the kernels of this folder are given them.
 *
 * Sentences stand one after another in `numbers`: sentence s has those from starts[s] up to starts[s + 1]. Image i has the
 * sentences from groups[i], its caption, up to groups[i + 1]: its references.
 */
#ifndef LIMNER_SENTENCES_H
#define LIMNER_SENTENCES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define IMAGES_BETWEEN_SIGNALS 1024

typedef struct {
    Py_buffer buffers[3];
    int n_buffers;
    const int32_t *numbers;
    const int64_t *starts, *groups;
    int64_t n_tokens, n_sentences, n_images, n_words;
} Table;

static inline void table_release(Table *table)
{
    while (table->n_buffers > 0)
        PyBuffer_Release(&table->buffers[--table->n_buffers]);
}

/* The items of a buffer, or NULL with an error where it cannot hold whole items of this size. */
static inline void *items(PyObject *object, Py_buffer *buffer, int64_t size, int is_written, int64_t *n)
{
    if (PyObject_GetBuffer(object, buffer, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return NULL;
    if (buffer->len % size != 0 || (uintptr_t)buffer->buf % (uintptr_t)size != 0) {
        PyBuffer_Release(buffer);
        PyErr_SetString(PyExc_ValueError, "a buffer must hold whole, aligned items");
        return NULL;
    }
    *n = buffer->len / size;
    /* An empty buffer may have no address. */
    return buffer->buf ? buffer->buf : (void *)buffer;
}

static inline void *table_items(Table *table, PyObject *object, int64_t size, int64_t *n)
{
    void *found = items(object, &table->buffers[table->n_buffers], size, 0, n);
    table->n_buffers += found != NULL;
    return found;
}

static inline const char *table_fault(const Table *table)
{
    if (table->n_tokens > INT32_MAX || table->n_sentences > INT32_MAX)
        return "too many words";
    if (table->n_words < 0 || table->n_words > INT32_MAX)
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

/* Everything that the loops below rely on is checked here, once. */
static inline int table_read(Table *table, PyObject *numbers, PyObject *starts, PyObject *groups, Py_ssize_t n_words)
{
    int64_t n_starts, n_groups;
    table->n_buffers = 0;
    table->n_words = n_words;
    if ((table->numbers = table_items(table, numbers, sizeof(int32_t), &table->n_tokens)) == NULL
        || (table->starts = table_items(table, starts, sizeof(int64_t), &n_starts)) == NULL
        || (table->groups = table_items(table, groups, sizeof(int64_t), &n_groups)) == NULL) {
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

static inline void *written(PyObject *object, Py_buffer *buffer, int64_t n_wanted)
{
    int64_t n;
    void *found = items(object, buffer, 8, 1, &n);
    if (found != NULL && n != n_wanted) {
        PyBuffer_Release(buffer);
        PyErr_Format(PyExc_ValueError, "the output has %lld items, not %lld", (long long)n, (long long)n_wanted);
        return NULL;
    }
    return found;
}

/* Whether somebody pressed Ctrl-C. With the interpreter's lock or without: whoever has released it gets it back for this. */
static inline int has_signal(void)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const int is_stopped = PyErr_CheckSignals() < 0;
    PyGILState_Release(state);
    return is_stopped;
}

static inline int is_interrupted(int64_t image)
{
    /* Never at the first image: taking the lock back at once would make a short call wait for other threads. */
    return image % IMAGES_BETWEEN_SIGNALS == IMAGES_BETWEEN_SIGNALS - 1 && has_signal();
}

/* Note that there is no memory left, with the lock or without; -1. */
static inline int no_memory(void)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_NoMemory();
    PyGILState_Release(state);
    return -1;
}

#endif
