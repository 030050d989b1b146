/* SPDX-License-Identifier: BSD-2-Clause */
/* March tests of memory (van de Goor, "Using march tests to test SRAMs", IEEE Design & Test, 1993):
 * what lines of a window are written with and expected to hold, and what was found wrong. A step
 * goes over all lines in one order; of each it first reads what an earlier step has written, and
 * then writes. The kernel is core/chase/kernels_march.h. */
#ifndef CORE_CHASE_MARCH_H
#define CORE_CHASE_MARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/bijection.h"
#include "core/lib/random.h"

/* Tested at once, whatever the CPU's lines are: the burst of a 64-bit channel. */
#define MARCH_LINE_BYTES 64u
#define MARCH_WORDS      8u

enum march_pattern {
    MARCH_ADDRESS, /* each word holds its place in the window, in bytes */
    MARCH_RANDOM,  /* a keyed hash of it */
    MARCH_LANES    /* one of 64 data lanes, chosen by a hash of the line, has 1 0 1 0 ... over the
                      words of the line, all others the opposite */
};

struct march_data {
    enum march_pattern pattern;
    bool inverted; /* every bit is */
};

/* Two words of a line: what CPUs load, compute and store at once. */
typedef uint64_t march_pair __attribute__((vector_size(16)));
#define MARCH_PAIRS (MARCH_WORDS / 2)

/* The words of a line: pair n is (first + n * step), XORed with flip. */
struct march_line {
    march_pair first, step, flip;
};

/* What all lines that hold the same data have in common. */
struct march_form {
    enum march_pattern pattern;
    struct march_line line; /* but for what is added to each word of its first pair */
};

struct march_form march_form_of(const struct march_data *data);

/* hash: random_mix of the line and the step's key; of MARCH_ADDRESS not looked at. */
static inline struct march_line march_line_of(const struct march_form *form, uint64_t line,
                                              uint64_t hash)
{
    uint64_t first = line * MARCH_LINE_BYTES;
    struct march_line words = form->line;

    if (form->pattern != MARCH_ADDRESS)
        first = form->pattern == MARCH_RANDOM ? hash : 1ull << (hash >> 58);
    words.first += (march_pair){first, first};
    return words;
}

/* The line's first pair, then the second, and so on. */
static inline march_pair march_next_pair(struct march_line *line)
{
    march_pair pair = line->first ^ line->flip;

    line->first += line->step;
    return pair;
}

/* ---- what was found wrong */

#define MARCH_REREADS     16
#define MARCH_WORDS_MAX   256
#define MARCH_SLOTS       1024 /* a power of two; a hash table's */
#define MARCH_PIECES_MAX  8192
#define MARCH_PIECE_WORDS 8
#define MARCH_STEPS_MAX   32

/* A word that was once read and did not hold what was written. */
struct march_word {
    uint64_t offset;                 /* in the window */
    uint64_t expected, read, reread; /* the first time; reread: the last of MARCH_REREADS */
    uint64_t bits;                   /* all that ever differed */
    uint32_t steps;                  /* bit n: step n found it wrong */
    uint32_t events;
    uint32_t reread_events; /* of them, those after which it was read again, and of these those */
    uint32_t stored;        /* after which it went on reading wrong: memory holds it */
};

/* A part of the window: bad lines of it. */
struct march_piece {
    uint64_t events, first, last;
    uint32_t listed;   /* words of it, at most MARCH_PIECE_WORDS: others are bad in the same way */
    uint32_t searched; /* the number plus 1 of the last step that found none of them to give up */
};

struct march_errors {
    uint32_t step; /* the one under way, below MARCH_STEPS_MAX */
    uint64_t events;
    uint64_t unlisted;  /* of them, those of words for which there was no room */
    uint64_t lanes[64]; /* bit n of a word differed in so many events */
    uint32_t count;
    struct march_word word[MARCH_WORDS_MAX];
    uint16_t slot[MARCH_SLOTS]; /* index of a word plus one; 0: free */
    uint64_t piece_lines;
    uint32_t pieces, searched; /* as of a piece, of all words */
    struct march_piece piece[MARCH_PIECES_MAX];
};

/* Nothing was found yet in a window of so many lines. */
void march_errors_start(struct march_errors *errors, uint64_t lines);
/* Whether a word that has just been read wrong should be read MARCH_REREADS times again, past every
 * cache: the first times that it is wrong, as long as there is room for words. */
bool march_rereads(struct march_errors *errors, uint64_t offset);
/* How a word that was read wrong then read, MARCH_REREADS times. */
struct march_reread {
    uint32_t wrong; /* so often it was wrong again */
    uint64_t last;
};
/* Where there is no room, a word that was wrong once, in an earlier step, gives up its place: what
 * is bad goes on being so. Enters that the word there was read as `read`. again NULL: it was not
 * read again. */
void march_enter(struct march_errors *errors, uint64_t offset, uint64_t expected, uint64_t read,
                 const struct march_reread *again);

/* ---- what several CPUs found at once */

#define MARCH_FOUND_MAX 512
#define MARCH_STOPS_MAX 256

/* A line that was read wrong. */
struct march_found {
    uint64_t pos, line; /* its position in the order, and its number */
    uint64_t end;       /* positions from pos + 1 up to here were left undone: there was no room */
    uint64_t read[MARCH_WORDS];
    struct march_reread again[MARCH_WORDS]; /* of words that were wrong */
};

/* Whoever works on a part of a step keeps lines here, in any order. When only the last
 * MARCH_STOPS_MAX are free a part ends with the line that it keeps, so that as many parts may be
 * worked on in one slice. */
struct march_share {
    uint32_t count;
    struct march_found found[MARCH_FOUND_MAX];
};

/* ---- steps */

enum march_order {
    MARCH_UP,
    MARCH_DOWN,
    MARCH_SHUFFLED, /* in a keyed random order */
    MARCH_LISTED    /* the lines of a list */
};

/* Argument of machine.march, a window_work over the lines in this order. */
struct march_step {
    uint64_t lines; /* of the whole order */
    uint64_t key;   /* of random data and lanes */
    enum march_order order;
    const struct bijection *shuffle;             /* of MARCH_SHUFFLED */
    const uint64_t *list;                        /* [lines] of MARCH_LISTED */
    const struct march_data *expected, *written; /* NULL: is not read, is not written */
    struct march_errors *errors;
    struct march_share *share; /* what is wrong is kept there, and entered later; NULL: at once */
};

/* The line at the lowest position from `from` on that was kept; NULL: none. */
const struct march_found *march_found_from(const struct march_share *share, uint64_t from);
/* Enters the words of that line that were read wrong, as if it were done now. */
void march_enter_found(const struct march_step *step, const struct march_found *found);

/* The lines at positions [first, first + count) of the order. */
void march_lines(const struct march_step *step, uint64_t first, uint32_t count, uint64_t line[]);

#endif
