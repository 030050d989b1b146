/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/edac.h"

#include <stdio.h>

#include "tests/host/sysfile.h"

static bool count_of(const char *root, uint32_t controller, const char *name, uint64_t *count)
{
    char path[200];

    snprintf(path, sizeof path, "%s/mc%u/%s", root, controller, name);
    return sysfile_number(path, count);
}

void edac_read(const char *root, struct error_banks *now)
{
    uint64_t corrected, others;

    now->counting = ERRORS_COUNTED;
    now->source = "EDAC's memory controllers";
    now->why = NULL;
    now->banks = 0;
    while (now->banks < ERROR_BANKS_MAX && count_of(root, now->banks, "ce_count", &corrected) &&
           count_of(root, now->banks, "ue_count", &others)) {
        now->bank[now->banks++] = (struct error_bank){.valid = others != 0,
                                                      .severity = ERROR_UNCORRECTED,
                                                      .memory = true,
                                                      .status = others,
                                                      .address = ERRORS_UNKNOWN,
                                                      .misc = ERRORS_UNKNOWN,
                                                      .physical = ERRORS_UNKNOWN,
                                                      .corrected = corrected};
    }
    if (now->banks != 0)
        return;
    now->counting = ERRORS_UNREAD;
    now->why = "the kernel has no EDAC driver that counts them";
}
