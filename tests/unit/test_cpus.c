/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/options/cpus.h"

#define COUNT 8

/* Two nodes of two cores of two threads, in the order in which firmware lists them: the second
 * threads last. */
static struct cpu_info cpus[COUNT];

static int start(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        cpus[i] = (struct cpu_info){
            .number = i, .core = i % 4, .node = i % 4 / 2, .hardware_id = i, .enabled = true};
    return 0;
}

/* Bit n: CPU n is chosen. */
static uint32_t chosen(const char *words)
{
    struct cpus_choice choice;
    uint32_t mask = 0;
    const char *why;

    assert_true(cpus_read(words, strlen(words), &choice, &why));
    for (uint32_t i = 0; i < COUNT; i++)
        mask |= (uint32_t)cpus_chosen(&choice, cpus, COUNT, i) << i;
    return mask;
}

static void words_choose(void **state)
{
    (void)state;
    assert_int_equal(chosen("all"), 0xff);
    assert_int_equal(chosen("core"), 0x0f);
    assert_int_equal(chosen("node"), 0x05);
    assert_int_equal(chosen("0"), 0x01);
    assert_int_equal(chosen("7,0-2"), 0x87);
    assert_int_equal(chosen("3-3,9"), 0x08);
}

static void what_is_not_enabled_is_never_chosen(void **state)
{
    (void)state;
    cpus[0].enabled = cpus[3].enabled = false;
    assert_int_equal(chosen("all"), 0xf6);
    assert_int_equal(chosen("core"), 0x96); /* their second threads stand for cores 0 and 3 */
    assert_int_equal(chosen("node"), 0x06);
    assert_int_equal(chosen("0-7"), 0xf6);
}

/* Numbers are the kernel's, whatever place in the list a CPU has. */
static void numbers_need_not_be_places(void **state)
{
    (void)state;
    cpus[0].number = 5;
    cpus[5].number = 0;
    assert_int_equal(chosen("5"), 0x01);
    assert_int_equal(chosen("0-1"), 0x22);
    assert_int_equal(cpus_number(cpus, COUNT, 0), 5);
    assert_int_equal(cpus_number(NULL, 0, 3), 3);
}

static void kinds_choose(void **state)
{
    (void)state;
    assert_int_equal(chosen("performance"), 0xff); /* nothing is said */
    assert_int_equal(chosen("efficiency"), 0);
    cpus[0].type = cpus[1].type = CPU_TYPE_PERFORMANCE;
    cpus[2].type = CPU_TYPE_EFFICIENCY;
    assert_int_equal(chosen("performance"), 0xfb);
    assert_int_equal(chosen("efficiency"), 0x04);
    for (uint32_t i = 0; i < COUNT; i++) {
        cpus[i].type = 0;
        cpus[i].efficiency_known = true;
        cpus[i].efficiency = i < 6 ? (uint8_t)(i / 2) : 2;
    }
    assert_int_equal(chosen("performance"), 0xf0);
    assert_int_equal(chosen("efficiency"), 0x0f);
}

static void what_is_missing_is_named(void **state)
{
    struct cpus_choice choice;
    const char *why;

    (void)state;
    assert_true(cpus_read("6-9,12", 6, &choice, &why));
    assert_int_equal(cpus_missing(&choice, cpus, COUNT), 8);
    assert_true(cpus_read("12,0-7", 6, &choice, &why));
    assert_int_equal(cpus_missing(&choice, cpus, COUNT), 12);
    assert_true(cpus_read("0-7", 3, &choice, &why));
    assert_int_equal(cpus_missing(&choice, cpus, COUNT), UINT32_MAX);
    cpus[2].enabled = false;
    assert_int_equal(cpus_missing(&choice, cpus, COUNT), 2);
    assert_true(cpus_read("all", 3, &choice, &why));
    assert_int_equal(cpus_missing(&choice, cpus, COUNT), UINT32_MAX);
}

static void other_words_are_refused(void **state)
{
    static const char *const wrong[] = {"",     "some", "1-",  "-1",   "3-1",        "1,",   ",1",
                                        "1,,2", "1y",   "1 2", "8192", "4294967296", "1-2-3"};
    struct cpus_choice choice;
    char many[NUMBERS_RANGES_MAX * 2 + 2] = "";
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(cpus_read(wrong[i], strlen(wrong[i]), &choice, &why));
        assert_null(why);
    }
    for (size_t i = 0; i < NUMBERS_RANGES_MAX; i++)
        strcat(many, i == 0 ? "1" : ",1");
    assert_true(cpus_read(many, strlen(many), &choice, &why));
    assert_int_equal(choice.list.ranges, NUMBERS_RANGES_MAX);
    strcat(many, ",1");
    assert_false(cpus_read(many, strlen(many), &choice, &why));
    assert_string_equal(why, "has more than 32 ranges");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(words_choose, start),
        cmocka_unit_test_setup(what_is_not_enabled_is_never_chosen, start),
        cmocka_unit_test_setup(numbers_need_not_be_places, start),
        cmocka_unit_test_setup(kinds_choose, start),
        cmocka_unit_test_setup(what_is_missing_is_named, start),
        cmocka_unit_test_setup(other_words_are_refused, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
