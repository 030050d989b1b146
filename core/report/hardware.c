/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware errors: as they come in, and their sum. */
#include "core/report/internal.h"

static void add_place(struct text *line, const struct record_hardware_error *error)
{
    if (error->physical_address.value != RECORD_UNKNOWN)
        text_format(line, " at 0x%lx", error->physical_address.value);
    if (error->slot != NULL)
        text_format(line, " in %s", error->slot);
    if (error->text != NULL)
        text_format(line, ", %s", error->text);
}

void report_hardware_error(struct report *report, const struct record_hardware_error *error)
{
    static const char what[] = "hardware error";
    char buffer[400];
    struct text line = text_open(buffer, sizeof buffer, "%s", what);

    text_format(&line, ": %s%s, %s", error->memory ? "memory, " : "", error->severity,
                report_words(error->experiment));
    if (error->corrected > 1)
        text_format(&line, ", %s%lu", error->at_least ? "at least " : "", error->corrected);
    if (error->bank != RECORD_UNKNOWN)
        text_format(&line, ", bank %lu", error->bank);
    if (error->status != RECORD_UNKNOWN)
        text_format(&line, " status 0x%lx", error->status);
    add_place(&line, error);
    report_wrapped(report, buffer, 4);
    report_note_keep(report,
                     text_equal(error->severity, "corrected") ? SEVERITY_WARNING : SEVERITY_ERROR,
                     buffer, sizeof what - 1);
}

void report_hardware_errors(struct report *report, const struct record_hardware_errors *sum)
{
    if (text_equal(sum->counting, "unread"))
        return;
    report_line(report, "");
    report_print_wrapped(report, 2, "hardware errors: %s%lu corrected, %lu other, in %lu %s",
                         sum->at_least ? "at least " : "", sum->corrected, sum->others, sum->banks,
                         report_words(sum->source));
    if (sum->before_corrected + sum->before_others != 0)
        report_print_wrapped(report, 4, "  before the start: %lu corrected, %lu other",
                             sum->before_corrected, sum->before_others);
}
