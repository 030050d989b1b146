/* SPDX-License-Identifier: BSD-2-Clause */
/* Soaks of whole boards: every boot is a whole run on a board drawn from a seed, and its boots are
 * held against each other as the application does it. Boards with nothing wrong are not SUSPECT;
 * where one boot came up with a slower rank, that boot is named, and the rank.
 *
 * A run takes a second or two: without variables there is one board, with BARECHASE_LONG there are
 * fifteen. BARECHASE_BOARDS=200 BARECHASE_BOOTS=20 says how many, BARECHASE_SEED= the first board's
 * seed, BARECHASE_RETRAINED= how many retrainings of each, and BARECHASE_SHOW=1 shows each board.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/verdict/boots.h"
#include "core/verdict/choose.h"
#include "core/verdict/verdict.h"
#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/board.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define FIGURES_ROOM 600
#define TEXT_ROOM    (1u << 17)
#define NOTES_MAX    300
#define TRIES        500

/* What one boot leaves on the stick. */
struct boot {
    struct figures figures;
    struct figures_one one[FIGURES_ROOM];
};

struct notes {
    size_t count;
    char text[NOTES_MAX][300];
};

static struct boot boot[BOOTS_MAX], retrained;
static struct notes notes;

static size_t number_of(const char *variable, size_t usual, size_t when_long)
{
    const char *text = getenv(variable);

    if (text != NULL)
        return strtoull(text, NULL, 10);
    return tests_are_long() ? when_long : usual;
}

/* ---- one boot */

struct baseline_text {
    size_t bytes;
    char text[TEXT_ROOM];
};

static void write_text(void *context, const char *text, size_t bytes)
{
    struct baseline_text *kept = context;

    assert_true(kept->bytes + bytes <= sizeof kept->text);
    memcpy(kept->text + kept->bytes, text, bytes);
    kept->bytes += bytes;
}

static struct verdict judged;

static void listen(void *context, const struct record *record)
{
    (void)context;
    verdict_record(&judged, record);
    if (record->kind == RECORD_END)
        assert_string_equal(record->u.end.status, "ok");
}

/* The run of that machine; its figures as another boot reads them, from the baseline's text. */
static void run_boot(const struct sim_config *config, const char *words, struct boot *kept)
{
    static struct simulator sim;
    static struct figures_one now[FIGURES_ROOM];
    static struct baseline_text text;
    const struct verdict_limits limits = {.slower = 0.1,
                                          .baseline = {.latency = 0.05, .rate = 0.1}};
    struct text_sink sink = {&text, write_text};
    char why[BASELINE_WHY_BYTES];
    struct sim_problem problem;
    struct option_error error;
    struct baseline_of of;

    if (!sim_config_check(config, &problem))
        fail_msg("%s: %s %s: %s", config->name, problem.key, problem.reason, problem.allowed);
    verdict_start(&judged, &limits, true, now, FIGURES_ROOM);
    simulator_start(&sim, config, false);
    if (words_run(&sim.machine, words, listen, NULL, &error) != STATUS_OK)
        fail_msg("%s: %s %s", config->name, words, error.text);
    simulator_stop(&sim);
    assert_int_equal(judged.now.left_out, 0);
    text.bytes = 0;
    baseline_write(&judged.run, &judged.now, &sink);
    figures_start(&kept->figures, kept->one, FIGURES_ROOM);
    if (!baseline_read(text.text, text.bytes, &of, &kept->figures, why))
        fail_msg("%s: %s", config->name, why);
}

/* ---- all of a soak */

static void keep_note(void *context, const struct record *record)
{
    (void)context;
    if (record->kind == RECORD_NOTE && notes.count < NOTES_MAX)
        snprintf(notes.text[notes.count++], sizeof notes.text[0], "%s: %s", record->u.note.what,
                 record->u.note.why);
}

/* The verdict on these boots together, as the last of them gives it. */
static struct verdict verdict_of(const struct board *board, const struct boot *const boots[],
                                 size_t count)
{
    static const struct record_sink none = {.write = NULL};
    static struct figures_one room[4 * FIGURES_ROOM], last[FIGURES_ROOM];
    static struct journal journal;
    const char *decode = strstr(board->words, "decode=");
    const struct verdict_limits limits = {.slower = 0.1,
                                          .decode = decode != NULL ? decode + 7 : "",
                                          .baseline = {.latency = 0.05, .rate = 0.1}};
    static struct verdict verdict;
    struct figures figures[BOOTS_MAX];
    uint32_t run[BOOTS_MAX];

    notes.count = 0;
    journal_start(&journal, &none);
    journal_watch(&journal, (struct journal_view){NULL, keep_note, NULL});
    verdict_start(&verdict, &limits, true, last, FIGURES_ROOM);
    for (uint32_t i = 0; i < count; i++) {
        figures[i] = boots[i]->figures;
        run[i] = i + 1;
    }
    verdict_take_boots(&verdict, figures, run, count, room, 4 * FIGURES_ROOM, &journal);
    verdict_conclude(&verdict, &(struct record_end){.status = "ok"}, &journal);
    return verdict;
}

