/* SPDX-License-Identifier: BSD-2-Clause */
/* Every experiment with every option: either the option changes what is measured, or a note says
 * that it does not apply; never both, never neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/options/experiments.h"
#include "core/options/table.h"
#include "core/results/record.h"
#include "tests/long.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

static const char machine_lines[] =
    "machine name=followed pages=4k,2m\n"
    "clock core=2G counter=1G\n"
    "cache name=L1 bytes=4K ways=4 latency=4c\n"
    "cache name=L2 bytes=32K ways=8 latency=14c\n"
    "tlb 4k=16 2m=8\n"
    "walk kind=constant cost=60c\n"
    "cpu\n"
    "cpu node=1\n"
    "node number=1 bytes=4M\n"
    "memory bytes=64M base=50ns tcl=14ns trcd=14ns trp=14ns banks=16 row=8K rows=open "
    "trefi=7.8us trfc=350ns\n"
    "prefetch kind=stream control=controllable degree=2 into=1\n"
    "counters sampler=loads\n"
    "end";

/* Words that keep each experiment small, and leave samples that differ. */
static const struct {
    const char *name, *words;
} small[] = {
    {"curve", "min=4K max=128K points=1"},
    {"dram", "max=128K"},
    {"pattern", "max=256K"},
    {"parallel", "max=128K"},
    {"throughput", "max=256K"},
    {"random-sequential", "max=1M hops=6400"},
    {"tlb", "max=128K"},
    {"footprint", ""},
    {"prefetchers", "max=128K"},
    {"frequency", "max=128K"},
    {"cores", "max=128K"},
    {"handoff", ""},
    {"threads", "max=128K"},
    {"loaded", "max=128K"},
    {"awake", "max=256K"},
    {"nodes", "max=128K"},
    {"banks", ""},
    {"single", ""},
    {"regions", "block=2M"},
    {"verify", "max=4M"},
};

/* An option, and the words it is tried with. On this machine all samples of tlb are alike, so that
 * a smaller error takes no more of them. */
static const struct {
    const char *key, *words, *beside;
    /* Left out where the experiment's own words contain one of these, with commas between them;
     * NULL: never. */
    const char *unless;
} tries[] = {
    {"min", "min=8K", "", NULL},
    {"max", "max=64K", "", NULL},
    {"points", "points=3", "", NULL},
    {"block", "block=4M", "", NULL},
    {"hold", "hold=0.1", "", NULL},
    {"expect-banks", "expect-banks=8", "", NULL},
    {"expect-bandwidth", "expect-bandwidth=8", "", NULL},
    {"pattern", "pattern=iid", "", NULL},
    {"pattern", "pattern=reverse", "", NULL},
    {"stride", "stride=8", "pattern=forward", NULL},
    {"group", "group=8K", "stride=auto pattern=paged", NULL},
    {"stride", "stride=128", "", NULL},
    {"fit", "fit=declared", "", NULL},
    {"chains", "chains=2", "", NULL},
    {"load", "load=dirty", "", NULL},
    {"word", "word=3", "", NULL},
    {"hint", "hint=t0", "", NULL},
    {"work", "work=10", "", NULL},
    {"warmup", "warmup=off", "", NULL},
    {"prefetch", "prefetch=on", "", NULL},
    {"prefetch", "prefetch=both", "", NULL},
    {"error", "error=0.1", "", "tests=tlb"},
    {"hops", "hops=800", "", NULL},
    {"iterations", "hops=auto iterations=3", "", "hops="},
    {"repeats", "repeats=2", "", NULL},
    {"seconds", "seconds=0.002", "", NULL},
    {"witness", "witness=ibs", "", NULL},
    /* The chains of regions, and what verify writes, are the same bytes whoever writes them. */
    {"cpus", "cpus=0", "", "tests=regions,tests=verify"},
    {"node", "node=0", "", NULL},
    {"place", "place=add:1", "", NULL},
};

/* Options of the whole run, whatever its experiments; and those of other machines. */
static const char *const whole_run[] = {"expect-dimms",
                                        "expect-size",
                                        "expect-speed",
                                        "expect-channels",
                                        "expect-ecc",
                                        "expect-latency",
                                        "expect-spread",
                                        "verdict",
                                        "baseline",
                                        "decode",
                                        "rule-coverage",
                                        "rule-corrected",
                                        "rule-latency",
                                        "rule-bandwidth",
                                        "plan",
                                        "tests",
                                        "pages",
                                        "map",
                                        "pstate",
                                        "uncore",
                                        "prefetch-unofficial",
                                        "prefetch-write",
                                        "range",
                                        "budget",
                                        "seed",
                                        "dry",
                                        "end",
                                        "runs",
                                        "boots",
                                        "boot",
                                        "records",
                                        "save",
                                        "cpu",
                                        "out",
                                        "machine"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct sim_config config;

struct seen {
    uint64_t figures; /* a hash of every record that holds figures */
    char notes[16384];
};

static uint64_t hashed(uint64_t hash, const char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)line[i]) * 0x100000001b3;
    return hash;
}

