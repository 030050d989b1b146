/* SPDX-License-Identifier: BSD-2-Clause */
/* The option language: what it accepts, what it refuses and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/options/experiments.h"
#include "core/lib/text.h"
#include "core/options/options.h"

static const struct option_source file = {"barechase.cfg", true, OPTION_FIRMWARE};
static const struct option_source words = {"load options", false, OPTION_FIRMWARE};
static const struct option_source simulator = {"command line", false, OPTION_SIMULATOR};
static const struct option_source a_process = {"command line", false, OPTION_LINUX};
static char pool[OPTIONS_POOL_BYTES];

/* Parses a copy that ends where its allocation ends, so that reading on is caught. */
static enum status parse_bytes(struct options *options, const void *text, size_t bytes,
                               const struct option_source *source, const struct option_extra *extra,
                               struct option_error *error)
{
    char *copy = malloc(bytes > 0 ? bytes : 1);
    enum status status;

    memcpy(copy, text, bytes);
    status = options_parse(options, copy, bytes, source, extra, pool, sizeof(pool), error);
    memset(copy, '!', bytes);
    free(copy);
    return status;
}

static void accept(struct options *options, const char *text, const struct option_source *source)
{
    struct option_error error;

    options_default(options);
    if (parse_bytes(options, text, strlen(text), source, NULL, &error) != STATUS_OK)
        fail_msg("%s refused: %s", text, error.text);
    assert_string_equal(error.text, "");
}

static void refuse_bytes(const void *text, size_t bytes, const struct option_source *source,
                         const char *message)
{
    struct options before, options;
    struct option_error error;

    options_default(&before);
    before.seed = 77;
    before.min_bytes = 1 << 20;
    memcpy(&options, &before, sizeof(options));
    if (parse_bytes(&options, text, bytes, source, NULL, &error) != STATUS_BAD_INPUT)
        fail_msg("accepted, should be: %s", message);
    assert_memory_equal(&options, &before, sizeof(options));
    if (strstr(error.text, message) == NULL)
        fail_msg("message is: %s\nshould have: %s", error.text, message);
    for (const char *c = error.text; *c != '\0'; c++)
        assert_in_range(*c, 0x20, 0x7e);
    assert_true(strlen(error.text) < OPTIONS_MESSAGE_MAX);
}

static void refuse(const char *text, const struct option_source *source, const char *message)
{
    refuse_bytes(text, strlen(text), source, message);
}

static void every_key_is_read(void **state)
{
    struct options o;

    (void)state;
    accept(&o,
           "plan=full tests=dram,curve min=16K max=2G points=8 pages=4k,2M,1g pattern=cycle "
           "stride=128 map=identity prefetch=both pstate=max uncore=max prefetch-unofficial=on "
           "prefetch-write=on witness=ibs "
           "range=4G-0x200000000 "
           "error=0.25 budget=90 hops=4096 seed=0xabc dry=on end=shutdown records=on save=off",
           &words);
    assert_int_equal(o.plan, PLAN_FULL);
    assert_int_equal(o.test_count, 2);
    assert_string_equal(experiment_list[o.tests[0]].name, "dram");
    assert_string_equal(experiment_list[o.tests[1]].name, "curve");
    assert_int_equal(o.min_bytes, 16 << 10);
    assert_int_equal(o.max_bytes, 2ull << 30);
    assert_int_equal(o.points, 8);
    assert_int_equal(o.pages, 1u << 12 | 1u << 21 | 1u << 30);
    assert_int_equal(o.stride_bytes, 128);
    assert_int_equal(o.map, MAP_IDENTITY);
    assert_int_equal(o.prefetch, PREFETCH_REQUEST_BOTH);
    assert_true(o.pstate == SPEED_MAX && o.uncore == SPEED_MAX);
    assert_true(o.prefetch_unofficial && o.prefetch_write);
    assert_int_equal(o.witness, WITNESS_IBS);
    assert_int_equal(o.range_from.value, 4ull << 30);
    assert_int_equal(o.range_below.value, 8ull << 30);
    assert_true(o.error_percent == 0.25);
    assert_true(o.budget_s == 90);
    assert_int_equal(o.hops, 4096);
    assert_int_equal(o.seed, 0xabc);
    assert_true(o.dry && o.records && !o.save);
    assert_int_equal(o.end, END_SHUTDOWN);
    accept(&o, "cpu=0", &a_process);
    assert_int_equal(o.cpu, 1);
    accept(&o, "cpu=8191 cpu=auto", &a_process);
    assert_int_equal(o.cpu, 0);
    accept(&o, "cpu=8191", &a_process);
    assert_int_equal(o.cpu, 8192);
    accept(&o, "out=/tmp/a-b machine=m.cfg", &simulator);
    assert_string_equal(o.out, "/tmp/a-b");
    assert_string_equal(o.machine_file, "m.cfg");
}

