/* What of the caption matches a word of the reference, in the order in which it is tried. */
#ifndef LIMNER_METEOR_MATCHES_H
#define LIMNER_METEOR_MATCHES_H

#include "work.h"

/* What looking for a word in the caption takes, and looking at a match. */
#define STEPS_OF_A_WORD 4
#define STEPS_OF_A_MATCH 8

static inline uint32_t sense_place(int32_t sense)
{
    return (uint32_t)sense * 2654435761u >> (32 - SENSE_BITS);
}

static int shares_sense(const Work *work, int32_t one, int32_t other)
{
    int64_t a = work->sense_starts[one], b = work->sense_starts[other];
    while (a < work->sense_starts[one + 1] && b < work->sense_starts[other + 1]) {
        if (work->senses[a] == work->senses[b])
            return 1;
        if (work->senses[a] < work->senses[b])
            a++;
        else
            b++;
    }
    return 0;
}

/* Whether some other word of the caption may share a sense with this one. */
static int may_share_sense(const Work *work, int32_t word)
{
    const uint8_t itself = work->is_met[word];
    for (int64_t k = work->sense_starts[word]; k < work->sense_starts[word + 1]; k++)
        if (work->sense_counts[sense_place(work->senses[k])] > itself)
            return 1;
    return 0;
}

/* Note, or forget, the words of the caption and their senses. */
static void note_words(Work *work, int is_there)
{
    for (int64_t i = 0; i < work->n_caption; i++) {
        const int32_t word = work->caption[i];
        if (work->is_met[word] == is_there)
            continue;
        work->is_met[word] = (uint8_t)is_there;
        for (int64_t k = work->sense_starts[word]; k < work->sense_starts[word + 1]; k++) {
            uint8_t *count = &work->sense_counts[sense_place(work->senses[k])];
            *count = is_there ? (uint8_t)(*count + (*count < 2)) : 0;
        }
    }
}

static int add_match(Work *work, int32_t start, int32_t length, int32_t reference_length, int32_t module)
{
    Match *matches = with_room(work->matches, work->n_matches, &work->matches_room, sizeof(Match));
    if (matches == NULL)
        return -1;
    work->matches = matches;
    work->matches[work->n_matches++] = (Match){start, length, reference_length, module};
    return 0;
}

static int add_words(Work *work, int32_t word)
{
    for (int32_t i = 0; i < work->n_caption; i++)
        if (work->caption[i] == word && add_match(work, i, 1, 1, EXACT) < 0)
            return -1;
    if (work->is_identical)
        return 0;
    for (int32_t i = 0; i < work->n_caption; i++)
        if (work->stems[work->caption[i]] == work->stems[word] && work->caption[i] != word
            && add_match(work, i, 1, 1, STEM) < 0)
            return -1;
    if (!may_share_sense(work, word))
        return 0;
    for (int32_t i = 0; i < work->n_caption; i++)
        if (work->caption[i] != word && shares_sense(work, work->caption[i], word)
            && add_match(work, i, 1, 1, SYNONYM) < 0)
            return -1;
    return 0;
}

/* Phrases of the reference whose paraphrases the caption has, by length, then in the order of the table. */
static int add_paraphrases(Work *work, int64_t first, int64_t last)
{
    for (int64_t o = first; o < last; o++)
        for (int64_t k = work->same_starts[work->phrases[o]]; k < work->same_starts[work->phrases[o] + 1]; k++)
            for (int32_t q = work->occurrences[work->same[k]]; q > 0; q = work->next_occurrence[q - 1])
                if (add_match(work, work->occurrence_words[q - 1],
                              work->phrase_lengths[work->first_occurrence + q - 1], work->phrase_lengths[o], PARAPHRASE) < 0)
                    return -1;
    return 0;
}

