/* SPDX-License-Identifier: BSD-2-Clause */
/* What banks of hardware errors say anew between two readings, on both architectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_errors.h"
#include "arch/x86_64/pure_errors.h"
#include "core/cpu/errors.h"

#define VALID       (1ull << 63)
#define OVERFLOW    (1ull << 62)
#define UNCORRECTED (1ull << 61)
#define HAS_MISC    (1ull << 59)
#define HAS_ADDRESS (1ull << 58)

static struct error_banks before, now;
static struct error_news news[ERROR_BANKS_MAX];

static void start(void)
{
    memset(&before, 0, sizeof before);
    memset(&now, 0, sizeof now);
    before.counting = now.counting = ERRORS_COUNTED;
    before.banks = now.banks = 4;
}

/* ---- news */

static void what_is_added_is_news(void **state)
{
    (void)state;
    start();
    assert_int_equal(errors_since(&before, &now, news), 0);
    before.bank[1].corrected = 7;
    now.bank[1].corrected = 9;
    now.bank[3].corrected = 1;
    assert_int_equal(errors_since(&before, &now, news), 2);
    assert_int_equal(news[0].bank, 1);
    assert_int_equal(news[0].corrected, 2);
    assert_false(news[0].at_least || news[0].other);
    assert_int_equal(news[1].bank, 3);
    assert_int_equal(news[1].corrected, 1);
    assert_int_equal(errors_since(&now, &now, news), 0);
    assert_int_equal(errors_since(NULL, &now, news), 2);
    assert_int_equal(news[0].corrected, 9);
    /* cleared meanwhile */
    now.bank[1].corrected = 3;
    assert_int_equal(errors_since(&before, &now, news), 2);
    assert_int_equal(news[0].corrected, 3);
}

static void errors_that_are_not_corrected_are_news_once(void **state)
{
    (void)state;
    start();
    now.bank[2] = (struct error_bank){
        .valid = true, .severity = ERROR_UNCORRECTED, .status = VALID, .address = 0x1000};
    assert_int_equal(errors_since(&before, &now, news), 1);
    assert_true(news[0].other);
    assert_int_equal(news[0].corrected, 0);
    before = now;
    assert_int_equal(errors_since(&before, &now, news), 0);
    now.bank[2].address = 0x2000;
    assert_int_equal(errors_since(&before, &now, news), 1);
    now.bank[2] = before.bank[2];
    now.bank[2].severity = ERROR_DEFERRED;
    assert_int_equal(errors_since(&before, &now, news), 1);
    assert_true(news[0].other);
}

/* A bank at its maximum, or that knows of one error only, says that there was another one. */
static void full_banks_say_at_least(void **state)
{
    (void)state;
    start();
    before.bank[0] = now.bank[0] = (struct error_bank){
        .valid = true, .corrected = 1, .saturated = true, .status = VALID, .address = 0x40};
    assert_int_equal(errors_since(&before, &now, news), 0);
    now.bank[0].address = 0x80;
    assert_int_equal(errors_since(&before, &now, news), 1);
    assert_int_equal(news[0].corrected, 1);
    assert_true(news[0].at_least);
    assert_int_equal(errors_since(NULL, &before, news), 1);
    assert_true(news[0].at_least);
}

/* ---- x86-64 */

static struct error_bank decode(enum bank_kind kind, bool intel, uint64_t status, uint64_t address,
                                uint64_t misc, uint64_t identity)
{
    const uint64_t word[BANK_REGISTERS] = {status, address, misc, identity};
    struct error_bank bank;

    x86_64_bank_decode(kind, intel, word, &bank);
    return bank;
}

