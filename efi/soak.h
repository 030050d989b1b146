/* SPDX-License-Identifier: BSD-2-Clause */
/* A soak: the run again and again over boots of a board, with its state and its history on the
 * stick (core/verdict/soak.h). Whatever cannot be written and read back ends it, so that no stick
 * resets a board for ever. */
#ifndef EFI_SOAK_H
#define EFI_SOAK_H

#include "core/firmware/smbios.h"
#include "core/options/options.h"
#include "core/results/notes.h"
#include "core/verdict/soak.h"
#include "core/verdict/verdict.h"
#include "efi/console.h"
#include "efi/file.h"

#define SOAK_HISTORY_MAX (1u << 20) /* bytes of a history that is read */

struct soak {
    const struct firmware *fw;
    const struct volume *volume;
    const struct options *options;
    CHAR16 state_path[FILE_PATH_MAX], history_path[FILE_PATH_MAX];
    struct soak_state state;
    unsigned next_slot;
    const char *refused; /* why there is none although it was asked for; else NULL */
    bool active;
    char *history; /* as it stood at the start; the pool's */
    size_t history_bytes;
};

/* Begins a boot of a soak if boots= asks for one: finds state and history of this board, mends a
 * line that power tore, counts a boot that died, and writes that this one runs. Why there is none
 * is a note. */
void soak_start(struct soak *soak, const struct firmware *fw, const struct volumes *volumes,
                const struct options *options, const char *board, const struct smbios_facts *smbios,
                struct notes *notes);
/* How many of its boots so far had the verdict SUSPECT. */
uint32_t soak_suspects(const struct soak *soak);
/* Whether the boot under way is the last. */
bool soak_is_last(const struct soak *soak);
/* The numbers of the results of this soak's earlier boots, oldest first, at most max; returns how
 * many. */
size_t soak_runs(const struct soak *soak, uint32_t run[], size_t max);

/* What a boot's line says. */
struct soak_said {
    unsigned run; /* number of its results; 0: they were not saved, which ends the soak */
    const char *status, *verdict;
    bool conclusive;
    uint64_t errors, warnings;
    double seconds;
};

/* Ends the boot: its line goes into state and history, and is read back. True: another boot is to
 * follow, and no key was pressed for five seconds; then soak_reset. */
bool soak_finish(struct soak *soak, const struct soak_said *said, struct console *console);
/* Resets the machine as boot= says, and has the firmware start from the same place again; returns
 * only if the firmware refuses. */
void soak_reset(const struct soak *soak, struct console *console);
void soak_stop(struct soak *soak);

#endif
