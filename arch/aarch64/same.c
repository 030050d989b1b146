/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what pure_same.c compares. */
#include "arch/aarch64/pure_describe.h"
#include "arch/aarch64/pure_same.h"
#include "arch/aarch64/registers.h"
#include "arch/arch.h"
#include "core/lib/memory.h"

void arch_same_read(struct same_words *same)
{
    bool el2 = registers_level() == 2;
    struct arch_paging paging;

    *same = (struct same_words){.hardware_id = aarch64_affinity(registers_mpidr_el1())};
    arch_paging_read(&paging);
    memory_copy(same->word, paging.control, sizeof paging.control);
    same->word[SAME_ROOT] = paging.root;
    same->word[SAME_FP_TRAPS] = el2 ? registers_cptr_el2() : registers_cpacr_el1();
    same->word[SAME_CACHE_TYPE] = registers_ctr_el0();
    same->word[SAME_FREQUENCY] = registers_cntfrq_el0();
    same->word[SAME_STACK] = registers_spsel();
}

const char *arch_same_refusal(const struct same_words *boot, const struct same_words *other)
{
    return aarch64_same_refusal(boot, other);
}