static void kinds_of_banks(void **state)
{
    const uint32_t all = 1u << 5 | 1u << 7 | 1u << 14;

    (void)state;
    assert_int_equal(x86_64_bank_kind(all & ~(1u << 5), true, 1u << 10), BANKS_NONE);
    assert_int_equal(x86_64_bank_kind(all & ~(1u << 7), true, 1u << 10), BANKS_NONE);
    assert_int_equal(x86_64_bank_kind(all & ~(1u << 14), true, 1u << 10), BANKS_NONE);
    assert_int_equal(x86_64_bank_kind(all, true, 1u << 10), BANKS_SCALABLE);
    assert_int_equal(x86_64_bank_kind(all, false, 1u << 10 | 9), BANKS_COUNT);
    assert_int_equal(x86_64_bank_kind(all, false, 9), BANKS_VALID);
    assert_int_equal(x86_64_bank_count(1u << 10 | 9), 9);
    assert_int_equal(x86_64_bank_count(255), ERROR_BANKS_MAX);

    assert_int_equal(x86_64_bank_msr(BANKS_COUNT, 0, BANK_STATUS), 0x401);
    assert_int_equal(x86_64_bank_msr(BANKS_VALID, 9, BANK_STATUS), 0x425);
    assert_int_equal(x86_64_bank_msr(BANKS_COUNT, 9, BANK_ADDRESS), 0x426);
    assert_int_equal(x86_64_bank_msr(BANKS_COUNT, 9, BANK_MISC), 0x427);
    assert_int_equal(x86_64_bank_msr(BANKS_COUNT, 9, BANK_IDENTITY), 0);
    assert_int_equal(x86_64_bank_msr(BANKS_SCALABLE, 2, BANK_STATUS), 0xc0002021);
    assert_int_equal(x86_64_bank_msr(BANKS_SCALABLE, 2, BANK_MISC), 0xc0002023);
    assert_int_equal(x86_64_bank_msr(BANKS_SCALABLE, 2, BANK_IDENTITY), 0xc0002025);
}

/* The count field, not its neighbours. */
static void counts_of_corrected_errors(void **state)
{
    uint64_t status = VALID | 0x7fffull << 38 | 0x1full << 53 | 0x3full << 32;

    (void)state;
    assert_int_equal(decode(BANKS_COUNT, true, status, 0, 0, 0).corrected, 0x7fff);
    assert_true(decode(BANKS_COUNT, true, status, 0, 0, 0).saturated);
    assert_int_equal(decode(BANKS_COUNT, true, VALID | 3ull << 38, 0, 0, 0).corrected, 3);
    assert_int_equal(decode(BANKS_COUNT, true, 3ull << 38, 0, 0, 0).corrected, 0);
    assert_int_equal(decode(BANKS_VALID, true, VALID | 3ull << 38, 0, 0, 0).corrected, 1);
    assert_true(decode(BANKS_VALID, true, VALID, 0, 0, 0).saturated);
    assert_int_equal(decode(BANKS_VALID, true, VALID | UNCORRECTED, 0, 0, 0).corrected, 0);
    assert_int_equal(decode(BANKS_VALID, true, 0, 0, 0, 0).corrected, 0);
    assert_int_equal(decode(BANKS_SCALABLE, false, 0, 0, 0xc000f123ffffffffull, 0).corrected,
                     0x123);
    assert_false(decode(BANKS_SCALABLE, false, 0, 0, 0xc000f123ffffffffull, 0).saturated);
    assert_int_equal(decode(BANKS_SCALABLE, false, VALID, 0, 0x8000012300000000ull, 0).corrected,
                     1);
    assert_int_equal(decode(BANKS_SCALABLE, false, VALID, 0, 0x4000012300000000ull, 0).corrected,
                     1);
}

