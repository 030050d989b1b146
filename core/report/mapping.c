/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that map addresses to banks. */
#include "core/report/internal.h"

static void counted(struct report *report, const struct record_mapping *mapping)
{
    char banks[60] = "";

    if (!report_known(mapping->conflict_ns))
        return;
    if (report_known(mapping->banks_low))
        text_print(banks, sizeof(banks), ", so %s to %s banks",
                   REPORT_NUMBER(mapping->banks_low, 0), REPORT_NUMBER(mapping->banks_high, 0));
    report_print_wrapped(report, 2,
                         "  %lu of %lu pairs conflict (a round takes %s ns instead of %s)%s",
                         mapping->conflicts, mapping->pairs, REPORT_NUMBER(mapping->conflict_ns, 1),
                         REPORT_NUMBER(mapping->apart_ns, 1), banks);
}

static void heading(struct report *report, const struct record_mapping *mapping)
{
    const char *why = text_equal(mapping->verdict, "not-linear")
                          ? "lines conflict, but no XORs of address bits tell which; a division, "
                            "as with three channels, is no such XOR"
                          : mapping->why;
    bool from = mapping->offset_bytes != 0 && mapping->offset_from_bytes != 0;

    if (text_equal(mapping->verdict, "linear"))
        report_print_wrapped(
            report, 2,
            "banks: %lu by %lu functions, offset %s%s%s; %s %% of conflicts agree, %lu "
            "of %lu predictions hold",
            (uint64_t)1 << mapping->rank, mapping->rank, TEXT_SIZE(mapping->offset_bytes),
            from ? " from " : "", from ? TEXT_SIZE(mapping->offset_from_bytes) : "",
            REPORT_NUMBER(mapping->agreement * 100, 1), mapping->confirmed, mapping->predicted);
    else
        report_print_wrapped(report, 2, "banks: %s%s%s", mapping->verdict, why != NULL ? ": " : "",
                             why != NULL ? why : "");
}

static void expected(struct report *report, const struct record_mapping *mapping)
{
    if (mapping->expectation != NULL)
        report_print(report, "  expected %lu banks: %s", mapping->expected_banks,
                     mapping->expectation);
}

/* Nothing where no module is described, which the head of the report shows. */
static void of_modules(struct report *report, const struct record_mapping *mapping)
{
    uint64_t low = mapping->modules_banks_low, high = mapping->modules_banks_high;

    if (low == RECORD_UNKNOWN || low == 0)
        return;
    report_print_wrapped(report, 2, "  the modules have %s%s%s banks: %s%s%s", REPORT_COUNT(low),
                         low != high ? " or " : "", low != high ? REPORT_COUNT(high) : "",
                         report_words(mapping->modules_agree),
                         mapping->modules_why != NULL ? ", " : "",
                         mapping->modules_why != NULL ? mapping->modules_why : "");
}

static void guest(struct report *report, const struct record_mapping *mapping)
{
    if (mapping->guest == ANSWER_YES)
        report_print_wrapped(report, 2,
                             "  of a guest's addresses: of the bits inside the pages that its host "
                             "maps, not of the memory's own");
    else if (mapping->guest == ANSWER_UNKNOWN && !text_equal(mapping->verdict, "linear"))
        report_print_wrapped(report, 2, "  whether addresses are a guest's is not known here");
}

void report_mapping(struct report *report, const struct record_mapping *mapping)
{
    char buffer[300];

    heading(report, mapping);
    guest(report, mapping);
    counted(report, mapping);
    expected(report, mapping);
    of_modules(report, mapping);
    if (!text_equal(mapping->verdict, "linear"))
        return;
    report_line(report, "  address bits of each function, and the same as a mask:");
    for (size_t i = 0; i < mapping->rank; i++) {
        struct text line = text_open(buffer, sizeof(buffer), "   ");
        report_add_bits(&line, mapping->functions[i]);
        text_format(&line, "  0x%lx", mapping->functions[i]);
        report_wrapped(report, buffer, 6);
    }
}
