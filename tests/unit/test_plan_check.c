/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine can measure, what it refuses, and the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/plan/check.h"
#include "core/plan/plan.h"

static struct machine_description machine;

static struct point plain(void)
{
    machine = (struct machine_description){
        .line_bytes = 64, .chains_cycle_max = 14, .loads = 1u << LOAD_PLAIN | 1u << LOAD_DIRTY};
    return (struct point){.kernel = KERNEL_CYCLE,
                          .order = ORDER_RANDOM,
                          .bytes = 1 << 20,
                          .stride_bytes = 64,
                          .chains = 1};
}

static void accept(const struct point *point)
{
    char buffer[PLAN_WHY_MAX];
    struct text why;

    text_start(&why, buffer, sizeof buffer);
    if (!plan_possible(&machine, point, &why))
        fail_msg("refused: %s", buffer);
    assert_string_equal(buffer, "");
}

static void refuse(const struct point *point, const char *words)
{
    char buffer[PLAN_WHY_MAX];
    struct text why;

    text_start(&why, buffer, sizeof buffer);
    if (plan_possible(&machine, point, &why))
        fail_msg("accepted, should be: %s", words);
    assert_false(why.cut);
    if (strstr(buffer, words) == NULL)
        fail_msg("said: %s\nshould have: %s", buffer, words);
}

static void chains_stop_at_the_limit(void **state)
{
    struct point point = plain();

    (void)state;
    point.chains = 14;
    accept(&point);
    point.chains = 15;
    refuse(&point, "chains=15; this machine's limit is 14");
    point.chains = 14;
    point.bytes = 14 * 64;
    accept(&point);
    point.bytes = 13 * 64;
    refuse(&point, "chains=14 in a working set of 832, which has fewer nodes");
}

static void words_end_with_the_line(void **state)
{
    char buffer[PLAN_WHY_MAX];
    struct text why;

    (void)state;
    machine.line_bytes = 64;
    text_start(&why, buffer, sizeof buffer);
    assert_true(plan_word_possible(&machine, 7, &why));
    assert_string_equal(buffer, "");
    assert_false(plan_word_possible(&machine, 8, &why));
    assert_string_equal(buffer, "word=8 is outside a line of 64 bytes; allowed: 0 to 7");
    machine.line_bytes = 128;
    assert_true(plan_word_possible(&machine, 15, &why));
}

static void loads_are_the_machines(void **state)
{
    struct point point = plain();

    (void)state;
    point.load = LOAD_DIRTY;
    accept(&point);
    point.load = LOAD_NT;
    refuse(&point, "load=nt is not supported by this machine");
    point.load = LOAD_FLUSH;
    refuse(&point, "load=flush is not supported");
    machine.loads = 0;
    point.load = LOAD_PLAIN;
    accept(&point);
}

static void strides_are_lines_but_where_they_need_not_be(void **state)
{
    static const enum order_kind kinds[] = {ORDER_RANDOM, ORDER_PAGED, ORDER_HOP_PAGE,
                                            ORDER_GROUPED};
    struct point point = plain();

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        point = plain();
        point.order = kinds[i];
        point.group_bytes = 4096;
        point.stride_bytes = 128;
        accept(&point);
        point.stride_bytes = 72;
        refuse(&point, "stride=72 is not a multiple of the line; only forward and reverse allow");
    }
    point = plain();
    point.order = ORDER_REVERSE;
    point.stride_bytes = 8;
    accept(&point);
    point.word = 1;
    refuse(&point, "stride=8 is not a multiple of the line");
    point.word = 0;
    point.load = LOAD_DIRTY;
    refuse(&point, "without load=dirty");
    point = plain();
    point.kernel = KERNEL_STREAM;
    point.stride_bytes = 8;
    accept(&point);
    point.kernel = KERNEL_IID;
    refuse(&point, "stride=8");
    point = plain();
    point.order = ORDER_SEQUENTIAL;
    accept(&point);
    point.stride_bytes = 128;
    refuse(&point, "stride=128 with pattern=sequential, which goes line by line");
    point = plain();
    point.stride_bytes = 2 << 20;
    refuse(&point, "stride=2M is larger than the working set of 1M");
}

static void groups_are_lines_and_nodes(void **state)
{
    struct point point = plain();

    (void)state;
    point.order = ORDER_GROUPED;
    point.group_bytes = 192;
    accept(&point);
    machine.line_bytes = 128;
    point.stride_bytes = 128;
    refuse(&point, "group=192 is not a multiple of the line");
    machine.line_bytes = 64;
    refuse(&point, "group=192 is not a multiple of the stride");
    point.stride_bytes = 64;
    point.group_bytes = 1ull << 30;
    accept(&point);
    point.group_bytes = 2ull << 30;
    refuse(&point, "group=2G holds more than 2^24 nodes");
    /* Draws have no groups, whatever is requested. */
    point.kernel = KERNEL_IID;
    accept(&point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_stop_at_the_limit),
        cmocka_unit_test(words_end_with_the_line),
        cmocka_unit_test(loads_are_the_machines),
        cmocka_unit_test(strides_are_lines_but_where_they_need_not_be),
        cmocka_unit_test(groups_are_lines_and_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
