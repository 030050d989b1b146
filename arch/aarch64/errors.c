/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/aarch64/pure_errors.h"
#include "arch/aarch64/registers.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

/* False: a register of it faulted. */
static bool record_read(uint32_t number, struct error_banks *now)
{
    struct aarch64_error_words words;

    if (!sysreg_write(SYSREG_ERRSELR, number) || !sysreg_read(SYSREG_ERXFR, &words.feature))
        return false;
    now->bank[number] = (struct error_bank){.severity = ERROR_CORRECTED};
    if (!aarch64_error_is_there(words.feature))
        return true;
    if (!sysreg_read(SYSREG_ERXSTATUS, &words.status) ||
        !sysreg_read(SYSREG_ERXADDR, &words.address) || !sysreg_read(SYSREG_ERXMISC0, &words.misc0))
        return false;
    if (aarch64_error_counts(words.feature))
        now->counting = ERRORS_COUNTED;
    aarch64_error_decode(&words, &now->bank[number]);
    return true;
}

static void records_read(uint32_t count, struct error_banks *now)
{
    uint64_t selected;

    if (!sysreg_read(SYSREG_ERRSELR, &selected))
        return;
    now->counting = ERRORS_PRESENT;
    while (now->banks < count && record_read(now->banks, now))
        now->banks++;
    (void)sysreg_write(SYSREG_ERRSELR, selected);
    if (now->banks == 0)
        now->counting = ERRORS_UNREAD;
    else
        now->why = NULL;
}

static void read_body(void *arg)
{
    struct error_banks *now = arg;
    uint64_t identity;

    now->why = "the core has no error records";
    if (!aarch64_has_error_records(registers_id_aa64pfr0_el1()))
        return;
    now->why = "error records cannot be read at this exception level";
    if (!sysreg_read(SYSREG_ERRIDR, &identity))
        return;
    if (aarch64_error_count(identity) == 0)
        now->why = "the core has no error records of its own";
    else
        records_read(aarch64_error_count(identity), now);
}

void arch_errors_read(struct error_banks *now)
{
    static struct arch_quiet_result result;
    struct arch_quiet_plan plan = {.body = read_body, .arg = now};

    now->counting = ERRORS_UNREAD;
    now->source = "error records";
    now->why = "no quiet section";
    now->banks = 0;
    (void)arch_quiet_run(&plan, &result);
}
