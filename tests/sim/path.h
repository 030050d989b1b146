/* SPDX-License-Identifier: BSD-2-Clause */
/* What a window of the simulated machine was built to hold, and so the path that a chase takes
 * through it. The contents of a chain follow from its order: where they are not in the host's
 * memory they are computed. And the addresses of one chain are known before they are loaded, so
 * that the host fetches what the simulation needs of them all at once. None of this changes what is
 * simulated. Whatever reads a window's contents on behalf of the simulated machine, work of a new
 * kind above all, takes them from sim_path_word: the host's memory may never have held them. */
#ifndef TESTS_SIM_PATH_H
#define TESTS_SIM_PATH_H

#include "core/chase/chain.h"
#include "tests/sim/memory_system.h"
#include "tests/sim/sparse.h"

struct simulator;

/* A load to come. */
struct sim_step {
    uintptr_t address, value;
    struct sim_reference to;
};

#define SIM_PATH_STEPS 32
/* The host's large pages. */
#define SIM_HOST_PAGE_LOG2 21

struct sim_path {
    bool known;  /* what the window was built to hold is known */
    bool draws;  /* of draws, not of a chain */
    bool stored; /* its contents are in the host's memory */
    bool ahead;  /* steps are worthwhile: the window is large, there is one chain, and what comes
                    next is known */
    /* Lists of lines were built in a large window: from then on its contents are words, and not in
       the host's memory. */
    bool few;
    struct sim_sparse words;
    /* Words that were written last since: [1] a node, [0] any other; at 0: none. */
    uintptr_t written_at[2], written[2];
    struct chain chain;
    struct line_order *order; /* the chain's, a copy; NULL: none was needed yet */
    uint64_t closing[CHAINS_MAX], first[CHAINS_MAX]; /* lines: each chain's last and first */
    uint32_t pos, count;                             /* of step[]: the next one, and how many */
    struct sim_step step[SIM_PATH_STEPS];
    uint64_t position; /* in the order, of what comes after them */
    /* Of draws: the same as the kernel's. */
    uintptr_t draw_at, draw_base;
    uint64_t draw, draw_lines;
};

/* The window holds, or will once it is built, this chain, or draws. Kept for windows of which the
 * contents matter to the host's speed; returns whether it is kept: then nothing need be stored. */
bool sim_path_build(struct simulator *sim, const struct chain *chain, bool draws);
/* Forgets the path; what words hold stays. */
void sim_path_forget(struct simulator *sim);
/* Another window: nothing is known of it. */
void sim_path_open(struct simulator *sim);
/* Stores a word that is to be kept. */
void sim_path_keep(struct simulator *sim, uintptr_t address, uintptr_t value);
/* From now on no word that is read has its contents stored first. */
void sim_path_expose(struct simulator *sim);
/* Stores its contents after all: they are about to be changed. */
void sim_path_store(struct simulator *sim);
/* A chase begins. */
void sim_path_chase(struct simulator *sim, const struct chase_plan *plan);
void sim_path_stop(struct simulator *sim);
/* A store. Of what is not in the host's memory one node's word and one other are kept at a time: a
 * chase writes into nodes' words only to make one of them point to itself for a while and looks at
 * no other word, and what measures without a chain does the same with one word. */
void sim_path_write(struct simulator *sim, uintptr_t address, uintptr_t value);
/* The word at an address of the open window. */
uintptr_t sim_path_word(struct simulator *sim, uintptr_t address);

/* sim_path_step for an address that is not the next one of those kept. */
const struct sim_step *sim_path_seek(struct simulator *sim, uintptr_t address);

/* What is known of a load of the only chain; NULL: nothing. */
static inline const struct sim_step *sim_path_step(struct simulator *sim, struct sim_path *path,
                                                   uintptr_t address)
{
    if (!path->ahead)
        return NULL;
    if (path->pos == path->count || path->step[path->pos].address != address)
        return sim_path_seek(sim, address);
    return &path->step[path->pos++];
}

#endif
