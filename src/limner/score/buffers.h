/* What kernels take from Python: copies of arrays, and room to write to, each checked for its type.
 *
 * Kernels release the interpreter's lock, and another thread might write to an array meanwhile. So what is read is copied
 * first and checked in the copy: nothing changes between the check and the use.
 */
#ifndef LIMNER_BUFFERS_H
#define LIMNER_BUFFERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The types of items: the letters that the buffer protocol has for them, and their bytes. C's long may have 4 or 8. */
typedef struct {
    const char *name, *letters;
    int64_t size;
} ItemType;

static const ItemType INT32 = {"int32", "il", 4}, INT64 = {"int64", "lq", 8}, UINT8 = {"uint8", "B", 1},
                      UINT32 = {"uint32", "IL", 4}, UINT64 = {"uint64", "LQ", 8}, FLOAT64 = {"float64", "d", 8};

static inline int is_of_type(const Py_buffer *buffer, const ItemType *type)
{
    const char *letter = buffer->format;
    if (letter != NULL && *letter == '@')
        letter++;
    return letter != NULL && letter[0] != '\0' && letter[1] == '\0' && strchr(type->letters, letter[0]) != NULL
        && buffer->itemsize == type->size;
}

/* Hold the items of an array that lie side by side in memory; NULL with an error where they are of another type. */
static inline void *held_items(PyObject *object, Py_buffer *buffer, const ItemType *type, int is_written, int64_t *n)
{
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) < 0)
        return NULL;
    if (!is_of_type(buffer, type) || buffer->len % type->size != 0
        || (uintptr_t)buffer->buf % (uintptr_t)type->size != 0) {
        PyBuffer_Release(buffer);
        PyErr_Format(PyExc_ValueError, "a buffer must hold whole, aligned items of type %s", type->name);
        return NULL;
    }
    *n = buffer->len / type->size;
    /* An empty buffer may have no address. */
    return buffer->buf ? buffer->buf : (void *)buffer;
}

/* A copy of the items of an array, to be freed; NULL with an error where there is none. */
static inline void *copied_items(PyObject *object, const ItemType *type, int64_t *n)
{
    Py_buffer buffer;
    const void *found = held_items(object, &buffer, type, 0, n);
    if (found == NULL)
        return NULL;
    void *copy = malloc(buffer.len ? (size_t)buffer.len : 1);
    if (copy != NULL)
        memcpy(copy, found, (size_t)buffer.len);
    else
        PyErr_NoMemory();
    PyBuffer_Release(&buffer);
    return copy;
}

/* Whether the items of an array share no byte with room that is written to; otherwise there is an error. */
static inline int is_apart(PyObject *object, const Py_buffer *room)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0)
        return 0;
    const uintptr_t a = (uintptr_t)buffer.buf, b = (uintptr_t)room->buf;
    const int answer = buffer.len == 0 || room->len == 0 || a + (uintptr_t)buffer.len <= b || b + (uintptr_t)room->len <= a;
    PyBuffer_Release(&buffer);
    if (!answer)
        PyErr_SetString(PyExc_ValueError, "the output must not overlap with what is read");
    return answer;
}

/* Hold room for the answer, so many items, apart from the arrays that are read; NULL with an error where it is not so. */
static inline void *held_room(PyObject *object, Py_buffer *buffer, const ItemType *type, int64_t n_wanted,
                              PyObject *const *read, int n_read)
{
    int64_t n;
    void *room = held_items(object, buffer, type, 1, &n);
    if (room == NULL)
        return NULL;
    int is_sound = n == n_wanted;
    if (!is_sound)
        PyErr_Format(PyExc_ValueError, "the output has %lld items, not %lld", (long long)n, (long long)n_wanted);
    for (int i = 0; is_sound && i < n_read; i++)
        is_sound = is_apart(read[i], buffer);
    if (is_sound)
        return room;
    PyBuffer_Release(buffer);
    return NULL;
}

/* Whether somebody pressed Ctrl-C. With the interpreter's lock or without: whoever has released it gets it back for this. */
static inline int has_signal(void)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    const int is_stopped = PyErr_CheckSignals() < 0;
    PyGILState_Release(state);
    return is_stopped;
}

/* How much work is done before signals are looked at: some hundredths of a second. */
#define STEPS_BETWEEN_SIGNALS ((int64_t)1 << 22)

/* Count steps of work; now and then, see whether somebody pressed Ctrl-C.
 *
 * Never at the first steps: taking the lock back at once would make a short call wait for other threads.
 */
static inline int is_interrupted(int64_t *n_steps, int64_t n_more)
{
    *n_steps += n_more;
    if (*n_steps < STEPS_BETWEEN_SIGNALS)
        return 0;
    *n_steps = 0;
    return has_signal();
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
