/* SPDX-License-Identifier: BSD-2-Clause */
/* No prefetcher register of AArch64 is in reach of EL0. */
#include "arch/arch.h"

void arch_prefetch_try(const struct prefetch_request *request, struct prefetch_report *report)
{
    (void)request;
    *report = (struct prefetch_report){.count = 0, .state = PREFETCH_UNSUPPORTED};
}

bool arch_prefetch_only_off(uint32_t index, struct prefetch_report *report)
{
    (void)index;
    *report = (struct prefetch_report){.count = 0, .state = PREFETCH_UNSUPPORTED};
    return false;
}
