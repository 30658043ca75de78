/* METEOR's alignments of captions and their references: a beam search over the words of a reference, left to right.
 *
 * Where matches are too many to be held, those of a word are found again when the search comes to it: memory does not grow
 * with the product of two lengths.
 * limner.score.meteor.meteor_alignment does the same in Python where this was not compiled.
 */
#include "search.h"

static int64_t function_words(const Work *work, const int32_t *words, int64_t n)
{
    int64_t count = 0;
    for (int64_t t = 0; t < n; t++)
        count += work->is_function_word[words[t]];
    return count;
}

/* The places of a row of statistics are those of limner.score.meteor.meteor_metric. */
static int fill_row(Work *work, int64_t *row)
{
    if (search(work) < 0)
        return -1;
    row[0] = work->n_caption;
    row[1] = work->n_reference;
    row[2] = function_words(work, work->caption, work->n_caption);
    row[3] = function_words(work, work->reference, work->n_reference);
    for (int32_t s = work->paths[0].trail; s >= 0; s = work->steps[s].parent) {
        const Step *step = &work->steps[s];
        int64_t *counts = row + 4 + 4 * step->match.module;
        for (int32_t i = step->match.start; i < step->match.start + step->match.length; i++)
            counts[work->is_function_word[work->caption[i]] ? 2 : 0]++;
        for (int32_t k = step->position; k < step->position + step->match.reference_length; k++)
            counts[work->is_function_word[work->reference[k]] ? 3 : 1]++;
        row[21] += step->match.length;
        row[22] += step->match.reference_length;
    }
    row[20] = work->paths[0].key.chunks;
    return 0;
}

/* Note where each phrase of the caption occurs, from left to right. */
static void note_occurrences(Work *work, int64_t start, int64_t end)
{
    work->first_occurrence = work->phrase_starts[start];
    for (int64_t t = end - 1; t >= start; t--)
        for (int64_t o = work->phrase_starts[t + 1] - 1; o >= work->phrase_starts[t]; o--) {
            const int64_t q = o - work->first_occurrence;
            work->occurrence_words[q] = (int32_t)(t - start);
            work->next_occurrence[q] = work->occurrences[work->phrases[o]];
            work->occurrences[work->phrases[o]] = (int32_t)q + 1;
        }
}

static int align_image(Work *work, int64_t image, int64_t *answer)
{
    const Table *table = &work->table;
    const int64_t caption = table->groups[image], start = table->starts[caption], end = table->starts[caption + 1];
    work->caption = table->numbers + start;
    work->n_caption = end - start;
    work->n_bits = work->n_caption / 64 + 1;
    note_words(work, 1);
    note_occurrences(work, start, end);
    int status = 0;
    for (int64_t s = caption + 1; s < table->groups[image + 1] && status == 0; s++) {
        work->reference_start = table->starts[s];
        work->reference = table->numbers + table->starts[s];
        work->n_reference = table->starts[s + 1] - table->starts[s];
        work->is_identical = work->n_caption == work->n_reference
            && memcmp(work->caption, work->reference, sizeof(int32_t) * (size_t)work->n_caption) == 0;
        memset(answer + N_STATISTICS * s, 0, sizeof(int64_t) * N_STATISTICS);
        status = fill_row(work, answer + N_STATISTICS * s);
    }
    note_words(work, 0);
    for (int64_t o = work->phrase_starts[start]; o < work->phrase_starts[end]; o++)
        work->occurrences[work->phrases[o]] = 0;
    return status;
}

static const char *spans_fault(const int64_t *starts, int64_t n_starts, int64_t n, int64_t n_items)
{
    if (n_starts != n + 1 || starts[0] != 0 || starts[n] != n_items)
        return "starts must run from 0 to the number of items";
    for (int64_t i = 0; i < n; i++)
        if (starts[i] > starts[i + 1])
            return "starts must not decrease";
    return NULL;
}

static const char *numbers_fault(const int32_t *numbers, int64_t n, int64_t limit)
{
    for (int64_t i = 0; i < n; i++)
        if (numbers[i] < 0 || numbers[i] >= limit)
            return "a phrase number is out of range";
    return NULL;
}

