/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/report/pager.h"

#include "core/lib/memory.h"

static size_t line_end(const struct pager *pager, size_t from)
{
    while (from < pager->bytes && pager->text[from] != '\n')
        from++;
    return from;
}

void pager_start(struct pager *pager, const char *text, size_t bytes, size_t rows)
{
    pager->text = text;
    pager->bytes = bytes;
    pager->rows = rows - 1;
    pager->top = pager->lines = 0;
    for (size_t pos = 0; pos < bytes; pos = line_end(pager, pos) + 1)
        pager->lines++;
}

static size_t last_top(const struct pager *pager)
{
    return pager->lines > pager->rows ? pager->lines - pager->rows : 0;
}

static size_t up(size_t top, size_t by)
{
    return top > by ? top - by : 0;
}

bool pager_go(struct pager *pager, enum pager_move move)
{
    size_t top = pager->top, end = last_top(pager);

    switch (move) {
    case PAGER_LINE_UP:
        top = up(top, 1);
        break;
    case PAGER_LINE_DOWN:
        top = top + 1;
        break;
    case PAGER_PAGE_UP:
        top = up(top, pager->rows);
        break;
    case PAGER_PAGE_DOWN:
        top = top + pager->rows;
        break;
    case PAGER_TOP:
        top = 0;
        break;
    case PAGER_BOTTOM:
        top = end;
        break;
    case PAGER_STAY:
    case PAGER_LEAVE:
    default:
        break;
    }
    pager->top = top < end ? top : end;
    return move != PAGER_LEAVE;
}

static void add_line(struct screen *screen, const char *bytes, size_t count)
{
    char words[SCREEN_WIDTH + 1];

    if (count > SCREEN_WIDTH)
        count = SCREEN_WIDTH;
    memory_copy(words, bytes, count);
    words[count] = '\0';
    screen_add(screen, SCREEN_PLAIN, 0, words);
}

const struct screen *pager_page(struct pager *pager)
{
    size_t line = 0, end, shown = pager->lines - pager->top;

    if (shown > pager->rows)
        shown = pager->rows;
    screen_start(&pager->screen);
    screen_begin(&pager->screen, 0);
    for (size_t pos = 0; pos < pager->bytes; pos = end + 1, line++) {
        end = line_end(pager, pos);
        if (line >= pager->top && line < pager->top + shown)
            add_line(&pager->screen, pager->text + pos, end - pos);
    }
    screen_print(&pager->screen, SCREEN_HEADLINE, 0,
                 "lines %lu to %lu of %lu   space down   b up   < first   > last   q back",
                 (uint64_t)(pager->top + (shown > 0)), (uint64_t)(pager->top + shown),
                 (uint64_t)pager->lines);
    return &pager->screen;
}
