/* SPDX-License-Identifier: BSD-2-Clause */
/* A text of lines, page by page in both directions. */
#ifndef CORE_REPORT_PAGER_H
#define CORE_REPORT_PAGER_H

#include "core/report/screen.h"

enum pager_move {
    PAGER_STAY,
    PAGER_LINE_UP,
    PAGER_LINE_DOWN,
    PAGER_PAGE_UP,
    PAGER_PAGE_DOWN,
    PAGER_TOP,
    PAGER_BOTTOM,
    PAGER_LEAVE
};

struct pager {
    const char *text; /* the caller's; lines end in '\n'; no '\0' is needed */
    size_t bytes, lines;
    size_t rows; /* of a page, without the status line */
    size_t top;  /* the first line shown */
    struct screen screen;
};

/* rows: of the whole screen, at least 2, fewer than SCREEN_LINES_MAX. */
void pager_start(struct pager *pager, const char *text, size_t bytes, size_t rows);
/* False: the user wants to leave. A move beyond either end stops there. */
bool pager_go(struct pager *pager, enum pager_move move);
/* The page with a status line below it: which lines these are, and what the keys do. */
const struct screen *pager_page(struct pager *pager);

#endif
