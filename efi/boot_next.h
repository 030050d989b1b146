/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the firmware boots from next (UEFI 2.10, section 3.3). */
#ifndef EFI_BOOT_NEXT_H
#define EFI_BOOT_NEXT_H

#include "efi/firmware.h"

/* Has the firmware boot from where we were started, once, where that is not its first choice
 * anyway. True: the variable BootNext was written; boot_next_forget takes that back. */
bool boot_next_here(const struct firmware *fw);
void boot_next_forget(const struct firmware *fw);

#endif
