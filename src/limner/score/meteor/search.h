/* The beam search; limner.score.meteor.meteor_search says what it does and why. */
#ifndef LIMNER_METEOR_SEARCH_H
#define LIMNER_METEOR_SEARCH_H

#include "matches.h"

static inline int is_better(const Key *one, const Key *other)
{
    if (one->gain != other->gain)
        return one->gain > other->gain;
    if (one->chunks != other->chunks)
        return one->chunks < other->chunks;
    return one->distance < other->distance;
}

static inline int32_t gain_of(const Match *match)
{
    return match->module == EXACT ? 2 : match->length / 2 + match->reference_length / 2;
}

static inline int32_t distance_of(const Match *match, int64_t position)
{
    return match->start > position ? match->start - (int32_t)position : (int32_t)position - match->start;
}

static int is_free(const uint64_t *used, const Match *match)
{
    for (int32_t i = match->start; i < match->start + match->length; i++)
        if (used[i >> 6] >> (i & 63) & 1)
            return 0;
    return 1;
}

/* Put a child among the best, after those that are as good. */
static void consider(Work *work, Child child)
{
    int k = work->n_children;
    if (k == work->beam) {
        if (!is_better(&child.key, &work->children[k - 1].key))
            return;
        k--;
    } else
        work->n_children++;
    for (; k > 0 && is_better(&child.key, &work->children[k - 1].key); k--)
        work->children[k] = work->children[k - 1];
    work->children[k] = child;
}

/* The children of one path: each match that is free, then none. Those that can no more be among the best are left out. */
static void consider_children(Work *work, int32_t parent, int64_t position, int32_t most)
{
    const Path *path = &work->paths[parent];
    const uint64_t *used = work->used + path->slot * work->n_bits;
    const int32_t closing = path->last >= 0;
    const int64_t adjoining = closing ? work->last_match[path->last] : -1;
    Key key = path->key;
    int64_t m = 0;
    for (const Run *run = work->runs; run < work->runs + work->n_runs; m = run++->last) {
        if (run->words != 0 && (run->words & ~used[run->block]) == 0)
            continue;
        for (; m < run->last; m++) {
            const Match *match = &work->here[m];
            const Key best = {key.distance, path->key.gain + most, path->key.chunks + (m > adjoining ? closing : 0)};
            if (work->n_children == work->beam && !is_better(&best, &work->children[work->n_children - 1].key))
                return;
            if (!is_free(used, match))
                continue;
            key.gain = path->key.gain + gain_of(match);
            key.chunks = path->key.chunks + (closing && match->start != path->last);
            consider(work, (Child){key, parent, (int32_t)m});
            /* The match's distance is held against what is tried after it, not against itself. */
            key.distance += distance_of(match, position);
        }
    }
    key.gain = path->key.gain;
    key.chunks = path->key.chunks + closing;
    consider(work, (Child){key, parent, SKIPPED});
}

static int take_step(Work *work, Path *path, const Match *match, int64_t position)
{
    Step *steps = with_room(work->steps, work->n_steps, &work->steps_room, sizeof(Step));
    if (steps == NULL)
        return -1;
    work->steps = steps;
    work->steps[work->n_steps] = (Step){path->trail, (int32_t)position, *match};
    path->trail = (int32_t)work->n_steps++;
    path->last = match->start + match->length;
    path->next = (int32_t)position + match->reference_length;
    return 0;
}

static int branch(Work *work, int64_t position)
{
    int32_t most = 0;
    for (int64_t m = 0; m < work->n_here; m++) {
        work->last_match[work->here[m].start] = (int32_t)m;
        most = gain_of(&work->here[m]) > most ? gain_of(&work->here[m]) : most;
    }
    if (find_runs(work) < 0)
        return -1;
    work->n_children = 0;
    for (int32_t p = 0; p < work->n_paths; p++) {
        if (work->paths[p].next > position)
            consider(work, (Child){work->paths[p].key, p, UNCHANGED});
        else
            consider_children(work, p, position, most);
    }
    for (int64_t m = 0; m < work->n_here; m++)
        work->last_match[work->here[m].start] = -1;
    for (int k = 0; k < work->n_children; k++) {
        const Child *child = &work->children[k];
        const Path *parent = &work->paths[child->parent];
        Path *path = &work->other_paths[k];
        uint64_t *used = work->other_used + k * work->n_bits;
        *path = (Path){child->key, parent->last, parent->next, parent->trail, k};
        memcpy(used, work->used + parent->slot * work->n_bits, sizeof(uint64_t) * (size_t)work->n_bits);
        if (child->match == SKIPPED)
            path->last = -1;
        else if (child->match >= 0) {
            const Match *match = &work->here[child->match];
            if (take_step(work, path, match, position) < 0)
                return -1;
            for (int32_t i = match->start; i < match->start + match->length; i++)
                used[i >> 6] |= (uint64_t)1 << (i & 63);
        }
    }
    Path *paths = work->paths;
    uint64_t *used = work->used;
    work->paths = work->other_paths;
    work->used = work->other_used;
    work->other_paths = paths;
    work->other_used = used;
    work->n_paths = work->n_children;
    return 0;
}

static void sort_paths(Work *work)
{
    for (int i = 1; i < work->n_paths; i++) {
        const Path one = work->paths[i];
        int k = i;
        for (; k > 0 && is_better(&one.key, &work->paths[k - 1].key); k--)
            work->paths[k] = work->paths[k - 1];
        work->paths[k] = one;
    }
}

/* Go on with every path in the one way there is: by the certain match, or by none. */
static int go_on(Work *work, int64_t position, const Match *certain)
{
    for (int p = 0; p < work->n_paths; p++) {
        Path *path = &work->paths[p];
        if (certain != NULL) {
            path->key.gain += gain_of(certain);
            path->key.chunks += path->last >= 0 && path->last != certain->start;
            if (take_step(work, path, certain, position) < 0)
                return -1;
        } else if (path->next <= position) {
            path->key.chunks += path->last >= 0;
            path->last = -1;
        }
    }
    sort_paths(work);
    return 0;
}

static int search(Work *work)
{
    if (count_cover(work) < 0)
        return -1;
    work->n_paths = 1;
    work->n_steps = 0;
    work->paths[0] = (Path){{0, 0, 0}, -1, 0, -1, 0};
    memset(work->used, 0, sizeof(uint64_t) * (size_t)work->n_bits);
    for (int64_t j = 0; j < work->n_reference; j++) {
        if (come_to(work, j) < 0)
            return -1;
        const int certain = is_certain(work, j);
        if ((certain || work->n_here == 0 ? go_on(work, j, certain ? work->here : NULL) : branch(work, j)) < 0)
            return -1;
    }
    for (int p = 0; p < work->n_paths; p++)
        work->paths[p].key.chunks += work->paths[p].last >= 0;
    sort_paths(work);
    return 0;
}

#endif
