/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine whose firmware allows no page tables of our own: everything is measured in its mapping,
 * once, and every record says so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

struct seen {
    size_t points, curve_points, drams;
    bool all_of_the_firmware, all_contiguous, tlb_cost;
    uint64_t sets[512];
    bool set_twice;
    char end[16];
};

static void look_at(struct seen *seen, const char *map, uint64_t pages_bytes, const char *frames)
{
    if (strcmp(map, "firmware") != 0 || pages_bytes != 0)
        seen->all_of_the_firmware = false;
    if (strcmp(frames, "contiguous") != 0)
        seen->all_contiguous = false;
}

static void keep(void *context, const struct record *record)
{
    struct seen *seen = context;
    const struct record_point *point = &record->u.point;
    const struct record_dram *dram = &record->u.dram;

    if (record->kind == RECORD_POINT) {
        seen->points++;
        look_at(seen, point->map, point->pages_bytes, point->frames);
        if (strcmp(point->experiment, "curve") == 0) {
            for (size_t i = 0; i < seen->curve_points; i++)
                seen->set_twice = seen->set_twice || seen->sets[i] == point->bytes;
            seen->sets[seen->curve_points++] = point->bytes;
        }
    }
    if (record->kind == RECORD_DRAM) {
        seen->drams++;
        look_at(seen, dram->map, dram->pages_bytes, dram->frames);
        seen->tlb_cost = !isnan(dram->tlb_cost_ns);
    }
    if (record->kind == RECORD_END)
        strncpy(seen->end, record->u.end.status, sizeof seen->end - 1);
}

static struct seen run(const char *words)
{
    struct seen seen = {.all_of_the_firmware = true, .all_contiguous = true};
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;

    simulator_start(sim, &sim_config_default, false);
    sim->description.firmware_mapping = true;
    sim->description.page_sizes = 1u << PAGE_4K;
    assert_int_equal(words_run(&sim->machine, words, keep, &seen, &error), STATUS_OK);
    simulator_stop(sim);
    free(sim);
    return seen;
}

static void every_point_says_so(void **state)
{
    static const char *const words[] = {"pattern=cycle", "pattern=cycle map=identity",
                                        "pattern=cycle pages=2m",
                                        "pattern=cycle pages=4k,2m map=window"};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct seen seen = run(words[i]);
        assert_string_equal(seen.end, "ok");
        assert_true(seen.points > 10 && seen.curve_points > 5);
        assert_int_equal(seen.drams, 1);
        assert_true(seen.all_of_the_firmware);
        assert_true(seen.all_contiguous);
        /* no size is measured under two names, and nothing is called the cost of small pages */
        assert_false(seen.set_twice);
        assert_false(seen.tlb_cost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_point_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
