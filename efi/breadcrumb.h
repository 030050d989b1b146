/* SPDX-License-Identifier: BSD-2-Clause */
/* The mark that is left in non-volatile memory before a write that may cost the machine, and taken
 * away after it: found at a later start, it says that the write did not come back. It is the EFI
 * variable "prefetch-try" under BREADCRUMB_GUID, 8 bytes that tell the CPU. */
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
    bool asked;   /* laid, or refused, since the application was started */
    bool refused; /* nothing may be written until the next start */
    bool laid;
};

/* Lays the mark; true: it can be read back, go on and write. False, with a note that says why: an
 * older mark was found (it is told once and taken away), or the firmware does not keep variables.
 * The answer holds until the next start: a write that came back once needs no further mark. */
bool breadcrumb_lay(struct breadcrumb *crumb, const struct firmware *fw, uint64_t identity,
                    struct notes *notes);
/* After the write. */
void breadcrumb_take(struct breadcrumb *crumb, const struct firmware *fw, struct notes *notes);

#endif
