/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of keys, and lookup in it. */
#include "core/options/table.h"

#include "core/names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define EVERYWHERE (OPTION_FIRMWARE | OPTION_LINUX | OPTION_SIMULATOR)
#define HOSTED     (OPTION_LINUX | OPTION_SIMULATOR)

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define TIB ((uint64_t)1 << 40)

static const char *const plan_words[] = {"quick", "full", NULL};
static const char *const pattern_words[] = {"auto",
                                            PATTERN_NAME_CYCLE,
                                            PATTERN_NAME_IID,
                                            PATTERN_NAME_FORWARD,
                                            PATTERN_NAME_REVERSE,
                                            PATTERN_NAME_SEQUENTIAL,
                                            PATTERN_NAME_SHUFFLED_PAGES,
                                            PATTERN_NAME_PAGED,
                                            PATTERN_NAME_GROUPED,
                                            PATTERN_NAME_HOP_PAGE,
                                            NULL};
static const char *const fit_words[] = {"timing", "declared", NULL};
static const char *const prefetch_words[] = {"off", "on", "both", NULL};
static const char *const witness_words[] = {"counters", "ibs", NULL};
static const char *const expect_words[] = {"auto", "off", "on", NULL};
static const char *const boot_words[] = {"cold", "warm", "shutdown", NULL};
static const char *const end_words[] = {"menu", "shutdown", "reboot", "return", NULL};

/* Words are stored through the table as unsigned numbers. */
_Static_assert(sizeof(enum option_plan) == sizeof(unsigned) &&
                   sizeof(enum option_pattern) == sizeof(unsigned) &&
                   sizeof(enum option_fit) == sizeof(unsigned) &&
                   sizeof(enum chase_load) == sizeof(unsigned) &&
                   sizeof(enum chase_hint) == sizeof(unsigned) &&
                   sizeof(enum map_mode) == sizeof(unsigned) &&
                   sizeof(enum option_prefetch) == sizeof(unsigned) &&
                   sizeof(enum speed_choice) == sizeof(unsigned) &&
                   sizeof(enum option_witness) == sizeof(unsigned) &&
                   sizeof(enum option_expect) == sizeof(unsigned) &&
                   sizeof(enum option_boot) == sizeof(unsigned) &&
                   sizeof(enum option_end) == sizeof(unsigned),
               "an enum of the options is not as wide as unsigned");

#define AT(member) offsetof(struct options, member)

/* Over thirty years; in nanoseconds it still fits 64 bits. */
#define BUDGET_MAX_MS 1000000000000

