/* The tokens of captions that are plain: words of ASCII letters, with hyphens inside, 's and a mark after them, and blanks.
 *
 * limner.text.ptb does the same for every sentence in Python; what is not plain is left to it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *bytes;
    size_t size;
} Room;

static int make_room(Room *room, size_t size)
{
    if (size <= room->size)
        return 0;
    char *bytes = realloc(room->bytes, size * 2);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    room->bytes = bytes;
    room->size = size * 2;
    return 0;
}

static int is_letter(unsigned char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static int is_blank(unsigned char c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
}

/* Marks that are dropped where they stand alone. */
static int is_mark(unsigned char c)
{
    switch (c) {
    case '.': case ',': case '!': case '?': case ';': case ':': case '"': case '\'': case '-':
        return 1;
    default:
        return 0;
    }
}

/* Whether a lower-case word is among the odd ones; -1 with an error. */
static int is_odd(PyObject *odd, const char *word, size_t n)
{
    PyObject *key = PyUnicode_FromStringAndSize(word, (Py_ssize_t)n);
    if (key == NULL)
        return -1;
    const int found = PySet_Contains(odd, key);
    Py_DECREF(key);
    return found;
}

/* Write a sentence's tokens, a space before each, and give their length; -1 where it is not plain, -2 with an error.
 * There is room for two bytes for each byte of the text. */
static Py_ssize_t write_tokens(const unsigned char *text, size_t n, PyObject *odd, char *out)
{
    size_t i = 0, written = 0;
    for (;;) {
        while (i < n && is_blank(text[i]))
            i++;
        if (i == n)
            return (Py_ssize_t)written;
        if (!is_letter(text[i])) {
            if (!is_mark(text[i]) || (i + 1 < n && !is_blank(text[i + 1])))
                return -1;
            i++; /* a mark on its own is dropped */
            continue;
        }
        const size_t start = i, token = written + 1;
        int has_hyphen = 0;
        out[written++] = ' ';
        while (i < n && (is_letter(text[i]) || (text[i] == '-' && i > start && text[i - 1] != '-'))) {
            has_hyphen |= text[i] == '-';
            out[written++] = (char)(text[i] == '-' ? '-' : text[i] | 0x20);
            i++;
        }
        const size_t length = i - start;
        if (text[i - 1] == '-')
            return -1;
        int is_plain = i < n && text[i] == '\'' && i + 1 < n && (text[i + 1] | 0x20) == 's';
        if (is_plain) {
            memcpy(out + written, " 's", 3);
            written += 3;
            i += 2;
        }
        const int has_stop = i < n && text[i] == '.';
        if (has_stop || (i < n && (text[i] == ',' || text[i] == '!' || text[i] == '?')))
            i++;
        if (i < n && !is_blank(text[i]))
            return -1;
        is_plain |= has_hyphen;
        /* Of the words that are two tokens, each has its third letter twice. */
        const int may_part = (length == 5 || length == 6) && out[token + 2] == out[token + 3];
        if (!is_plain && has_stop && length == 1)
            return -1;
        if (!is_plain && ((has_stop && length <= 6) || may_part)) {
            const int found = is_odd(odd, out + token, length);
            if (found != 0)
                return found < 0 ? -2 : -1;
        }
    }
}

/* The sentence's tokens as a string, None where it is not plain. */
static PyObject *tokens_of(PyObject *sentence, PyObject *odd, Room *room)
{
    Py_ssize_t n;
    if (!PyUnicode_Check(sentence))
        return PyErr_Format(PyExc_TypeError, "a sentence is a string");
    const char *text = PyUnicode_AsUTF8AndSize(sentence, &n);
    if (text == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError))
            return NULL;
        PyErr_Clear(); /* half of a surrogate pair */
        Py_RETURN_NONE;
    }
    if (make_room(room, 2 * (size_t)n + 4) < 0)
        return NULL;
    const Py_ssize_t written = write_tokens((const unsigned char *)text, (size_t)n, odd, room->bytes);
    if (written == -2)
        return NULL;
    if (written < 0)
        Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(written ? room->bytes + 1 : "", written ? written - 1 : 0);
}

PyDoc_STRVAR(plain_doc, "plain(sentences, odd)\n--\n\n"
    "For each sentence its tokens between spaces, or None where it holds more than plain words and single marks.");

static PyObject *plain(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *sentences, *odd;
    if (!PyArg_ParseTuple(arguments, "OO:plain", &sentences, &odd))
        return NULL;
    if (!PyAnySet_Check(odd))
        return PyErr_Format(PyExc_TypeError, "the odd words are a set");
    PyObject *iterator = PyObject_GetIter(sentences), *answer = PyList_New(0), *sentence;
    Room room = {NULL, 0};
    while (iterator != NULL && answer != NULL && (sentence = PyIter_Next(iterator)) != NULL) {
        PyObject *tokens = tokens_of(sentence, odd, &room);
        Py_DECREF(sentence);
        if (tokens == NULL || PyList_Append(answer, tokens) < 0)
            Py_CLEAR(answer);
        Py_XDECREF(tokens);
    }
    free(room.bytes);
    Py_XDECREF(iterator);
    if (PyErr_Occurred())
        Py_CLEAR(answer);
    return answer;
}

static PyMethodDef methods[] = {
    {"plain", plain, METH_VARARGS, plain_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_ptb", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__ptb(void)
{
    return PyModule_Create(&definition);
}
