/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict/verdict.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/machine.h"
#include "core/verdict/boots.h"

void verdict_start(struct verdict *verdict, const struct verdict_limits *limits, bool wanted,
                   struct figures_one *one, size_t room)
{
    const char *why;

    memory_fill(verdict, 0, sizeof *verdict);
    verdict->limits = *limits;
    verdict->wanted = wanted;
    figures_start(&verdict->now, one, room);
    if (limits->decode != NULL)
        (void)decode_read(limits->decode, text_length(limits->decode), &verdict->decode, &why);
    verdict->limits.baseline.decode = &verdict->decode;
}

void verdict_take_baseline(struct verdict *verdict, const char *file, const char *text,
                           size_t bytes, struct figures_one *one, size_t room)
{
    char why[BASELINE_WHY_BYTES];

    figures_start(&verdict->baseline, one, room);
    verdict->baseline_file = file;
    if (!baseline_read(text, bytes, &verdict->of, &verdict->baseline, why))
        verdict_lacks_baseline(verdict, file, why);
}

void verdict_lacks_baseline(struct verdict *verdict, const char *file, const char *why)
{
    text_print(verdict->baseline_why, sizeof verdict->baseline_why, "%s: %s", file, why);
}

/* ---- rules */

static void because(struct verdict_rule *rule, const char *why)
{
    text_print(rule->why, sizeof rule->why, "%s", why);
}

static void expect(struct verdict_rule *rule, const char *threshold)
{
    text_print(rule->threshold, sizeof rule->threshold, "%s", threshold);
}

/* The next rule; when there is no room the last one is reused, and says so. */
static struct verdict_rule *rule(struct verdict *verdict, const char *name, enum answer met)
{
    struct verdict_rule *next;

    if (verdict->rules == RECORD_RULES_MAX) {
        next = &verdict->rule[RECORD_RULES_MAX - 1];
        met = met == ANSWER_NO || next->met == ANSWER_NO ? ANSWER_NO : ANSWER_UNKNOWN;
        because(next, "this rule and others: there are too many");
        next->met = met;
        return next;
    }
    next = &verdict->rule[verdict->rules++];
    *next = (struct verdict_rule){.against = "", .met = met};
    text_print(next->name, sizeof next->name, "%s", name);
    return next;
}

/* Two experiments may find the same. */
static bool is_repeated(const struct verdict *verdict)
{
    const struct verdict_rule *last = &verdict->rule[verdict->rules - 1];

    for (const struct verdict_rule *one = verdict->rule; one < last; one++)
        if (text_equal(one->name, last->name) && text_equal(one->figure, last->figure) &&
            text_equal(one->threshold, last->threshold) && one->met == last->met)
            return true;
    return false;
}

static void take_expectation(struct verdict *verdict, const char *name, const char *expected,
                             const char *found, enum answer met, const char *why)
{
    struct verdict_rule *next = rule(verdict, name, met);

    next->said = true;
    text_print(next->figure, sizeof next->figure, "%s", found != NULL ? found : "");
    text_print(next->threshold, sizeof next->threshold, "%s", expected);
    next->against = "the option";
    text_print(next->why, sizeof next->why, "%s", why != NULL ? why : "");
    verdict->rules -= is_repeated(verdict);
}

static enum answer answer_of(const char *expectation)
{
    return text_equal(expectation, "met")     ? ANSWER_YES
           : text_equal(expectation, "unmet") ? ANSWER_NO
                                              : ANSWER_UNKNOWN;
}

static bool is_said(const char *words)
{
    return words != NULL && words[0] != '\0';
}

static void take_mapping(struct verdict *verdict, const struct record_mapping *mapping)
{
    char expected[24], found[40];

    if (mapping->offset_bytes != 0)
        verdict->limits.baseline.decode = NULL;
    text_print(expected, sizeof expected, "%lu", mapping->expected_banks);
    if (text_equal(mapping->verdict, "linear"))
        text_print(found, sizeof found, "%lu", (uint64_t)1 << mapping->rank);
    else
        text_print(found, sizeof found, "%s", mapping->verdict);
    if (is_said(mapping->expectation))
        take_expectation(verdict, "expect-banks", expected, found, answer_of(mapping->expectation),
                         mapping->why);
    if (text_equal(mapping->modules_agree, "does-not")) {
        struct verdict_rule *next = rule(verdict, "modules-banks", ANSWER_NO);
        next->said = true;
        text_print(next->figure, sizeof next->figure, "%s", found);
        text_print(next->threshold, sizeof next->threshold, "%lu to %lu",
                   mapping->modules_banks_low, mapping->modules_banks_high);
        next->against = "modules like those fitted";
    }
}

