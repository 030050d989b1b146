/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's keyboard (serial lines included): asked, never waited for inside the firmware. */
#ifndef EFI_KEYS_H
#define EFI_KEYS_H

#include "efi/firmware.h"

/* Drops what was typed before now: firmware hands over the keys of the boot menu. */
void keys_flush(const struct firmware *fw);
/* True when a key was pressed; *key its ASCII character, 0 for one that has none. */
bool keys_poll(const struct firmware *fw, char *key);
/* Waits for a key; for ever when the machine has no keyboard. */
char keys_wait(const struct firmware *fw);

#endif
