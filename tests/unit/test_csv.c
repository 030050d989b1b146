/* SPDX-License-Identifier: BSD-2-Clause */
/* points.csv: one header, one line a point, the record's own names in the record's order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/report/csv.h"
#include "tests/unit/support_records.h"
#include "tests/unit/support_text.h"

static struct kept_text written;

static int start(void **state)
{
    static struct csv csv;
    struct text_sink sink = kept_text_start(&written);

    csv_start(&csv, &sink);
    *state = &csv;
    return 0;
}

static void points_to_the_letter(void **state)
{
    struct record point = support_point();

    csv_record(*state, &point);
    point.u.point.ns_median = NAN;
    point.u.point.limited_by = NULL;
    point.u.point.seed = UINT64_MAX - 1;
    point.u.point.prefetch = PREFETCH_NOT_HONOURED;
    csv_record(*state, &point);
    assert_string_equal(
        written.text,
        "experiment,pattern,pages,frames,map,prefetch,bytes,stride_bytes,group_bytes,chains,load,"
        "hint,work_cycles,word,cpu,node,warm_hops,"
        "hops,samples,ticks_median,ns_min,ns_median,ns_mean,ns_p95,ns_p99,ns_mad,"
        "cycles_median,cpu_hz_before,cpu_hz_after,hz_over_base,frequency_registers,rel_error,"
        "arithmetic_ns,outliers,limited_by,"
        "verified,disturbed,smi,mce,seed,prefetch_only_off,turbo,pstate,uncore,settled,hz_step,"
        "counted_accesses,"
        "llc_misses,page_walks,purpose,physical_low,physical_high\n"
        "curve,cycle,2m,scattered,window,off,67108864,64,,1,plain,none,0,0,0,,2097152,1000,101,"
        "232000,79.5,80,"
        "80.25,81,82.25,0.1,232,2900000000,2900000000,1.25,PERF_STATUS=0x1900,0.004,0,2,error,lap,"
        "0,,0,1,,,,,true,0.0125,101000,100900,,"
        "levels,,\n"
        "curve,cycle,2m,scattered,window,not-honoured,67108864,64,,1,plain,none,0,0,0,,2097152,"
        "1000,101,232000,"
        "79.5,,80.25,81,82.25,0.1,232,2900000000,2900000000,1.25,PERF_STATUS=0x1900,0.004,0,2,,lap,"
        "0,,0,"
        "18446744073709551614,,,,,true,0.0125,101000,100900,,levels,,\n");
}

static void only_points_make_a_file(void **state)
{
    struct record run = support_run(), end = support_end();

    csv_record(*state, &run);
    csv_record(*state, &end);
    assert_int_equal(written.bytes, 0);
}

/* The header's names are the JSON keys that follow "record", in their order. */
static void the_header_is_the_record(void **state)
{
    struct record point = support_point();
    char line[RECORD_LINE_MAX], key[64], *name;
    const char *pos;

    csv_record(*state, &point);
    record_json(&point, line);
    pos = strstr(line, "\"experiment\"");
    *strchr(written.text, '\n') = '\0';
    for (name = strtok(written.text, ","); name != NULL; name = strtok(NULL, ",")) {
        strcpy(key, "\"");
        strcat(key, name);
        strcat(key, "\":");
        assert_int_equal(strncmp(pos, key, strlen(key)), 0);
        pos = strstr(pos, ",\"");
        pos = pos == NULL ? "" : pos + 1;
    }
    assert_string_equal(pos, "");
}

static void text_with_commas_is_quoted(void **state)
{
    struct record point = support_point();

    point.u.point.experiment = "a,b\"c";
    csv_record(*state, &point);
    assert_non_null(strstr(written.text, "\n\"a,b\"\"c\",cycle,"));
    point.u.point.experiment = "a,b";
    csv_record(*state, &point);
    assert_non_null(strstr(written.text, "\n\"a,b\",cycle,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(points_to_the_letter, start),
        cmocka_unit_test_setup(only_points_make_a_file, start),
        cmocka_unit_test_setup(the_header_is_the_record, start),
        cmocka_unit_test_setup(text_with_commas_is_quoted, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
