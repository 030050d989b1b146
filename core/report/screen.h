/* SPDX-License-Identifier: BSD-2-Clause */
/* The last screen of a run as lines with a meaning. It is composed from records alone. A console
 * turns meanings into colours and a file omits them, so no meaning is shown by colour alone. */
#ifndef CORE_REPORT_SCREEN_H
#define CORE_REPORT_SCREEN_H

#include "core/lib/text.h"

#define SCREEN_WIDTH      79 /* consoles of 80 columns wrap after the 80th */
#define SCREEN_ROWS       24 /* the smallest console */
#define SCREEN_LINES_MAX  480
#define SCREEN_BLOCKS_MAX 120

enum screen_meaning {
    SCREEN_PLAIN,
    SCREEN_HEADLINE,
    SCREEN_OK,
    SCREEN_MARK, /* a warning, or a doubtful figure */
    SCREEN_ERROR,
    SCREEN_MEANINGS
};

/* For each group, the things that do not fit are counted in a line below those that do. */
enum screen_group { SCREEN_LEVELS, SCREEN_NOTES, SCREEN_GROUPS, SCREEN_ALONE = SCREEN_GROUPS };

struct screen_line {
    enum screen_meaning meaning;
    char words[SCREEN_WIDTH + 1]; /* ASCII, '\0'-terminated, no blanks at the end */
};

/* Lines that are shown together or not at all. */
struct screen_block {
    size_t first, lines;
    unsigned rank; /* the lower, the sooner it gets room; 0: always shown */
    enum screen_group group;
    uint64_t counts; /* how many things of its group it shows */
    bool rest; /* the line that counts hidden things of its group; shown only if there are some */
    bool shown;
};

struct screen {
    size_t lines, blocks;
    struct screen_line line[SCREEN_LINES_MAX];
    struct screen_block block[SCREEN_BLOCKS_MAX];
};

void screen_start(struct screen *screen);
/* Begins a block; lines added next belong to it. */
void screen_begin(struct screen *screen, unsigned rank);
/* The same for a block of a group. */
void screen_begin_of(struct screen *screen, unsigned rank, enum screen_group group,
                     uint64_t counts);
/* Adds the line that counts the hidden things of a group: "... and # more levels", with their
 * number for '#', on one line. more: others of the group that are in no block. */
void screen_rest(struct screen *screen, enum screen_group group, uint64_t more, const char *words);
/* Adds text on as many lines as it takes, broken at blanks; later lines are indented. */
void screen_add(struct screen *screen, enum screen_meaning meaning, size_t indent,
                const char *words);
void screen_print(struct screen *screen, enum screen_meaning meaning, size_t indent,
                  const char *format, ...) TEXT_CHECKED(4, 5);
/* To be called once, after all others: hides what does not fit in `rows` rows. Blocks of lower rank
 * get room first, and those of equal rank in the order they were added; blocks of rank 0 are always
 * shown. Hidden things of a group are counted. */
void screen_fit(struct screen *screen, size_t rows);

/* ---- the text mode of a console */

struct screen_mode {
    size_t columns, rows; /* 0: the console does not offer it */
};

/* Returns the index of the mode that shows most of a report: at least 80 columns and more than
 * SCREEN_ROWS rows; of those the one with the most rows, then with the fewest columns (the fastest
 * to clear and draw). `current` is kept where it is as good, or where no mode is large enough. */
size_t screen_mode_choose(const struct screen_mode *mode, size_t count, size_t current);

#endif
