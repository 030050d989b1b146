/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs as tables and as maps: what fits where, which cell holds what, and every character of small
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/grid.h"
#include "core/report/report.h"
#include "tests/unit/support_text.h"

#define MANY 576

static struct grid grid;
static struct report report;
static struct kept_text shown;

static int start(void **state)
{
    struct text_sink sink = kept_text_start(&shown);

    (void)state;
    report_start(&report, &sink);
    grid_start(&grid);
    return 0;
}

static struct record_pair pair_of(uint64_t from, uint64_t to_cpu, double ns)
{
    return (struct record_pair){.experiment = "handoff",
                                .from = from,
                                .from_node = RECORD_UNKNOWN,
                                .to = "cores of a module",
                                .to_cpu = to_cpu,
                                .kind = "clean",
                                .home_node = RECORD_UNKNOWN,
                                .bytes = 64 << 20,
                                .ns = ns,
                                .ns_low = ns * 0.99,
                                .ns_high = ns * 1.01,
                                .ns_min = ns,
                                .ns_max = ns,
                                .cpu_hz = NAN,
                                .slower_ns = NAN,
                                .slower_low_ns = NAN,
                                .slower_high_ns = NAN,
                                .bytes_per_s = NAN,
                                .claimed = NAN};
}

static struct record_pair place_of(uint64_t from, const char *to, uint64_t home_node, double ns)
{
    struct record_pair pair = pair_of(from, RECORD_UNKNOWN, ns);

    pair.experiment = "cores";
    pair.kind = NULL;
    pair.to = to;
    pair.home_node = home_node;
    return pair;
}

static struct record_pair without(struct record_pair pair, const char *why)
{
    pair.ns = pair.ns_low = pair.ns_high = pair.ns_min = pair.ns_max = NAN;
    pair.why = why;
    return pair;
}

static void add(struct record_pair pair)
{
    grid_add(&grid, &pair);
}

static void emit(struct record_pair pair)
{
    struct record record = {.kind = RECORD_PAIR, .u.pair = pair};

    report_record(&report, &record);
}

static void note(void)
{
    struct record record = {.kind = RECORD_NOTE,
                            .u.note = {.severity = SEVERITY_INFO, .what = "a note"}};

    report_record(&report, &record);
}

static void every_line_fits(void)
{
    size_t column = 0;

    for (size_t i = 0; i < shown.bytes; i++) {
        column = shown.text[i] == '\n' ? 0 : column + 1;
        assert_true(column <= REPORT_WIDTH);
    }
}

/* All pairs of so many CPUs, of the same ns. */
static void fill(uint64_t cpus, double ns)
{
    grid_start(&grid);
    for (uint64_t from = 0; from < cpus; from++)
        for (uint64_t to = 0; to < cpus; to++)
            if (from != to)
                add(pair_of(from, to, ns));
}

/* ---- what fits */

static void as_many_decimals_as_there_is_room_for(void **state)
{
    struct grid_layout layout;

    (void)state;
    fill(8, 123.456);
    layout = grid_plan(&grid, REPORT_WIDTH);
    assert_true(layout.table);
    assert_int_equal(layout.decimals, 2);
    assert_int_equal(layout.label, 7);
    assert_int_equal(layout.width, 9);
    fill(11, 123.456);
    layout = grid_plan(&grid, REPORT_WIDTH);
    assert_true(layout.table);
    assert_int_equal(layout.decimals, 1);
    fill(16, 123.456);
    layout = grid_plan(&grid, REPORT_WIDTH);
    assert_true(layout.table);
    assert_int_equal(layout.decimals, 0);
    assert_true(layout.label + 16 * layout.width <= REPORT_WIDTH);
}

