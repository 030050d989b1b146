/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test of memory's contents found: as it comes in, and on the last screen. */
#include "core/report/internal.h"

#define LANES_SHOWN 8

/* The lanes that failed most often, the worst first. */
static void lanes(struct report *report, const struct record_verify *verify)
{
    char buffer[300];
    struct text line = text_open(buffer, sizeof buffer, "  bits of a word that differed:");
    uint64_t told = 0;

    if (verify->lane_events == NULL)
        return;
    for (unsigned shown = 0; shown < LANES_SHOWN; shown++) {
        unsigned worst = 64;
        for (unsigned lane = 0; lane < 64; lane++)
            if (!(told >> lane & 1) && verify->lane_events[lane] != 0 &&
                (worst == 64 || verify->lane_events[lane] > verify->lane_events[worst]))
                worst = lane;
        if (worst == 64)
            break;
        told |= (uint64_t)1 << worst;
        text_format(&line, "%s %u (%lu time%s)", shown > 0 ? "," : "", worst,
                    verify->lane_events[worst], text_plural(verify->lane_events[worst]));
    }
    for (unsigned lane = 0; lane < 64; lane++)
        if (!(told >> lane & 1) && verify->lane_events[lane] != 0) {
            text_add(&line, ", and others");
            break;
        }
    report_wrapped(report, buffer, 4);
}

void report_verify(struct report *report, const struct record_verify *verify)
{
    char by[40] = "";

    if (verify->processors > 1)
        text_print(by, sizeof by, ", %lu CPUs", verify->processors);
    report_line(report, "");
    report_print_wrapped(report, 2,
                         "verify: %s, %lu of %lu steps of writing and reading back, at %s GB/s%s",
                         REPORT_SIZE(verify->bytes), verify->steps_done, verify->steps,
                         REPORT_NUMBER(verify->bytes_per_s / 1e9, 2), by);
    if (verify->memory_bytes != RECORD_UNKNOWN)
        report_print_wrapped(report, 4, "  of %s in the memory map; %s could not be tested",
                             REPORT_SIZE(verify->memory_bytes), TEXT_SIZE(verify->gap_bytes));
    if (verify->apart_share > 0)
        report_print_wrapped(report, 4,
                             "  %s %% of all pairs of addresses were never held at once: what one "
                             "does to the other did not show",
                             REPORT_NUMBER(100 * verify->apart_share, 3));
    if (verify->hold_s > 0 && verify->steps_done == verify->steps)
        report_print_wrapped(report, 4, "  held for %s s between writing and reading, four times",
                             REPORT_NUMBER(verify->hold_s, 1));
    if (verify->read_bytes == 0)
        report_print_wrapped(report, 4, "  nothing was read back before it ended");
    else if (verify->events == 0)
        report_print_wrapped(report, 4, "  every word that was read was as it was written");
    else
        report_print_wrapped(
            report, 4,
            "  %s%lu word%s read wrong: %lu that memory held wrong, %lu read wrong on the way, "
            "%lu of memory that has two addresses, %lu changed from outside; %lu time%s in all",
            verify->unlisted != 0 ? "at least " : "", verify->words, text_plural(verify->words),
            verify->stored, verify->transfers, verify->aliases, verify->outside, verify->events,
            text_plural(verify->events));
    lanes(report, verify);
    report->contents.known = true;
    report->contents.bytes = verify->bytes;
    report->contents.written_bytes = verify->written_bytes;
    report->contents.read_bytes = verify->read_bytes;
    report->contents.words = verify->words;
    report->contents.more = verify->unlisted != 0;
    report->contents.outside = verify->outside;
    report->contents.whole = verify->cut_by == NULL || verify->cut_by[0] == '\0';
}

