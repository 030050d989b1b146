/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's watchdog (UEFI 2.10, section 7.5, SetWatchdogTimer): a machine that hangs is reset
 * by it. It counts by interrupts, so a hang inside a quiet section is not seen. */
#ifndef EFI_WATCHDOG_H
#define EFI_WATCHDOG_H

#include "efi/firmware.h"

/* Longer than anything takes that shows no progress: opening a window of terabytes, reading the
 * figures of all boots off a slow stick. */
#define WATCHDOG_S 600

struct watchdog {
    const struct firmware *fw;
    bool armed;
    unsigned seconds;
    uint64_t at_ns; /* when it was armed last, by watchdog_again's clock */
};

/* False: the firmware has none. */
bool watchdog_arm(struct watchdog *watchdog, const struct firmware *fw, unsigned seconds);
/* Lets it wait anew, if it is armed; asks the firmware at most once a second. now_ns: any monotonic
 * clock. */
void watchdog_again(struct watchdog *watchdog, uint64_t now_ns);
/* Off, if it was armed: as firmware_start has left it. What the firmware had set before that cannot
 * be read. */
void watchdog_off(struct watchdog *watchdog);

#endif