static void what_does_not_fit_is_a_map(void **state)
{
    struct record_pair doubted = pair_of(0, 1, 123.456);

    (void)state;
    fill(17, 1);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
    fill(16, 1234);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
    /* A mark behind figures takes a column from each. */
    fill(16, 123.456);
    doubted.doubt = doubt_of(DOUBT_BUDGET);
    add(doubted);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
    /* So does a sign, and 999.6 has four digits. */
    fill(16, -123.456);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
    fill(16, 999.6);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
    /* Nor is a table of cells that hold several pairs. */
    grid_start(&grid);
    for (uint64_t from = 0; from <= GRID_SIDE; from++)
        add(pair_of(from, 100, 50));
    assert_int_equal(grid.to.count, 1);
    assert_false(grid_plan(&grid, REPORT_WIDTH).table);
}

static void cpus_to_few_places_are_turned_once_they_are_many(void **state)
{
    struct grid_layout layout;

    (void)state;
    for (uint64_t cpu = 0; cpu < 17; cpu++) {
        layout = grid_plan(&grid, REPORT_WIDTH);
        assert_int_equal(layout.table, cpu != 0);
        add(place_of(cpu, "declared L3", 0, 12));
        add(place_of(cpu, "memory", 0, 90));
    }
    layout = grid_plan(&grid, REPORT_WIDTH);
    assert_false(layout.table);
    assert_true(layout.turned);
}

/* ---- which cell holds what */

/* Of no order, and other than the cell's neighbours. */
static double ns_of(uint64_t from, uint64_t to)
{
    return 20 + (double)((from * 7919 + to * 104729) % 1009);
}

static void cells_of_many_cpus_hold_the_slowest_of_their_pairs(void **state)
{
    uint8_t rows[GRID_SIDE], columns[GRID_SIDE];

    (void)state;
    for (uint64_t step = 1; step < MANY; step++)
        for (uint64_t from = 0; from + step < MANY; from++)
            add(pair_of(from, from + step, ns_of(from, from + step)));
    assert_int_equal(grid.shift, 3);
    assert_int_equal(grid.from.count, 72);
    assert_int_equal(grid.to.count, 72);
    assert_int_equal(grid.figures, MANY * (MANY - 1) / 2);
    grid_order(&grid.from, rows);
    grid_order(&grid.to, columns);
    for (uint64_t row = 0; row < 72; row++)
        for (uint64_t column = 0; column < 72; column++) {
            double slowest = 0;
            for (uint64_t from = row * 8; from < row * 8 + 8; from++)
                for (uint64_t to = column * 8; to < column * 8 + 8; to++)
                    if (from < to && ns_of(from, to) > slowest)
                        slowest = ns_of(from, to);
            assert_int_equal(grid_number(&grid, &grid.from, rows[row]), row * 8);
            assert_int_equal(grid_is_figure(&grid, rows[row], columns[column]), slowest > 0);
            if (slowest > 0)
                assert_float_equal(grid.ns[rows[row]][columns[column]], slowest, 1e-3);
        }
}

static void numbers_with_gaps_take_no_room(void **state)
{
    (void)state;
    for (uint64_t from = 0; from < GRID_SIDE; from++)
        for (uint64_t to = 0; to < GRID_SIDE; to++)
            add(pair_of(from * 14, to * 14, ns_of(from, to)));
    assert_int_equal(grid.shift, 0);
    assert_int_equal(grid.from.count, GRID_SIDE);
    add(without(pair_of(GRID_SIDE * 14, 0, 0), "late"));
    assert_int_equal(grid.shift, 4); /* 14 apart, they stay apart down to 8 */
    assert_true(grid.from.count <= GRID_SIDE);
    assert_int_equal(grid.reason[0].pairs, 1);
}

