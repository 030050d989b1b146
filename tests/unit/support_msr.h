/* SPDX-License-Identifier: BSD-2-Clause */
/* A scripted model of MSRs behind struct prefetch_port: honours, ignores, faults, locks bits. */
#ifndef TESTS_UNIT_SUPPORT_MSR_H
#define TESTS_UNIT_SUPPORT_MSR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_prefetch.h"

struct msr_model_register {
    uint32_t msr;
    uint64_t value;
    uint64_t reserved;    /* a write that changes one of these bits faults */
    uint64_t locked;      /* bits that keep their value, without a fault */
    uint64_t sticky;      /* bits that can be set but not cleared, without a fault */
    bool read_faults;     /* always */
    unsigned reads_stop;  /* reads after this many fault; 0: never */
    bool write_faults;    /* always */
    bool reads_zero;      /* accepts every write and reads back 0, as QEMU TCG does */
    unsigned faults_from; /* writes number this and later fault; 0: never */
    uint64_t changed;     /* every bit that a write ever flipped */
    unsigned reads, writes;
};

#define MSR_MODEL_MAX  32
#define MSR_MODEL_LOG  256
#define MSR_MODEL_NONE 0xffffffffu

/* Registers that are not listed fault, and are counted: nothing may access them. */
struct msr_model {
    size_t count;
    struct msr_model_register reg[MSR_MODEL_MAX];
    unsigned unlisted;
    size_t logged;
    uint32_t log[MSR_MODEL_LOG]; /* the registers written, in order */
};

struct prefetch_port msr_model_port(struct msr_model *model);
/* The register, added with value 0 when it is not there. */
struct msr_model_register *msr_model_at(struct msr_model *model, uint32_t msr);

#endif