static int compare_pending(const void *one, const void *other)
{
    const Pending *a = one, *b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void sort_pending(Pending *pending, int64_t n)
{
    if (n > FEW) {
        qsort(pending, (size_t)n, sizeof(Pending), compare_pending);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        const Pending one = pending[i];
        int64_t k = i;
        for (; k > 0 && compare_pending(&one, &pending[k - 1]) < 0; k--)
            pending[k] = pending[k - 1];
        pending[k] = one;
    }
}

/* The same from the caption's side: by word and length there, then in the order of the table. */
static int add_reverse_paraphrases(Work *work, int64_t first, int64_t last)
{
    work->n_pending = 0;
    for (int64_t o = first; o < last; o++)
        for (int64_t k = work->reverse_starts[work->phrases[o]]; k < work->reverse_starts[work->phrases[o] + 1]; k++)
            for (int32_t q = work->occurrences[work->reverse[k]]; q > 0; q = work->next_occurrence[q - 1]) {
                Pending *pending = with_room(work->pending, work->n_pending, &work->pending_room, sizeof(Pending));
                if (pending == NULL)
                    return -1;
                work->pending = pending;
                work->pending[work->n_pending++]
                    = (Pending){work->occurrence_words[q - 1], work->phrase_lengths[work->first_occurrence + q - 1],
                                work->reverse_places[k], work->phrase_lengths[o]};
            }
    sort_pending(work->pending, work->n_pending);
    for (int64_t p = 0; p < work->n_pending; p++)
        if (add_match(work, work->pending[p].start, work->pending[p].length, work->pending[p].reference_length,
                      PARAPHRASE) < 0)
            return -1;
    return 0;
}

/* Add the matches at a position to those that were found. */
static int find_matches(Work *work, int64_t position)
{
    const int64_t first = work->phrase_starts[work->reference_start + position];
    const int64_t last = work->phrase_starts[work->reference_start + position + 1];
    if (add_words(work, work->reference[position]) < 0)
        return -1;
    if (work->is_identical || first == last)
        return 0;
    return add_paraphrases(work, first, last) < 0 ? -1 : add_reverse_paraphrases(work, first, last);
}

/* Whether a match covers each word: 1 where one does, 3 where several do. */
static int count_cover(Work *work)
{
    memset(work->caption_cover, 0, (size_t)work->n_caption);
    memset(work->reference_cover, 0, (size_t)work->n_reference);
    work->is_held = 1;
    work->n_matches = 0;
    for (int64_t j = 0; j < work->n_reference; j++) {
        if (work->n_matches > MATCHES_HELD) {
            work->is_held = 0;
            work->n_matches = 0;
        }
        work->match_starts[j] = work->n_matches;
        if (find_matches(work, j) < 0)
            return -1;
        work->match_starts[j + 1] = work->n_matches;
        const int64_t n_steps = STEPS_OF_A_WORD * work->n_caption + STEPS_OF_A_MATCH * (work->n_matches - work->match_starts[j]);
        if (is_interrupted(&work->n_signal_steps, n_steps))
            return -1;
        for (int64_t m = work->match_starts[j]; m < work->n_matches; m++) {
            const Match *match = &work->matches[m];
            for (int32_t i = match->start; i < match->start + match->length; i++)
                work->caption_cover[i] |= work->caption_cover[i] ? 2 : 1;
            for (int64_t k = j; k < j + match->reference_length; k++)
                work->reference_cover[k] |= work->reference_cover[k] ? 2 : 1;
        }
    }
    return 0;
}

/* Part the matches at hand into runs: single words of one block of the caption by one module, or anything else. */
static int find_runs(Work *work)
{
    int64_t m = 0;
    work->n_runs = 0;
    /* A few matches are as quickly looked at one by one. */
    if (work->n_here <= BLOCK_WORDS) {
        work->runs[work->n_runs++] = (Run){0, 0, work->n_here};
        return 0;
    }
    do {
        Run *runs = with_room(work->runs, work->n_runs, &work->runs_room, sizeof(Run));
        if (runs == NULL)
            return -1;
        work->runs = runs;
        Run *run = &work->runs[work->n_runs++];
        *run = (Run){0, 0, work->n_here};
        /* Paraphrases stand last, and are never so many. */
        if (work->here[m].module == PARAPHRASE)
            return 0;
        const int32_t module = work->here[m].module;
        run->block = work->here[m].start / BLOCK_WORDS;
        for (; m < work->n_here && work->here[m].module == module && work->here[m].start / BLOCK_WORDS == run->block; m++)
            run->words |= (uint64_t)1 << work->here[m].start % BLOCK_WORDS;
        run->last = m;
    } while (m < work->n_here);
    return 0;
}

/* Have the matches of a position at hand. */
static int come_to(Work *work, int64_t position)
{
    if (!work->is_held) {
        work->n_matches = 0;
        work->match_starts[position] = 0;
        if (find_matches(work, position) < 0)
            return -1;
        work->match_starts[position + 1] = work->n_matches;
    }
    work->here = work->matches + work->match_starts[position];
    work->n_here = work->match_starts[position + 1] - work->match_starts[position];
    /* Every path goes over the runs, and is copied with the bits of its words. */
    const int64_t n_found = work->is_held ? 0 : STEPS_OF_A_WORD * work->n_caption;
    const int64_t n_steps = n_found + STEPS_OF_A_MATCH * (work->n_here + work->n_paths) + 2 * work->n_bits * work->n_paths;
    return is_interrupted(&work->n_signal_steps, n_steps) ? -1 : 0;
}

/* Whether the one match at a position is the only one of all its words. */
static int is_certain(const Work *work, int64_t position)
{
    if (work->n_here != 1)
        return 0;
    const Match *match = work->here;
    for (int32_t i = match->start; i < match->start + match->length; i++)
        if (work->caption_cover[i] != 1)
            return 0;
    for (int64_t k = position; k < position + match->reference_length; k++)
        if (work->reference_cover[k] != 1)
            return 0;
    return 1;
}

#endif