static void take_bandwidth(struct verdict *verdict, const struct record_bandwidth *bandwidth)
{
    char expected[24], found[24];

    verdict->slower_parts += is_said(bandwidth->effect) && text_equal(bandwidth->effect, "slower");
    if (!is_said(bandwidth->expectation))
        return;
    text_print(expected, sizeof expected, "%.2f GB/s", bandwidth->expected_bytes_per_s / 1e9);
    text_print(found, sizeof found, "%.2f GB/s", bandwidth->bytes_per_s.value / 1e9);
    take_expectation(verdict, "expect-bandwidth", expected, found,
                     answer_of(bandwidth->expectation), NULL);
}

/* What was looked for on a node, and how small a difference would have been told. */
static void take_regions(struct verdict *verdict, const struct record_regions *regions)
{
    double unseen = regions->class_limit_ns / regions->ns;

    verdict->slower_known = true;
    verdict->access_ns = regions->ns;
    verdict->access_node = regions->node;
    if (regions->wrong != 0)
        verdict->unseen_why = "blocks whose memory reads wrong were left out";
    else if (!is_said(regions->by))
        verdict->unseen_why = "lines were not compared: a slow rank or channel would not show";
    else if (!text_equal(regions->by, "functions"))
        verdict->unseen_why =
            "lines were compared by single bits and pairs: a rank or channel that "
            "more bits or a division choose may not show";
    if (unseen > verdict->unseen)
        verdict->unseen = unseen;
}

static void take_slower(struct verdict *verdict, double low_ns, double high_ns, double against_ns)
{
    double low = low_ns / against_ns, high = high_ns / against_ns;

    if (low > verdict->slower_low)
        verdict->slower_low = low;
    if (high > verdict->slower_high)
        verdict->slower_high = high;
}

/* What an access to the other lines takes. The chains that lines are compared by go over all of a
 * node's memory, with page walks in them; those within blocks have nearly none, and their share of
 * the slower lines. */
static void take_class(struct verdict *verdict, const struct record_class *class)
{
    double within_ns = verdict->access_ns - class->slower_ns / (double)(1ull << class->masks);
    bool known = class->node == verdict->access_node && within_ns > 0;

    take_slower(verdict, class->slower_low_ns, class->slower_high_ns,
                known && within_ns < class->against_ns ? within_ns : class->against_ns);
}

static void take_modules(struct verdict *verdict, const struct record_modules *modules)
{
    struct verdict_rule *next;

    if (modules->map_agrees == ANSWER_UNKNOWN)
        return;
    next = rule(verdict, "modules-map", modules->map_agrees);
    next->said = true;
    text_print(next->figure, sizeof next->figure, "%s", TEXT_SIZE(modules->map_bytes));
    text_print(next->threshold, sizeof next->threshold, "%s", TEXT_SIZE(modules->bytes));
    next->against = "modules that the firmware describes";
}

static void take_dram(struct verdict *verdict, const struct record_dram *dram)
{
    if (verdict->headline_known || !(dram->ns > 0))
        return;
    verdict->headline_known = true;
    verdict->headline_doubted = dram->doubt != 0;
    verdict->headline_low_ns = dram->ns_low;
    verdict->headline_high_ns = dram->ns_high;
    verdict->prefetch_off = dram->prefetch == PREFETCH_OFF;
}

static void take_note(struct verdict *verdict, const struct record_note *note)
{
    if (note->severity == SEVERITY_WARNING && text_begins(note->what, "verify: "))
        text_print(verdict->verify_why, sizeof verdict->verify_why, ": %s", note->why);
}