static void show_notes(const struct board *board, const char *what)
{
    printf("%s%s, %s: %s\n", board->config.name, board->stray ? " (stray refreshes)" : "", what,
           board->words);
    for (size_t i = 0; i < notes.count; i++)
        printf("    %s\n", notes.text[i]);
}

/* ---- a retrained part */

static unsigned value_of(const struct sim_xors *xors, uint64_t address)
{
    unsigned value = 0;

    for (uint32_t i = 0; i < xors->count; i++)
        value |= (unsigned)__builtin_parityll(xors->mask[i] & address) << i;
    return value;
}

static bool is_slow(const struct board *board, const struct board_part *part, uint64_t address)
{
    const struct sim_part *of = &part->slow.part;
    const struct sim_mapping_config *mapping = &board->config.mapping;

    return (of->channel == SIM_ANY || value_of(&mapping->channel, address) == of->channel) &&
           (of->rank == SIM_ANY || value_of(&mapping->rank, address) == of->rank) &&
           (of->bytes == 0 || address - of->from < of->bytes);
}

/* Whether a line is of "lines 17^21=1 6=0 ...", and the end of that. */
static bool is_of_lines(const char *text, uint64_t address, const char **end)
{
    bool all = true;

    while (text[0] == ' ' && text[1] >= '0' && text[1] <= '9') {
        unsigned parity = 0;
        do {
            char *behind;
            parity ^= (unsigned)(address >> strtoul(text + 1, &behind, 10)) & 1;
            text = behind;
        } while (*text == '^');
        if (*text != '=')
            return false;
        all = all && parity == (unsigned)(text[1] - '0');
        text += 2;
    }
    *end = text;
    return all;
}

/* Whether the part that a note names is that part: the same lines, with their slot if it is one; or
 * a range or a block that begins in it. Of lines that are no longer slower than the others: the
 * others. Of all memory: any block, or any rate. */
static bool names_part(const struct board *board, const struct board_part *part, const char *name)
{
    uint64_t address, bytes = board->config.memory.bytes;
    bool others = strstr(name, "or the others slower") != NULL;
    struct random random;
    const char *end = name;

    if (strcmp(part->kind, "all") == 0)
        return strncmp(name, "block ", 6) == 0 || strncmp(name, "bandwidth", 9) == 0;
    if (strncmp(name, "range 0x", 8) == 0 || strncmp(name, "block 0x", 8) == 0)
        return part->slow.part.channel == SIM_ANY && part->slow.part.rank == SIM_ANY &&
               is_slow(board, part, strtoull(name + 6, NULL, 16)) != others;
    if (strncmp(name, "lines ", 6) != 0)
        return false;
    random_start(&random, 1);
    for (unsigned i = 0; i < TRIES; i++) {
        address = SIM_MEMORY_BASE + random_below(&random, bytes);
        if (is_of_lines(name + 5, address, &end) != (is_slow(board, part, address) != others))
            return false;
    }
    return others || part->slot[0] == '\0' || strstr(end, part->slot) != NULL;
}

/* How a note speaks of a boot. */
enum speech { NOTHING, LEFT_OPEN, FOR_SURE };

static enum speech speech_of(const char *words)
{
    static const char *const doubts[] = {"doubted", "not in the baseline", "not measured now"};

    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++)
        if (strstr(words, doubts[i]) != NULL)
            return NOTHING;
    return strstr(words, "no more than is allowed") != NULL ||
                   strstr(words, "or the others slower") != NULL
               ? LEFT_OPEN
               : FOR_SURE;
}

struct outcome {
    bool run_named, part_named, others;
};

/* What the notes say of it: that boot, its part, and whether they say as much of other boots. */
static struct outcome outcome_of(const struct board *board, const struct board_part *part,
                                 uint32_t run)
{
    static const char differs[] = "a boot held against the others: run-";
    struct outcome outcome = {.run_named = false};
    enum speech most = NOTHING, others = NOTHING;

    for (size_t i = 0; i < notes.count; i++) {
        const char *text = notes.text[i];
        enum speech speech;
        char *name;
        if (strncmp(text, differs, sizeof differs - 1) != 0)
            continue;
        speech = speech_of(text);
        if (strtoul(text + sizeof differs - 1, &name, 10) == run) {
            most = speech > most ? speech : most;
            outcome.part_named =
                outcome.part_named || (speech != NOTHING && names_part(board, part, name + 2));
        } else {
            others = speech > others ? speech : others;
        }
    }
    outcome.run_named = most != NOTHING;
    outcome.others = others != NOTHING && others >= most;
    return outcome;
}

struct tally {
    size_t boards, open, suspect;               /* of boards with nothing wrong */
    size_t retrained, found, left_open;         /* SUSPECT; INCOMPLETE */
    size_t run_named, part_named, others_named; /* of all of these */
};

