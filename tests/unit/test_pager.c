/* SPDX-License-Identifier: BSD-2-Clause */
/* A report page by page: every line can be reached, in both directions, and nothing beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/pager.h"

#define ROWS 24

static struct pager pager;
static char text[8192];

static void start(unsigned lines)
{
    size_t used = 0;

    for (unsigned i = 1; i <= lines; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u\n", i % 2 ? "" : "  ", i);
    pager_start(&pager, text, used, ROWS);
}

/* first 0: none */
static void expect_page(unsigned first, unsigned last, unsigned of)
{
    const struct screen *page = pager_page(&pager);
    char words[48];

    assert_int_equal(page->lines, (last >= first && first > 0 ? last - first + 1 : 0) + 1);
    for (unsigned i = first; first > 0 && i <= last; i++) {
        snprintf(words, sizeof words, "%s%u", i % 2 ? "" : "  ", i);
        assert_string_equal(page->line[i - first].words, words);
    }
    snprintf(words, sizeof words, "lines %u to %u of %u ", first, last, of);
    assert_memory_equal(page->line[page->lines - 1].words, words, strlen(words));
}

static void go(enum pager_move move)
{
    assert_true(pager_go(&pager, move));
}

static void it_goes_both_ways(void **state)
{
    (void)state;
    start(60);
    expect_page(1, 23, 60);
    go(PAGER_PAGE_DOWN);
    expect_page(24, 46, 60);
    go(PAGER_LINE_DOWN);
    expect_page(25, 47, 60);
    go(PAGER_PAGE_UP);
    expect_page(2, 24, 60);
    go(PAGER_LINE_UP);
    expect_page(1, 23, 60);
    go(PAGER_STAY);
    expect_page(1, 23, 60);
    go(PAGER_BOTTOM);
    expect_page(38, 60, 60);
    go(PAGER_TOP);
    expect_page(1, 23, 60);
    assert_false(pager_go(&pager, PAGER_LEAVE));
}

static void it_stays_within(void **state)
{
    (void)state;
    start(30);
    go(PAGER_PAGE_UP);
    go(PAGER_LINE_UP);
    expect_page(1, 23, 30);
    go(PAGER_PAGE_DOWN);
    expect_page(8, 30, 30);
    go(PAGER_PAGE_DOWN);
    go(PAGER_LINE_DOWN);
    expect_page(8, 30, 30);
    for (unsigned lines = 0; lines <= ROWS - 1; lines += ROWS - 1) {
        start(lines);
        go(PAGER_PAGE_DOWN);
        go(PAGER_BOTTOM);
        expect_page(lines > 0, lines, lines);
    }
}

/* Memory may have run out in the middle of a line; a line too long is cut. */
static void any_text_can_be_paged(void **state)
{
    const struct screen *page;

    (void)state;
    memset(text, 'x', 200);
    memcpy(text + 200, "\n\nend", 5);
    pager_start(&pager, text, 205, ROWS);
    page = pager_page(&pager);
    assert_int_equal(page->lines, 4);
    assert_int_equal(strlen(page->line[0].words), SCREEN_WIDTH);
    assert_string_equal(page->line[1].words, "");
    assert_string_equal(page->line[2].words, "end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_both_ways),
        cmocka_unit_test(it_stays_within),
        cmocka_unit_test(any_text_can_be_paged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
