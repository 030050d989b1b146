/* SPDX-License-Identifier: BSD-2-Clause */
/* The chase and build kernels on AArch64: core/kernels.h with bare instructions for hooks. */
#include "arch/arch.h"
#include "arch/aarch64/disturbance.h"
#include "arch/aarch64/hooks.h"

#define KERNEL_TICKS_BEGIN()  arch_ticks()
#define KERNEL_TICKS_END()    arch_ticks()
#define KERNEL_DISTURBANCES() disturbance_count()

#include "core/kernels.h"

void arch_chase(const struct chase_plan *plan, uint64_t tick_hz, struct chase_result *result)
{
    kernel_chase(plan, tick_hz, result);
}

void arch_chain_build(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    kernel_build(arg, w, first, end);
}

void arch_draw_fill(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    kernel_fill(arg, w, first, end);
}

void arch_line_flush(const void *address)
{
    hook_flush(address);
}

uint32_t arch_chains_cycle_max(void)
{
    return HOOK_MANY_MAX;
}

uint32_t arch_loads(void)
{
    return hook_loads();
}

/* Non-temporal is a hint there (Arm ARM C3.2.4), which a core may not follow. */
bool arch_build_bypasses(void)
{
    return false;
}
