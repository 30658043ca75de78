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

/* What each byte is: a letter, by its small form; a blank; a mark that is dropped where it stands alone; or none of these. */
enum { OTHER = 0, BLANK = 1, MARK = 2, LETTER = 'a' };
static unsigned char kinds[256];

static void fill_kinds(void)
{
    for (int c = 'a'; c <= 'z'; c++)
        kinds[c] = kinds[c - 'a' + 'A'] = (unsigned char)c;
    for (const char *c = " \t\n\v\f\r\x1c\x1d\x1e\x1f"; *c; c++)
        kinds[(unsigned char)*c] = BLANK;
    for (const char *c = ".,!?;:\"'-"; *c; c++)
        kinds[(unsigned char)*c] = MARK;
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
 * The text ends with a 0, and there is room for two bytes for each of its own. */
static Py_ssize_t write_tokens(const unsigned char *text, const unsigned char *end, PyObject *odd, char *const out)
{
    char *written = out;
    for (;;) {
        while (kinds[*text] == BLANK)
            text++;
        if (text == end)
            return written - out;
        if (kinds[*text] == MARK && (kinds[text[1]] == BLANK || text + 1 == end)) {
            text++;
            continue;
        }
        *written++ = ' ';
        const char *const token = written;
        for (;; *written++ = (char)*text++) {
            const unsigned char *const part = text;
            for (unsigned char small; (small = kinds[*text]) >= LETTER; text++)
                *written++ = (char)small;
            if (text == part)
                return -1;
            if (*text != '-')
                break;
        }
        const Py_ssize_t length = written - token;
        int is_plain = memchr(token, '-', (size_t)length) != NULL;
        if (*text == '\'' && (text[1] == 's' || text[1] == 'S')) {
            is_plain = 1;
            memcpy(written, " 's", 3);
            written += 3;
            text += 2;
        }
        const int has_stop = *text == '.';
        if (has_stop || *text == ',' || *text == '!' || *text == '?')
            text++;
        if (kinds[*text] != BLANK && text != end)
            return -1;
        if (is_plain)
            continue;
        if (has_stop && length == 1)
            return -1;
        /* Of the words that are two tokens, each has its third letter twice. */
        if ((has_stop && length <= 6) || ((length == 5 || length == 6) && token[2] == token[3])) {
            const int found = is_odd(odd, token, (size_t)length);
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
    const unsigned char *const bytes = (const unsigned char *)text;
    const Py_ssize_t written = write_tokens(bytes, bytes + n, odd, room->bytes);
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
    fill_kinds();
    return PyModule_Create(&definition);
}