static void take(struct verdict *verdict, const struct record *record)
{
    switch (record->kind) {
    case RECORD_RUN:
        baseline_of_run(&record->u.run, &verdict->run);
        break;
    case RECORD_MODULES:
        take_modules(verdict, &record->u.modules);
        break;
    case RECORD_EXPECTATION:
        take_expectation(verdict, record->u.expectation.name, record->u.expectation.expected,
                         record->u.expectation.found, record->u.expectation.met,
                         record->u.expectation.why);
        break;
    case RECORD_MAPPING:
        take_mapping(verdict, &record->u.mapping);
        break;
    case RECORD_BANDWIDTH:
        take_bandwidth(verdict, &record->u.bandwidth);
        break;
    case RECORD_REGIONS:
        take_regions(verdict, &record->u.regions);
        break;
    case RECORD_RANGE:
        take_slower(verdict, record->u.range.slower_low_ns, record->u.range.slower_high_ns,
                    record->u.range.against_ns);
        break;
    case RECORD_CLASS:
        take_class(verdict, &record->u.class);
        break;
    case RECORD_DRAM:
        take_dram(verdict, &record->u.dram);
        break;
    case RECORD_VERIFY:
        verdict->verify = record->u.verify;
        verdict->verify_whole = !is_said(record->u.verify.cut_by);
        verdict->verified = true;
        break;
    case RECORD_HARDWARE_ERRORS:
        verdict->hardware = record->u.hardware_errors;
        verdict->hardware_known = true;
        break;
    case RECORD_NOTE:
        take_note(verdict, &record->u.note);
        break;
    case RECORD_ERROR:
        verdict->other_errors += !is_said(record->u.error.cause);
        break;
    default:
        break;
    }
}

void verdict_record(void *context, const struct record *record)
{
    struct verdict *verdict = context;

    take(verdict, record);
    figures_take(&verdict->now, record);
}

/* ---- what is judged at the end */

static void judge_contents(struct verdict *verdict)
{
    uint64_t bad = verdict->verify.words - verdict->verify.outside;
    struct verdict_rule *next;

    if (!verdict->verified && !verdict->limits.contents && !(verdict->limits.coverage > 0))
        return;
    next = rule(verdict, "contents", ANSWER_YES);
    expect(next, "0 words");
    next->against = "what was written";
    if (!verdict->verified) {
        next->met = ANSWER_UNKNOWN;
        if (verdict->limits.contents)
            text_print(next->why, sizeof next->why, "tests=verify gave no result%s",
                       verdict->verify_why);
        else
            because(next, "tests=verify was not asked for: rule-coverage=0 does without it");
        return;
    }
    text_print(next->figure, sizeof next->figure, "%s%lu word%s",
               verdict->verify.unlisted != 0 ? "at least " : "", bad, text_plural(bad));
    if (bad != 0)
        next->met = ANSWER_NO;
    else if (verdict->verify.outside != 0 || !verdict->verify_whole)
        next->met = ANSWER_UNKNOWN;
    if (verdict->verify.outside != 0)
        text_print(next->why, sizeof next->why, "%lu word%s changed from outside",
                   verdict->verify.outside, text_plural(verdict->verify.outside));
    else if (!verdict->verify_whole)
        text_print(next->why, sizeof next->why, "%lu of %lu steps taken",
                   verdict->verify.steps_done, verdict->verify.steps);
}

/* Of what was not tested at all the rule before this one has said why. */
static void judge_coverage(struct verdict *verdict)
{
    struct verdict_rule *next;
    const struct record_verify *verify = &verdict->verify;
    char node[32] = "";

    if (!(verdict->limits.coverage > 0))
        return;
    next = rule(verdict, "coverage", ANSWER_UNKNOWN);
    text_print(next->threshold, sizeof next->threshold, "%.2f %%", 100 * verdict->limits.coverage);
    next->against = "the memory map";
    next->said = !verdict->verified;
    if (!verdict->verified) {
        text_print(next->figure, sizeof next->figure, "0.00 %%");
        return;
    }
    if (verdict->verify.memory_bytes == RECORD_UNKNOWN) {
        because(next, "where the tested memory lies is not known");
        return;
    }
    if (verify->least_node != RECORD_UNKNOWN)
        text_print(node, sizeof node, " of node %lu", verify->least_node);
    text_print(next->figure, sizeof next->figure, "%.2f %%%s", 100 * verify->least_share, node);
    if (!verdict->verify_whole)
        because(next, "the test did not come to its end");
    else if (verify->least_share >= verdict->limits.coverage)
        next->met = ANSWER_YES;
    else
        text_print(next->why, sizeof next->why, "%s were not tested: records of kind gap name them",
                   TEXT_SIZE(verdict->verify.gap_bytes));
}

