/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory modules as the firmware of simulated machines describes them: their records and notes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define GIB (1ull << 30)

static struct {
    struct dimm_info dimm[SIM_DIMMS_MAX];
    size_t dimms;
    struct record_modules modules;
    unsigned summaries, differences;
    char agree[24]; /* of a mapping */
    uint64_t banks_low, banks_high;
    char expected[400], warned[900]; /* "expect-dimms=2: yes\n" */
    char why[240], ecc[24];
} heard;

static void listen(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_DIMM)
        heard.dimm[heard.dimms++] = *record->u.dimm.dimm;
    if (record->kind == RECORD_MODULES) {
        heard.summaries++;
        heard.modules = record->u.modules;
        snprintf(heard.ecc, sizeof heard.ecc, "%s",
                 heard.modules.ecc != NULL ? heard.modules.ecc : "-");
    }
    if (record->kind == RECORD_MAPPING) {
        snprintf(heard.agree, sizeof heard.agree, "%s", record->u.mapping.modules_agree);
        heard.banks_low = record->u.mapping.modules_banks_low;
        heard.banks_high = record->u.mapping.modules_banks_high;
    }
    if (record->kind == RECORD_NOTE && strstr(record->u.note.what, "banks are not those") != NULL)
        snprintf(heard.warned, sizeof heard.warned, "%s", record->u.note.why);
    if (record->kind == RECORD_EXPECTATION) {
        const struct record_expectation *e = &record->u.expectation;
        static const char *const answers[] = {"unknown", "no", "yes"};
        size_t used = strlen(heard.expected);
        snprintf(heard.expected + used, sizeof heard.expected - used, "%s=%s: %s\n", e->name,
                 e->expected, answers[e->met]);
    }
    if (record->kind == RECORD_NOTE && strncmp(record->u.note.what, "expect-", 7) == 0) {
        size_t used = strlen(heard.warned);
        assert_int_equal(record->u.note.severity, SEVERITY_WARNING);
        snprintf(heard.warned + used, sizeof heard.warned - used, "%s: %s\n", record->u.note.what,
                 record->u.note.why);
    }
    if (record->kind == RECORD_NOTE &&
        strcmp(record->u.note.what, "modules and memory map differ") == 0) {
        heard.differences++;
        assert_int_equal(record->u.note.severity, SEVERITY_WARNING);
        snprintf(heard.why, sizeof heard.why, "%s", record->u.note.why);
    }
}

static void run(const char *path, const char *words)
{
    static struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_file_error error;
    struct option_error refused;

    if (!sim_machine_load(&config, path, &error))
        fail_msg("%s", error.text);
    memset(&heard, 0, sizeof heard);
    simulator_start(sim, &config, false);
    if (words_run(&sim->machine, words, listen, NULL, &refused) != STATUS_OK)
        fail_msg("%s", refused.text);
    simulator_stop(sim);
    free(sim);
}

static void every_slot_has_a_record(void **state)
{
    (void)state;
    run("tests/sim/machines/mapping/zen4-ddr5.machine", "tests=dram dry=on");
    assert_int_equal(heard.dimms, 1);
    const struct dimm_info *dimm = heard.dimm;
    assert_string_equal(dimm->locator, "DIMM_A2");
    assert_string_equal(dimm->channel, "A");
    assert_string_equal(dimm->maker, "Example");
    assert_string_equal(dimm->part, "EX-4800-8");
    assert_string_equal(dimm->type, "DDR5");
    assert_string_equal(dimm->ecc, "none");
    assert_true(dimm->bytes == 8 * GIB && dimm->rated_mts == 5600 && dimm->configured_mts == 4800);
    assert_true(dimm->ranks == 1 && dimm->data_bits == 64 && dimm->total_bits == 64);
    assert_int_equal(dimm->configured_mv, 1100);
    run("tests/sim/machines/dram/all-modules.machine", "tests=dram dry=on");
    assert_int_equal(heard.dimms, 4);
    assert_string_equal(heard.dimm[1].locator, "DIMM_A2");
    assert_true(heard.dimm[1].bytes == 0 && heard.dimm[1].type[0] == '\0');
}

static void a_machine_without_tables_has_no_record(void **state)
{
    (void)state;
    run("tests/sim/machines/desktop.machine", "tests=dram dry=on");
    assert_int_equal(heard.dimms, 0);
    assert_int_equal(heard.summaries, 0);
}