static void listen(void *context, const struct record *record)
{
    static char line[RECORD_LINE_MAX];
    struct seen *seen = context;
    size_t used = strlen(seen->notes);
    struct record figures = *record;

    figures.number = 0; /* one note more or less changes it */

    if (record->kind == RECORD_NOTE)
        snprintf(seen->notes + used, sizeof seen->notes - used, "%s: %s\n", record->u.note.what,
                 record->u.note.why);
    if (record->kind == RECORD_POINT || record->kind == RECORD_LEVEL ||
        record->kind == RECORD_DRAM || record->kind == RECORD_FINDING ||
        record->kind == RECORD_FOOTPRINT || record->kind == RECORD_MAPPING ||
        record->kind == RECORD_DISTRIBUTION || record->kind == RECORD_REGIONS ||
        record->kind == RECORD_BLOCK || record->kind == RECORD_BANDWIDTH ||
        record->kind == RECORD_VERIFY || record->kind == RECORD_PAIR || record->kind == RECORD_LOAD)
        seen->figures = hashed(seen->figures, line, record_json(&figures, line));
}

static void look(struct seen *seen, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;

    *seen = (struct seen){.figures = 0xcbf29ce484222325};
    simulator_start(sim, &config, false);
    (void)words_run(&sim->machine, words, listen, seen, &error);
    simulator_stop(sim);
    free(sim);
    if (error.text[0] != '\0')
        fail_msg("%s: %s", words, error.text);
}

/* Whether a note of that experiment says that the key does not apply. */
static bool is_noted(const struct seen *seen, const char *name, const char *key)
{
    char start[80], word[40];
    const char *pos, *end, *found;

    snprintf(start, sizeof start, "%s: some options do not apply: not applied: ", name);
    snprintf(word, sizeof word, " %s=", key);
    pos = strstr(seen->notes, start);
    if (pos == NULL)
        return false;
    end = strchr(pos, '\n');
    found = strstr(pos, word);
    return found != NULL && found < end;
}

/* One experiment's tries. */
struct row {
    const char *name;
    char words[120];
    struct seen plain, beside, with;
    char noted[400]; /* the words of what is noted */
    size_t count;
};

static const char *joined(const char *a, const char *b, const char *c)
{
    static char all[640];

    snprintf(all, sizeof all, "%s %s %s", a, b, c);
    return all;
}

/* measured: also holds figures against those without the option where it is not noted. */
static void try_one(struct row *row, size_t i, bool measured)
{
    const char *beside = tries[i].beside, *words = tries[i].words;
    const struct seen *without = &row->plain;
    size_t used = strlen(row->noted);
    char both[120];

    snprintf(both, sizeof both, "%s %s", beside, words);
    look(&row->with, joined(row->words, both, "dry=on"));
    if (is_noted(&row->with, row->name, tries[i].key)) {
        snprintf(row->noted + used, sizeof row->noted - used, " %s", both);
        row->count++;
        return;
    }
    if (!measured)
        return;
    look(&row->with, joined(row->words, both, ""));
    if (beside[0] != '\0') {
        look(&row->beside, joined(row->words, beside, ""));
        without = &row->beside;
    }
    if (row->with.figures == without->figures)
        fail_msg("%s %s: ignored without a note:\n%s", row->words, both, row->with.notes);
}

static bool is_left_out(const char *words, const char *unless)
{
    char each[80], *rest = each, *part;

    if (unless == NULL)
        return false;
    snprintf(each, sizeof each, "%s", unless);
    while ((part = strsep(&rest, ",")) != NULL)
        if (strstr(words, part) != NULL)
            return true;
    return false;
}

/* All options that are noted, together, change nothing. Other than in the long tests every other
 * experiment is measured, and each with an eighth of the options that are not noted. */
static void every_option_counts_or_is_noted(void **state)
{
    struct row *row = malloc(sizeof *row);
    size_t count = 0;

    (void)state;
    assert_int_equal(COUNT(small), experiment_count);
    for (size_t e = 0; e < COUNT(small); e++) {
        bool measured = tests_are_long() || e % 2 == 0;
        *row = (struct row){.name = experiment_list[e].name};
        assert_string_equal(small[e].name, row->name);
        snprintf(row->words, sizeof row->words, "tests=%s %s", row->name, small[e].words);
        if (measured)
            look(&row->plain, row->words);
        for (size_t i = 0; i < COUNT(tries); i++)
            if (!is_left_out(row->words, tries[i].unless))
                try_one(row, i, measured && (tests_are_long() || (e / 2 + i) % 8 == 0));
        count += row->count;
        if (!measured)
            continue;
        look(&row->with, joined(row->words, row->noted, ""));
        if (row->with.figures != row->plain.figures)
            fail_msg("%s: noted as not applied, but applied: one of %s", row->words, row->noted);
    }
    printf("%zu of %zu pairs are noted\n", count, COUNT(small) * COUNT(tries));
    free(row);
}

/* With hops= it is refused, so it has a test of its own. */
static void laps_are_no_steps(void **state)
{
    struct seen *seen = malloc(sizeof *seen);

    (void)state;
    look(seen, "tests=random-sequential iterations=3 dry=on");
    assert_true(is_noted(seen, "random-sequential", "iterations"));
    free(seen);
}

static bool is_listed(const char *key)
{
    for (size_t i = 0; i < COUNT(tries); i++)
        if (strcmp(tries[i].key, key) == 0)
            return true;
    for (size_t i = 0; i < COUNT(whole_run); i++)
        if (strcmp(whole_run[i], key) == 0)
            return true;
    return false;
}

static void no_option_is_forgotten_here(void **state)
{
    (void)state;
    for (size_t i = 0; i < option_row_count; i++)
        if (!is_listed(option_rows[i].key))
            fail_msg("%s= is neither tried nor one of the whole run", option_rows[i].key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_option_is_forgotten_here),
        cmocka_unit_test(laps_are_no_steps),
        cmocka_unit_test(every_option_counts_or_is_noted),
    };
    struct sim_file_error error;

    if (!sim_machine_parse(&config, machine_lines, strlen(machine_lines), "followed", &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