/* Where nothing counts them there is nothing to hold against: not_conclusive says so. */
static void judge_hardware(struct verdict *verdict)
{
    const struct record_hardware_errors *sum = &verdict->hardware;
    struct verdict_rule *next;

    if (!verdict->hardware_known ||
        (text_equal(sum->counting, "unread") && sum->before_corrected + sum->before_others == 0))
        return;
    next = rule(verdict, "hardware-errors", ANSWER_YES);
    text_print(next->figure, sizeof next->figure, "%s%lu corrected, %lu other; %lu, %lu before",
               sum->at_least ? "at least " : "", sum->corrected, sum->others, sum->before_corrected,
               sum->before_others);
    text_print(next->threshold, sizeof next->threshold, "%lu corrected, 0 other",
               verdict->limits.corrected);
    next->against = sum->source != NULL ? sum->source : "the firmware's tables";
    if (sum->others != 0 || sum->corrected > verdict->limits.corrected) {
        next->met = ANSWER_NO;
        because(next, "records of kind hardware_error tell where");
    } else if (sum->before_others != 0) {
        next->met = ANSWER_UNKNOWN;
        because(next, "errors that nothing corrected stood there before the start");
    }
}

static void judge_latency(struct verdict *verdict)
{
    double low = verdict->limits.latency_low_ns, high = verdict->limits.latency_high_ns;
    struct verdict_rule *next;

    if (!(high > 0))
        return;
    next = rule(verdict, "expect-latency", ANSWER_UNKNOWN);
    text_print(next->threshold, sizeof next->threshold, "%s to %s ns", TEXT_SHORTEST(low),
               TEXT_SHORTEST(high));
    next->against = "the option";
    if (!verdict->headline_known) {
        because(next, "tests=dram, which measures it, gave no headline");
        return;
    }
    text_print(next->figure, sizeof next->figure, "%.2f to %.2f ns", verdict->headline_low_ns,
               verdict->headline_high_ns);
    if (verdict->headline_doubted)
        because(next, "the headline is marked");
    else if (!verdict->prefetch_off)
        because(next, "prefetchers are not off");
    else if (verdict->headline_low_ns >= low && verdict->headline_high_ns <= high)
        next->met = ANSWER_YES;
    else if (verdict->headline_high_ns < low || verdict->headline_low_ns > high)
        next->met = ANSWER_NO;
    else
        because(next, "its bounds reach beyond what is expected");
}

static void judge_spread(struct verdict *verdict)
{
    struct verdict_rule *next;

    if (!verdict->slower_known && !verdict->limits.lines)
        return;
    next = rule(verdict, "spread", ANSWER_YES);
    text_print(next->threshold, sizeof next->threshold, "%s %%",
               TEXT_SHORTEST(100 * verdict->limits.slower));
    next->against = "the rest of the memory";
    if (!verdict->slower_known) {
        next->met = ANSWER_UNKNOWN;
        because(next, "tests=regions gave no result");
        return;
    }
    text_print(next->figure, sizeof next->figure, "%.2f to %.2f %%", 100 * verdict->slower_low,
               100 * verdict->slower_high);
    if (verdict->slower_low > verdict->limits.slower) {
        next->met = ANSWER_NO;
        because(next, "records of kind range and class name what is slower");
    } else if (verdict->slower_high > verdict->limits.slower) {
        next->met = ANSWER_UNKNOWN;
        because(next, "its bounds reach beyond what is allowed");
    } else if (verdict->unseen_why != NULL) {
        next->met = ANSWER_UNKNOWN;
        because(next, verdict->unseen_why);
    } else if (verdict->unseen > verdict->limits.slower) {
        next->met = ANSWER_UNKNOWN;
        text_print(next->why, sizeof next->why, "up to %.2f %% would not have shown",
                   100 * verdict->unseen);
    }
    if (verdict->slower_parts != 0) {
        next = rule(verdict, "channels", ANSWER_NO);
        text_print(next->figure, sizeof next->figure, "%u part%s", verdict->slower_parts,
                   text_plural(verdict->slower_parts));
        expect(next, "0 parts");
        next->against = "the part that is read fastest";
        because(next, "fewer channels serve parts of memory");
    }
}

static void judge_nothing(struct verdict *verdict)
{
    struct verdict_rule *next = rule(verdict, "memory", ANSWER_UNKNOWN);

    expect(next, "a rule");
    next->against = "the plan";
    because(next, "nothing that was asked for says how memory came up");
}

static void judge_run(struct verdict *verdict, const struct record_end *end)
{
    struct verdict_rule *next;

    if (verdict->other_errors != 0) {
        next = rule(verdict, "chases", ANSWER_NO);
        text_print(next->figure, sizeof next->figure, "%u error%s", verdict->other_errors,
                   text_plural(verdict->other_errors));
        expect(next, "0 errors");
        next->against = "what was written";
    }
    next = rule(verdict, "run", ANSWER_YES);
    text_print(next->figure, sizeof next->figure, "ended");
    expect(next, "ended");
    next->against = "the plan";
    /* Errors of memory have rules of their own. */
    if (text_equal(end->status, "aborted") ||
        (text_equal(end->status, "failed") && verdict->other_errors == 0 &&
         (!verdict->verified || verdict->verify.words == 0))) {
        next->met = ANSWER_UNKNOWN;
        text_print(next->figure, sizeof next->figure, "%s", end->status);
        because(next, "it did not come to its end");
    }
}

