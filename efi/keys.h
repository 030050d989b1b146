/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's keyboard (serial lines included): polled, never waited for inside the firmware. */
#ifndef EFI_KEYS_H
#define EFI_KEYS_H

#include "efi/firmware.h"

/* Drops keys typed so far: firmware hands over those of the boot menu. */
void keys_flush(const struct firmware *fw);
/* Keys that have no character: KEY_SCAN and UEFI's scan code (UEFI 2.10, 12.1.2). */
#define KEY_SCAN      0x100u
#define KEY_UP        (KEY_SCAN + SCAN_UP)
#define KEY_DOWN      (KEY_SCAN + SCAN_DOWN)
#define KEY_HOME      (KEY_SCAN + SCAN_HOME)
#define KEY_END       (KEY_SCAN + SCAN_END)
#define KEY_PAGE_UP   (KEY_SCAN + SCAN_PAGE_UP)
#define KEY_PAGE_DOWN (KEY_SCAN + SCAN_PAGE_DOWN)
#define KEY_ESCAPE    (KEY_SCAN + SCAN_ESC)

/* True if a key was pressed; *key is its ASCII character, 0 if it has none. */
bool keys_poll(const struct firmware *fw, unsigned *key);
/* Waits for a key; forever if the machine has no keyboard. */
unsigned keys_wait(const struct firmware *fw);

#endif