static void bounds_are_inclusive(void **state)
{
    struct options o;

    (void)state;
    accept(&o, "error=0.01 budget=86400 hops=64 stride=1G min=1K max=64T points=64", &words);
    accept(&o, "error=20 budget=1 hops=1099511627776 stride=64", &words);
    refuse("hops=63", &words, "load options word 1: hops: bad value '63'; allowed: auto or a");
    refuse("error=0.009", &words, "error: bad value '0.009'; allowed: a number from 0.01 to 20");
    refuse("error=20.1", &words, "20.1");
    refuse("error=nan", &words, "nan");
    accept(&o, "budget=1.5", &words);
    assert_true(o.budget_s == 1.5);
    accept(&o, "budget=1000000000", &words);
    refuse("budget=1000000001", &words, "auto or a number from 1 to 1000000000");
    refuse("budget=0.999", &words,
           "budget: bad value '0.999'; allowed: auto or a number from 1 to");
    refuse("budget=0", &words, "1 to 1000000000");
    refuse("stride=0", &words,
           "stride: bad value '0'; allowed: auto or a size from 8 to 1G, a mul");
    refuse("stride=12 pattern=forward", &words, "multiple of 8");
    refuse("group=100 pattern=paged", &words, "a size from 64 to 1G, a multiple of 64");
    accept(&o, "expect-banks=2", &words);
    assert_int_equal(o.expect_banks, 2);
    accept(&o, "expect-dimms=8 expect-size=512G expect-speed=4800 expect-channels=4 expect-ecc=on",
           &words);
    assert_true(o.expect_dimms == 8 && o.expect_size == 512ull << 30 && o.expect_speed == 4800);
    assert_true(o.expect_channels == 4 && o.expect_ecc == EXPECT_ON);
    accept(&o, "expect-ecc=on expect-ecc=auto expect-dimms=1 expect-dimms=auto", &words);
    assert_true(o.expect_ecc == EXPECT_AUTO && o.expect_dimms == 0);
    refuse("expect-ecc=yes", &words,
           "load options word 1: expect-ecc: bad value 'yes'; allowed: auto, off, on");
    refuse("expect-size=1K", &words,
           "load options word 1: expect-size: bad value '1K'; allowed: auto or a size from 1M to "
           "64T, a multiple of 1M");
    accept(&o, "expect-banks=1048576 expect-banks=auto", &words);
    assert_int_equal(o.expect_banks, 0);
    accept(&o, "expect-bandwidth=38.4", &words);
    assert_true(o.expect_bandwidth_gb_s == 38.4);
    accept(&o, "expect-bandwidth=0.1 expect-bandwidth=auto", &words);
    assert_true(o.expect_bandwidth_gb_s == 0);
    accept(&o, "chains=1 seconds=0.001 repeats=100 word=255 work=100000 iterations=1", &words);
    accept(&o, "chains=24 seconds=86400 repeats=1 work=0 iterations=1099511627776", &words);
    refuse("block=0", &words,
           "block: bad value '0'; allowed: auto or a size from 2M to 1T, a multiple of 2M");
    refuse("block=", &words, "block: no value; allowed: auto or a size from 2M to 1T");
    refuse("block=3M", &words,
           "block: bad value '3M'; allowed: auto or a size from 2M to 1T, a mul");
    refuse("block=1M", &words, "2M to 1T");
    refuse("block=2T", &words, "2M to 1T");
    refuse("expect-banks=1", &words,
           "expect-banks: bad value '1'; allowed: auto or a whole number from 2 to 1048576");
    refuse("expect-banks=1048577", &words, "2 to 1048576");
    refuse("chains=0", &words, "chains: bad value '0'; allowed: a whole number from 1 to 24");
    refuse("chains=25", &words, "1 to 24");
    refuse("repeats=0", &words, "1 to 100");
    refuse("seconds=0", &words, "seconds: bad value '0'; allowed: auto or a number from 0.001 to");
    refuse("seconds=-1", &words, "0.001 to 86400");
    refuse("iterations=0", &words, "iterations");
    refuse("word=256", &words, "0 to 255");
    refuse("work=100001", &words, "0 to 100000");
    refuse("points=65", &words, "points");
    refuse("seed=18446744073709551615", &words, "seed");
    refuse("seed=-1", &words, "seed");
    refuse("min=1000", &words, "min: bad value '1000'; allowed: auto or a size from 1K to 64T");
}

