/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints every kind of record at its extremes, a line of JSON each, for test_schema.py. */
#include <stdio.h>

#include "tests/unit/support_records.h"

static void print_record(void *context, const struct record *record)
{
    char line[RECORD_LINE_MAX];

    (void)context;
    record_json(record, line);
    puts(line);
}

int main(void)
{
    support_every_record(print_record, NULL);
    return 0;
}
