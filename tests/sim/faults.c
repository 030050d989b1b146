/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/faults.h"

#include <math.h>

#include "tests/sim/simulator.h"

#define NOT_HERE  UINT64_MAX
#define COUNT_MAX 0x7fffu /* as of a machine-check bank that counts */

/* ---- places */

/* A physical address as an offset in the open window. */
static uint64_t offset_of(const struct simulator *sim, uint64_t physical)
{
    const struct sim_window *window = &sim->window;
    uint64_t place = sim_map_offset(&sim->system->dram->map, physical);
    uint64_t inside = place & ((1ull << window->page_log2) - 1);

    for (uint64_t page = 0; page < window->bytes >> window->page_log2; page++)
        if ((uint64_t)window->frame[page] << window->page_log2 == place - inside)
            return (page << window->page_log2) + inside;
    return NOT_HERE;
}

static uint64_t physical_of(const struct simulator *sim, uintptr_t address)
{
    const struct sim_window *window = &sim->window;
    uint64_t offset = address - window->base;
    uint64_t inside = offset & ((1ull << window->page_log2) - 1);
    uint64_t frame = window->frame[offset >> window->page_log2];

    return sim_map_physical(&sim->system->dram->map, frame << window->page_log2 | inside);
}

static bool in_range(const struct sim_fault_config *fault, uint64_t physical)
{
    uint64_t from = fault->physical & ~7ull;

    return physical >= from && physical - from < fault->bytes;
}

static bool is_of_lane(const struct sim_fault_config *fault)
{
    return fault->kind == SIM_LANE_READS || fault->kind == SIM_LANE_WRITES;
}

/* In the word that holds the byte. */
static uint64_t bit_of(const struct sim_fault_config *fault)
{
    return 1ull << (fault->physical % 8 * 8 + fault->bit);
}

static double dice(struct simulator *sim)
{
    return (double)(random_next(&sim->faults.random) >> 11) * 0x1p-53;
}

/* ---- single accesses */

/* Where an access to an address really goes. */
static uintptr_t place_of(const struct simulator *sim, uintptr_t address, uint64_t physical)
{
    for (size_t i = 0; i < sim->config->fault_count; i++) {
        const struct sim_fault_config *fault = &sim->config->fault[i];
        uint64_t offset;
        if (fault->kind != SIM_ALIASED || !in_range(fault, physical))
            continue;
        offset = offset_of(sim, fault->with + (physical - fault->physical));
        if (offset != NOT_HERE)
            return sim->window.base + offset;
    }
    return address;
}

static uint64_t spoilt_by_lanes(struct simulator *sim, enum sim_fault_kind kind, uint64_t physical,
                                uint64_t value)
{
    for (size_t i = 0; i < sim->config->fault_count; i++) {
        const struct sim_fault_config *fault = &sim->config->fault[i];
        if (fault->kind == kind && in_range(fault, physical) && dice(sim) < fault->share)
            value ^= bit_of(fault);
    }
    return value;
}

uintptr_t sim_faults_word(struct simulator *sim, uintptr_t address)
{
    uint64_t physical = physical_of(sim, address);
    uintptr_t place = place_of(sim, address, physical);

    return spoilt_by_lanes(sim, SIM_LANE_READS, physical, *(const volatile uintptr_t *)place);
}

/* A cell whose own bit rises inverts another. */
static void disturb_others(struct simulator *sim, uint64_t offset, uint64_t before, uint64_t after)
{
    for (size_t i = 0; i < sim->config->fault_count; i++) {
        const struct sim_fault_config *fault = &sim->config->fault[i];
        uint64_t bit = 1ull << (fault->with % 8 * 8 + fault->bit);
        if (sim->faults.offset[i] == NOT_HERE)
            continue;
        if (fault->kind == SIM_COUPLED && (sim->faults.other[i] & ~7ull) == offset &&
            (~before & after & bit) != 0)
            *(uint8_t *)(sim->window.base + sim->faults.offset[i]) ^= (uint8_t)(1u << fault->bit);
        if (fault->kind == SIM_LEAKING && (sim->faults.offset[i] & ~7ull) == offset)
            sim->faults.written_ns[i] = simulator_now_ns(sim);
    }
}

void sim_faults_keep(struct simulator *sim, uintptr_t address, uintptr_t value)
{
    uint64_t physical = physical_of(sim, address);
    volatile uintptr_t *place = (volatile uintptr_t *)place_of(sim, address, physical);
    uintptr_t before = *place;

    *place = spoilt_by_lanes(sim, SIM_LANE_WRITES, physical, value);
    disturb_others(sim, (uintptr_t)place - sim->window.base, before, *place);
}

/* ---- banks that count */

