/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's calendar (GetTime, UEFI 2.10 section 8.3) as a clock of whole seconds: the second
 * clock of machines whose tables promise no better one. */
#ifndef EFI_CALENDAR_H
#define EFI_CALENDAR_H

#include "core/clock/calendar.h"
#include "efi/firmware.h"

/* A calendar_reader; context is a const struct firmware. False when there is no calendar, or it
 * has not been set. Not to be called above TPL_CALLBACK. */
bool calendar_read(void *context, int64_t *seconds);

#endif