static void comments_and_blanks(void **state)
{
    struct options o;

    (void)state;
    accept(
        &o,
        "\xef\xbb\xbf# barechase\r\n\r\n  seed = 5   # five\r\n\tmin =\t64K\r\n#max=1\nend=return",
        &file);
    assert_int_equal(o.seed, 5);
    assert_int_equal(o.min_bytes, 64 << 10);
    assert_int_equal(o.max_bytes, 0);
    assert_int_equal(o.end, END_RETURN);
    accept(&o, "", &file);
    accept(&o, " \t\r\n", &words);
    refuse("seed=5#five", &file, "barechase.cfg line 1: seed: bad value '5#five'");
    refuse("# fine\n\nmin=1K max=2K\n", &file, "line 3: min: bad value '1K max=2K'");
}

static void later_wins(void **state)
{
    struct options o;
    struct option_error error;

    (void)state;
    accept(&o, "seed=1\nseed=2\nmin=1M", &file);
    assert_int_equal(o.seed, 2);
    assert_int_equal(parse_bytes(&o, "seed=3 pages=2m min=auto", 24, &words, NULL, &error),
                     STATUS_OK);
    assert_int_equal(o.seed, 3);
    assert_int_equal(o.min_bytes, 0);
    assert_int_equal(parse_bytes(&o, "seed=4 pages=4k,", 16, &words, NULL, &error),
                     STATUS_BAD_INPUT);
    assert_int_equal(o.seed, 3);
    assert_int_equal(o.pages, 1u << 21);
}

static void messages_name_key_place_and_what_is_allowed(void **state)
{
    (void)state;
    refuse("seed=1\ntest=curve\n", &file,
           "barechase.cfg line 2: unknown key 'test'; did you mean 'tests'; known: plan, tests, ");
    refuse("seed=1 zzzzzzz=1", &words, "load options word 2: unknown key 'zzzzzzz'; known: plan,");
    refuse("mix=1", &words, "unknown key 'mix'; did you mean 'min'; known");
    refuse("prefecth=on", &words, "did you mean 'prefetch'; known");
    refuse("plan=slow", &words, "plan: bad value 'slow'; allowed: quick, full");
    refuse("plan=", &words, "plan: no value; allowed: quick, full");
    refuse("plan =\n", &file, "plan: no value");
    refuse("dry", &words, "word 1: 'dry' has no '='");
    refuse("=3", &words, "'=3' has no key before its '='; write key=value");
    refuse("dry=yes", &words, "dry: bad value 'yes'; allowed: on, off");
    refuse("pages=4k,,2m", &words,
           "pages: member 2 is empty; allowed: auto or a comma-separated list");
    refuse("pages=4k,", &words, "member 2 is empty");
    refuse("tests=,", &words, "member 1 is empty");
    refuse("pages=4k,2m,4K", &words,
           "pages: member 3, '4K', is listed twice; allowed: auto or a comma-separated list "
           "of 4k, 2m, 1g");
    refuse("tests=curve,curve", &words, "twice");
    refuse("tests=curve,drum,tlb", &words,
           "tests: member 2, 'drum', is none of them; allowed: auto or a comma-separated list of "
           "curve, dram");
    refuse("range=8G-4G", &words, "range: bad value '8G-4G', which does not end above its start");
    refuse("range=4G-4G", &words, "does not end above");
    refuse("range=4G", &words, "FROM-BELOW");
    refuse("min=1G max=1M", &words, "load options word 2: max: min=1G is above max=1M");
    refuse("max=512K", &words, "word 1: max: min=1M is above max=512K");
    refuse("seed=\x01\xff\x7f", &words,
           "bad value '"
           "?"
           "?"
           "?'");
    refuse("seed=123456789012345678901234567890123456789012345678901234567890", &words,
           "'1234567890123456789012345678901234567890...'");
}

