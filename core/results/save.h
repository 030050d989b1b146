/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the next save of a run's records goes, and what it holds, so that a power cut at any moment
 * leaves every record that was saved before, and at most one torn line behind them.
 *
 * A file that grows is not safe under firmware: EDK2's FAT driver writes the file's size before the
 * data, and what the file grows into may be whole records of a run that was deleted. So room is
 * made first, under a name that nobody reads: blanks that end in a newline. Named then, the file is
 * overwritten from the end of its last record on (its newline first, then records up to the last
 * one's) and never changes its size. Blanks that are left close the last line, so that each whole
 * state of the file is JSON Lines. What does not fit goes on in
 * another file that is made the same way. Where files cannot be renamed (U-Boot) a save is
 * appended: that firmware writes data before sizes, and a write inside a file cuts it off there.
 *
 * Pure: a caller makes the files (efi/results.c), tests lose their writes (tests/unit/test_save.c).
 */
#ifndef CORE_RESULTS_SAVE_H
#define CORE_RESULTS_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for all that is no point, and of each further file. */
#define SAVE_ROOM_BYTES (64u << 10)

enum save_act {
    SAVE_NOTHING,   /* all is in files */
    SAVE_MAKE,      /* `bytes` of blanks, the last byte a newline, whole and flushed under another
                       name, then named as the part */
    SAVE_OVERWRITE, /* text[from, from + bytes) at `position` of the part's file, and flushed */
    SAVE_APPEND     /* the same at the file's end; it is made where it is not there */
};

struct save_step {
    enum save_act act;
    unsigned part; /* 1: results.jsonl; from 2 on: results-<part>.jsonl */
    size_t from, bytes;
    uint64_t position;
};

struct save {
    bool append; /* names cannot be changed here */
    bool made;   /* the part's file stands */
    unsigned part;
    size_t room;  /* of its file, in bytes, the newline at its end included */
    size_t base;  /* which byte of the text its first one is */
    size_t saved; /* so much of the text is in files; but for a record's newline, that is yet to be
                     written in front of the next one */
};

/* Bytes of a first file: enough for that many records of points, no more than half of what is free
 * on the volume. */
size_t save_room(uint64_t points, uint64_t free_bytes);

void save_start(struct save *save);
/* What is to be done next for text[0, used), the records so far, each ended by a newline. room: of
 * the first file, by save_room. To be asked again until there is nothing. */
struct save_step save_next(const struct save *save, const char *text, size_t used, size_t room);
/* The step was done. */
void save_did(struct save *save, const struct save_step *step);
/* SAVE_MAKE could not rename: before anything was saved, saves are appended from here on. */
void save_append(struct save *save);

#endif