/* ---- the baseline */

static bool is_usable(const struct verdict *verdict, struct verdict_rule *next)
{
    const char *board = verdict->of.board;
    struct text why;

    if (verdict->baseline_why[0] != '\0') {
        because(next, verdict->baseline_why);
        return false;
    }
    why = text_open(next->why, sizeof next->why, "%s: ", verdict->baseline_file);
    if (board[0] == '\0')
        text_add(&why, "it does not say of which board it is");
    else if (verdict->run.board[0] == '\0')
        text_format(&why, "nothing names this machine: it may be another than %s", board);
    else if (!text_equal(board, verdict->run.board))
        text_format(&why, "it is of another board: %s", board);
    else if (!text_equal(verdict->of.plan, verdict->run.plan))
        text_format(&why, "it is of another plan: %s", verdict->of.plan);
    else {
        because(next, "");
        return true;
    }
    return false;
}

/* What could be worse and not show, in the boot where that is most. */
static void take_unseen(struct verdict *verdict, const struct baseline_unseen *unseen, uint32_t run)
{
    struct baseline_unseen *could = &verdict->could;
    bool latency = could->latency || unseen->latency, rate = could->rate || unseen->rate;
    bool compared = unseen->compared && (could->compared || !verdict->held);

    if (unseen->lines_ns > could->lines_ns) {
        *could = *unseen;
        verdict->could_run = run;
    }
    could->latency = latency;
    could->rate = rate;
    could->compared = compared;
    verdict->held = true;
}

static void because_unseen(struct verdict_rule *rule, const struct baseline_unseen *unseen)
{
    if (rule->why[0] != '\0')
        return;
    if (unseen->compared)
        text_print(rule->why, sizeof rule->why,
                   "lines slower by up to %.2f %% of an access would not have shown",
                   100 * unseen->lines_share);
    else
        because(rule, "not all runs compared lines: a slow rank or channel would not have shown");
}

static void judge_baseline(struct verdict *verdict, struct journal *journal)
{
    struct baseline_result result;
    struct verdict_rule *next;

    if (verdict->baseline.one == NULL && verdict->baseline_why[0] == '\0')
        return;
    next = rule(verdict, "baseline", ANSWER_UNKNOWN);
    text_print(next->threshold, sizeof next->threshold, "%s %% of latencies, %s %% of rates",
               TEXT_SHORTEST(100 * verdict->limits.baseline.latency),
               TEXT_SHORTEST(100 * verdict->limits.baseline.rate));
    next->against = "the baseline";
    if (!is_usable(verdict, next))
        return;
    baseline_compare(&verdict->baseline, &verdict->now, &verdict->limits.baseline, &verdict->lines,
                     &result);
    take_unseen(verdict, &result.unseen, 0);
    text_print(next->figure, sizeof next->figure, "%zu of %zu figure%s worse",
               result.counts[BASELINE_WORSE], result.compared, text_plural(result.compared));
    if (result.counts[BASELINE_WORSE] != 0)
        next->met = ANSWER_NO;
    else if (baseline_left_open(&result) == 0)
        next->met = ANSWER_YES;
    for (size_t i = 0; i < result.told_count; i++) {
        char words[240];
        struct text text;
        text_start(&text, words, sizeof words);
        baseline_words(&result.told[i], &text);
        if (i == 0)
            text_print(next->why, sizeof next->why, "%s", words);
        journal_note(journal, SEVERITY_WARNING, "not as in the baseline", words);
    }
    if (result.too_little)
        because_unseen(next, &result.unseen);
}

/* ---- boots */

/* Whether anything but what the firmware says is among them. */
static bool holds_measurement(const struct figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        if (figures->one[i].kind < FIGURES_SIZE || figures->one[i].kind == FIGURES_TIME)
            return true;
    return false;
}

/* How a figure of one boot differs from the middle of all. */
static void note_boot(const struct baseline_difference *difference, uint32_t run,
                      struct journal *journal)
{
    char words[240];
    struct text text;

    text_start(&text, words, sizeof words);
    baseline_words(difference, &text);
    journal_note_format(journal, SEVERITY_WARNING, "a boot held against the others", "run-%04u: %s",
                        run, words);
}

