/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the time-stamp counter and the core clock of the calling CPU; pure_tsc.c interprets the
 * readings. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_frequency.h"
#include "arch/x86_64/pure_tsc.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/ticks.h"
#include "core/clock/ticks.h"

#define MSR_MPERF 0xe7
#define MSR_APERF 0xe8

#define RESOLUTION_READINGS 512

static void msrs_body(void *arg)
{
    struct tsc_snapshot *snapshot = arg;
    struct tsc_msr_request request = tsc_msrs_wanted(&snapshot->identity);

    if (request.platform_info)
        snapshot->platform_info.known =
            msr_read(TSC_MSR_PLATFORM_INFO, &snapshot->platform_info.value);
    if (request.amd) {
        snapshot->hwcr.known = msr_read(TSC_MSR_HWCR, &snapshot->hwcr.value);
        snapshot->pstate0.known = msr_read(TSC_MSR_PSTATE0, &snapshot->pstate0.value);
        snapshot->de_cfg.known = msr_read(TSC_MSR_DE_CFG, &snapshot->de_cfg.value);
    }
}

static uint64_t resolution_read(void)
{
    static uint64_t readings[RESOLUTION_READINGS];
    size_t i;

    for (i = 0; i < RESOLUTION_READINGS; i++)
        readings[i] = registers_tsc();
    return ticks_smallest_step(readings, RESOLUTION_READINGS);
}

void arch_clock_declared(struct arch_clock *clock)
{
    static struct arch_quiet_result result;
    struct tsc_snapshot snapshot;
    struct arch_quiet_plan plan = {.body = msrs_body, .arg = &snapshot};
    struct tsc_msr_request request;

    tsc_snapshot_cpuid(&snapshot, &cpu_cpuid);
    request = tsc_msrs_wanted(&snapshot.identity);
    /* If this fails, the MSRs stay unknown and their sources of the frequency are skipped. */
    if (request.platform_info || request.amd)
        (void)arch_quiet_run(&plan, &result);
    tsc_declared(&snapshot, clock);
    clock->core_base_hz = x86_64_base_hz(&snapshot);
    clock->resolution_ticks = (double)resolution_read();
    ticks_fence(tsc_fence_needed(&snapshot));
}

#define CHAIN_ADDS        64
#define CHAIN_LOOPS_SHORT 128
#define CHAIN_LOOPS_LONG  640
#define COUNTED_CHAINS    3

/* Doubles a register repeatedly: each addition depends on the previous one and takes one cycle on
 * every 64-bit CPU. Newer cores fold additions of a constant at rename, and multiplications take 3
 * to 6 cycles depending on the CPU. */
static uint64_t chain_ticks(uint64_t loops)
{
    uint64_t sum = 1, before = arch_ticks();

    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "addq %0, %0\n\t"
                     ".endr\n\t"
                     "decq %1\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(loops)
                     :
                     : "cc");
    return arch_ticks() - before;
}

/* The same order at start and end, so that the time between the two reads cancels. */
static bool counts_read(uint64_t *aperf, uint64_t *mperf)
{
    return msr_read(MSR_MPERF, mperf) && msr_read(MSR_APERF, aperf);
}

static double core_hz_by_counts(uint64_t tick_hz)
{
    uint64_t aperf_before, mperf_before, aperf_after, mperf_after;
    unsigned i;

    if (!counts_read(&aperf_before, &mperf_before))
        return 0;
    for (i = 0; i < COUNTED_CHAINS; i++)
        (void)chain_ticks(CHAIN_LOOPS_LONG);
    if (!counts_read(&aperf_after, &mperf_after))
        return 0;
    return ticks_core_hz_from_counts(aperf_after - aperf_before, mperf_after - mperf_before,
                                     tick_hz);
}

double arch_core_hz(uint64_t tick_hz, const char **source)
{
    static bool checked, counted;
    double hz = 0;

    if (!checked) {
        struct cpu_identity identity;
        cpu_identify(&identity);
        counted = identity.msr && (cpuid_get(&cpu_cpuid, 6, 0).ecx & 1);
        checked = true;
    }
    *source = "APERF/MPERF";
    if (counted)
        hz = core_hz_by_counts(tick_hz);
    /* Virtual machines may declare the counters although they never advance. */
    if (hz > 0)
        return hz;
    *source = "dependent additions";
    return ticks_core_hz_by_chain(chain_ticks, CHAIN_ADDS, CHAIN_LOOPS_SHORT, CHAIN_LOOPS_LONG,
                                  tick_hz);
}
