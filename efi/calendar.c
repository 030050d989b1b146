/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads GetTime; see calendar.h. */
#include "efi/calendar.h"

bool calendar_read(void *context, int64_t *seconds)
{
    const struct firmware *fw = context;
    struct calendar_time time;
    EFI_TIME now;

    if (EFI_ERROR(fw->system->RuntimeServices->GetTime(&now, NULL)))
        return false;
    time = (struct calendar_time){now.Year, now.Month, now.Day, now.Hour, now.Minute, now.Second};
    return calendar_seconds(&time, seconds);
}
