/* SPDX-License-Identifier: BSD-2-Clause */
/* The next save; see save.h. */
#include "core/results/save.h"

#define POINT_BYTES 1536u /* a point's record and those that come with it take 1 to 1.2 KiB */

size_t save_room(uint64_t points, uint64_t free_bytes)
{
    uint64_t max = free_bytes / 2 / SAVE_ROOM_BYTES * SAVE_ROOM_BYTES;
    uint64_t wanted = points > max / POINT_BYTES ? max : points * POINT_BYTES + SAVE_ROOM_BYTES;

    if (wanted > max)
        wanted = max;
    return (size_t)(wanted < SAVE_ROOM_BYTES ? SAVE_ROOM_BYTES : wanted);
}

void save_start(struct save *save)
{
    *save = (struct save){.part = 1};
}

/* The newline that ends the last record which still fits in the part; `saved` when no record fits.
 */
static size_t fitting_end(const struct save *save, const char *text, size_t used)
{
    size_t end = save->base + save->room - 1;

    if (end > used - 1)
        end = used - 1;
    while (end > save->saved && text[end] != '\n')
        end--;
    return end;
}

struct save_step save_next(const struct save *save, const char *text, size_t used, size_t room)
{
    struct save_step step = {.act = SAVE_NOTHING, .part = save->part, .from = save->saved};
    bool open = save->saved < used && text[save->saved] == '\n';
    size_t end;

    if (used - save->saved <= (save->append ? 0 : open))
        return step;
    if (save->append) {
        step.act = SAVE_APPEND;
        step.bytes = used - save->saved;
        return step;
    }
    end = save->made ? fitting_end(save, text, used) : save->saved;
    if (save->made && end > save->saved) {
        step.act = SAVE_OVERWRITE;
        /* The newline is a save of its own and flushed: if it were lost and later writes kept, the
         * last record would share a line with a piece of the next one. */
        step.bytes = open ? 1 : end - save->saved;
        step.position = save->saved - save->base;
        return step;
    }
    step.act = SAVE_MAKE;
    if (save->made) {
        step.part++;
        step.from += open;
    }
    step.bytes = step.part == 1 ? room : SAVE_ROOM_BYTES;
    return step;
}

void save_did(struct save *save, const struct save_step *step)
{
    if (step->act == SAVE_NOTHING)
        return;
    if (step->act != SAVE_MAKE) {
        save->saved = step->from + step->bytes;
        return;
    }
    save->made = true;
    save->part = step->part;
    save->room = step->bytes;
    save->base = save->saved = step->from;
}

void save_append(struct save *save)
{
    save->append = true;
}
