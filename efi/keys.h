/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's keyboard (serial lines included): asked, never waited for inside the firmware. */
#ifndef EFI_KEYS_H
#define EFI_KEYS_H

#include "efi/firmware.h"

/* Drops what was typed before now: firmware hands over the keys of the boot menu. */
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

/* True when a key was pressed; *key its ASCII character, or KEY_SCAN and more; 0: it has neither.
 */
bool keys_poll(const struct firmware *fw, unsigned *key);
/* Waits for a key; for ever when the machine has no keyboard. */
unsigned keys_wait(const struct firmware *fw);

#endif