void verdict_note_unread(uint32_t run, const char *why, struct journal *journal)
{
    journal_note_format(journal, SEVERITY_WARNING, "a boot held against the others",
                        "run-%04u: baseline.txt: %s", run, why);
}

/* Of a figure that every boot marks. A file does not say why, the run that ends knows. */
static void note_marked(const struct figures_one *one, const struct figures *last,
                        struct journal *journal)
{
    char words[JOURNAL_WHY_MAX];
    struct text text = text_open(words, sizeof words, "%s", one->name);
    const char *before = ": in the last boot ";
    size_t from = 0;
    const struct figures_one *now = figures_find(last, one->name, &from);

    for (unsigned i = 0; now != NULL && i < DOUBT_REASONS; i++)
        if (now->doubt >> i & 1) {
            text_format(&text, "%s%s", before, doubt_name((enum doubt_reason)i));
            before = ", ";
        }
    journal_note(journal, SEVERITY_WARNING, "never measured without a mark: not judged", words);
}

static void emit_spread(const struct figures boots[], const uint32_t run[], size_t count,
                        const struct figures_one *of, struct journal *journal)
{
    struct record record = {.kind = RECORD_SPREAD};
    struct boots_spread spread;

    boots_spread(boots, count, of, &spread);
    record.u.spread = (struct record_spread){.name = of->name,
                                             .kind = figures_kind_name(of->kind),
                                             .boots = spread.count,
                                             .middle = of->value,
                                             .low = spread.low,
                                             .high = spread.high,
                                             .low_run = run[spread.low_boot],
                                             .high_run = run[spread.high_boot]};
    journal_emit(journal, &record);
}

/* Returns how many figures every boot marks. */
static size_t note_middle(const struct figures boots[], const uint32_t run[], size_t count,
                          const struct figures *middle, struct journal *journal)
{
    size_t marked = 0;

    for (size_t i = 0; i < middle->count; i++) {
        const struct figures_one *one = &middle->one[i];
        if (one->kind != FIGURES_WORDS)
            emit_spread(boots, run, count, one, journal);
        if (one->marked)
            note_marked(one, &boots[count - 1], journal);
        marked += one->marked;
    }
    return marked;
}

void verdict_take_boots(struct verdict *verdict, const struct figures boots[], const uint32_t run[],
                        size_t count, struct figures_one *one, size_t room, struct journal *journal)
{
    struct verdict_rule *next = rule(verdict, "boots", ANSWER_YES);
    struct baseline_limits limits = verdict->limits.baseline;
    struct baseline_result result;
    struct figures middle;
    size_t odd = 0, doubted = 0, marked;

    limits.alike = true;
    figures_start(&middle, one, room);
    boots_middle(boots, count, &verdict->lines.then, &middle);
    for (size_t i = 0; i < count; i++) {
        baseline_compare(&middle, &boots[i], &limits, &verdict->lines, &result);
        take_unseen(verdict, &result.unseen, run[i]);
        if (result.too_little)
            because_unseen(next, &result.unseen);
        odd += result.counts[BASELINE_WORSE] != 0;
        doubted += baseline_left_open(&result) != 0;
        for (size_t k = 0; k < result.told_count; k++)
            note_boot(&result.told[k], run[i], journal);
    }
    marked = note_middle(boots, run, count, &middle, journal);
    text_print(next->figure, sizeof next->figure, "unlike the others: %zu of %zu boot%s", odd,
               count, text_plural(count));
    text_print(next->threshold, sizeof next->threshold, "%s %% of latencies, %s %% of rates",
               TEXT_SHORTEST(100 * verdict->limits.baseline.latency),
               TEXT_SHORTEST(100 * verdict->limits.baseline.rate));
    next->against = "the middle of all boots";
    next->met = odd != 0                                              ? ANSWER_NO
                : doubted != 0 || marked != 0 || middle.left_out != 0 ? ANSWER_UNKNOWN
                                                                      : ANSWER_YES;
    if (marked != 0)
        text_print(next->why, sizeof next->why, "%zu figure%s never measured without a mark",
                   marked, text_plural(marked));
    if (next->met == ANSWER_YES && !holds_measurement(&middle)) {
        next->met = ANSWER_UNKNOWN;
        because(next, "no test of the plan measured what could differ");
    }
}

void verdict_note_firmware(const double s[], const uint32_t run[], size_t count,
                           struct journal *journal)
{
    struct record record = {.kind = RECORD_SPREAD};
    struct boots_times times;
    bool longer[BOOTS_MAX];

