/* SPDX-License-Identifier: BSD-2-Clause */
/* A soak: the run again and again over boots of a board, with its state and its history on the
 * stick (core/verdict/soak.h). Whatever cannot be written and read back ends it, so that no stick
 * resets a board for ever. */
#ifndef EFI_SOAK_H
#define EFI_SOAK_H

#include "core/options/options.h"
#include "core/results/notes.h"
#include "core/verdict/soak.h"
#include "core/verdict/verdict.h"
#include "efi/console.h"
#include "efi/file.h"
#include "efi/machine.h"
#include "efi/watchdog.h"

#define SOAK_HISTORY_MAX (1u << 20) /* bytes of a history that is read */

struct soak {
    const struct firmware *fw;
    const struct volume *volume;
    const struct options *options;
    struct notes *notes;
    CHAR16 state_path[FILE_PATH_MAX], history_path[FILE_PATH_MAX];
    struct soak_state state;
    unsigned next_slot;
    const char *refused; /* why there is none although it was asked for; else NULL */
    bool active;
    char *history;                 /* as it was read last; the pool's */
    size_t history_bytes, returns; /* CR before the place of the line that is written next */
    char *slots; /* room for both; the pool's, so that nothing is allocated while a run measures */
    double firmware_s; /* that the firmware took; 0: not known */
    struct watchdog watchdog;
    bool next; /* BootNext is ours */
    struct progress now;
    bool shown, unmarked; /* now is known; where the run is cannot be kept */
    struct soak_mark mark;
};

/* Begins a boot of a soak if boots= asks for one: finds state and history of this board, mends a
 * line that power tore, counts a boot that died and says where it did, writes that this one runs,
 * and arms the firmware's watchdog. Why there is none is a note. notes are needed until soak_stop.
 */
void soak_start(struct soak *soak, const struct firmware *fw, const struct volumes *volumes,
                const struct options *options, const struct tables *tables, struct notes *notes);
/* What looks on while the engine runs: has the watchdog wait anew, and keeps in the state where the
 * run is. */
struct watch soak_watch(struct soak *soak);
/* How many of its boots so far had the verdict SUSPECT. */
uint32_t soak_suspects(const struct soak *soak);
/* Whether the boot under way is the last. */
bool soak_is_last(const struct soak *soak);
/* This soak's earlier boots, oldest first, at most the last max; returns how many. */
size_t soak_earlier(const struct soak *soak, struct soak_boot boot[], size_t max);

/* Ends the boot: its line goes into state and history, and is read back. said->firmware_s is filled
 * in here. True: another boot is to follow, and no key was pressed for five seconds; then
 * soak_reset. Otherwise the watchdog is off again. */
bool soak_finish(struct soak *soak, struct soak_said *said, struct console *console);
/* Resets the machine as boot= says, and has the firmware start from the same place again; returns
 * only if the firmware refuses. */
void soak_reset(struct soak *soak, struct console *console);
void soak_stop(struct soak *soak);

#endif