static void a_figure_stands_before_a_reason_and_a_reason_before_nothing(void **state)
{
    struct record_pair doubted = pair_of(0, 1, 30);

    (void)state;
    doubted.doubt = doubt_of(DOUBT_DRIFT);
    add(without(pair_of(0, 1, 0), "one"));
    assert_int_equal(grid.state[0][0], GRID_REASON);
    add(without(pair_of(0, 1, 0), "two"));
    assert_int_equal(grid.state[0][0], GRID_REASON);
    add(pair_of(0, 1, 20));
    assert_int_equal(grid.state[0][0], GRID_FIGURE);
    add(doubted);
    assert_int_equal(grid.state[0][0], GRID_DOUBTED);
    add(pair_of(0, 1, 25));
    add(without(pair_of(0, 1, 0), "one"));
    assert_int_equal(grid.state[0][0], GRID_DOUBTED);
    assert_float_equal(grid.ns[0][0], 30, 0);
    assert_int_equal(grid.reason[0].pairs, 2);
    assert_float_equal(grid.low.ns, 20, 0);
    assert_float_equal(grid.high.ns, 30, 0);
    assert_float_equal(grid.widest, 0.02, 1e-12);
    doubted.ns_low = NAN;
    add(doubted);
    add(pair_of(0, 1, 20));
    assert_true(isnan(grid.widest));
}

static void reasons_without_a_letter_share_one(void **state)
{
    struct grid_scale scale;
    char why[20];

    (void)state;
    for (uint64_t to = 0; to < GRID_REASONS + 2; to++) {
        snprintf(why, sizeof why, "reason %u", (unsigned)to);
        add(without(pair_of(0, to, 0), why));
    }
    scale = grid_scale_of(&grid, GRID_SIDE);
    assert_int_equal(scale.classes, 0);
    assert_int_equal(grid_mark(&grid, &scale, 0, 0), 'a');
    assert_int_equal(grid_mark(&grid, &scale, 0, GRID_REASONS - 1), 'h');
    assert_int_equal(grid_mark(&grid, &scale, 0, GRID_REASONS), 'z');
    assert_int_equal(grid_mark(&grid, &scale, 0, GRID_REASONS + 1), 'z');
    assert_int_equal(grid.reason[GRID_REASONS].pairs, 2);
}

/* ---- classes */

static void classes_are_equal_ratios(void **state)
{
    struct grid_scale scale;

    (void)state;
    for (uint64_t to = 0; to <= 10; to++)
        add(pair_of(0, to, 20 * pow(2, (double)to + (to % 10 != 0 ? 0.25 : 0))));
    scale = grid_scale_of(&grid, GRID_SIDE);
    assert_int_equal(scale.classes, GRID_CLASSES);
    for (size_t to = 0; to < 10; to++)
        assert_int_equal(grid_mark(&grid, &scale, 0, to), '0' + (int)to);
    assert_int_equal(grid_mark(&grid, &scale, 0, 10), '9');
    assert_int_equal(scale.cells[9], 2);
    assert_float_equal(scale.class_low[9], (float)(20 * pow(2, 9.25)), 0);
    assert_float_equal(scale.class_high[9], 20 * 1024, 0);
}

static void noise_is_one_class(void **state)
{
    struct grid_scale scale;

    (void)state;
    for (uint64_t to = 0; to <= 10; to++)
        add(pair_of(0, to, 100 + 0.15 * (double)to));
    scale = grid_scale_of(&grid, GRID_SIDE);
    assert_int_equal(scale.classes, 1);
    assert_int_equal(scale.cells[0], 11);
    add(pair_of(0, 11, 104.5));
    assert_int_equal(grid_scale_of(&grid, GRID_SIDE).classes, 2);
}

static void figures_that_are_not_above_0_are_of_the_first_class(void **state)
{
    struct grid_scale scale;

    (void)state;
    add(pair_of(0, 1, -3));
    assert_int_equal(grid_scale_of(&grid, GRID_SIDE).classes, 1);
    add(pair_of(0, 2, 0));
    add(pair_of(0, 3, 50));
    scale = grid_scale_of(&grid, GRID_SIDE);
    assert_int_equal(grid_mark(&grid, &scale, 0, 0), '0');
    assert_int_equal(grid_mark(&grid, &scale, 0, 1), '0');
    assert_int_equal(grid_mark(&grid, &scale, 0, 2), '9');
    assert_float_equal(scale.class_low[0], -3, 0);
    assert_float_equal(scale.class_high[0], 0, 0);
}

