/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and descriptions of x86-64 exceptions. Vectors: Intel SDM volume 3, table 6-1; #HV, #VC,
 * #SX: AMD APM volume 2, 8.1. */
#include "arch/x86_64/pure_fault.h"

#include "core/lib/text.h"

/* The build checks that the image is smaller than this: a smaller offset is inside it. */
#define IMAGE_BYTES_MAX (1u << 20)

static const char *const vector_names[32] = {
    [0] = "#DE divide error",
    [1] = "#DB debug",
    [2] = "NMI",
    [3] = "#BP breakpoint",
    [4] = "#OF overflow",
    [5] = "#BR bound range",
    [6] = "#UD invalid opcode",
    [7] = "#NM device not available",
    [8] = "#DF double fault",
    [10] = "#TS invalid TSS",
    [11] = "#NP segment not present",
    [12] = "#SS stack fault",
    [13] = "#GP general protection",
    [14] = "#PF page fault",
    [16] = "#MF x87 error",
    [17] = "#AC alignment check",
    [18] = "#MC machine check",
    [19] = "#XM SIMD error",
    [20] = "#VE virtualization",
    [21] = "#CP control protection",
    [28] = "#HV hypervisor injection",
    [29] = "#VC VMM communication",
    [30] = "#SX security",
};

const char *x86_64_vector_name(uint64_t vector)
{
    if (vector >= 32)
        return "unexpected interrupt";
    return vector_names[vector] ? vector_names[vector] : "reserved exception";
}

bool x86_64_vector_is_fatal(uint64_t vector)
{
    return vector == VECTOR_DF || vector == VECTOR_MC;
}

/* Error code of #PF: Intel SDM volume 3, 4.7. */
static void page_fault_add(struct text *text, const struct x86_64_fault *fault)
{
    uint64_t error = fault->frame.error;

    text_format(text, " on a %s of 0x%lx (%s)",
                error & 16  ? "fetch"
                : error & 2 ? "write"
                            : "read",
                fault->cr2,
                error & 8   ? "reserved bit set"
                : error & 1 ? "not allowed"
                            : "not mapped");
}

static void registers_add(struct text *text, const struct x86_64_fault_frame *frame)
{
    const struct {
        const char *name;
        uint64_t value;
    } list[] = {
        {"sp", frame->rsp},  {"flags", frame->rflags}, {"ax", frame->rax},  {"bx", frame->rbx},
        {"cx", frame->rcx},  {"dx", frame->rdx},       {"si", frame->rsi},  {"di", frame->rdi},
        {"bp", frame->rbp},  {"r8", frame->r8},        {"r9", frame->r9},   {"r10", frame->r10},
        {"r11", frame->r11}, {"r12", frame->r12},      {"r13", frame->r13}, {"r14", frame->r14},
        {"r15", frame->r15},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        text_format(text, " %s=0x%lx", list[i].name, list[i].value);
}

void x86_64_fault_describe(const struct x86_64_fault *fault, uintptr_t image_base, char *buffer,
                           size_t capacity)
{
    const struct x86_64_fault_frame *frame = &fault->frame;
    struct text text = text_open(buffer, capacity, "%s", x86_64_vector_name(frame->vector));

    if (frame->vector >= 32)
        text_format(&text, " %lu", frame->vector);
    if (frame->vector == VECTOR_PF)
        page_fault_add(&text, fault);
    if (frame->rip - image_base < IMAGE_BYTES_MAX)
        text_format(&text, " at image+0x%lx", frame->rip - image_base);
    else
        text_format(&text, " at 0x%lx (image at 0x%lx)", frame->rip, image_base);
    text_format(&text, ", error code 0x%lx;", frame->error);
    registers_add(&text, frame);
}