static void hops_and_patterns_are_read(void **state)
{
    static const enum option_pattern patterns[] = {
        PATTERN_AUTO,           PATTERN_CYCLE,   PATTERN_IID,
        PATTERN_FORWARD,        PATTERN_REVERSE, PATTERN_SEQUENTIAL,
        PATTERN_SHUFFLED_PAGES, PATTERN_PAGED,   PATTERN_GROUPED,
        PATTERN_HOP_PAGE};
    static const char *const texts[] = {
        "pattern=auto",           "pattern=cycle",   "pattern=iid",
        "pattern=forward",        "pattern=reverse", "pattern=sequential",
        "pattern=shuffled-pages", "pattern=paged",   "pattern=grouped",
        "pattern=hop-page"};
    struct options o;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        accept(&o, texts[i], &words);
        assert_int_equal(o.pattern, patterns[i]);
        assert_true(o.chains == 1 && o.warmup && o.repeats == 1 && o.seconds == 0);
    }
    accept(&o,
           "pattern=grouped group=96K chains=7 load=dirty word=3 hint=t1 work=40 warmup=off "
           "iterations=2 repeats=5 seconds=1.5",
           &words);
    assert_int_equal(o.group_bytes, 96 << 10);
    assert_int_equal(o.chains, 7);
    assert_int_equal(o.load, LOAD_DIRTY);
    assert_int_equal(o.word, 3);
    assert_int_equal(o.hint, HINT_T1);
    assert_int_equal(o.work, 40);
    assert_false(o.warmup);
    assert_int_equal(o.iterations, 2);
    assert_int_equal(o.repeats, 5);
    assert_true(o.seconds == 1.5);
    accept(&o, "load=nt hint=nta", &words);
    assert_true(o.load == LOAD_NT && o.hint == HINT_NTA);
    accept(&o, "load=flush hint=none", &words);
    assert_true(o.load == LOAD_FLUSH && o.hint == HINT_NONE);
}

/* Each alone is allowed; the key named is the one that came last. */
static void what_cannot_stand_together_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"stride=2M max=1M", "word 2: max: stride=2M is above max=1M; allowed: stride up to max"},
        {"iterations=2 hops=100",
         "word 2: hops: hops=100 beside iterations=2; allowed: one of them"},
        {"stride=72",
         "word 1: stride: stride=72 with pattern=auto; allowed: multiples of 64; mult"},
        {"pattern=forward stride=8 pattern=cycle", "word 3: pattern: stride=8 with pattern=cycle"},
        {"group=4K", "group: group=4K with pattern=auto; allowed: group=auto, or pattern=paged, g"},
        {"pattern=paged group=4K stride=192",
         "word 3: stride: group=4K with stride=192; allowed: a group that is a multiple of the"},
        {"chains=2 pattern=iid", "pattern: chains=2 with pattern=iid; allowed: chains=1 with"},
        {"pattern=iid load=nt", "load: load=nt with pattern=iid; allowed: load=plain with"},
        {"pattern=iid hint=t0", "hint: hint=t0 with pattern=iid; allowed: hint=none with"},
        {"pattern=iid word=1", "word: word=1 with pattern=iid; allowed: word=0 with"},
        {"load=flush chains=2", "chains: chains=2 with load=flush; allowed: chains=1 with"},
        {"load=flush hint=nta", "hint: hint=nta with load=flush; allowed: hint=none with"},
        {"work=3 load=flush", "load: work=3 with load=flush; allowed: work=0 with"},
        {"chains=8 load=nt", "load: load=nt with chains=8; allowed: load=plain above 7 chains"},
        {"hint=t2 chains=8", "chains: hint=t2 with chains=8; allowed: hint=none above"},
        {"work=3 chains=8", "chains: work=3 with chains=8; allowed: work=0 above"},
        {"pattern=forward stride=8 word=1", "word: word=1 with stride=8; allowed: word=0 with a"},
        {"load=dirty pattern=reverse stride=8", "stride: load=dirty with stride=8; allowed: load="},
    };
    static const char *const good[] = {
        "pattern=iid work=3 warmup=off",
        "pattern=reverse stride=8 chains=7 load=nt hint=t0 work=1",
        "chains=24 word=7",
        "load=flush word=5 warmup=off pattern=paged group=64K stride=128",
        "stride=1M max=1M",
        "load=dirty stride=64 chains=7 hint=nta"};
    struct options o;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse(bad[i].text, &words, bad[i].message);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        accept(&o, good[i], &words);
}