/* ---- as it is read */

static void pairs_of_each_kind_are_a_table(void **state)
{
    struct record_pair doubted;

    (void)state;
    for (uint64_t to = 1; to < 4; to++)
        for (uint64_t from = 0; from < to; from++) {
            struct record_pair pair = pair_of(from, to, 40 + 10.5 * (double)(from + to));
            emit(pair);
            pair.kind = "swap";
            if (from == 1 && to == 3)
                pair = without(pair, "over budget");
            emit(pair);
            note(); /* does not end them */
        }
    doubted = pair_of(0, 1, 50.5);
    doubted.kind = "modified";
    doubted.doubt = doubt_of(DOUBT_BUDGET);
    doubted.ns_low = NAN;
    emit(doubted);
    doubted = pair_of(1, 2, 71.5);
    doubted.kind = "modified";
    emit(doubted);
    kept_text_expect_not(&shown, "CPU above");
    report_flush(&report);
    kept_text_expect(
        &shown, "\n\nhandoff: ns, clean, to the CPU on the left from the CPU above, prefetchers "
                "off\n"
                "  from        1       2       3\n"
                "  CPU 0   50.50   61.00   71.50\n"
                "  CPU 1           71.50   82.00\n"
                "  CPU 2                   92.50\n"
                "    blank: no such pair has a record\n"
                "    fastest: CPU 0 from CPU 1, 50.50 ns (49.99 to 51.01)\n"
                "    slowest: CPU 2 from CPU 3, 92.50 ns (91.58 to 93.42)\n"
                "    bounds: at most 2.0 % of their figure from end to end, all in the records\n"
                "\nhandoff: ns, swap,");
    kept_text_expect(&shown, "  CPU 0   50.50   61.00   71.50\n"
                             "  CPU 1           71.50       a\n"
                             "  CPU 2                   92.50\n"
                             "    a  no figure of 1 pair: over budget\n");
    kept_text_expect(&shown, "  from        1        2\n"
                             "  CPU 0   50.50?\n"
                             "  CPU 1            71.50\n");
    kept_text_expect(&shown, "    fastest: CPU 0 from CPU 1, 50.50 ns; doubt: budget\n"
                             "    slowest: CPU 1 from CPU 2, 71.50 ns (70.78 to 72.22)\n"
                             "    not every figure has bounds\n"
                             "    ?  1 of 2 figures; doubt: budget\n");
}

static void many_pairs_are_a_map(void **state)
{
    (void)state;
    for (uint64_t to = 1; to < 20; to++)
        for (uint64_t from = 0; from < to; from++)
            emit(from == 3 && to > 15   ? without(pair_of(from, to, 0), "it did not start")
                 : from / 10 == to / 10 ? pair_of(from, to, 40)
                                        : pair_of(from, to, 80.25));
    report_flush(&report);
    kept_text_expect(&shown,
                     "  CPU 0 from CPU 5, clean: 40.0 ns (39.6 to 40.4), lines 40.0 to 40.0\n"
                     "  CPU 1 from CPU 5, clean: 40.0 ns (39.6 to 40.4), lines 40.0 to 40.0\n"
                     "\nhandoff: ns, clean,");
    kept_text_expect(&shown, "             1111111111\n"
                             "    1234567890123456789\n"
                             "  0 0000000009999999999\n"
                             "  1  000000009999999999\n"
                             "  2   00000009999999999\n"
                             "  3    000000999999aaaa\n");
    kept_text_expect(&shown, "\n 18                   0\n"
                             "    0  40.00 to 40.00 ns, 90 cells\n"
                             "    9  80.25 to 80.25 ns, 96 cells\n"
                             "    a  no figure of 4 pairs: it did not start\n");
    every_line_fits();
}