void report_bad_memory(struct report *report, const struct record_bad_memory *bad)
{
    report_print_wrapped(report, 4, "  bad: 0x%lx to 0x%lx, %s%s%s, read wrong %lu time%s",
                         bad->physical_first.value, bad->physical_last.value,
                         REPORT_SIZE(bad->bytes), bad->slot != NULL ? " in " : "",
                         bad->slot != NULL ? bad->slot : "", bad->events, text_plural(bad->events));
    report_print_wrapped(report, 6, "    Linux: %s", report_words(bad->memmap));
    report_print_wrapped(report, 6, "    GRUB: badram %s", report_words(bad->badram));
}

void report_bad_part(struct report *report, const struct record_bad_part *part)
{
    report_print_wrapped(report, 4, "  %s %s: %lu word%s read wrong, %lu time%s",
                         report_words(part->by), report_words(part->name), part->words,
                         text_plural(part->words), part->events, text_plural(part->events));
}

/* "stored" and the like say more in words. */
static const char *cause_words(const struct record_error *error)
{
    static const char *const words[][2] = {{"stored", "memory held it"},
                                           {"transfer", "read right again: on the way"},
                                           {"alias", "two addresses of one memory"},
                                           {"outside", "once and never again: changed from "
                                                       "outside"}};
    const char *cause = error->cause;

    /* Judged by all times that it was read again, of which the record has the last. */
    if (text_equal(cause, "transfer") && error->reread != error->expected)
        return "mostly read right again: on the way";
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_equal(cause, words[i][0]))
            return words[i][1];
    return cause;
}

/* "0x1234 bits 0x8, 3 times: memory held it"; how it was read is in the report alone. */
static void add_word(struct text *line, const struct record_error *error, bool read)
{
    if (error->physical_address.value != RECORD_UNKNOWN)
        text_format(line, "0x%lx", error->physical_address.value);
    else
        text_add(line, "an unknown address");
    if (error->slot != NULL)
        text_format(line, " in %s", error->slot);
    if (read)
        text_format(line, " expected 0x%lx read 0x%lx then 0x%lx,", error->expected, error->read,
                    error->reread);
    text_format(line, " bits 0x%lx, %lu time%s", error->bits, error->events,
                text_plural(error->events));
    if (error->alias_address.value != RECORD_UNKNOWN)
        text_format(line, ", also 0x%lx%s%s", error->alias_address.value,
                    error->alias_slot != NULL ? " in " : "",
                    error->alias_slot != NULL ? error->alias_slot : "");
    text_format(line, ": %s", cause_words(error));
}

void report_bad_word(struct report *report, const struct record_error *error)
{
    static const char what[] = "wrong";
    char buffer[400];
    struct text line;

    line = text_open(buffer, sizeof buffer, "  %s: ", what);
    add_word(&line, error, true);
    report_wrapped(report, buffer, 4);
    line = text_open(buffer, sizeof buffer, "%s: ", what);
    add_word(&line, error, false);
    report_note_keep(report, SEVERITY_ERROR, buffer, sizeof what - 1);
}

void report_contents_line(struct screen *screen, const struct report *report, unsigned rank)
{
    uint64_t words = report->contents.words, read_bytes = report->contents.read_bytes;
    const char *bytes = REPORT_SIZE(report->contents.bytes);

    if (!report->contents.known)
        return;
    screen_begin(screen, rank);
    if (words != 0)
        screen_print(screen, SCREEN_ERROR, 13,
                     "Contents     %s tested%s: %s%lu word%s READ WRONG%s", bytes,
                     report->contents.whole ? "" : ", not to the end",
                     report->contents.more ? "at least " : "", words, text_plural(words),
                     report->contents.outside == words ? ", all changed from outside" : "");
    else if (report->contents.whole)
        screen_print(screen, SCREEN_PLAIN, 13, "Contents     %s tested, no word read wrong", bytes);
    else
        screen_print(screen, SCREEN_MARK, 13,
                     "Contents     NOT TESTED TO THE END: of %s %s written, %s read back%s", bytes,
                     TEXT_SIZE(report->contents.written_bytes), TEXT_SIZE(read_bytes),
                     read_bytes != 0 ? ", no word wrong" : "");
}