static void modules_are_held_against_the_memory_map(void **state)
{
    static const char *const missing[] = {"tests/sim/machines/dram/missing-channel.machine",
                                          "tests/sim/machines/dram/missing-rank.machine"};

    (void)state;
    run("tests/sim/machines/dram/all-modules.machine", "tests=dram dry=on");
    assert_int_equal(heard.summaries, 1);
    assert_int_equal(heard.differences, 0);
    assert_true(heard.modules.slots == 4 && heard.modules.fitted == 2);
    assert_true(heard.modules.bytes == 4 * GIB && heard.modules.rank_bytes == GIB);
    assert_true(heard.modules.map_bytes == 4 * GIB && heard.modules.map_agrees == ANSWER_YES);
    assert_true(heard.modules.channels == 2 && heard.modules.of_unknown_size == 0);
    assert_true(heard.modules.configured_mts_low == 3200);
    assert_true(heard.modules.configured_mts_high == 3200);
    assert_true(heard.modules.max_bytes == RECORD_UNKNOWN);
    assert_string_equal(heard.ecc, "on");
    for (size_t i = 0; i < 2; i++) {
        run(missing[i], "tests=dram dry=on");
        assert_int_equal(heard.differences, 1);
        assert_string_equal(heard.why, "the modules hold 4G, the memory map 2G: a module or a rank "
                                       "takes no part, or is kept back by the firmware");
        assert_int_equal(heard.modules.map_agrees, ANSWER_NO);
    }
}

static void what_is_expected_is_said(void **state)
{
    (void)state;
    run("tests/sim/machines/dram/all-modules.machine",
        "tests=dram dry=on expect-dimms=2 expect-size=4G expect-speed=3200 expect-channels=2 "
        "expect-ecc=on");
    assert_string_equal(heard.expected,
                        "expect-dimms=2: yes\nexpect-size=4G: yes\nexpect-speed=3200: yes\n"
                        "expect-channels=2: yes\nexpect-ecc=on: yes\n");
    assert_string_equal(heard.warned, "");
    run("tests/sim/machines/dram/missing-channel.machine",
        "tests=dram dry=on expect-dimms=4 expect-size=4G expect-speed=2933 expect-ecc=off");
    assert_string_equal(heard.expected,
                        "expect-dimms=4: no\nexpect-size=4G: no\nexpect-speed=2933: no\n"
                        "expect-ecc=off: no\n");
    assert_string_equal(
        heard.warned,
        "expect-dimms: is not met: 4 is expected, 2 is found\n"
        "expect-size: is not met: 4G is expected, 4G is found: the modules hold it, but the memory "
        "map lacks a rank or more of it\n"
        "expect-speed: is not met: 2933 is expected, 3200 is found\n"
        "expect-ecc: is not met: off is expected, on is found\n");
    run("tests/sim/machines/desktop.machine", "tests=dram dry=on expect-channels=2");
    assert_string_equal(heard.expected, "expect-channels=2: unknown\n");
    assert_string_equal(heard.warned, "expect-channels: cannot be checked: 2 is expected; the "
                                      "firmware describes no memory slots\n");
    assert_int_equal(heard.dimms, 0);
    run("tests/sim/machines/desktop.machine", "tests=dram dry=on");
    assert_string_equal(heard.expected, "");
}

static void banks_are_held_against_modules(void **state)
{
    (void)state;
    run("tests/sim/machines/dram/all-modules.machine", "tests=banks");
    assert_string_equal(heard.agree, "agree");
    assert_true(heard.banks_low == 64 && heard.banks_high == 64);
    assert_string_equal(heard.warned, "");
    run("tests/sim/machines/dram/missing-channel.machine", "tests=banks");
    assert_string_equal(heard.agree, "does-not");
    assert_string_equal(heard.warned, "32 were found, modules like these have 64: a rank or a "
                                      "channel takes no part, or the firmware describes them "
                                      "wrongly");
    run("tests/sim/machines/mapping/zen4-ddr5.machine", "tests=banks");
    assert_string_equal(heard.agree, "agree");
    assert_true(heard.banks_low == 32 && heard.banks_high == 64);
    run("tests/sim/machines/mapping/plain-small-board.machine", "tests=banks");
    assert_string_equal(heard.agree, "unknown");
    assert_true(heard.banks_low == RECORD_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_has_a_record),
        cmocka_unit_test(a_machine_without_tables_has_no_record),
        cmocka_unit_test(modules_are_held_against_the_memory_map),
        cmocka_unit_test(what_is_expected_is_said),
        LONG_TEST(banks_are_held_against_modules),
    };

    return RUN_TESTS(tests);
}