static void a_map_of_many_cpus_says_what_a_cell_stands_for(void **state)
{
    (void)state;
    for (uint64_t to = 1; to < MANY; to++)
        for (uint64_t from = 0; from < to; from++)
            emit(pair_of(from, to, from / 288 == to / 288 ? 50 : 150));
    report_flush(&report);
    kept_text_expect(
        &shown, "  a number stands for 8 CPUs, of which it is the first, a cell for the slowest\n"
                "  of their pairs\n");
    kept_text_expect(&shown, "\n   0 000000000000000000000000000000000000"
                             "999999999999999999999999999999999999\n");
    kept_text_expect(&shown, "\n 280                                    0"
                             "999999999999999999999999999999999999\n");
    every_line_fits();
}

static void places_are_columns_by_name_or_node(void **state)
{
    (void)state;
    for (uint64_t cpu = 0; cpu < 2; cpu++) {
        emit(place_of(cpu, "declared L3", 0, 12));
        emit(place_of(cpu, "memory", 0, 90));
    }
    report_flush(&report);
    kept_text_expect(&shown, "\ncores: ns/access from each CPU to each place, prefetchers off\n"
                             "  to      declared L3        memory\n"
                             "  CPU 0         12.00         90.00\n"
                             "  CPU 1         12.00         90.00\n"
                             "    bounds: ");
    kept_text_expect_not(&shown, "fastest");
    shown.bytes = 0;
    for (uint64_t cpu = 0; cpu < 2; cpu++)
        for (uint64_t node = 0; node < 2; node++)
            emit(place_of(8 * cpu, "memory", node, node == cpu ? 90 : 140));
    report_flush(&report);
    kept_text_expect(&shown, "  to      node 0   node 1\n"
                             "  CPU 0    90.00   140.00\n"
                             "  CPU 8   140.00    90.00\n");
}

static void many_cpus_to_places_are_rows_of_a_map(void **state)
{
    (void)state;
    for (uint64_t cpu = 0; cpu < 24; cpu++)
        emit(place_of(cpu, "declared L3", 0, cpu == 7 ? 24 : 12));
    for (uint64_t cpu = 0; cpu < 24; cpu++)
        emit(cpu == 9 ? without(place_of(cpu, "memory", 0, 0), "lost")
                      : place_of(cpu, "memory", 0, cpu == 3 ? 100 : 96));
    report_flush(&report);
    kept_text_expect(&shown, "              11111111112222\n"
                             "    012345678901234567890123\n"
                             "  declared L3\n"
                             "    000000090000000000000000\n"
                             "    0  12.00 to 12.00 ns, 23 cells\n"
                             "    9  24.00 to 24.00 ns, 1 cell\n"
                             "  memory\n"
                             "    000100000a00000000000000\n"
                             "    0  96.00 to 96.00 ns, 22 cells\n"
                             "    1  100.00 to 100.00 ns, 1 cell\n"
                             "    a  no figure of 1 pair: lost\n");
}

static void a_single_pair_is_no_grid(void **state)
{
    (void)state;
    emit(pair_of(0, 1, 50));
    report_flush(&report);
    kept_text_expect(&shown, "CPU 0 from CPU 1, clean: 50.0 ns");
    kept_text_expect_not(&shown, "CPU above");
}

/* More than have a line of their own: a row is shown, as nothing else shows the rest. */
static void a_row_is_a_grid_once_its_list_is_cut(void **state)
{
    (void)state;
    for (uint64_t to = 1; to <= 12; to++)
        emit(pair_of(0, to, 50));
    report_flush(&report);
    kept_text_expect_not(&shown, "CPU above");
    for (uint64_t to = 1; to <= 13; to++)
        emit(pair_of(0, to, 50));
    report_flush(&report);
    kept_text_expect(&shown, "CPU above");
}

