/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys from ConIn; see keys.h. */
#include "efi/keys.h"

#define FLUSH_MAX 64 /* a stuck key must not block the start */

bool keys_poll(const struct firmware *fw, unsigned *key)
{
    SIMPLE_INPUT_INTERFACE *in = fw->system->ConIn;
    EFI_INPUT_KEY pressed = {0};

    /* Some firmware blocks or repeats in ReadKeyStroke when there is no key, so its event is
     * checked first (as systemd-boot's console.c found). */
    if (in == NULL || EFI_ERROR(fw->boot->CheckEvent(in->WaitForKey)) ||
        EFI_ERROR(in->ReadKeyStroke(in, &pressed)))
        return false;
    *key = pressed.UnicodeChar >= 0x80 ? 0
           : pressed.UnicodeChar != 0  ? pressed.UnicodeChar
           : pressed.ScanCode != 0     ? KEY_SCAN + pressed.ScanCode
                                       : 0;
    return true;
}

void keys_flush(const struct firmware *fw)
{
    SIMPLE_INPUT_INTERFACE *in = fw->system->ConIn;
    EFI_INPUT_KEY pressed;

    /* Keys typed before the start may wait in a driver below the event: EDK2's terminal turns bytes
     * into keys when it is read, not when the event is checked. */
    for (unsigned i = 0; in != NULL && i < FLUSH_MAX; i++)
        if (EFI_ERROR(in->ReadKeyStroke(in, &pressed)))
            return;
}

unsigned keys_wait(const struct firmware *fw)
{
    unsigned key = 0;

    while (!keys_poll(fw, &key))
        firmware_wait_ms(fw, 20);
    return key;
}