    boots_firmware(s, count, &times, longer);
    if (times.count < 2)
        return;
    record.u.spread = (struct record_spread){.name = "firmware",
                                             .kind = figures_kind_name(FIGURES_TIME),
                                             .boots = times.count,
                                             .middle = times.middle_s * 1e9,
                                             .low = times.low_s * 1e9,
                                             .high = times.high_s * 1e9,
                                             .low_run = run[times.low_boot],
                                             .high_run = run[times.high_boot]};
    journal_emit(journal, &record);
    for (size_t i = 0; i < count; i++)
        if (longer[i])
            journal_note_format(journal, SEVERITY_WARNING,
                                "the firmware took longer than in other boots",
                                "run-%04u: %.2f s instead of %.2f s; it may have trained memory "
                                "anew",
                                run[i], s[i], times.middle_s);
}

void verdict_take_past(struct verdict *verdict, uint32_t boots, uint32_t died, uint32_t suspect)
{
    struct verdict_rule *next =
        rule(verdict, "starts", died != 0 || suspect != 0 ? ANSWER_UNKNOWN : ANSWER_YES);

    if (suspect != 0)
        next->met = ANSWER_NO;
    text_print(next->figure, sizeof next->figure, "%u died, %u of %u boot%s SUSPECT", died, suspect,
               boots, text_plural(boots));
    expect(next, "none");
    next->against = "the boots of this soak";
    if (died != 0)
        text_print(next->why, sizeof next->why,
                   "no line of %u start%s: hung, or switched off by somebody", died,
                   text_plural(died));
}

void verdict_lacks_soak(struct verdict *verdict, const char *why)
{
    struct verdict_rule *next = rule(verdict, "boots", ANSWER_UNKNOWN);

    expect(next, "a line for each boot");
    next->against = "boots=";
    text_print(next->why, sizeof next->why, "no soak: %s", why);
}

/* ---- the verdict */

static enum answer sum(const struct verdict *verdict)
{
    enum answer all = ANSWER_YES;

    for (uint32_t i = 0; i < verdict->rules; i++) {
        if (verdict->rule[i].met == ANSWER_NO)
            return ANSWER_NO;
        if (verdict->rule[i].met == ANSWER_UNKNOWN)
            all = ANSWER_UNKNOWN;
    }
    return all;
}

void verdict_note_saved(const struct verdict *verdict, struct journal *journal)
{
    static const char what[] = "the baseline is of a run that is doubted";
    size_t marked = 0;

    if (verdict->run.board[0] == '\0')
        journal_note(journal, SEVERITY_WARNING, "the baseline does not say of which board it is",
                     "nothing names this machine: no run can be held against it");
    for (size_t i = 0; i < verdict->now.count; i++)
        marked += verdict->now.one[i].marked;
    if (verdict->now.anywhere)
        journal_note(journal, SEVERITY_INFO, "the baseline has no blocks by their addresses",
                     "a process gets other memory each time: the middle of all blocks, the slowest "
                     "range and the slowest part stand for them");
    if (marked != 0)
        journal_note_format(journal, SEVERITY_WARNING, what,
                            "no run can be held against what is marked: %zu of %zu figure%s",
                            marked, verdict->now.count, text_plural(verdict->now.count));
    if (verdict->wanted && verdict->all != ANSWER_YES)
        journal_note_format(journal, SEVERITY_WARNING, what, "its verdict is %s",
                            verdict_name(verdict->all));
    if (verdict->slower_known && verdict->slower_low > verdict->limits.slower)
        journal_note_format(journal, SEVERITY_WARNING, what,
                            "part of its memory is slower by more than expect-spread=%s per cent",
                            TEXT_SHORTEST(100 * verdict->limits.slower));
}

/* Why one may not go by it alone; NULL: one may. */
static const char *not_conclusive(const struct verdict *verdict, const struct record_end *end,
                                  enum answer all)
{
    if (all == ANSWER_UNKNOWN)
        return "rules were left open";
    if (real_abs(end->clock_check_ppm) > CLOCK_WARNING_PPM)
        return "the clock disagrees with the second one";
    if (verdict->hardware_known && verdict->hardware.hidden)
        return "ECC is on and its errors may be hidden";
    if (verdict->headline_known && verdict->headline_doubted)
        return "the headline is marked";
    if (verdict->headline_known && !verdict->prefetch_off)
        return "prefetchers are not off";
    if (verdict->now.left_out != 0)
        return "there were more figures than room to compare them";
    return NULL;
}

