/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for exceptions of AArch64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pure_fault.h"
#include "arch/arch.h"

#define ESR(class, syndrome) ((uint64_t)(class) << 26 | 1u << 25 | (syndrome))
#define IMAGE                0xbc3fe000ull

static void starts_with(const char *text, const char *words)
{
    if (strncmp(text, words, strlen(words)) != 0)
        assert_string_equal(text, words);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(aarch64_fault_name(0, ESR(0x00, 0)), "undefined instruction");
    assert_string_equal(aarch64_fault_name(4, ESR(0x18, 0)), "trapped system register");
    assert_string_equal(aarch64_fault_name(0, ESR(0x21, 0)), "instruction abort");
    assert_string_equal(aarch64_fault_name(0, ESR(0x25, 0)), "data abort");
    assert_string_equal(aarch64_fault_name(0, ESR(0x26, 0)), "SP alignment fault");
    assert_string_equal(aarch64_fault_name(0, ESR(0x3f, 0)), "unknown exception");
    /* ESR says nothing about interrupts */
    assert_string_equal(aarch64_fault_name(1, ESR(0x25, 0)), "unexpected IRQ");
    assert_string_equal(aarch64_fault_name(2, ESR(0x25, 0)), "unexpected FIQ");
    assert_string_equal(aarch64_fault_name(3, ESR(0x2f, 0)), "SError");
    assert_string_equal(aarch64_fault_name(7, ESR(0x2f, 0)), "SError");
}

/* The stack as vectors.S leaves it: the order of the fields is a contract with assembly. */
static void test_frame_layout(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct aarch64_fault_frame, x), 0);
    assert_int_equal(offsetof(struct aarch64_fault_frame, slot), 248);
    assert_int_equal(offsetof(struct aarch64_fault_frame, esr), 256);
    assert_int_equal(offsetof(struct aarch64_fault_frame, elr), 264);
    assert_int_equal(offsetof(struct aarch64_fault_frame, far), 272);
    assert_int_equal(offsetof(struct aarch64_fault_frame, spsr), 280);
    assert_int_equal(offsetof(struct aarch64_fault_frame, sp), 288);
    assert_int_equal(sizeof(struct aarch64_fault_frame), 304);
}

/* Only an uncontainable SError, and only where the syndrome is the architecture's. */
static void test_fatal(void **state)
{
    (void)state;
    for (uint64_t slot = 0; slot < 16; slot++)
        for (uint64_t severity = 0; severity < 8; severity++) {
            uint64_t esr = ESR(0x2f, severity << 10 | 0x11);
            assert_int_equal(aarch64_fault_is_fatal(slot, esr), slot % 4 == 3 && severity == 0);
            assert_false(aarch64_fault_is_fatal(slot, esr | 1u << 24));
            assert_false(aarch64_fault_is_fatal(slot, ESR(0x2f, severity << 10)));
        }
}

static void test_aborts(void **state)
{
    static const struct {
        uint64_t esr;
        const char *words;
    } list[] = {
        {ESR(0x25, 0x04), "data abort on a read of 0x123456789a8 (not mapped, level 0) at"},
        {ESR(0x25, 0x47), "data abort on a write of 0x123456789a8 (not mapped, level 3) at"},
        {ESR(0x25, 0x4f), "data abort on a write of 0x123456789a8 (not allowed, level 3) at"},
        {ESR(0x25, 0x01), "data abort on a read of 0x123456789a8 (address size, level 1) at"},
        {ESR(0x25, 0x0a), "data abort on a read of 0x123456789a8 (access flag clear, level 2) at"},
        {ESR(0x25, 0x10), "data abort on a read of 0x123456789a8 (external abort) at"},
        {ESR(0x25, 0x410), "data abort on a read (external abort) at"}, /* FAR not valid */
        {ESR(0x25, 0x404), "data abort on a read of 0x123456789a8 (not mapped, level 0) at"},
        {ESR(0x25, 0x16), "data abort on a read of 0x123456789a8 (external abort) at"},
        {ESR(0x25, 0x11), "data abort on a read of 0x123456789a8 (memory tag mismatch) at"},
        {ESR(0x25, 0x18), "data abort on a read of 0x123456789a8 (parity or ECC error) at"},
        {ESR(0x25, 0x1f), "data abort on a read of 0x123456789a8 (parity or ECC error) at"},
        {ESR(0x25, 0x21), "data abort on a read of 0x123456789a8 (not aligned) at"},
        {ESR(0x25, 0x30), "data abort on a read of 0x123456789a8 (TLB conflict) at"},
        {ESR(0x25, 0x3d), "data abort on a read of 0x123456789a8 (other) at"},
        {ESR(0x21, 0x4f),
         "instruction abort on a fetch of 0x123456789a8 (not allowed, level 3) at"},
        {ESR(0x22, 0), "PC alignment fault at"},
    };
    char text[1000];
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const struct aarch64_fault_frame frame = {
            .esr = list[i].esr, .far = 0x123456789a8, .elr = IMAGE + 0x1c8c};
        aarch64_fault_describe(&frame, IMAGE, text, sizeof text);
        starts_with(text, list[i].words);
    }
}

