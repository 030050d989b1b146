/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches the vectors, the SError route and the tables to ours, and back to the firmware's. */
#include "arch/aarch64/pure_control.h"
#include "arch/aarch64/quiet.h"
#include "arch/aarch64/registers.h"

static bool is_el2(void)
{
    return registers_level() == 2;
}

/* ---- vectors */

static void vbar_write(uint64_t vbar)
{
    if (is_el2())
        registers_vbar_el2_write(vbar);
    else
        registers_vbar_el1_write(vbar);
    registers_isb();
}

/* With both bits clear, EL2 does not take its own SErrors (DDI 0487, D1.3.6). */
static void serror_route(struct quiet_was *was)
{
    if (!is_el2())
        return;
    was->hcr = registers_hcr_el2();
    if (!(was->hcr & (HCR_AMO | HCR_TGE)))
        registers_hcr_el2_write(was->hcr | HCR_AMO);
    registers_isb();
}

static void serror_route_back(const struct quiet_was *was)
{
    if (is_el2() && !(was->hcr & (HCR_AMO | HCR_TGE)))
        registers_hcr_el2_write(was->hcr);
    registers_isb();
}

void quiet_vectors_enter(struct quiet_was *was, uintptr_t vectors)
{
    was->vbar = is_el2() ? registers_vbar_el2() : registers_vbar_el1();
    vbar_write(vectors);
    serror_route(was);
}

void quiet_vectors_leave(const struct quiet_was *was)
{
    serror_route_back(was);
    vbar_write(was->vbar);
}

/* ---- tables */

/* With VHE this is the EL2&0 regime, whose translations vmalle1 invalidates if TGE is set. */
static inline void translations_drop(const struct quiet_was *was)
{
    if (is_el2())
        registers_tlbi_alle2();
    if (!is_el2() || (was->hcr & HCR_E2H))
        registers_tlbi_vmalle1();
    registers_dsb_nsh();
    registers_isb();
}

/* The firmware's entries are never changed. If map=identity split a block, old and new translation
 * of an address differ only in size, and the old ones are invalidated before anything but this code
 * is accessed. If this code lies in such a block, a core could briefly see both sizes for it, for
 * which the architecture requires break-before-make, with translation off (DDI 0487, D8.14.1):
 * unverified on silicon. A window only adds addresses and is not affected. */
static void ttbr0_switch(const struct quiet_was *was, uint64_t root)
{
    registers_dsb_ish();
    registers_isb();
    if (is_el2())
        registers_ttbr0_el2_write(root);
    else
        registers_ttbr0_el1_write(root);
    registers_isb();
    translations_drop(was);
}

void quiet_tables_enter(struct quiet_was *was, uint64_t root)
{
    was->ttbr0 = is_el2() ? registers_ttbr0_el2() : registers_ttbr0_el1();
    was->switched = true;
    ttbr0_switch(was, root);
}

void quiet_tables_leave(struct quiet_was *was)
{
    if (!was->switched)
        return;
    ttbr0_switch(was, was->ttbr0);
    was->switched = false;
}
