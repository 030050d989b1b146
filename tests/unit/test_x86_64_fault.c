/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for exceptions of x86-64, and which registers count what disturbs a measurement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "arch/x86_64/pure_disturbance.h"
#include "arch/x86_64/pure_fault.h"

static void starts_with(const char *text, const char *words)
{
    if (strncmp(text, words, strlen(words)) != 0)
        assert_string_equal(text, words);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(x86_64_vector_name(0), "#DE divide error");
    assert_string_equal(x86_64_vector_name(6), "#UD invalid opcode");
    assert_string_equal(x86_64_vector_name(13), "#GP general protection");
    assert_string_equal(x86_64_vector_name(14), "#PF page fault");
    assert_string_equal(x86_64_vector_name(15), "reserved exception");
    assert_string_equal(x86_64_vector_name(18), "#MC machine check");
    assert_string_equal(x86_64_vector_name(32), "unexpected interrupt");
    assert_string_equal(x86_64_vector_name(UINT64_MAX), "unexpected interrupt");
    for (uint64_t vector = 0; vector < 300; vector++)
        assert_int_equal(x86_64_vector_is_fatal(vector), vector == 8 || vector == 18);
}

/* The stack as vectors.S leaves it: the order of the fields is a contract with assembly. */
static void test_frame_layout(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct x86_64_fault_frame, r15), 0);
    assert_int_equal(offsetof(struct x86_64_fault_frame, r8), 7 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rdi), 8 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rsi), 9 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rbp), 10 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rbx), 11 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rdx), 12 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rcx), 13 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rax), 14 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, vector), 15 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, error), 16 * 8);
    assert_int_equal(offsetof(struct x86_64_fault_frame, rip), 17 * 8);
    assert_int_equal(sizeof(struct x86_64_fault_frame), 22 * 8);
}