const struct option_row option_rows[] = {
    {"plan", OPTION_WORD, EVERYWHERE, AT(plan), 0, 0, 0, false, plan_words,
     "How much is measured: quick takes about a minute, full as long as it needs."},
    {"tests", OPTION_TESTS, EVERYWHERE, AT(tests), 0, 0, 0, true, NULL,
     "Experiments to run, in this order; auto is what the plan holds."},
    {"min", OPTION_SIZE, EVERYWHERE, AT(min_bytes), KIB, 64 * TIB, 64, true, NULL,
     "Smallest working set; auto leaves it to the plan."},
    {"max", OPTION_SIZE, EVERYWHERE, AT(max_bytes), KIB, 64 * TIB, 64, true, NULL,
     "Largest working set; more than the memory holds is cut to that, with a note."},
    {"points", OPTION_U32, EVERYWHERE, AT(points), 1, 64, 0, true, NULL,
     "Working sets measured per octave."},
    {"pages", OPTION_PAGES, EVERYWHERE, AT(pages), 0, 0, 0, true, NULL,
     "Page sizes to map with; auto is every one that the machine has."},
    {"pattern", OPTION_WORD, EVERYWHERE, AT(pattern), 0, 0, 0, false, pattern_words,
     "Order of the hops. cycle: one random cycle through every line; iid: independent draws that "
     "no "
     "prefetcher can follow; auto: cycle for curves, iid for levels. forward, "
     "reverse: by stride=; sequential: line by line; shuffled-pages: line by line inside a group, "
     "groups at random; paged, grouped: all lines of a group at random, then another group; "
     "hop-page: another group every hop."},
    {"fit", OPTION_WORD, EVERYWHERE, AT(fit), 0, 0, 0, false, fit_words,
     "How levels are found: from timing alone, or latencies for the declared cache sizes."},
    {"stride", OPTION_SIZE, EVERYWHERE, AT(stride_bytes), 8, GIB, 8, true, NULL,
     "Distance of the chain's nodes; auto is one line. Only forward and reverse allow other than "
     "whole lines."},
    {"group", OPTION_SIZE, EVERYWHERE, AT(group_bytes), 64, GIB, 64, true, NULL,
     "Bytes of a group, whole lines; auto is 256K for grouped, 4K for paged, hop-page and "
     "shuffled-pages."},
    {"chains", OPTION_U32, EVERYWHERE, AT(chains), 1, CHAINS_MAX, 0, false, NULL,
     "Chains chased at once, each with an equal part of the set. A machine may support fewer, and "
     "only plain hops above 7."},
    {"load", OPTION_WORD, EVERYWHERE, AT(load), 0, 0, 0, false, load_names,
     "How a hop reads its line. plain: a normal load; nt: a non-temporal one; flush: flushed from "
     "every cache of the CPUs first (not from memory-side ones), each hop timed by itself; dirty: "
     "also written."},
    {"word", OPTION_U32, EVERYWHERE, AT(word), 0, 255, 0, false, NULL,
     "Index of the 8-byte word of its line that a node is, from 0 to the line's last."},
    {"hint", OPTION_WORD, EVERYWHERE, AT(hint), 0, 0, 0, false, hint_names,
     "Prefetch instruction for the next line as soon as its address is known."},
    {"work", OPTION_U32, EVERYWHERE, AT(work), 0, 100000, 0, false, NULL,
     "Core cycles of work besides each hop that depend on no load."},
    {"warmup", OPTION_ON, EVERYWHERE, AT(warmup), 0, 0, 0, false, NULL,
     "Untimed hops before the timed ones; off times the first lap after the caches were flushed."},
    {"map", OPTION_WORD, EVERYWHERE, AT(map), 0, MAP_IDENTITY, 0, false, map_names,
     "Mapping. window: chosen frames at new addresses; identity: addresses equal physical ones."},
    {"prefetch", OPTION_WORD, EVERYWHERE, AT(prefetch), 0, 0, 0, false, prefetch_words,
     "Hardware prefetchers while measuring; on means as the firmware left them."},
    {"pstate", OPTION_WORD, EVERYWHERE, AT(pstate), 0, 0, 0, false, speed_names,
     "The core's frequency while measuring. max: its highest, on Intel's CPUs; firmware often "
     "leaves a lower one."},
    {"uncore", OPTION_WORD, EVERYWHERE, AT(uncore), 0, 0, 0, false, speed_names,
     "The frequency of the package's last cache, ring or mesh. max: its minimum is raised to its "
     "maximum, on Intel's CPUs with MSR 0x620."},
    {"witness", OPTION_WORD, EVERYWHERE, AT(witness), 0, 0, 0, false, witness_words,
     "What besides timing says where loads were answered. counters: the CPU's counters, wherever "
     "they are sound; ibs: on AMD's CPUs also single loads as instruction-based sampling follows "
     "them, which nobody has yet seen to work on silicon."},
    {"prefetch-unofficial", OPTION_ON, EVERYWHERE, AT(prefetch_unofficial), 0, 0, 0, false, NULL,
     "Also write prefetcher controls that no vendor documents."},
    {"prefetch-write", OPTION_ON, OPTION_FIRMWARE, AT(prefetch_write), 0, 0, 0, false, NULL,
     "AArch64: write prefetcher controls, on which old firmware may halt; off only reports them. "
     "On x86-64 they are always written."},
    {"range", OPTION_RANGE, EVERYWHERE, AT(range_from), 0, 0, 0, true, NULL,
     "Physical memory to measure, FROM-BELOW in sizes or hexadecimal, of every node and kind; auto "
     "is ordinary memory of the CPU's own node."},
    {"block", OPTION_SIZE, EVERYWHERE, AT(block_bytes), 2 * MIB, TIB, 2 * MIB, true, NULL,
     "Bytes of a block of memory for tests=regions, whole pages; auto is 64M, in the Linux "
     "program a page."},
    {"hold", OPTION_DECIMAL, EVERYWHERE, AT(hold_s), 0, 86400000, 0, false, NULL,
     "Seconds that tests=verify waits between writing memory and reading it, decimal: whether "
     "refresh keeps what it holds."},
    {"expect-banks", OPTION_U32, EVERYWHERE, AT(expect_banks), 2, 1 << 20, 0, true, NULL,
     "Banks that the memory should have, those of all channels and ranks together; a note says "
     "whether tests=banks found as many."},
    {"expect-dimms", OPTION_U32, EVERYWHERE, AT(expect_dimms), 1, 1024, 0, true, NULL,
     "How many memory modules the board should have; what is not as expected is a warning, and a "
     "record."},
    {"expect-size", OPTION_SIZE, EVERYWHERE, AT(expect_size), MIB, 64 * TIB, MIB, true, NULL,
     "Bytes that all memory modules should hold together."},
    {"expect-speed", OPTION_U32, EVERYWHERE, AT(expect_speed), 1, 100000, 0, true, NULL,
     "Speed that every memory module should be configured to, in megatransfers per second."},
    {"expect-channels", OPTION_U32, EVERYWHERE, AT(expect_channels), 1, 1024, 0, true, NULL,
     "How many memory channels should have a module."},
    {"expect-ecc", OPTION_WORD, EVERYWHERE, AT(expect_ecc), 0, 0, 0, false, expect_words,
     "Whether memory should be error-correcting; auto is either."},
    {"expect-bandwidth", OPTION_DECIMAL, EVERYWHERE, AT(expect_bandwidth_gb_s), 100, 100000000, 0,
     true, NULL,
     "Bandwidth that one CPU should read memory with, in GB/s (10^9 bytes), decimal; a note says "
     "whether tests=regions reached it."},
    {"expect-latency", OPTION_INTERVAL, EVERYWHERE, AT(expect_latency_ns), 1, 10000000, 0, true,
     NULL,
     "What the headline of tests=dram should be, from and to, in ns; its bounds have to lie "
     "inside."},
    {"expect-spread", OPTION_PERCENT, EVERYWHERE, AT(expect_spread_percent), 1, 1000000, 0, false,
     NULL,
     "By how many per cent a range of memory, or lines by their address bits, may be slower than "
     "the rest (tests=regions)."},
    {"verdict", OPTION_WORD, EVERYWHERE, AT(verdict), 0, 0, 0, false, expect_words,
     "Whether the run ends with a verdict on memory: OK, SUSPECT or INCOMPLETE. auto: with "
     "tests=verify, a baseline to be held against, boots= and the expect- options."},
    {"baseline", OPTION_PATH, EVERYWHERE, AT(baseline), 0, 0, 0, false, NULL,
     "save: keep the run's figures as baseline.txt beside its results; else the path of such a "
     "file, which the run is held against (on a stick below \\barechase)."},
    {"decode", OPTION_DECODE, EVERYWHERE, AT(decode), 0, 0, 0, false, NULL,
     "How physical addresses choose a module's slot, which records with an address then name: "
     "masks "
     "whose parities are the bits of a number, lowest first, and a slot for each number; found: "
     "the "
     "bank, by the functions of tests=banks."},
    {"rule-coverage", OPTION_PERCENT, EVERYWHERE, AT(rule_coverage_percent), 0, 10000, 0, false,
     NULL,
     "Per cent of the memory map that tests=verify has to reach for a verdict other than "
     "INCOMPLETE; 0: it need not be run."},
    {"rule-corrected", OPTION_U64, EVERYWHERE, AT(rule_corrected), 0, 1000000000, 0, false, NULL,
     "Errors that the hardware may have corrected during the run, as its machine-check banks or "
     "error records count them, for a verdict other than SUSPECT."},
    {"rule-latency", OPTION_PERCENT, EVERYWHERE, AT(rule_latency_percent), 0, 100000, 0, false,
     NULL, "By how many per cent a latency may exceed the baseline's, beyond the errors of both."},
    {"rule-bandwidth", OPTION_PERCENT, EVERYWHERE, AT(rule_bandwidth_percent), 0, 10000, 0, false,
     NULL, "By how many per cent a rate may be below the baseline's, beyond the errors of both."},
    {"error", OPTION_PERCENT, EVERYWHERE, AT(error_percent), 1, 2000, 0, false, NULL,
     "Target for the relative error of each median, in per cent."},
    {"budget", OPTION_DECIMAL, EVERYWHERE, AT(budget_s), 1000, BUDGET_MAX_MS, 0, true, NULL,
     "Seconds that all measuring may take, decimal."},
    {"hops", OPTION_U64, EVERYWHERE, AT(hops), 64, TIB, 0, true, NULL,
     "Hops in a sample; auto is as many as the clock's resolution needs."},
    {"iterations", OPTION_U64, EVERYWHERE, AT(iterations), 1, TIB, 0, true, NULL,
     "Hops in a sample, as laps over the whole set."},
    {"repeats", OPTION_U32, EVERYWHERE, AT(repeats), 1, OPTIONS_REPEATS_MAX, 0, false, NULL,
     "How often each point is measured, from building its chain on, with a record each time."},
    {"seconds", OPTION_DECIMAL, EVERYWHERE, AT(seconds), 1, 86400000, 0, true, NULL,
     "Seconds to sample each point for, decimal; with auto, error= ends sampling."},
    {"seed", OPTION_U64, EVERYWHERE, AT(seed), 0, UINT64_MAX - 1, 0, false, NULL,
     "Decides every random order; the same seed gives the same chains."},
    {"dry", OPTION_ON, EVERYWHERE, AT(dry), 0, 0, 0, false, NULL,
     "Print the plan, measure nothing."},
    {"end", OPTION_WORD, OPTION_FIRMWARE, AT(end), 0, 0, 0, false, end_words,
     "What happens after the run."},
    {"boots", OPTION_U32, OPTION_FIRMWARE, AT(boots), 2, 9999, 0, true, NULL,
     "Soak: reset after the run and go on until so many boots of this board have a line in its "
     "history on the stick; then how far their figures are apart."},
    {"boot", OPTION_WORD, OPTION_FIRMWARE, AT(boot), 0, 0, 0, false, boot_words,
     "How a soak goes on to the next boot; shutdown waits for whoever powers the board."},
    {"runs", OPTION_U32, OPTION_FIRMWARE, AT(runs), 1, 9999, 0, true, NULL,
     "With end=reboot: reboot only until the stick holds so many runs, then shut down; auto is for "
     "ever."},
    {"records", OPTION_ON, EVERYWHERE, AT(records), 0, 0, 0, false, NULL,
     "Also print every record on the console."},
    {"save", OPTION_ON, EVERYWHERE, AT(save), 0, 0, 0, false, NULL, "Keep the results in files."},
    {"cpus", OPTION_CPUS, EVERYWHERE, AT(cpus), 0, 0, 0, false, NULL,
     "CPUs that cores, handoff and nodes measure from, and that take part in threads, loaded and "
     "awake "
     "beside the first one, by the numbers that records have; core, node: one of each. All unless "
     "given; on firmware they also test memory in verify and build chains in regions, but "
     "only if given."},
    {"node", OPTION_NODES, EVERYWHERE, AT(node), 0, 0, 0, false, NULL,
     "Nodes whose memory tests=nodes measures and tests=handoff takes lines from; local: of each "
     "CPU its own. All unless given."},
    {"place", OPTION_PLACE, EVERYWHERE, AT(place), 0, 0, 0, false, NULL,
     "Of these, for each CPU's node only: its own, the one at its place xor M, at its place plus "
     "N, "
     "or those of a map. As pChase places memory; all unless given."},
    {"cpu", OPTION_CPU, OPTION_LINUX, AT(cpu), 0, OPTIONS_CPU_MAX, 0, true, NULL,
     "CPU to run on, by the kernel's number; auto is the current one."},
    {"out", OPTION_PATH, HOSTED, AT(out), 0, 0, 0, false, NULL,
     "Directory for the results; it gets the files of this run only."},
    {"machine", OPTION_PATH, OPTION_SIMULATOR, AT(machine_file), 0, 0, 0, false, NULL,
     "File that describes the machine to simulate."},
};

