/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys from ConIn; see keys.h. */
#include "efi/keys.h"

#define FLUSH_MOST 64 /* a stuck key must not hold the start up */

bool keys_poll(const struct firmware *fw, char *key)
{
    SIMPLE_INPUT_INTERFACE *in = fw->system->ConIn;
    EFI_INPUT_KEY pressed = {0};

    /* Some firmware blocks or repeats in ReadKeyStroke when nothing is there, so its event is
     * asked first (as systemd-boot's console.c found). */
    if (in == NULL || EFI_ERROR(fw->boot->CheckEvent(in->WaitForKey)) ||
        EFI_ERROR(in->ReadKeyStroke(in, &pressed)))
        return false;
    *key = pressed.UnicodeChar < 0x80 ? (char)pressed.UnicodeChar : 0;
    return true;
}

void keys_flush(const struct firmware *fw)
{
    char key;

    for (unsigned i = 0; i < FLUSH_MOST && keys_poll(fw, &key); i++)
        continue;
}

char keys_wait(const struct firmware *fw)
{
    char key = 0;

    while (!keys_poll(fw, &key))
        firmware_wait_ms(fw, 20);
    return key;
}
