/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the next save of a run's records goes, and what it holds, so that a power cut at any moment
 * leaves every record that was saved before, and at most one torn line behind them.
 *
 * A growing file is not safe under firmware: EDK2's FAT driver writes the file's size before the
 * data, and the newly allocated clusters may still hold records of a deleted run. So the file is
 * first written under a temporary name at its full size: blanks that end in a newline. After the
 * rename it is overwritten from the end of its last record (its newline first, then new records
 * without the last one's newline) and never changes its size. The remaining blanks are part of the
 * last line, so that the file is valid JSON Lines after each complete save. Records that do not fit
 * go to another file that is made the same way. Where files cannot be renamed (U-Boot) saves are
 * appended: that firmware writes data before sizes, and a write inside a file truncates it there.
 *
 * Pure: a caller makes the files (efi/results.c), tests lose their writes (tests/unit/test_save.c).
 */
#ifndef CORE_RESULTS_SAVE_H
#define CORE_RESULTS_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for all records except points, and the size of each further file. */
#define SAVE_ROOM_BYTES (64u << 10)

enum save_act {
    SAVE_NOTHING,   /* everything is saved */
    SAVE_MAKE,      /* `bytes` of blanks, the last byte a newline, whole and flushed under another
                       name, then named as the part */
    SAVE_OVERWRITE, /* text[from, from + bytes) to `position` of the part's file, then flushed */
    SAVE_APPEND     /* the same at the file's end; creates the file if needed */
};

struct save_step {
    enum save_act act;
    unsigned part; /* 1: results.jsonl; from 2 on: results-<part>.jsonl */
    size_t from, bytes;
    uint64_t position;
};

struct save {
    bool append; /* files cannot be renamed here */
    bool made;   /* the part's file exists */
    unsigned part;
    size_t room;  /* size of its file in bytes, including the newline at its end */
    size_t base;  /* offset in the text of the file's first byte */
    size_t saved; /* bytes of the text that are in files; the last record's newline may still have
                     to be written, before the next record */
};

/* Bytes of the first file: enough for the records of that many points, but at most half of the free
 * space on the volume. */
size_t save_room(uint64_t points, uint64_t free_bytes);

void save_start(struct save *save);
/* The next step for text[0, used), the records so far, each ended by a newline. room: size of the
 * first file, from save_room. To be called again until it returns SAVE_NOTHING. */
struct save_step save_next(const struct save *save, const char *text, size_t used, size_t room);
/* The step was done. */
void save_did(struct save *save, const struct save_step *step);
/* After SAVE_MAKE failed to rename, before anything was saved: later saves are appended. */
void save_append(struct save *save);

#endif
