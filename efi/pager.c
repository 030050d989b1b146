/* SPDX-License-Identifier: BSD-2-Clause */
#include "efi/pager.h"

#include "efi/keys.h"

/* Letters for serial lines, whose terminals send too many kinds of arrows. */
static enum pager_move move_of(unsigned key)
{
    static const struct {
        unsigned key;
        enum pager_move move;
    } moves[] = {
        {' ', PAGER_PAGE_DOWN},
        {'f', PAGER_PAGE_DOWN},
        {KEY_PAGE_DOWN, PAGER_PAGE_DOWN},
        {'b', PAGER_PAGE_UP},
        {KEY_PAGE_UP, PAGER_PAGE_UP},
        {'j', PAGER_LINE_DOWN},
        {'\r', PAGER_LINE_DOWN},
        {KEY_DOWN, PAGER_LINE_DOWN},
        {'k', PAGER_LINE_UP},
        {KEY_UP, PAGER_LINE_UP},
        {'<', PAGER_TOP},
        {KEY_HOME, PAGER_TOP},
        {'>', PAGER_BOTTOM},
        {KEY_END, PAGER_BOTTOM},
        {'q', PAGER_LEAVE},
        {'Q', PAGER_LEAVE},
        {KEY_ESCAPE, PAGER_LEAVE},
    };

    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (moves[i].key == key)
            return moves[i].move;
    return PAGER_STAY;
}

void pager_show(struct pager *pager, const char *text, size_t bytes, struct console *console,
                const struct firmware *fw)
{
    size_t shown;

    pager_start(pager, text, bytes, console_rows(console));
    console_show(console, pager_page(pager));
    for (;;) {
        shown = pager->top;
        if (!pager_go(pager, move_of(keys_wait(fw))))
            return;
        if (pager->top != shown)
            console_show(console, pager_page(pager));
    }
}