static const char *lengths_fault(const Work *work)
{
    const Table *table = &work->table;
    for (int64_t s = 0; s < table->n_sentences; s++)
        for (int64_t t = table->starts[s]; t < table->starts[s + 1]; t++)
            for (int64_t o = work->phrase_starts[t]; o < work->phrase_starts[t + 1]; o++)
                if (work->phrase_lengths[o] < 1 || work->phrase_lengths[o] > table->starts[s + 1] - t)
                    return "a phrase ends after its sentence";
    return NULL;
}

static const void *work_items(Work *work, PyObject *object, const ItemType *type, int64_t *n)
{
    void *copy = copied_items(object, type, n);
    work->copies[work->n_copies] = copy;
    work->n_copies += copy != NULL;
    return copy;
}

static const char *work_read(Work *work, PyObject *const *given)
{
    int64_t n_flags, n_stems, n_sense_starts, n_senses, n_phrase_starts, n_lengths, n_same_starts;
    const char *fault;
    if ((work->is_function_word = work_items(work, given[0], &UINT8, &n_flags)) == NULL
        || (work->stems = work_items(work, given[1], &INT32, &n_stems)) == NULL
        || (work->sense_starts = work_items(work, given[2], &INT64, &n_sense_starts)) == NULL
        || (work->senses = work_items(work, given[3], &INT32, &n_senses)) == NULL
        || (work->phrase_starts = work_items(work, given[4], &INT64, &n_phrase_starts)) == NULL
        || (work->phrase_lengths = work_items(work, given[5], &INT32, &n_lengths)) == NULL
        || (work->phrases = work_items(work, given[6], &INT32, &work->n_occurrences)) == NULL
        || (work->same_starts = work_items(work, given[7], &INT64, &n_same_starts)) == NULL
        || (work->same = work_items(work, given[8], &INT32, &work->n_same)) == NULL)
        return "";
    work->n_phrases = n_same_starts - 1;
    if (n_flags != work->table.n_words || n_stems != work->table.n_words || n_lengths != work->n_occurrences
        || n_same_starts < 1 || n_sense_starts < 1 || n_phrase_starts < 1 || work->n_same >= INT32_MAX
        || work->n_occurrences >= INT32_MAX)
        return "the lengths of the arrays do not match";
    if ((fault = spans_fault(work->sense_starts, n_sense_starts, work->table.n_words, n_senses)) != NULL
        || (fault = spans_fault(work->phrase_starts, n_phrase_starts, work->table.n_tokens, work->n_occurrences)) != NULL
        || (fault = spans_fault(work->same_starts, n_same_starts, work->n_phrases, work->n_same)) != NULL
        || (fault = numbers_fault(work->phrases, work->n_occurrences, work->n_phrases)) != NULL
        || (fault = numbers_fault(work->same, work->n_same, work->n_phrases)) != NULL)
        return fault;
    return lengths_fault(work);
}

static void *room_for(int64_t n, size_t size)
{
    return calloc((size_t)n + 1, size);
}

/* Room for the largest caption and reference there are. */
static int work_allocate(Work *work)
{
    const Table *table = &work->table;
    int64_t longest = 0, most_phrases = 0;
    for (int64_t s = 0; s < table->n_sentences; s++) {
        const int64_t n = table->starts[s + 1] - table->starts[s];
        const int64_t phrases = work->phrase_starts[table->starts[s + 1]] - work->phrase_starts[table->starts[s]];
        longest = n > longest ? n : longest;
        most_phrases = phrases > most_phrases ? phrases : most_phrases;
    }
    const int64_t bits = (longest / 64 + 1) * work->beam;
    if ((work->sense_counts = room_for((int64_t)1 << SENSE_BITS, 1)) == NULL
        || (work->is_met = room_for(table->n_words, 1)) == NULL
        || (work->reverse_starts = room_for(work->n_phrases + 1, sizeof(int64_t))) == NULL
        || (work->reverse = room_for(work->n_same, sizeof(int32_t))) == NULL
        || (work->reverse_places = room_for(work->n_same, sizeof(int32_t))) == NULL
        || (work->occurrences = room_for(work->n_phrases, sizeof(int32_t))) == NULL
        || (work->next_occurrence = room_for(most_phrases, sizeof(int32_t))) == NULL
        || (work->occurrence_words = room_for(most_phrases, sizeof(int32_t))) == NULL
        || (work->caption_cover = room_for(longest, 1)) == NULL
        || (work->reference_cover = room_for(longest, 1)) == NULL
        || (work->last_match = room_for(longest, sizeof(int32_t))) == NULL
        || (work->match_starts = room_for(longest, sizeof(int64_t))) == NULL
        || (work->paths = room_for(work->beam, sizeof(Path))) == NULL
        || (work->other_paths = room_for(work->beam, sizeof(Path))) == NULL
        || (work->used = room_for(bits, sizeof(uint64_t))) == NULL
        || (work->other_used = room_for(bits, sizeof(uint64_t))) == NULL
        || (work->children = room_for(work->beam, sizeof(Child))) == NULL
        || (work->runs = room_for(work->runs_room = 1, sizeof(Run))) == NULL) {
        return no_memory();
    }
    for (int64_t i = 0; i <= longest; i++)
        work->last_match[i] = -1;
    return 0;
}