static void count_error(struct simulator *sim, size_t index)
{
    const struct sim_fault_config *fault = &sim->config->fault[index];
    struct error_bank *bank = &sim->faults.bank[index % sim->config->counters.banks];
    bool corrected = fault->kind == SIM_CORRECTED;

    bank->corrected += corrected;
    bank->saturated = bank->corrected == COUNT_MAX;
    bank->overflow = bank->valid;
    /* What is worse stays; of as bad ones the first. */
    if (bank->valid && (corrected || bank->severity == ERROR_UNCORRECTED))
        return;
    bank->valid = bank->memory = true;
    bank->severity = corrected ? ERROR_CORRECTED : ERROR_UNCORRECTED;
    bank->status = 0x8c00000000000090 | (uint64_t)!corrected << 61;
    bank->address = bank->physical = fault->physical;
    bank->misc = 0x86;
}

/* As many as a rate gives in a time, each at its own moment of it. */
static void count_errors(struct simulator *sim, size_t index, double past_s)
{
    double rate_hz = sim->config->fault[index].rate_hz, s = 0;
    const struct error_bank *bank = &sim->faults.bank[index % sim->config->counters.banks];

    for (uint32_t i = 0; i < COUNT_MAX && !bank->saturated; i++) {
        s -= log(1 - dice(sim)) / rate_hz;
        if (s >= past_s)
            return;
        count_error(sim, index);
    }
}

void sim_faults_read_banks(void *self, struct error_banks *now)
{
    const struct simulator *sim = self;

    now->counting = ERRORS_COUNTED;
    now->source = "simulated banks";
    now->why = NULL;
    now->banks = sim->config->counters.banks;
    for (uint32_t i = 0; i < now->banks; i++)
        now->bank[i] = sim->faults.bank[i];
}

/* ---- as time passes */

static void overwrite(struct simulator *sim, const struct sim_fault_config *fault, uint64_t offset)
{
    for (uint64_t byte = 0; byte < fault->bytes && offset + byte < sim->window.bytes; byte += 8)
        *(uint64_t *)(sim->window.base + (offset & ~7ull) + byte) =
            random_next(&sim->faults.random);
}

/* How probable an odd number of flips is where so many are to be expected. */
static double flipped_share(double flips)
{
    return (1 - exp(-2 * flips)) / 2;
}

static void decay(struct simulator *sim, size_t index, double now_ns, double past_s)
{
    const struct sim_fault_config *fault = &sim->config->fault[index];
    uint8_t *byte = (uint8_t *)(sim->window.base + sim->faults.offset[index]);
    uint8_t bit = (uint8_t)(1u << fault->bit);

    if (fault->kind == SIM_STUCK_0 ||
        (fault->kind == SIM_LEAKING && now_ns - sim->faults.written_ns[index] > fault->after_ns)) {
        *byte &= (uint8_t)~bit;
    } else if (fault->kind == SIM_STUCK_1) {
        *byte |= bit;
    } else if (fault->kind == SIM_FLIPPING && dice(sim) < flipped_share(fault->rate_hz * past_s)) {
        *byte ^= bit;
    } else if (fault->kind == SIM_CORRECTED || fault->kind == SIM_UNCORRECTED) {
        count_errors(sim, index, past_s);
    } else if (fault->kind == SIM_CHANGED && !sim->faults.done[index] &&
               now_ns * 1e-9 >= fault->at_s) {
        overwrite(sim, fault, sim->faults.offset[index]);
        sim->faults.done[index] = true;
    }
}

void sim_faults_decay(struct simulator *sim)
{
    double now_ns = simulator_now_ns(sim);
    double past_s = (now_ns - sim->faults.until_ns) * 1e-9;

    sim->faults.until_ns = now_ns;
    for (size_t i = 0; i < sim->config->fault_count; i++)
        if (sim->window.open && sim->faults.offset[i] != NOT_HERE)
            decay(sim, i, now_ns, past_s);
}

/* ---- windows */

void sim_faults_open(struct simulator *sim)
{
    for (size_t i = 0; i < sim->config->fault_count; i++) {
        const struct sim_fault_config *fault = &sim->config->fault[i];
        sim->faults.offset[i] = offset_of(sim, fault->physical);
        sim->faults.other[i] = fault->kind == SIM_COUPLED ? offset_of(sim, fault->with) : NOT_HERE;
        sim->faults.written_ns[i] = simulator_now_ns(sim);
    }
}

void sim_faults_start(struct simulator *sim)
{
    sim->faults = (struct sim_faults){.acts = false};
    random_start(&sim->faults.random, sim->config->seed + 400);
    for (size_t i = 0; i < sim->config->fault_count; i++) {
        const struct sim_fault_config *fault = &sim->config->fault[i];
        sim->faults.acts |= is_of_lane(fault) || fault->kind == SIM_ALIASED ||
                            fault->kind == SIM_COUPLED || fault->kind == SIM_LEAKING;
    }
}
