/* What the kernel that aligns works with: the sentences and what is known of their words, and the pair at hand. */
#ifndef LIMNER_METEOR_WORK_H
#define LIMNER_METEOR_WORK_H

#include "../sentences.h"

#define EXACT 0
#define STEM 1
#define SYNONYM 2
#define PARAPHRASE 3
#define N_STATISTICS 23
#define MAX_BEAM 1000
#define UNCHANGED (-1)
#define SKIPPED (-2)
#define FEW 24
#define BLOCK_WORDS 64
#define N_WORK_ARRAYS 9
#define SENSE_BITS 16
#define MATCHES_HELD (1 << 20)

typedef struct {
    int32_t start, length, reference_length, module;
} Match;

/* A paraphrase found from the caption's side, before it is put in order. */
typedef struct {
    int32_t start, length, place, reference_length;
} Pending;

/* Matches side by side in a list. Where `words` are given, they are those of one block of the caption, a bit for each. */
typedef struct {
    uint64_t words;
    int64_t block, last;
} Run;

typedef struct {
    int64_t distance;
    int32_t gain, chunks;
} Key;

typedef struct {
    Key key;
    int32_t last; /* where the chunk that is open would go on in the caption, -1 where none is */
    int32_t next; /* the first word of the reference that is not yet settled */
    int32_t trail; /* the step that was taken last, -1 for none */
    int32_t slot; /* which bits say what of the caption is used */
} Path;

typedef struct {
    Key key;
    int32_t parent, match;
} Child;

typedef struct {
    int32_t parent, position;
    Match match;
} Step;

typedef struct {
    Table table;
    void *copies[N_WORK_ARRAYS];
    int n_copies;
    int64_t n_signal_steps; /* work since signals were looked at */
    /* for each distinct word */
    const uint8_t *is_function_word;
    const int32_t *stems, *senses;
    const int64_t *sense_starts;
    /* phrases */
    const int64_t *phrase_starts, *same_starts;
    const int32_t *phrase_lengths, *phrases, *same;
    int64_t n_occurrences, n_phrases, n_same;
    int64_t *reverse_starts; /* the phrases that have each phrase as a paraphrase, and at which place of `same` */
    int32_t *reverse, *reverse_places;
    /* the caption at hand: for each phrase its first occurrence plus one, for each occurrence the next one and its word */
    int32_t *occurrences, *next_occurrence, *occurrence_words;
    int64_t first_occurrence;
    uint8_t *sense_counts; /* how many distinct words of the caption have a sense; several senses may share a place */
    uint8_t *is_met; /* for each distinct word, whether the caption has it */
    /* the pair at hand */
    const int32_t *caption, *reference;
    int64_t n_caption, n_reference, reference_start, n_bits;
    int is_identical, beam;
    uint8_t *caption_cover, *reference_cover;
    int32_t *last_match; /* for each word of the caption, the last match at the position at hand that starts there */
    Match *matches; /* items of all positions, or of the one at hand where they are too many to hold */
    int64_t n_matches, matches_room;
    int64_t *match_starts; /* where items of each position begin */
    int is_held;
    const Match *here; /* items of the position at hand */
    int64_t n_here;
    Run *runs; /* the same in runs, so that many whose words are used are passed over at once */
    int64_t n_runs, runs_room;
    Pending *pending;
    int64_t n_pending, pending_room;
    Path *paths, *other_paths;
    uint64_t *used, *other_used;
    Child *children;
    int n_paths, n_children;
    Step *steps;
    int64_t n_steps, steps_room;
} Work;

/* The items with room for one more, perhaps elsewhere; NULL with an error where there is none. */
static void *with_room(void *items, int64_t n, int64_t *room, size_t size)
{
    if (n < *room)
        return items;
    const int64_t wanted = 2 * *room + 64;
    void *larger = wanted < INT32_MAX ? realloc(items, size * (size_t)wanted) : NULL;
    if (larger == NULL)
        no_memory();
    else
        *room = wanted;
    return larger;
}

#endif