static void work_prepare(Work *work)
{
    for (int64_t k = 0; k < work->n_same; k++)
        work->reverse_starts[work->same[k] + 1]++;
    for (int64_t p = 0; p < work->n_phrases; p++)
        work->reverse_starts[p + 1] += work->reverse_starts[p];
    for (int64_t p = 0; p < work->n_phrases; p++)
        for (int64_t k = work->same_starts[p]; k < work->same_starts[p + 1]; k++) {
            const int64_t place = work->reverse_starts[work->same[k]]++;
            work->reverse[place] = (int32_t)p;
            work->reverse_places[place] = (int32_t)k;
        }
    /* Filling has moved each start to the next one's place. */
    for (int64_t p = work->n_phrases; p > 0; p--)
        work->reverse_starts[p] = work->reverse_starts[p - 1];
    work->reverse_starts[0] = 0;
}

static void work_release(Work *work)
{
    void *rooms[] = {work->sense_counts, work->is_met, work->reverse_starts, work->reverse, work->reverse_places, work->occurrences,
                     work->next_occurrence, work->occurrence_words, work->caption_cover, work->reference_cover,
                     work->last_match, work->match_starts, work->matches, work->pending, work->paths, work->other_paths, work->used,
                     work->other_used, work->children, work->steps, work->runs};
    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
        free(rooms[i]);
    while (work->n_copies > 0)
        free(work->copies[--work->n_copies]);
}

PyDoc_STRVAR(align_doc, "align(numbers, starts, groups, n_words, is_function_word, stems, sense_starts, senses,\n"
    "    phrase_starts, phrase_lengths, phrases, same_starts, same, beam, out)\n--\n\n"
    "Fill out, int64 [sentences, 23], with the statistics of each reference and its image's caption.");

static PyObject *align(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *arrays[N_TABLE_ARRAYS + N_WORK_ARRAYS], **given = arrays + N_TABLE_ARRAYS, *out;
    Py_ssize_t n_words;
    Work work;
    Py_buffer buffer;
    memset(&work, 0, sizeof(work));
    if (!PyArg_ParseTuple(arguments, "OOOnOOOOOOOOOiO:align", &arrays[0], &arrays[1], &arrays[2], &n_words, &given[0],
                          &given[1], &given[2], &given[3], &given[4], &given[5], &given[6], &given[7], &given[8],
                          &work.beam, &out)
        || table_read(&work.table, arrays, n_words) < 0)
        return NULL;
    const char *fault = work.beam < 1 || work.beam > MAX_BEAM ? "the beam must be from 1 to 1000" : work_read(&work, given);
    if (fault != NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, fault);
    if (fault == NULL && work_allocate(&work) == 0) {
        const int64_t n_wanted = N_STATISTICS * work.table.n_sentences;
        int64_t *answer = held_room(out, &buffer, &INT64, n_wanted, arrays, N_TABLE_ARRAYS + N_WORK_ARRAYS);
        if (answer != NULL) {
            /* From here on only copies and the room that is held are touched, so that other threads may run. */
            Py_BEGIN_ALLOW_THREADS
            work_prepare(&work);
            for (int64_t i = 0; i < work.table.n_images; i++)
                if (align_image(&work, i, answer) < 0)
                    break;
            Py_END_ALLOW_THREADS
            PyBuffer_Release(&buffer);
        }
    }
    work_release(&work);
    table_release(&work.table);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"align", align, METH_VARARGS, align_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_align",
    .m_doc = "METEOR's alignments.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__align(void)
{
    return PyModuleDef_Init(&module);
}