static const char *part_words(const struct board_part *part)
{
    static char words[60];
    int used = snprintf(words, sizeof words, "%s", part->kind);

    if (part->slow.part.channel != SIM_ANY)
        used +=
            snprintf(words + used, sizeof words - (size_t)used, " c%u", part->slow.part.channel);
    if (part->slow.part.rank != SIM_ANY)
        snprintf(words + used, sizeof words - (size_t)used, " r%u", part->slow.part.rank);
    return words;
}

static void try_retrained(const struct board *board, uint32_t index, size_t boots,
                          struct tally *tally)
{
    const struct boot *all[BOOTS_MAX];
    struct board_part part;
    struct sim_config config;
    struct outcome outcome;
    struct verdict verdict;
    struct random random;
    uint32_t odd;
    char what[160];

    random_start(&random, board->seed * 100 + index);
    odd = (uint32_t)random_below(&random, boots);
    board_retrain(board, index, &part);
    board_boot(board, odd, &config);
    config.memory.slow[config.memory.slow_count++] = part.slow;
    run_boot(&config, board->words, &retrained);
    for (size_t i = 0; i < boots; i++)
        all[i] = i == odd ? &retrained : &boot[i];
    verdict = verdict_of(board, all, boots);
    outcome = outcome_of(board, &part, odd + 1);
    tally->retrained++;
    tally->found += verdict.all == ANSWER_NO;
    tally->left_open += verdict.all == ANSWER_UNKNOWN;
    tally->run_named += outcome.run_named;
    tally->part_named += outcome.part_named;
    tally->others_named += outcome.others;
    snprintf(what, sizeof what, "%s slower by %.1f %%, %.2f ns, in boot %u: %s%s%s%s",
             part_words(&part), 100 * part.share, part.slow.adds_ns, odd + 1,
             verdict_name(verdict.all), outcome.run_named ? "" : ", NOT NAMED",
             outcome.part_named ? "" : ", PART NOT NAMED",
             outcome.others ? ", OTHER BOOTS TOO" : "");
    if (getenv("BARECHASE_SHOW") != NULL || !outcome.part_named || outcome.others)
        show_notes(board, what);
}

static void try_board(uint64_t seed, size_t boots, size_t retrainings, struct tally *tally)
{
    const struct boot *all[BOOTS_MAX];
    struct verdict verdict;
    struct board board;
    struct sim_config config;

    board_draw(&board, seed);
    for (uint32_t i = 0; i < boots; i++) {
        board_boot(&board, i, &config);
        run_boot(&config, board.words, &boot[i]);
        all[i] = &boot[i];
    }
    verdict = verdict_of(&board, all, boots);
    tally->boards++;
    tally->suspect += verdict.all == ANSWER_NO;
    tally->open += verdict.all == ANSWER_UNKNOWN;
    if (getenv("BARECHASE_SHOW") != NULL || verdict.all == ANSWER_NO)
        show_notes(&board, verdict_name(verdict.all));
    for (uint32_t i = 0; i < retrainings; i++)
        try_retrained(&board, i, boots, tally);
}

static void boots_of_boards_are_held_against_each_other(void **state)
{
    size_t boards = number_of("BARECHASE_BOARDS", 1, 15);
    size_t boots = number_of("BARECHASE_BOOTS", 3, 20);
    size_t retrainings = number_of("BARECHASE_RETRAINED", 1, 3);
    uint64_t first = number_of("BARECHASE_SEED", 14, 1);
    struct tally tally = {.boards = 0};

    (void)state;
    assert_in_range(boots, 2, BOOTS_MAX);
    for (uint64_t seed = first; seed < first + boards; seed++)
        try_board(seed, boots, retrainings, &tally);
    printf("seeds from %llu: %zu boards over %zu boots each: %zu SUSPECT, %zu left open\n",
           (unsigned long long)first, tally.boards, boots, tally.suspect, tally.open);
    printf("%zu with one boot retrained: %zu SUSPECT, %zu left open, ", tally.retrained,
           tally.found, tally.left_open);
    printf("%zu with the boot named, %zu with the part, %zu with other boots too\n",
           tally.run_named, tally.part_named, tally.others_named);
    assert_int_equal(tally.suspect, 0);
    assert_int_equal(tally.found + tally.left_open, tally.retrained);
    /* Where refreshes of several channels begin changes what lines of some of them take. */
    assert_true(20 * tally.run_named >= 19 * tally.retrained);
    assert_true(20 * tally.part_named >= 19 * tally.retrained);
    assert_true(10 * tally.others_named <= tally.retrained);
}

/* Board 506 has four channels at different distances: no half of its lines is as the other, with
 * or without the channel that is slower by 3.7 % in one boot. */
static void a_channel_is_named_among_four_at_different_distances(void **state)
{
    struct tally tally = {.boards = 0};

    (void)state;
    try_board(506, 5, 1, &tally);
    assert_int_equal(tally.suspect, 0);
    assert_int_equal(tally.run_named, 1);
    assert_int_equal(tally.part_named, 1);
    assert_int_equal(tally.others_named, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(a_channel_is_named_among_four_at_different_distances),
        cmocka_unit_test(boots_of_boards_are_held_against_each_other),
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    return RUN_TESTS(tests);
}