static void keys_of_later_versions_are_told_apart(void **state)
{
    (void)state;
    refuse("threads=2", &words,
           "unknown key 'threads', but an experiment: tests=threads; known: plan");
    refuse("turbo=on", &words, "key 'turbo' is not yet known in this version; known: plan");
    refuse("prefetch-write=on", &simulator, "another kind of machine");
    refuse("pattern=zigzag", &words,
           "pattern: bad value 'zigzag'; allowed: auto, cycle, iid, forward, reverse, sequential, "
           "shuffled-pages, paged, grouped, hop-page");
    refuse(
        "cpus=0-", &words,
        "cpus: bad value '0-'; allowed: all, core, node, performance, efficiency, or numbers such "
        "as 0,4-7");
    refuse("node=0-", &words,
           "node: bad value '0-'; allowed: local, all, or numbers such as 0,2-3");
    refuse("place=xor", &words,
           "place: bad value 'xor'; allowed: local, xor:M, add:N, or map:FROM:TO,TO;FROM:TO, such "
           "as map:0:1;1:0");
    refuse("tests=curve,levels", &words, "not yet known in this version; allowed: ");
    refuse("out=x", &words, "key 'out' is for another kind of machine; known: ");
    refuse("machine=x", &words, "another kind of machine");
    refuse("end=menu", &simulator, "another kind of machine");
    refuse("cpu=1", &words, "key 'cpu' is for another kind of machine; known: ");
    refuse("cpu=-1", &a_process,
           "cpu: bad value '-1'; allowed: auto or a whole number from 0 to 8191");
    refuse("cpu=8192", &a_process, "allowed: auto or a whole number from 0 to 8191");
}

static void what_is_not_plain_text_is_refused(void **state)
{
    static char noise[1 << 20];
    char line[OPTIONS_LINE_MAX + 20] = "# ";

    (void)state;
    refuse_bytes("\xff\xfes\0e\0e\0d\0", 10, &file, "barechase.cfg: is UTF-16; save it as plain");
    refuse_bytes("\xfe\xff\0s\0e", 6, &file, "is UTF-16");
    refuse_bytes("s\0e\0e\0d\0", 8, &file, "is UTF-16");
    refuse_bytes("\0s\0e\0e\0d", 8, &file, "is UTF-16");
    refuse_bytes("dry=on\nseed=1\0\n", 15, &file, "line 2: has a NUL byte");
    refuse_bytes("seed=1\0", 7, &words, "load options: has a NUL byte");
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (char)(i * 2654435761u >> 13 | 1);
    refuse_bytes(noise, sizeof(noise), &file, "barechase.cfg: is longer than the 65536 bytes that");
    refuse_bytes(noise, 60000, &file, "barechase.cfg line 1: ");
    memset(line + 2, 'x', sizeof(line) - 2);
    refuse_bytes(line, sizeof(line), &file, "line 1: the line is 1044 bytes long; at most 1024");
    refuse_bytes(line + 2, sizeof(line) - 2, &words, "word 1: the word is 1042 bytes long");
}

static const char *extra_parse(void *context, const char *value, size_t bytes)
{
    ++*(int *)context;
    return text_is(value, bytes, "ud") ? NULL : "ud, pf";
}