static void test_address(void **state)
{
    (void)state;
    assert_true(aarch64_fault_has_address(0, ESR(0x25, 4)));
    assert_true(aarch64_fault_has_address(0, ESR(0x22, 0)));
    assert_true(aarch64_fault_has_address(0, ESR(0x35, 0)));
    assert_false(aarch64_fault_has_address(0, ESR(0x00, 0)));
    assert_false(aarch64_fault_has_address(3, ESR(0x25, 4)));
    assert_false(aarch64_fault_has_address(0, ESR(0x25, 0x410)));
}

static void test_whole_text(void **state)
{
    struct aarch64_fault_frame frame = {
        .esr = 0x2000000, .elr = IMAGE + 0x1c78, .far = 0x77, .spsr = 0x2c4, .sp = 0xbc42d3c0};
    char text[1000], longest[1001];
    (void)state;

    for (unsigned i = 0; i < 31; i++)
        frame.x[i] = i;
    aarch64_fault_describe(&frame, IMAGE, text, sizeof text);
    assert_string_equal(text, "undefined instruction at image+0x1c78, ESR 0x2000000, "
                              "ELR 0xbc3ffc78, FAR 0x77; spsr=0x2c4 sp=0xbc42d3c0"
                              " x0=0x0 x1=0x1 x2=0x2 x3=0x3 x4=0x4 x5=0x5 x6=0x6 x7=0x7"
                              " x8=0x8 x9=0x9 x10=0xa x11=0xb x12=0xc x13=0xd x14=0xe x15=0xf"
                              " x16=0x10 x17=0x11 x18=0x12 x19=0x13 x20=0x14 x21=0x15 x22=0x16"
                              " x23=0x17 x24=0x18 x25=0x19 x26=0x1a x27=0x1b x28=0x1c x29=0x1d"
                              " x30=0x1e");
    frame.elr = IMAGE + (1 << 20);
    aarch64_fault_describe(&frame, IMAGE, text, sizeof text);
    starts_with(text, "undefined instruction at 0xbc4fe000 (image at 0xbc3fe000), ESR");

    frame.slot = 4;
    aarch64_fault_describe(&frame, IMAGE, text, sizeof text);
    assert_string_equal(text, "undefined instruction at 0xbc4fe000 (image at 0xbc3fe000), "
                              "ESR 0x2000000, ELR 0xbc4fe000, FAR 0x77, "
                              "while a fault was being handled");

    /* the longest text fits the quiet section's buffer, and a buffer of any length is respected */
    memset(&frame, 0xff, sizeof frame);
    frame.slot = 0;
    frame.esr = ESR(0x25, 0x4a) | 0xffffffff00000000;
    assert_true(sizeof((struct arch_quiet_result *)0)->fault_text >= 1000);
    for (size_t capacity = 1; capacity <= 1000; capacity++) {
        memset(longest, '#', sizeof longest);
        aarch64_fault_describe(&frame, 0, longest, capacity);
        assert_true(strlen(longest) < capacity);
        assert_int_equal(longest[capacity], '#');
    }
    assert_non_null(strstr(longest, " x30=0xffffffffffffffff"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),   cmocka_unit_test(test_frame_layout),
        cmocka_unit_test(test_fatal),   cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_address), cmocka_unit_test(test_whole_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
