/* SPDX-License-Identifier: BSD-2-Clause */
/* What the simulated machine's memory does to its contents: bits that are stuck, flip or leak,
 * cells that disturb others, ranges that are one another's, lanes that spoil what passes, and
 * devices that write. Faults act on windows that are in the host's memory. */
#ifndef TESTS_SIM_FAULTS_H
#define TESTS_SIM_FAULTS_H

#include "core/machine.h"
#include "core/lib/random.h"
#include "tests/sim/config.h"

struct simulator;

struct sim_faults {
    bool acts;                       /* some act on single accesses, not only as time passes */
    uint64_t offset[SIM_FAULTS_MAX]; /* in the window; UINT64_MAX: it is not there */
    uint64_t other[SIM_FAULTS_MAX];  /* of the cell that disturbs, the same */
    double written_ns[SIM_FAULTS_MAX];
    bool done[SIM_FAULTS_MAX];
    double until_ns; /* until then has been decided what happens as time passes */
    struct random random;
    struct error_bank bank[ERROR_BANKS_MAX];
};

void sim_faults_start(struct simulator *sim);
/* machine.errors_read; self is a struct simulator. */
void sim_faults_read_banks(void *self, struct error_banks *now);
/* Another window is open. */
void sim_faults_open(struct simulator *sim);
/* Applies what happens as time passes. */
void sim_faults_decay(struct simulator *sim);
/* A word as it is read, and a word that is stored; if sim_faults.acts. */
uintptr_t sim_faults_word(struct simulator *sim, uintptr_t address);
void sim_faults_keep(struct simulator *sim, uintptr_t address, uintptr_t value);

#endif