static void a_build_can_add_a_key(void **state)
{
    int calls = 0;
    struct option_extra extra = {"inject", "", &calls, extra_parse};
    struct options o;
    struct option_error error;

    (void)state;
    options_default(&o);
    assert_int_equal(parse_bytes(&o, "inject=ud seed=9", 16, &words, &extra, &error), STATUS_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(parse_bytes(&o, "inject=xx seed=8", 16, &words, &extra, &error),
                     STATUS_BAD_INPUT);
    assert_string_equal(error.text, "load options word 1: inject: bad value 'xx'; allowed: ud, pf");
    assert_int_equal(o.seed, 9);
    /* If anything else is wrong, the extra key must not have been passed on. */
    assert_int_equal(parse_bytes(&o, "inject=ud seed=x", 16, &words, &extra, &error),
                     STATUS_BAD_INPUT);
    assert_int_equal(calls, 2);
    refuse("inject=ud", &words, "unknown key 'inject'");
}

static void options_in_effect_read_back(void **state)
{
    static const char *const texts[] = {
        "",
        "plan=full tests=dram min=1600 max=3G points=3 pages=2m,1g stride=1.5K map=identity",
        "prefetch=on prefetch-unofficial=on prefetch-write=on range=0x1000-4G error=0.3 budget=7 "
        "hops=100 seed=0xff",
        "dry=on records=on save=off pstate=max witness=ibs",
        "uncore=max pattern=hop-page group=8K chains=7 load=dirty word=3 hint=t2 work=12 "
        "warmup=off "
        "iterations=3 repeats=4 seconds=0.25",
    };
    char text[OPTIONS_EFFECTIVE_MAX], again[OPTIONS_EFFECTIVE_MAX];
    struct options o;
    size_t length;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        accept(&o, texts[i], &words);
        length = options_effective(&o, text, sizeof(text));
        assert_int_equal(length, strlen(text));
        accept(&o, text, &words);
        options_effective(&o, again, sizeof(again));
        assert_string_equal(text, again);
    }
    accept(&o, texts[1], &words);
    options_effective(&o, text, sizeof(text));
    assert_string_equal(
        text,
        "plan=full tests=dram min=1600 max=3G points=3 pages=2m,1g "
        "pattern=auto fit=timing stride=1.5K group=auto chains=1 load=plain word=0 hint=none "
        "work=0 "
        "warmup=on map=identity prefetch=off pstate=as-found uncore=as-found "
        "witness=counters prefetch-unofficial=off prefetch-write=off range=auto block=auto hold=0 "
        "expect-banks=auto expect-dimms=auto expect-size=auto expect-speed=auto "
        "expect-channels=auto expect-ecc=auto expect-bandwidth=auto "
        "expect-latency=auto expect-spread=10 verdict=auto rule-coverage=99 rule-corrected=0 "
        "rule-latency=5 "
        "rule-bandwidth=10 "
        "error=0.5 "
        "budget=auto hops=auto "
        "iterations=auto repeats=1 seconds=auto seed=1 dry=off end=menu boots=auto boot=cold "
        "runs=auto records=off "
        "save=on");
    for (size_t i = 0; i < 2; i++) {
        accept(&o, i == 0 ? "cpu=3" : "", i == 0 ? &a_process : &simulator);
        options_effective(&o, text, sizeof(text));
        accept(&o, text, i == 0 ? &a_process : &simulator);
    }
    accept(&o, texts[1], &words);
    length = options_effective(&o, text, 10);
    assert_int_equal(length, 9);
    assert_string_equal(text, "plan=full");
}

struct help {
    char text[16384];
    size_t used;
};

static void help_write(void *context, const char *text, size_t bytes)
{
    struct help *help = context;

    assert_true(help->used + bytes < sizeof(help->text));
    memcpy(help->text + help->used, text, bytes);
    help->used += bytes;
}

static void help_names_every_key_in_79_columns(void **state)
{
    static struct help help;
    struct text_sink sink = {&help, help_write};
    size_t column = 0;

    (void)state;
    options_help(OPTION_FIRMWARE, &sink);
    for (size_t i = 0; i < help.used; i++) {
        column = help.text[i] == '\n' ? 0 : column + 1;
        assert_true(column <= 79);
    }
    assert_int_equal(column, 0);
    assert_int_equal(strncmp(help.text, "plan= ", 6), 0);
    assert_non_null(strstr(help.text, "\nprefetch-unofficial= "));
    assert_non_null(strstr(help.text, "\nend= "));
    assert_null(strstr(help.text, "\nmachine="));
    for (size_t i = 0; i < experiment_count; i++) {
        char line[64];
        snprintf(line, sizeof(line), "\n%s  ", experiment_list[i].name);
        assert_non_null(strstr(help.text, line));
    }
    assert_non_null(strstr(help.text, "Default: 0.5."));
    help.used = 0;
    memset(help.text, 0, sizeof(help.text));
    options_help(OPTION_SIMULATOR, &sink);
    assert_null(strstr(help.text, "\nend= "));
    assert_non_null(strstr(help.text, "\nmachine= "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(bounds_are_inclusive),
        cmocka_unit_test(comments_and_blanks),
        cmocka_unit_test(later_wins),
        cmocka_unit_test(messages_name_key_place_and_what_is_allowed),
        cmocka_unit_test(hops_and_patterns_are_read),
        cmocka_unit_test(what_cannot_stand_together_is_refused),
        cmocka_unit_test(keys_of_later_versions_are_told_apart),
        cmocka_unit_test(what_is_not_plain_text_is_refused),
        cmocka_unit_test(a_build_can_add_a_key),
        cmocka_unit_test(options_in_effect_read_back),
        cmocka_unit_test(help_names_every_key_in_79_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
