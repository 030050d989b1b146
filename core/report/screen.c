/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/report/screen.h"

#include "core/report/internal.h"

#define SENTENCE_MAX 2400

void screen_start(struct screen *screen)
{
    screen->lines = screen->blocks = 0;
}

void screen_begin_of(struct screen *screen, unsigned rank, enum screen_group group, uint64_t counts)
{
    if (screen->blocks == SCREEN_BLOCKS_MAX)
        return;
    screen->block[screen->blocks++] = (struct screen_block){
        .first = screen->lines, .rank = rank, .group = group, .counts = counts, .shown = true};
}

void screen_begin(struct screen *screen, unsigned rank)
{
    screen_begin_of(screen, rank, SCREEN_ALONE, 0);
}

void screen_rest(struct screen *screen, enum screen_group group, uint64_t more, const char *words)
{
    screen_begin_of(screen, 0, group, more);
    screen->block[screen->blocks - 1].rest = true;
    screen->block[screen->blocks - 1].shown = more != 0;
    screen_add(screen, SCREEN_MARK, 0, words);
}

static void put_line(struct screen *screen, enum screen_meaning meaning, const char *words,
                     size_t count, size_t indent)
{
    struct screen_line *line = &screen->line[screen->lines];
    size_t used = 0;

    if (screen->lines == SCREEN_LINES_MAX || screen->blocks == 0)
        return;
    screen->lines++;
    screen->block[screen->blocks - 1].lines++;
    line->meaning = meaning;
    while (used < indent)
        line->words[used++] = ' ';
    for (size_t i = 0; i < count && used < SCREEN_WIDTH; i++)
        line->words[used++] = words[i] >= 0x20 && words[i] < 0x7f ? words[i] : '?';
    while (used > 0 && line->words[used - 1] == ' ')
        used--;
    line->words[used] = '\0';
}

void screen_add(struct screen *screen, enum screen_meaning meaning, size_t indent,
                const char *words)
{
    size_t now = 0, share;

    do {
        const char *next = report_wrap_next(words, SCREEN_WIDTH - now, &share);

        put_line(screen, meaning, words, share, now);
        words = next;
        now = indent;
    } while (*words != '\0');
}

void screen_print(struct screen *screen, enum screen_meaning meaning, size_t indent,
                  const char *format, ...)
{
    char buffer[SENTENCE_MAX];
    va_list list;

    va_start(list, format);
    (void)text_open_list(buffer, sizeof(buffer), format, list);
    va_end(list);
    screen_add(screen, meaning, indent, buffer);
}

/* ---- which blocks are shown */

/* The block after `last` by rank, then by order of addition; NULL: none. last NULL: the first one.
 */
static struct screen_block *next_by_rank(struct screen *screen, const struct screen_block *last)
{
    struct screen_block *next = NULL;

    for (size_t i = 0; i < screen->blocks; i++) {
        struct screen_block *block = &screen->block[i];
        bool behind =
            last == NULL || block->rank > last->rank || (block->rank == last->rank && block > last);
        if (!block->rest && behind && (next == NULL || block->rank < next->rank))
            next = block;
    }
    return next;
}

static void choose(struct screen *screen, size_t rows)
{
    struct screen_block *block = NULL;
    size_t used = 0;

    for (size_t i = 0; i < screen->blocks; i++)
        used += screen->block[i].rest && screen->block[i].shown ? screen->block[i].lines : 0;
    while ((block = next_by_rank(screen, block)) != NULL) {
        block->shown = block->rank == 0 || used + block->lines <= rows;
        used += block->shown ? block->lines : 0;
    }
}

/* How many things of a group are in hidden blocks, or in none. */
static uint64_t left_out(const struct screen *screen, enum screen_group group)
{
    uint64_t count = 0;

    for (size_t i = 0; i < screen->blocks; i++) {
        const struct screen_block *block = &screen->block[i];
        if (block->group == group && (block->rest || !block->shown))
            count += block->counts;
    }
    return count;
}

/* Shows the counts that are needed, whose lines take room themselves; false: all were shown
 * already. */
static bool show_rests(struct screen *screen)
{
    bool more = false;

    for (size_t i = 0; i < screen->blocks; i++) {
        struct screen_block *block = &screen->block[i];
        if (!block->rest || block->shown || left_out(screen, block->group) == 0)
            continue;
        block->shown = more = true;
    }
    return more;
}

static void put_count(struct screen_line *line, uint64_t count)
{
    char words[sizeof line->words];
    struct text text;
    size_t pos = 0;

    text_print(words, sizeof words, "%s", line->words);
    text_start(&text, line->words, sizeof line->words);
    for (; words[pos] != '\0' && words[pos] != '#'; pos++)
        text_char(&text, words[pos]);
    if (words[pos] == '#')
        text_format(&text, "%lu%s", count, words + pos + 1);
}

static void keep_shown(struct screen *screen)
{
    size_t lines = 0;

    for (size_t i = 0; i < screen->blocks; i++) {
        struct screen_block *block = &screen->block[i];
        size_t first = block->first;
        if (!block->shown)
            continue;
        block->first = lines;
        for (size_t k = 0; k < block->lines; k++)
            screen->line[lines++] = screen->line[first + k];
        if (block->rest && block->lines > 0)
            put_count(&screen->line[block->first], left_out(screen, block->group));
    }
    screen->lines = lines;
}

void screen_fit(struct screen *screen, size_t rows)
{
    do
        choose(screen, rows);
    while (show_rests(screen));
    keep_shown(screen);
}

/* ---- the text mode of a console */

static bool fits(const struct screen_mode *mode)
{
    return mode->columns > SCREEN_WIDTH && mode->rows > SCREEN_ROWS;
}

static bool is_better(const struct screen_mode *a, const struct screen_mode *b)
{
    if (!fits(a) || !fits(b))
        return fits(a) && !fits(b);
    return a->rows != b->rows ? a->rows > b->rows : a->columns < b->columns;
}

size_t screen_mode_choose(const struct screen_mode *mode, size_t count, size_t current)
{
    size_t best = current;

    for (size_t i = 0; i < count; i++)
        if (best < count ? is_better(&mode[i], &mode[best]) : fits(&mode[i]))
            best = i;
    return best;
}
