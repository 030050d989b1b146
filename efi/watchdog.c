/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/watchdog.h"

#include "efi/inject.h"

#define CODE     0x10000 /* the lowest that is not the firmware's own */
#define AGAIN_NS 1000000000ull

static bool set(const struct firmware *fw, UINTN seconds)
{
    return !EFI_ERROR(fw->boot->SetWatchdogTimer(seconds, CODE, 0, NULL));
}

bool watchdog_arm(struct watchdog *watchdog, const struct firmware *fw, unsigned seconds)
{
    *watchdog = (struct watchdog){.fw = fw, .seconds = inject_watchdog_s(seconds)};
    watchdog->armed = set(fw, watchdog->seconds);
    return watchdog->armed;
}

void watchdog_again(struct watchdog *watchdog, uint64_t now_ns)
{
    if (!watchdog->armed || now_ns - watchdog->at_ns < AGAIN_NS)
        return;
    watchdog->at_ns = now_ns;
    (void)set(watchdog->fw, watchdog->seconds);
}

void watchdog_off(struct watchdog *watchdog)
{
    if (watchdog->armed)
        (void)set(watchdog->fw, 0);
    watchdog->armed = false;
}