static void severities_and_places(void **state)
{
    uint64_t both = VALID | HAS_MISC | HAS_ADDRESS;
    struct error_bank bank = decode(BANKS_COUNT, true, both | 0x9f, 0x12345678, 0x86, 0);

    (void)state;
    assert_int_equal(bank.severity, ERROR_CORRECTED);
    assert_true(bank.memory && bank.valid && !bank.overflow);
    assert_int_equal(bank.address, 0x12345678);
    assert_int_equal(bank.physical, 0x12345640);
    assert_int_equal(decode(BANKS_COUNT, true, both | 0x109f, 0, 0x86, 0).memory, true);
    assert_false(decode(BANKS_COUNT, true, both | 0x110, 0, 0x86, 0).memory);
    /* a linear address, or one of an unknown kind, is none of memory */
    assert_true(decode(BANKS_COUNT, true, both, 0x5000, 0x46, 0).physical == ERRORS_UNKNOWN);
    assert_true(decode(BANKS_COUNT, false, both, 0x5000, 0x86, 0).physical == ERRORS_UNKNOWN);
    bank = decode(BANKS_COUNT, true, VALID | OVERFLOW | UNCORRECTED, 1, 2, 3);
    assert_int_equal(bank.severity, ERROR_UNCORRECTED);
    assert_true(bank.overflow);
    assert_true(bank.address == ERRORS_UNKNOWN && bank.misc == ERRORS_UNKNOWN);
    bank = decode(BANKS_SCALABLE, false, VALID | 1ull << 44, 0, 0, 0x96ull << 32);
    assert_int_equal(bank.severity, ERROR_DEFERRED);
    assert_true(bank.memory);
    assert_false(decode(BANKS_SCALABLE, false, VALID, 0, 0, 0xb0ull << 32).memory);
    /* on Intel's the bit is of a count */
    assert_int_equal(decode(BANKS_COUNT, true, VALID | 1ull << 44, 0, 0, 0).severity,
                     ERROR_CORRECTED);
}

/* ---- AArch64 */

static void records_of_aarch64(void **state)
{
    const uint64_t v = 1ull << 30, av = 1ull << 31, mv = 1ull << 26, ce = 2ull << 24,
                   ue = 1ull << 29, de = 1ull << 23, of = 1ull << 27;
    struct aarch64_error_words words = {.feature = 2ull << 12 | 1,
                                        .status = v | av | mv | ce | of,
                                        .address = 0x8000000012345678,
                                        .misc0 = 0x55ull << 32};
    struct error_bank bank;

    (void)state;
    assert_true(aarch64_has_error_records(1ull << 28));
    assert_false(aarch64_has_error_records(0x0fffffff));
    assert_int_equal(aarch64_error_count(0xffff0003), 3);
    assert_int_equal(aarch64_error_count(0xffff), ERROR_BANKS_MAX);
    assert_false(aarch64_error_is_there(2ull << 12));
    aarch64_error_decode(&words, &bank);
    assert_int_equal(bank.corrected, 0x55);
    assert_false(bank.saturated);
    assert_int_equal(bank.physical, 0x12345678);
    assert_int_equal(bank.severity, ERROR_CORRECTED);
    assert_true(bank.valid && bank.overflow);
    assert_int_equal(bank.misc, 0x55ull << 32);
    /* two counters of 15 bits, the second one has overflown */
    words.feature = 4ull << 12 | 1ull << 15 | 1;
    words.misc0 = 1ull << 63 | 0x100ull << 48 | 0x20ull << 32;
    aarch64_error_decode(&words, &bank);
    assert_int_equal(bank.corrected, 0x120);
    assert_true(bank.saturated);
    /* none */
    words.feature = 1;
    aarch64_error_decode(&words, &bank);
    assert_int_equal(bank.corrected, 1);
    assert_true(bank.saturated);
    words.status = v | av | ue;
    words.address = 1ull << 61 | 0x40;
    aarch64_error_decode(&words, &bank);
    assert_int_equal(bank.severity, ERROR_UNCORRECTED);
    assert_int_equal(bank.corrected, 0);
    assert_true(bank.physical == ERRORS_UNKNOWN);
    assert_true(bank.misc == ERRORS_UNKNOWN);
    words.status = v | de;
    aarch64_error_decode(&words, &bank);
    assert_int_equal(bank.severity, ERROR_DEFERRED);
    assert_true(bank.address == ERRORS_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_news),
        cmocka_unit_test(errors_that_are_not_corrected_are_news_once),
        cmocka_unit_test(full_banks_say_at_least),
        cmocka_unit_test(kinds_of_banks),
        cmocka_unit_test(counts_of_corrected_errors),
        cmocka_unit_test(severities_and_places),
        cmocka_unit_test(records_of_aarch64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