static void test_page_fault(void **state)
{
    static const struct {
        uint64_t error;
        const char *words;
    } list[] = {
        {0, "#PF page fault on a read of 0x12345000 (not mapped) at image+0x2345, error code 0x0;"},
        {1,
         "#PF page fault on a read of 0x12345000 (not allowed) at image+0x2345, error code 0x1;"},
        {2, "#PF page fault on a write of 0x12345000 (not mapped) at image+0x2345, error code 0x2"},
        {3,
         "#PF page fault on a write of 0x12345000 (not allowed) at image+0x2345, error code 0x3"},
        {9,
         "#PF page fault on a read of 0x12345000 (reserved bit set) at image+0x2345, error code"},
        {0x11, "#PF page fault on a fetch of 0x12345000 (not allowed) at image+0x2345, error code"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct x86_64_fault fault = {.cr2 = 0x12345000};
        char text[400];
        fault.frame.vector = 14;
        fault.frame.error = list[i].error;
        fault.frame.rip = 0x7e502345;
        x86_64_fault_describe(&fault, 0x7e500000, text, sizeof text);
        starts_with(text, list[i].words);
    }
}

/* Each register is printed under its own name. */
static void test_registers(void **state)
{
    struct x86_64_fault fault = {.cr2 = 99};
    char text[400];
    (void)state;

    fault.frame = (struct x86_64_fault_frame){.r15 = 0xf15,
                                              .r14 = 0xf14,
                                              .r13 = 0xf13,
                                              .r12 = 0xf12,
                                              .r11 = 0xf11,
                                              .r10 = 0xf10,
                                              .r9 = 0xf9,
                                              .r8 = 0xf8,
                                              .rdi = 0xd1,
                                              .rsi = 0x51,
                                              .rbp = 0xb9,
                                              .rbx = 0xb,
                                              .rdx = 0xd,
                                              .rcx = 0xc,
                                              .rax = 0xa,
                                              .vector = 13,
                                              .error = 0x18,
                                              .rip = 0x1000,
                                              .cs = 0x38,
                                              .rflags = 0x46,
                                              .rsp = 0x5000,
                                              .ss = 0x30};
    x86_64_fault_describe(&fault, 0x7e500000, text, sizeof text);
    assert_string_equal(text,
                        "#GP general protection at 0x1000 (image at 0x7e500000), error code 0x18; "
                        "sp=0x5000 flags=0x46 ax=0xa bx=0xb cx=0xc dx=0xd si=0x51 di=0xd1 bp=0xb9 "
                        "r8=0xf8 r9=0xf9 r10=0xf10 r11=0xf11 r12=0xf12 r13=0xf13 r14=0xf14 "
                        "r15=0xf15");
    fault.frame.vector = 77;
    x86_64_fault_describe(&fault, 0x7e500000, text, sizeof text);
    starts_with(text, "unexpected interrupt 77 at 0x1000");
}

/* The image's last byte is inside, the next is not; nothing is written past a small buffer. */
static void test_bounds(void **state)
{
    struct x86_64_fault fault = {.cr2 = UINT64_MAX};
    char text[401];
    (void)state;

    fault.frame.vector = 6;
    fault.frame.rip = 0x7e5fffff;
    x86_64_fault_describe(&fault, 0x7e500000, text, 400);
    starts_with(text, "#UD invalid opcode at image+0xfffff,");
    fault.frame.rip++;
    x86_64_fault_describe(&fault, 0x7e500000, text, 400);
    starts_with(text, "#UD invalid opcode at 0x7e600000 (image at 0x7e500000),");

    memset(&fault, 0xff, sizeof fault);
    for (size_t capacity = 1; capacity <= 400; capacity++) {
        memset(text, 'x', sizeof text);
        x86_64_fault_describe(&fault, 0, text, capacity);
        assert_true(strlen(text) < capacity);
        assert_int_equal(text[capacity], 'x');
    }
    assert_true(sizeof((struct arch_quiet_result *)0)->fault_text >= 400);
}

static void test_smi(void **state)
{
    static const struct {
        enum cpu_vendor vendor;
        uint32_t family, model;
        bool counted;
    } list[] = {
        {CPU_VENDOR_INTEL, 6, 0x0f, false},                                     /* Core 2 */
        {CPU_VENDOR_INTEL, 6, 0x17, false},  {CPU_VENDOR_INTEL, 6, 0x1a, true}, /* Nehalem */
        {CPU_VENDOR_INTEL, 6, 0x1c, false},                                     /* Bonnell */
        {CPU_VENDOR_INTEL, 6, 0x1d, false},                                     /* Dunnington */
        {CPU_VENDOR_INTEL, 6, 0x26, false},  {CPU_VENDOR_INTEL, 6, 0x27, false},
        {CPU_VENDOR_INTEL, 6, 0x35, false},  {CPU_VENDOR_INTEL, 6, 0x36, false},
        {CPU_VENDOR_INTEL, 6, 0x37, true},                                      /* Silvermont */
        {CPU_VENDOR_INTEL, 6, 0x55, true},   {CPU_VENDOR_INTEL, 6, 0x57, true}, /* Phi */
        {CPU_VENDOR_INTEL, 6, 0x97, true},   {CPU_VENDOR_INTEL, 15, 4, false},  /* NetBurst */
        {CPU_VENDOR_INTEL, 19, 1, false},                                       /* not documented */
        {CPU_VENDOR_AMD, 0x19, 0x21, false}, {CPU_VENDOR_AMD, 6, 0x55, false},
        {CPU_VENDOR_OTHER, 6, 0x55, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct cpu_identity cpu = {.vendor = list[i].vendor,
                                   .family = list[i].family,
                                   .model = list[i].model,
                                   .msr = true};
        assert_int_equal(x86_64_smi_counted(&cpu), list[i].counted);
        cpu.msr = false;
        assert_false(x86_64_smi_counted(&cpu));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_frame_layout),
        cmocka_unit_test(test_page_fault), cmocka_unit_test(test_registers),
        cmocka_unit_test(test_bounds),     cmocka_unit_test(test_smi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
