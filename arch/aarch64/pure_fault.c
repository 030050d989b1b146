/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and descriptions of AArch64 exceptions. Classes and syndromes: Arm Architecture Reference
 * Manual (DDI 0487), ESR_EL1 in D17.2. */
#include "arch/aarch64/pure_fault.h"

#include "core/lib/text.h"

/* The build checks that the image is smaller than this: a smaller offset is inside it. */
#define IMAGE_BYTES_MAX (1u << 20)

#define CLASS_FETCH_ABORT_LOWER 0x20
#define CLASS_FETCH_ABORT       0x21
#define CLASS_PC_ALIGNMENT      0x22
#define CLASS_DATA_ABORT_LOWER  0x24
#define CLASS_DATA_ABORT        0x25
#define CLASS_WATCHPOINT_LOWER  0x34
#define CLASS_WATCHPOINT        0x35

#define ESR_IDS              (1ull << 24) /* SError: the other bits are implementation defined */
#define ESR_FAR_NOT_VALID    (1ull << 10) /* aborts with STATUS_EXTERNAL */
#define ESR_WRITE            (1ull << 6)  /* data aborts */
#define STATUS_EXTERNAL      0x10
#define STATUS_SERROR_RAS    0x11
#define SERROR_UNCONTAINABLE 0

static const char *const class_names[64] = {
    [0x00] = "undefined instruction",
    [0x01] = "trapped WFI or WFE",
    [0x07] = "trapped floating point",
    [0x09] = "trapped pointer authentication",
    [0x0d] = "branch target exception",
    [0x0e] = "illegal execution state",
    [0x15] = "SVC",
    [0x16] = "HVC",
    [0x17] = "SMC",
    [0x18] = "trapped system register",
    [0x19] = "trapped SVE",
    [0x1c] = "pointer authentication failure",
    [0x1d] = "trapped SME",
    [CLASS_FETCH_ABORT_LOWER] = "instruction abort of a lower level",
    [CLASS_FETCH_ABORT] = "instruction abort",
    [CLASS_PC_ALIGNMENT] = "PC alignment fault",
    [CLASS_DATA_ABORT_LOWER] = "data abort of a lower level",
    [CLASS_DATA_ABORT] = "data abort",
    [0x26] = "SP alignment fault",
    [0x27] = "memory operation exception",
    [0x2c] = "floating point exception",
    [0x2f] = "SError",
    [0x30] = "breakpoint of a lower level",
    [0x31] = "breakpoint",
    [0x32] = "software step of a lower level",
    [0x33] = "software step",
    [CLASS_WATCHPOINT_LOWER] = "watchpoint of a lower level",
    [CLASS_WATCHPOINT] = "watchpoint",
    [0x3c] = "BRK instruction",
};

static unsigned class_of(uint64_t esr)
{
    return (unsigned)(esr >> 26 & 63);
}

static bool is_data_abort(uint64_t esr)
{
    return class_of(esr) == CLASS_DATA_ABORT || class_of(esr) == CLASS_DATA_ABORT_LOWER;
}

static bool is_abort(uint64_t esr)
{
    return is_data_abort(esr) || class_of(esr) == CLASS_FETCH_ABORT ||
           class_of(esr) == CLASS_FETCH_ABORT_LOWER;
}

enum fault_kind aarch64_fault_kind(uint64_t slot)
{
    return (enum fault_kind)(slot & 3);
}

const char *aarch64_fault_name(uint64_t slot, uint64_t esr)
{
    switch (aarch64_fault_kind(slot)) {
    case FAULT_IRQ:
        return "unexpected IRQ";
    case FAULT_FIQ:
        return "unexpected FIQ";
    case FAULT_SERROR:
        return "SError";
    case FAULT_SYNCHRONOUS:
        break;
    }
    return class_names[class_of(esr)] ? class_names[class_of(esr)] : "unknown exception";
}

bool aarch64_fault_has_address(uint64_t slot, uint64_t esr)
{
    if (aarch64_fault_kind(slot) != FAULT_SYNCHRONOUS)
        return false;
    if (is_abort(esr))
        return (esr & 0x3f) != STATUS_EXTERNAL || !(esr & ESR_FAR_NOT_VALID);
    return class_of(esr) == CLASS_PC_ALIGNMENT || class_of(esr) == CLASS_WATCHPOINT ||
           class_of(esr) == CLASS_WATCHPOINT_LOWER;
}

bool aarch64_fault_is_fatal(uint64_t slot, uint64_t esr)
{
    return aarch64_fault_kind(slot) == FAULT_SERROR && !(esr & ESR_IDS) &&
           (esr & 0x3f) == STATUS_SERROR_RAS && (esr >> 10 & 7) == SERROR_UNCONTAINABLE;
}

/* Fault status codes of aborts, without the level: ISS encoding for a Data Abort. */
static const char *status_words(uint64_t status)
{
    switch (status >> 2) {
    case 0:
        return "address size";
    case 1:
        return "not mapped";
    case 2:
        return "access flag clear";
    case 3:
        return "not allowed";
    }
    if (status == STATUS_EXTERNAL || (status >= 0x13 && status <= 0x17))
        return "external abort";
    if (status == 0x11)
        return "memory tag mismatch";
    if (status == 0x18 || (status >= 0x1b && status <= 0x1f))
        return "parity or ECC error";
    if (status == 0x21)
        return "not aligned";
    if (status == 0x30)
        return "TLB conflict";
    return "other";
}

static void abort_add(struct text *text, const struct aarch64_fault_frame *frame)
{
    uint64_t status = frame->esr & 0x3f;

    text_format(text, " on a %s",
                !is_data_abort(frame->esr) ? "fetch"
                : frame->esr & ESR_WRITE   ? "write"
                                           : "read");
    if (aarch64_fault_has_address(frame->slot, frame->esr))
        text_format(text, " of 0x%lx", frame->far);
    if (status < 0x10)
        text_format(text, " (%s, level %lu)", status_words(status), status & 3);
    else
        text_format(text, " (%s)", status_words(status));
}

static void registers_add(struct text *text, const struct aarch64_fault_frame *frame)
{
    text_format(text, " spsr=0x%lx sp=0x%lx", frame->spsr, frame->sp);
    for (unsigned i = 0; i < 31; i++)
        text_format(text, " x%u=0x%lx", i, frame->x[i]);
}

void aarch64_fault_describe(const struct aarch64_fault_frame *frame, uintptr_t image_base,
                            char *buffer, size_t capacity)
{
    struct text text =
        text_open(buffer, capacity, "%s", aarch64_fault_name(frame->slot, frame->esr));

    if (aarch64_fault_kind(frame->slot) == FAULT_SYNCHRONOUS && is_abort(frame->esr))
        abort_add(&text, frame);
    if (frame->elr - image_base < IMAGE_BYTES_MAX)
        text_format(&text, " at image+0x%lx", frame->elr - image_base);
    else
        text_format(&text, " at 0x%lx (image at 0x%lx)", frame->elr, image_base);
    text_format(&text, ", ESR 0x%lx, ELR 0x%lx, FAR 0x%lx", frame->esr, frame->elr, frame->far);
    if (frame->slot >= FAULT_SLOT_NESTED && frame->slot < FAULT_SLOT_LOWER) {
        text_add(&text, ", while a fault was being handled");
        return;
    }
    text_char(&text, ';');
    registers_add(&text, frame);
}