static void states_of_prefetchers_are_told(void **state)
{
    static const enum prefetch_state state_of[] = {PREFETCH_OFF, PREFETCH_REFUSED};

    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        for (uint64_t cpu = 0; cpu < 2; cpu++)
            for (uint64_t place = 0; place < 2; place++) {
                struct record_pair pair = place_of(cpu, place == 0 ? "L3" : "memory", 0, 10);
                /* It was not measured, and says nothing of the others' state. */
                emit(without(pair, "not"));
                pair.prefetch = state_of[mixed ? cpu : 1];
                emit(pair);
                pair.prefetch = PREFETCH_ON;
                emit(pair);
            }
        report_flush(&report);
        kept_text_expect(&shown, mixed ? "each place, prefetchers not alike\n"
                                       : "each place, prefetchers refused\n");
        kept_text_expect(&shown, "each place, prefetchers on\n");
    }
}

static void what_has_no_room_is_counted(void **state)
{
    char name[20];

    (void)state;
    for (uint64_t kind = 0; kind <= REPORT_GRIDS_MAX; kind++)
        for (uint64_t cpu = 0; cpu < 4; cpu++) {
            struct record_pair pair = pair_of(cpu / 2, 2 + cpu % 2, 50);
            snprintf(name, sizeof name, "kind %u", (unsigned)kind);
            pair.kind = name;
            emit(pair);
        }
    report_flush(&report);
    kept_text_expect(&shown, "handoff: 4 pairs of further kinds: in the records only\n");
    kept_text_expect_not(&shown, "ns, kind 3");
    for (uint64_t place = 0; place <= GRID_PLACES; place++)
        for (uint64_t cpu = 0; cpu < 2; cpu++) {
            snprintf(name, sizeof name, "p%u", (unsigned)place);
            emit(place_of(cpu, name, 0, 5));
        }
    report_flush(&report);
    kept_text_expect(&shown, "    2 pairs to further places: in the records only\n");
}

static void another_experiment_ends_the_grids_of_the_one_before(void **state)
{
    const char *first, *second;

    (void)state;
    for (uint64_t to = 2; to < 4; to++)
        for (uint64_t from = 0; from < 2; from++)
            emit(pair_of(from, to, 50));
    for (uint64_t cpu = 0; cpu < 2; cpu++) {
        emit(place_of(cpu, "L3", 0, 12));
        emit(place_of(cpu, "memory", 0, 90));
    }
    report_flush(&report);
    first = strstr(shown.text, "CPU above");
    second = strstr(shown.text, "cores: to L3");
    assert_true(first != NULL && second != NULL && first < second);
    kept_text_expect(&shown, "cores: ns/access from each CPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(as_many_decimals_as_there_is_room_for, start),
        cmocka_unit_test_setup(what_does_not_fit_is_a_map, start),
        cmocka_unit_test_setup(cpus_to_few_places_are_turned_once_they_are_many, start),
        cmocka_unit_test_setup(cells_of_many_cpus_hold_the_slowest_of_their_pairs, start),
        cmocka_unit_test_setup(numbers_with_gaps_take_no_room, start),
        cmocka_unit_test_setup(a_figure_stands_before_a_reason_and_a_reason_before_nothing, start),
        cmocka_unit_test_setup(reasons_without_a_letter_share_one, start),
        cmocka_unit_test_setup(classes_are_equal_ratios, start),
        cmocka_unit_test_setup(noise_is_one_class, start),
        cmocka_unit_test_setup(figures_that_are_not_above_0_are_of_the_first_class, start),
        cmocka_unit_test_setup(pairs_of_each_kind_are_a_table, start),
        cmocka_unit_test_setup(many_pairs_are_a_map, start),
        cmocka_unit_test_setup(a_map_of_many_cpus_says_what_a_cell_stands_for, start),
        cmocka_unit_test_setup(places_are_columns_by_name_or_node, start),
        cmocka_unit_test_setup(many_cpus_to_places_are_rows_of_a_map, start),
        cmocka_unit_test_setup(a_single_pair_is_no_grid, start),
        cmocka_unit_test_setup(a_row_is_a_grid_once_its_list_is_cut, start),
        cmocka_unit_test_setup(states_of_prefetchers_are_told, start),
        cmocka_unit_test_setup(what_has_no_room_is_counted, start),
        cmocka_unit_test_setup(another_experiment_ends_the_grids_of_the_one_before, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
