/* SPDX-License-Identifier: BSD-2-Clause */
/* The last screen of a run as lines with a meaning: what stands where, decided from records alone.
 * A console makes colours of meanings, a file leaves them out: no meaning is told by colour alone.
 */
#ifndef CORE_REPORT_SCREEN_H
#define CORE_REPORT_SCREEN_H

#include "core/lib/text.h"

#define SCREEN_WIDTH      79 /* consoles of 80 columns wrap after the 80th */
#define SCREEN_ROWS       24 /* the fewest that any console has */
#define SCREEN_LINES_MAX  480
#define SCREEN_BLOCKS_MAX 120

enum screen_meaning {
    SCREEN_PLAIN,
    SCREEN_HEADLINE,
    SCREEN_OK,
    SCREEN_MARK, /* a warning, or a figure that is no promise */
    SCREEN_ERROR,
    SCREEN_MEANINGS
};

/* Of each, what has no room is counted in a line below those that have. */
enum screen_group { SCREEN_LEVELS, SCREEN_NOTES, SCREEN_GROUPS, SCREEN_ALONE = SCREEN_GROUPS };

struct screen_line {
    enum screen_meaning meaning;
    char words[SCREEN_WIDTH + 1]; /* ASCII, '\0'-terminated, no blanks at the end */
};

/* Lines that are shown together or not at all. */
struct screen_block {
    size_t first, lines;
    unsigned rank; /* the lower, the sooner it has room; 0: it always has */
    enum screen_group group;
    uint64_t counts; /* how many things of its group it tells */
    bool rest;       /* says how many of its group have no room; shown only where some have not */
    bool shown;
};

struct screen {
    size_t lines, blocks;
    struct screen_line line[SCREEN_LINES_MAX];
    struct screen_block block[SCREEN_BLOCKS_MAX];
};

void screen_start(struct screen *screen);
/* Begins a block, to which what is added next belongs. */
void screen_begin(struct screen *screen, unsigned rank);
/* The same of a group. */
void screen_begin_of(struct screen *screen, unsigned rank, enum screen_group group,
                     uint64_t counts);
/* Where what has no room of a group is counted: "... and # more levels", with their number for '#',
 * on one line. more: others of the group, which stand in no block. */
void screen_rest(struct screen *screen, enum screen_group group, uint64_t more, const char *words);
/* As many lines as it takes, broken at blanks, later ones indented. */
void screen_add(struct screen *screen, enum screen_meaning meaning, size_t indent,
                const char *words);
void screen_print(struct screen *screen, enum screen_meaning meaning, size_t indent,
                  const char *format, ...) TEXT_CHECKED(4, 5);
/* To be called once, behind all others: takes away what has no room in so many rows. Blocks of a
 * low rank have room first, of one rank those that were added first; those of rank 0 stand in any
 * case. What is not shown of a group is counted. */
void screen_fit(struct screen *screen, size_t rows);

/* ---- the text mode of a console */

struct screen_mode {
    size_t columns, rows; /* 0: the console does not offer it */
};

/* The mode that shows most of a report: at least 80 columns and a row more than SCREEN_ROWS; of
 * those the one with most rows, then with fewest columns (it is cleared and drawn soonest), and the
 * current one where it is as good. current: where none is large enough. */
size_t screen_mode_choose(const struct screen_mode *mode, size_t count, size_t current);

#endif
