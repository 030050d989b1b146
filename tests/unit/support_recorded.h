/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines as text: what one real CPU answers to CPUID or holds in its identification registers,
 * and what else a decision needs. The files are in tests/unit/recorded; each line is a fact:
 * - from KIND dump|made-up WORDS...: where facts of this kind are from; it stands before them
 * - cpuid LEAF SUBLEAF EAX EBX ECX EDX, hexadecimal
 * - id NAME VALUE, AArch64: midr, mpidr, ctr, clidr, mmfr0, mmfr2, ccsidr1 to ccsidr7, cntfrq,
 *   level (the exception level)
 * - msr ADDRESS VALUE [habit...]: an MSR that exists
 * - sysreg NAME VALUE [habit...]: a guarded system register that exists (pure_sysreg.h)
 * - acpi pm-timer PORT BITS
 * - acpi hpet BASE CAPABILITIES CONFIGURATION
 * - acpi cpus COUNT: enabled ones in the MADT
 * - smbios board|bios WORDS...
 * - smbios dimm LOCATOR TYPE GIB RATED CONFIGURED MAKER PART
 * - option prefetch-write|prefetch-unofficial: on
 *
 * Habits: locked=BITS, sticky=BITS, reserved=BITS (struct msr_model_register), refuses (every write
 * faults), zero (takes every write and reads 0). */
#ifndef TESTS_UNIT_SUPPORT_RECORDED_H
#define TESTS_UNIT_SUPPORT_RECORDED_H

#include "arch/aarch64/pure_clock.h"
#include "arch/aarch64/pure_describe.h"
#include "core/firmware/acpi.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define RECORDED_DIMMS_MAX 8

struct recorded_machine {
    bool aarch64;   /* it has id facts */
    bool from_dump; /* its cpuid or id facts are a public dump of one machine */
    struct cpuid_set cpuid;
    struct describe_snapshot id;
    struct clock_snapshot clock;
    struct msr_model registers;
    struct acpi_facts acpi;
    uint64_t hpet_capabilities, hpet_configuration;
    char board[64], bios[64];
    struct dimm_info dimms[RECORDED_DIMMS_MAX];
    size_t dimm_count;
    bool prefetch_write, prefetch_unofficial;
};

/* Reads such a file; fails the test, naming the line, if one is not understood or the kind of its
 * fact has no `from` line. */
void recorded_read(struct recorded_machine *machine, const char *path);

#endif
