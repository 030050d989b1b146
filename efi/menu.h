/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens after a run: by the option end=, or by the menu. */
#ifndef EFI_MENU_H
#define EFI_MENU_H

#include "core/options/options.h"
#include "efi/console.h"

enum menu_choice { MENU_AGAIN, MENU_SHUTDOWN, MENU_REBOOT, MENU_RETURN };

/* Waits for one of the menu's keys; digits and letters, as a serial line sends them. Without a
 * keyboard it waits for ever. */
enum menu_choice menu_ask(struct console *console, const struct firmware *fw);
/* The choice that an option stands for; END_MENU asks. */
enum menu_choice menu_choose(enum option_end end, struct console *console,
                             const struct firmware *fw);
/* Shuts down or resets, after giving a stick the time to write its cache when settle is true.
 * Returns only when the firmware refuses. */
void menu_leave(enum menu_choice choice, bool settle, struct console *console,
                const struct firmware *fw);

#endif
