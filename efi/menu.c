/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run; see menu.h. */
#include "efi/menu.h"

#include "efi/keys.h"

#define SETTLE_MS 700 /* sticks lose the last data sent when power goes at once */

enum menu_choice menu_ask(const struct firmware *fw)
{
    for (;;) {
        switch (keys_wait(fw)) {
        case '1':
        case 'a':
        case 'A':
            return MENU_AGAIN;
        case '2':
        case 's':
        case 'S':
            return MENU_SHUTDOWN;
        case '3':
        case 'r':
        case 'R':
            return MENU_REBOOT;
        case '4':
        case 'q':
        case 'Q':
            return MENU_RETURN;
        case '5':
        case 'p':
        case 'P':
            return MENU_REPORT;
        default:
            break;
        }
    }
}

enum menu_choice menu_choose(enum option_end end, const struct firmware *fw)
{
    switch (end) {
    case END_SHUTDOWN:
        return MENU_SHUTDOWN;
    case END_REBOOT:
        return MENU_REBOOT;
    case END_RETURN:
        return MENU_RETURN;
    case END_MENU:
    default:
        return menu_ask(fw);
    }
}

void menu_leave(enum menu_choice choice, bool settle, struct console *console,
                const struct firmware *fw)
{
    EFI_RESET_TYPE type = choice == MENU_SHUTDOWN ? EfiResetShutdown : EfiResetCold;

    if (choice != MENU_SHUTDOWN && choice != MENU_REBOOT)
        return;
    if (settle)
        firmware_wait_ms(fw, SETTLE_MS);
    fw->system->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
    console_print(console, "the firmware refused to do that\n");
}
