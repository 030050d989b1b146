/* SPDX-License-Identifier: BSD-2-Clause */
/* A mark in non-volatile memory before a write that may hang the machine, deleted after it. If a
 * later start finds it, that write did not return. It is the EFI variable "prefetch-try" under
 * BREADCRUMB_GUID, 8 bytes that identify the CPU. */
#ifndef EFI_BREADCRUMB_H
#define EFI_BREADCRUMB_H

#include "core/results/notes.h"
#include "efi/firmware.h"

#define BREADCRUMB_GUID                                    \
    {                                                      \
        0x501fdc93, 0x21c7, 0x4da0,                        \
        {                                                  \
            0x88, 0x5c, 0x5b, 0x0d, 0x62, 0x76, 0x32, 0xef \
        }                                                  \
    }

struct breadcrumb {
    bool asked;   /* set, or refused, since the application started */
    bool refused; /* no risky write until the next start */
    bool laid;
};

/* Sets the mark. True: it reads back, so the risky write may be made. False, with a note why: an
 * older mark was found (it is reported once and deleted), or the firmware does not keep variables.
 * The result holds until the next start: after one write that returned, no further mark is needed.
 */
bool breadcrumb_lay(struct breadcrumb *crumb, const struct firmware *fw, uint64_t identity,
                    struct notes *notes);
/* Deletes the mark after the write. */
void breadcrumb_take(struct breadcrumb *crumb, const struct firmware *fw, struct notes *notes);

#endif
