/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers of the PC's timers and offers those that pure_refclocks.c accepts. A
 * refclock's context is the port or address itself, so that the struct may be copied. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/pure_refclocks.h"
#include "arch/x86_64/registers.h"

static uint64_t port_read(void *context)
{
    return registers_port_read32((uint16_t)(uintptr_t)context);
}

static uint64_t memory_read(void *context)
{
    return *(volatile uint32_t *)context;
}

static uint64_t pit_read(void *context)
{
    uint32_t low;

    (void)context;
    registers_port_write8(PIT_COMMAND_PORT, PIT_LATCH_COUNT);
    low = registers_port_read8(PIT_COUNT_PORT);
    return low | (uint32_t)registers_port_read8(PIT_COUNT_PORT) << 8;
}

struct memory_probe {
    uint64_t address;
    unsigned count; /* 32-bit registers, 4 bytes apart */
    uint32_t value[5];
};

static void probe_body(void *arg)
{
    struct memory_probe *probe = arg;
    const volatile uint32_t *pos = (const volatile uint32_t *)(uintptr_t)probe->address;
    unsigned i;

    for (i = 0; i < probe->count; i++)
        probe->value[i] = pos[i];
}

/* Reads once inside the quiet section, which catches the fault if the address is unmapped. */
static bool memory_probe(struct memory_probe *probe)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = probe_body, .arg = probe};

    return arch_quiet_run(&plan, &result) == STATUS_OK;
}

static bool pm_timer_find(const struct acpi_facts *acpi, struct refclock *clock)
{
    struct memory_probe probe = {.address = acpi->pm_timer_address, .count = 1};
    struct cpuid_words leaf_15h = cpuid_get(&cpu_cpuid, 0x15, 0);
    struct cpu_identity identity;

    if (!refclocks_pm_timer(acpi, clock))
        return false;
    cpu_identify(&identity);
    clock->may_share_crystal = refclocks_may_share_crystal(&identity, &leaf_15h);
    clock->context = (void *)(uintptr_t)clock->argument;
    clock->read = acpi->pm_timer_is_port ? port_read : memory_read;
    return acpi->pm_timer_is_port || memory_probe(&probe);
}

static bool hpet_find(const struct acpi_facts *acpi, struct refclock *clock)
{
    struct memory_probe probe = {.address = acpi->hpet_base.value, .count = 5};

    if (!acpi->hpet_known || !acpi->hpet_base.value || !memory_probe(&probe))
        return false;
    if (!refclocks_hpet(acpi->hpet_base.value, (uint64_t)probe.value[1] << 32 | probe.value[0],
                        probe.value[HPET_CONFIGURATION / 4], clock))
        return false;
    clock->context = (void *)(uintptr_t)clock->argument;
    clock->read = memory_read;
    return true;
}

#define PIT_WATCH_READS 300000 /* more than 55 ms, however fast the port is */
#define PIT_STILL_READS 1000   /* equal reads after which the counter counts as stopped */
#define PIT_WRAPS       2

static void pit_watch(struct pit_view *view)
{
    uint32_t last, moves = 0, wraps = 0;
    unsigned i;

    registers_port_write8(PIT_COMMAND_PORT, PIT_READ_BACK_BOTH);
    view->status = registers_port_read8(PIT_COUNT_PORT);
    last = registers_port_read8(PIT_COUNT_PORT);
    last |= (uint32_t)registers_port_read8(PIT_COUNT_PORT) << 8;
    view->highest = last;
    for (i = 0; i < PIT_WATCH_READS && wraps < PIT_WRAPS; i++) {
        uint32_t now = (uint32_t)pit_read(NULL);
        moves += now != last;
        wraps += now > last;
        view->highest = now > view->highest ? now : view->highest;
        last = now;
        if (i == PIT_STILL_READS && !moves)
            break;
    }
    view->wrapped = wraps > 0;
}

static bool pit_find(struct refclock *clock)
{
    struct pit_view view;

    pit_watch(&view);
    if (!refclocks_pit(&view, clock))
        return false;
    clock->read = pit_read;
    return true;
}

size_t arch_refclocks(const struct acpi_facts *acpi, struct refclock *clocks, size_t max)
{
    size_t count = 0;

    if (count < max && pm_timer_find(acpi, &clocks[count]))
        count++;
    if (count < max && hpet_find(acpi, &clocks[count]))
        count++;
    /* Observing the PIT takes 55 ms: only without a better timer, and if legacy PC hardware can be
     * expected. */
    if (!count && count < max && !acpi->hardware_reduced && pit_find(&clocks[count]))
        count++;
    return count;
}