void report_verdict(struct report *report, const struct record_verdict *verdict)
{
    static const char *const words[] = {
        [ANSWER_UNKNOWN] = "open", [ANSWER_NO] = "NOT MET", [ANSWER_YES] = "met"};

    report_line(report, "");
    report_print_wrapped(report, 2, "verdict: %s%s%s", verdict->verdict,
                         verdict->conclusive ? "" : ", not conclusive: ",
                         verdict->conclusive ? "" : report_words(verdict->why));
    for (size_t i = 0; i < verdict->rules; i++) {
        const struct record_rule *rule = &verdict->rule[i];
        report_print_wrapped(report, 6, "  %-17s %-8s %s, limit %s, against %s", rule->name,
                             words[rule->met], report_words(rule->figure),
                             report_words(rule->threshold), report_words(rule->against));
    }
    if (verdict->unseen != NULL)
        report_print_wrapped(report, 6, "  would not show    %s", verdict->unseen);
    text_print(report->judged.unseen, sizeof report->judged.unseen, "%s",
               verdict->unseen != NULL ? verdict->unseen : "");
    text_print(report->judged.verdict, sizeof report->judged.verdict, "%s", verdict->verdict);
    text_print(report->judged.why, sizeof report->judged.why, "%s",
               verdict->conclusive ? "" : report_words(verdict->why));
    report->judged.rules = (uint32_t)verdict->rules;
    report->judged.unmet = report->judged.open = 0;
    for (size_t i = 0; i < verdict->rules; i++) {
        report->judged.unmet += verdict->rule[i].met == ANSWER_NO;
        report->judged.open += verdict->rule[i].met == ANSWER_UNKNOWN;
    }
}

void report_verdict_line(struct screen *screen, const struct report *report, unsigned rank)
{
    const char *verdict = report->judged.verdict, *why = report->judged.why;

    if (verdict[0] == '\0')
        return;
    screen_begin(screen, rank);
    screen_print(screen,
                 text_equal(verdict, "OK")        ? SCREEN_OK
                 : text_equal(verdict, "SUSPECT") ? SCREEN_ERROR
                                                  : SCREEN_MARK,
                 13, "Verdict      %s: of %u rules %u not met, %u open%s%s", verdict,
                 report->judged.rules, report->judged.unmet, report->judged.open,
                 why[0] != '\0' ? "; not conclusive: " : "", why);
    if (report->judged.unseen[0] != '\0' && text_equal(verdict, "OK"))
        screen_print(screen, SCREEN_PLAIN, 13, "Not seen     %s", report->judged.unseen);
}

static const char *spread_unit(const struct record_spread *spread, double *scale)
{
    bool rate = text_equal(spread->kind, "rate"), size = text_equal(spread->kind, "size");
    bool s = text_equal(spread->kind, "time") && spread->high >= 1e9;

    *scale = rate || s ? 1e-9 : size ? 0x1p-30 : 1;
    if (text_equal(spread->kind, "speed"))
        return "MT/s";
    return rate ? "GB/s" : size ? "GiB" : s ? "s" : "ns";
}

/* Blocks are many, and where one differs a warning says so; modules that had one speed in all boots
 * are no news. */
void report_spread(struct report *report, const struct record_spread *spread)
{
    double scale;
    const char *unit = spread_unit(spread, &scale);

    if ((text_length(spread->name) > 6 && text_is(spread->name, 6, "block ")) ||
        (text_equal(spread->kind, "speed") && spread->low == spread->high))
        return;
    report_print_wrapped(report, 4, "boots: %s %s to %s %s (run-%04lu, run-%04lu), middle %s",
                         spread->name, REPORT_NUMBER(spread->low * scale, 2),
                         REPORT_NUMBER(spread->high * scale, 2), unit, spread->low_run,
                         spread->high_run, REPORT_NUMBER(spread->middle * scale, 2));
}
