/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens after a run: by the option end=, or by the menu. */
#ifndef EFI_MENU_H
#define EFI_MENU_H

#include "core/options/options.h"
#include "efi/console.h"

/* MENU_NONE: what was chosen cannot be done. */
enum menu_choice { MENU_AGAIN, MENU_SHUTDOWN, MENU_REBOOT, MENU_RETURN, MENU_REPORT, MENU_NONE };

#define MENU_WORDS "1 again   2 shut down   3 reboot   4 return to the firmware   5 report"

/* Waits for one of the keys of MENU_WORDS, which are on the screen already; digits and letters, as
 * a serial line sends them. A key that was typed before counts: the caller flushes those of the run
 * before the menu is shown. Waits for ever without a keyboard. */
enum menu_choice menu_ask(const struct firmware *fw);
/* The choice for the option end=; END_MENU shows the menu and waits for a key. */
enum menu_choice menu_choose(enum option_end end, const struct firmware *fw);
/* Shuts down or resets, after giving a stick the time to write its cache when settle is true.
 * Returns only when the firmware refuses. */
void menu_leave(enum menu_choice choice, bool settle, struct console *console,
                const struct firmware *fw);

#endif
