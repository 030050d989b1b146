/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints every kind of record at its extremes, a line of JSON each, for test_schema.py. */
#include <stdio.h>

#include "core/results/json.h"
#include "tests/unit/support_records.h"

static void print_record(void *context, const struct record *record)
{
    struct record numbered = *record;
    uint64_t *number = context;
    char line[RECORD_LINE_MAX];

    /* The longest values. */
    numbered.run_id = UINT64_MAX;
    numbered.number = JSON_INTEGER_MAX - ++*number;
    record_json(&numbered, line);
    puts(line);
}

int main(void)
{
    uint64_t number = 0;

    support_every_record(print_record, &number);
    return 0;
}
