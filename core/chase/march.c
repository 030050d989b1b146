/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/march.h"

#include "core/lib/memory.h"

/* So often a word that is wrong again is read again. */
#define REREAD_EVENTS 4

/* Between words of random data: 2^64 over the golden ratio, as between states of a generator. */
#define RANDOM_STEP 0x9e3779b97f4a7c15ull

struct march_form march_form_of(const struct march_data *data)
{
    uint64_t even = data->inverted ? UINT64_MAX : 0, odd = even, step = 0;

    if (data->pattern == MARCH_ADDRESS)
        step = sizeof step;
    else if (data->pattern == MARCH_RANDOM)
        step = RANDOM_STEP;
    else
        odd = ~even;
    return (struct march_form){data->pattern, {{0, step}, {2 * step, 2 * step}, {even, odd}}};
}

void march_errors_start(struct march_errors *errors, uint64_t lines)
{
    memory_fill(errors, 0, sizeof *errors);
    errors->piece_lines = lines / MARCH_PIECES_MAX + 1;
    errors->pieces = (uint32_t)((lines + errors->piece_lines - 1) / errors->piece_lines);
}

/* Where the word is listed, or would be. Three quarters of the slots stay free. */
static uint32_t slot_of(const struct march_errors *errors, uint64_t offset)
{
    uint32_t slot = (uint32_t)random_mix(offset) % MARCH_SLOTS;

    while (errors->slot[slot] != 0 && errors->word[errors->slot[slot] - 1].offset != offset)
        slot = (slot + 1) % MARCH_SLOTS;
    return slot;
}

static struct march_piece *piece_of(struct march_errors *errors, uint64_t offset)
{
    return &errors->piece[offset / MARCH_LINE_BYTES / errors->piece_lines];
}

static bool has_room(struct march_errors *errors, uint64_t offset)
{
    return errors->count < MARCH_WORDS_MAX && piece_of(errors, offset)->listed < MARCH_PIECE_WORDS;
}

/* A word that may give its place to one at `offset`; NULL: none. In one step there come to be no
 * more of them, so that a search that found none need not be repeated. */
static struct march_word *find_passed(struct march_errors *errors, uint64_t offset)
{
    struct march_piece *piece = piece_of(errors, offset);
    bool of_piece = piece->listed == MARCH_PIECE_WORDS;
    uint32_t *searched = of_piece ? &piece->searched : &errors->searched;

    if (*searched == errors->step + 1)
        return NULL;
    for (uint32_t i = 0; i < errors->count; i++) {
        struct march_word *word = &errors->word[i];
        if (word->events == 1 && (word->steps >> errors->step & 1) == 0 &&
            (!of_piece || piece_of(errors, word->offset) == piece))
            return word;
    }
    *searched = errors->step + 1;
    return NULL;
}

static void give_place(struct march_errors *errors, struct march_word *word, uint64_t offset)
{
    piece_of(errors, word->offset)->listed--;
    piece_of(errors, offset)->listed++;
    errors->unlisted += word->events;
    *word = (struct march_word){.offset = offset};
    for (uint32_t i = 0; i < MARCH_SLOTS; i++)
        errors->slot[i] = 0;
    for (uint32_t i = 0; i < errors->count; i++)
        errors->slot[slot_of(errors, errors->word[i].offset)] = (uint16_t)(i + 1);
}

bool march_rereads(struct march_errors *errors, uint64_t offset)
{
    uint32_t index = errors->slot[slot_of(errors, offset)];

    if (index == 0)
        return has_room(errors, offset) || find_passed(errors, offset) != NULL;
    return errors->word[index - 1].reread_events < REREAD_EVENTS;
}

/* The word's entry; NULL: there is no room. */
static struct march_word *entry_of(struct march_errors *errors, uint64_t offset)
{
    uint32_t slot = slot_of(errors, offset);

    if (errors->slot[slot] == 0) {
        if (!has_room(errors, offset)) {
            struct march_word *word = find_passed(errors, offset);
            if (word != NULL)
                give_place(errors, word, offset);
            return word;
        }
        piece_of(errors, offset)->listed++;
        errors->word[errors->count] = (struct march_word){.offset = offset};
        errors->slot[slot] = (uint16_t)++errors->count;
    }
    return &errors->word[errors->slot[slot] - 1];
}

static void count_event(struct march_errors *errors, uint64_t offset, uint64_t bits)
{
    uint64_t line = offset / MARCH_LINE_BYTES;
    struct march_piece *piece = piece_of(errors, offset);

    errors->events++;
    for (; bits != 0; bits &= bits - 1)
        errors->lanes[__builtin_ctzll(bits)]++;
    if (piece->events == 0 || line < piece->first)
        piece->first = line;
    if (piece->events == 0 || line > piece->last)
        piece->last = line;
    piece->events++;
}

/* Memory holds the wrong word if it reads wrong again, as a transfer that fails goes well mostly.
 */
static void enter_rereads(struct march_word *word, const struct march_reread *again)
{
    word->reread_events++;
    word->stored += again->wrong > MARCH_REREADS / 2;
    if (word->reread_events == 1)
        word->reread = again->last;
}

void march_enter(struct march_errors *errors, uint64_t offset, uint64_t expected, uint64_t read,
                 const struct march_reread *again)
{
    struct march_word *word = entry_of(errors, offset);

    count_event(errors, offset, expected ^ read);
    if (word == NULL) {
        errors->unlisted++;
        return;
    }
    if (word->events == 0) {
        word->expected = expected;
        word->read = word->reread = read;
    }
    word->bits |= expected ^ read;
    word->steps |= 1u << errors->step;
    word->events++;
    if (again != NULL)
        enter_rereads(word, again);
}

const struct march_found *march_found_from(const struct march_share *share, uint64_t from)
{
    const struct march_found *lowest = NULL;

    for (uint32_t i = 0; i < share->count; i++) {
        const struct march_found *found = &share->found[i];
        if (found->pos >= from && (lowest == NULL || found->pos < lowest->pos))
            lowest = found;
    }
    return lowest;
}

void march_enter_found(const struct march_step *step, const struct march_found *found)
{
    struct march_form form = march_form_of(step->expected);
    struct march_line expected =
        march_line_of(&form, found->line, random_mix(found->line ^ step->key));
    march_pair pair = {0, 0};

    for (unsigned i = 0; i < MARCH_WORDS; i++) {
        uint64_t offset = found->line * MARCH_LINE_BYTES + i * sizeof(uint64_t);
        if (i % 2 == 0)
            pair = march_next_pair(&expected);
        if (found->read[i] != pair[i % 2])
            march_enter(step->errors, offset, pair[i % 2], found->read[i],
                        march_rereads(step->errors, offset) ? &found->again[i] : NULL);
    }
}

void march_lines(const struct march_step *step, uint64_t first, uint32_t count, uint64_t line[])
{
    switch (step->order) {
    case MARCH_SHUFFLED:
        bijection_run(step->shuffle, first, count, line);
        return;
    case MARCH_LISTED:
        for (uint32_t i = 0; i < count; i++)
            line[i] = step->list[first + i];
        return;
    case MARCH_DOWN:
        for (uint32_t i = 0; i < count; i++)
            line[i] = step->lines - 1 - first - i;
        return;
    case MARCH_UP:
        for (uint32_t i = 0; i < count; i++)
            line[i] = first + i;
    }
}