const size_t option_row_count = COUNT(option_rows);
_Static_assert(COUNT(option_rows) <= OPTION_ROWS_MAX, "raise OPTION_ROWS_MAX");

static const char *const later_keys[] = {"turbo"};
static const char *const later_tests[] = {"levels", "rows", "refresh"};

static bool option_in(const char *const *list, size_t count, const char *word, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(word, bytes, list[i]))
            return true;
    return false;
}

bool option_known_later(const char *key, const char *word, size_t bytes)
{
    if (key == NULL)
        return option_in(later_keys, COUNT(later_keys), word, bytes);
    return text_equal(key, "tests") && option_in(later_tests, COUNT(later_tests), word, bytes);
}

const struct option_row *option_find(const char *key, size_t bytes)
{
    for (size_t i = 0; i < option_row_count; i++)
        if (text_is(key, bytes, option_rows[i].key))
            return &option_rows[i];
    return NULL;
}

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Levenshtein distance; bytes: at most OPTION_KEY_MAX. */
static unsigned option_distance(const char *key, size_t bytes, const char *known)
{
    unsigned row[OPTION_KEY_MAX + 1];

    for (size_t i = 0; i <= bytes; i++)
        row[i] = (unsigned)i;
    for (size_t k = 0; known[k] != '\0'; k++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)k + 1;
        for (size_t i = 1; i <= bytes; i++) {
            unsigned above = row[i];

            row[i] = smallest(above + 1, row[i - 1] + 1, diagonal + (key[i - 1] != known[k]));
            diagonal = above;
        }
    }
    return row[bytes];
}

const char *option_nearest(enum option_host host, const char *key, size_t bytes)
{
    const char *nearest = NULL;
    unsigned best = 3;

    if (bytes > OPTION_KEY_MAX)
        return NULL;
    for (size_t i = 0; i < option_row_count; i++) {
        unsigned distance = option_distance(key, bytes, option_rows[i].key);

        /* Two edits make a word of three letters another word. */
        if ((option_rows[i].hosts & host) != 0 && distance < best && distance * 2 <= bytes) {
            best = distance;
            nearest = option_rows[i].key;
        }
    }
    return nearest;
}