static void note_rule(const struct verdict_rule *one, struct journal *journal)
{
    if (one->met != ANSWER_YES && !one->said)
        journal_note_about(journal, SEVERITY_WARNING, "verdict",
                           one->met == ANSWER_NO ? "a rule is not met" : "a rule is left open",
                           "%s: %s%s%s", one->name, one->figure,
                           one->figure[0] != '\0' && one->why[0] != '\0' ? ", " : "", one->why);
}

const char *verdict_name(enum answer all)
{
    static const char *const names[] = {
        [ANSWER_UNKNOWN] = "INCOMPLETE", [ANSWER_NO] = "SUSPECT", [ANSWER_YES] = "OK"};

    return names[all];
}

/* Fewer than three, where so many are to be expected, are none in 5 % of tests (exp(-3)). */
static void unseen_contents(const struct record_verify *verify, struct text *words)
{
    text_format(words, "bits that turn wrong less than 3 times in %.2f s", verify->seconds);
    if (verify->hold_s > 0)
        text_format(words, ", or only when left alone for more than %s s",
                    TEXT_SHORTEST(verify->hold_s));
    else
        text_add(words, ", or only when left alone for some time (hold=0)");
}

/* "a latency higher by up to 5 %, one line in 16 slower by up to 1.78 ns, 1.41 % (run-0004)" */
static void unseen_figures(const struct verdict *verdict, struct text *words)
{
    const struct baseline_limits *limits = &verdict->limits.baseline;
    const struct baseline_unseen *could = &verdict->could;

    if (could->latency)
        text_format(words, "a latency higher by up to %s %%, ",
                    TEXT_SHORTEST(100 * limits->latency));
    if (could->rate)
        text_format(words, "a rate lower by up to %s %%, ", TEXT_SHORTEST(100 * limits->rate));
    if (!could->compared) {
        text_add(words, "any rank or channel that is slower");
        return;
    }
    text_format(words, "%s slower by up to %.2f ns, %.2f %%", could->lines, could->lines_ns,
                100 * could->lines_share);
    if (verdict->could_run != 0)
        text_format(words, " (run-%04u)", verdict->could_run);
}

/* NULL: there is nothing that could have stayed unseen. */
static const char *unseen_words(const struct verdict *verdict, char words[RECORD_UNSEEN_BYTES])
{
    struct text text;

    text_start(&text, words, RECORD_UNSEEN_BYTES);
    if (verdict->verified && verdict->verify.seconds > 0)
        unseen_contents(&verdict->verify, &text);
    if (text.used != 0 && verdict->held)
        text_add(&text, "; ");
    if (verdict->held)
        unseen_figures(verdict, &text);
    return text.used != 0 ? words : NULL;
}

static void emit(const struct verdict *verdict, enum answer all, const char *why,
                 struct journal *journal)
{
    struct record record = {.kind = RECORD_VERDICT};
    struct record_rule rules[RECORD_RULES_MAX];
    bool compared = verdict->held && verdict->could.compared;
    char words[RECORD_UNSEEN_BYTES];

    for (uint32_t i = 0; i < verdict->rules; i++) {
        const struct verdict_rule *one = &verdict->rule[i];
        note_rule(one, journal);
        rules[i] = (struct record_rule){.name = one->name,
                                        .met = one->met,
                                        .figure = one->figure,
                                        .threshold = one->threshold,
                                        .against = one->against};
    }
    record.u.verdict = (struct record_verdict){
        .verdict = verdict_name(all),
        .conclusive = why == NULL,
        .why = why,
        .unseen = unseen_words(verdict, words),
        .unseen_lines_ns = compared ? verdict->could.lines_ns : real_nan(),
        .unseen_lines_share = compared ? verdict->could.lines_share : real_nan(),
        .rule = rules,
        .rules = verdict->rules};
    journal_emit(journal, &record);
}

void verdict_conclude(struct verdict *verdict, const struct record_end *end,
                      struct journal *journal)
{
    const char *why;

    if (!verdict->wanted)
        return;
    judge_contents(verdict);
    judge_coverage(verdict);
    judge_hardware(verdict);
    judge_latency(verdict);
    judge_spread(verdict);
    judge_baseline(verdict, journal);
    if (verdict->rules == 0)
        judge_nothing(verdict);
    judge_run(verdict, end);
    verdict->all = sum(verdict);
    why = not_conclusive(verdict, end, verdict->all);
    verdict->conclusive = why == NULL;
    emit(verdict, verdict->all, why, journal);
}
