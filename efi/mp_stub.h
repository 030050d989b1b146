/* SPDX-License-Identifier: BSD-2-Clause */
/* Test build only: MP services between the application and the firmware's, which pass everything on
 * but for the fault that inject=mp-FAULT[:NUMBER][@CPU] asks for. CPU is the firmware's number of a
 * processor, 1 without it. NUMBER is from which start on (1: the first), or milliseconds where the
 * fault is one of time, of the first start alone.
 *
 *   missing                     there are none
 *   count-error, count-million  no count of processors; one that is far too large
 *   info-error, twice           nothing is known of CPU; it has the id of the one before it
 *   disabled, sick              CPU is listed so
 *   error, error-ran            CPU's start ends in an error; all the same CPU runs
 *   nobody, late, other         it ends well, and nobody comes, CPU does later, the one behind does
 *   stays, hang                 CPU does not go back; the firmware does not come back
 *   no-beside                   all at once are refused unless the boot CPU waits
 *   all-refused, all-error, all-nobody, all-late, all-stays, all-hang
 *                               the same of all at once; error: all of them run
 *   all-without                 all but CPU come
 *   no-event, late-event        all go back, and the firmware does not say so; later */
#ifndef EFI_MP_STUB_H
#define EFI_MP_STUB_H

#include "efi/console.h"
#include "efi/mp_services.h"

/* Reads FAULT[:NUMBER]; false if it is none. */
bool mp_stub_choose(const char *words, size_t bytes, uint64_t cpu);
/* What is to be called instead of the firmware's, which may be NULL; NULL: there are none. */
struct mp_services *mp_stub_services(const struct firmware *fw, struct mp_services *real);
/* On another CPU, before what it was started for: stays there if it is to. */
void mp_stub_body(void);
/* Whether the watchdog is to be short. */
bool mp_stub_hangs(void);
/* Waits until late ones have come, and says in one line what was asked for and who came. */
void mp_stub_report(struct console *console);

#endif
