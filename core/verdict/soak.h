/* SPDX-License-Identifier: BSD-2-Clause */
/* The same run over many boots of a board: what stands on the stick about it, so that no boot is
 * lost or counted twice whenever power goes. Pure; efi/soak.c reads and writes.
 *
 * The history is a text with a line for each boot. The state has two slots of SOAK_SLOT_BYTES,
 * which are written in turn: of the two the one with the higher sequence number and a CRC that fits
 * is the state. It holds the history's last line, how long the history is with it and a CRC of
 * what stands before it, and is written before that line: whatever of the line is missing is
 * written again from it, and what was edited before it is seen. */
#ifndef CORE_VERDICT_SOAK_H
#define CORE_VERDICT_SOAK_H

#include "core/lib/file_name.h"
#include "core/machine.h"

#define SOAK_SLOTS       2
#define SOAK_SLOT_BYTES  4096
#define SOAK_LINE_BYTES  240
#define SOAK_KEY_BYTES   (FILE_NAME_BYTES + 9)
#define SOAK_WHERE_BYTES 64

enum soak_phase {
    SOAK_RUNNING, /* a boot measures; if it is found at the next start, it died */
    SOAK_DONE,    /* its line is in the state */
    SOAK_OVER     /* all boots were, or it was stopped */
};

struct soak_state {
    uint64_t sequence;
    uint32_t boots;     /* that are wanted */
    uint32_t done;      /* that have a line */
    uint32_t died;      /* starts without one */
    uint32_t row;       /* of them, those since the last line */
    uint32_t first_run; /* number of the first boot's results */
    enum soak_phase phase;
    uint64_t history_bytes;       /* of the history, `line` included */
    uint32_t before_crc;          /* of what stands in it before `line` */
    char line[SOAK_LINE_BYTES];   /* the last one, newline included; "": none yet */
    char where[SOAK_WHERE_BYTES]; /* what was under way when it was written; "": not known */
};

/* Writes a whole slot. */
void soak_encode(const struct soak_state *state, char slot[SOAK_SLOT_BYTES]);
/* False: the slot holds no state, or one that was not written to its end. */
bool soak_decode(const char slot[SOAK_SLOT_BYTES], struct soak_state *state);
/* Of both slots (each valid or not) the newer one; *next: the slot to write next. False: neither is
 * valid. */
bool soak_newest(const char slots[SOAK_SLOTS][SOAK_SLOT_BYTES], struct soak_state *state,
                 unsigned *next);
/* Whether anything but blanks and zeros stands in the slots: a state of another version, or a
 * damaged one, that must not be overwritten. */
bool soak_is_foreign(const char slots[SOAK_SLOTS][SOAK_SLOT_BYTES]);

enum soak_history {
    SOAK_HISTORY_WHOLE,
    SOAK_HISTORY_TORN, /* the last line has to be written again, at history_bytes less its length */
    SOAK_HISTORY_OTHER /* it is shorter or longer than it ever was, or something else stands before
                          the last line: kept, and nothing is written */
};
/* What became of a history[bytes]. An editor may have put a CR before the LF of lines, which
 * neither history_bytes nor before_crc counts: *returns of them stand before what is written next.
 */
enum soak_history soak_check_history(const struct soak_state *state, const char *history,
                                     size_t bytes, size_t *returns);
/* The state of a soak that goes on behind history[bytes], which has *returns such CR. */
void soak_start_behind(struct soak_state *state, const char *history, size_t bytes,
                       size_t *returns);

/* Whether it begins with the first line of a history of this version. */
bool soak_is_history(const char *history, size_t bytes);
/* Why it is kept as it is and there is no soak, in words; NULL: one may go on with it. state NULL:
 * none is of it; it may then also begin anew, if it can hold nothing but a first line that power
 * tore. */
const char *soak_refuse_history(const struct soak_state *state, const char *history, size_t bytes);

/* A boot begins: state->died counts the one before if that died. Where that was is forgotten. */
void soak_begin(struct soak_state *state, uint32_t boots);
/* Whether a boot that hangs may be reset by the firmware's watchdog: not after SOAK_ROW_MAX that
 * died one after the other, or a board that always hangs would be reset for ever. */
#define SOAK_ROW_MAX 3
bool soak_may_reset(const struct soak_state *state);
/* A boot has ended with this line (newline included). */
void soak_end(struct soak_state *state, const char *line);
/* Whether another boot is to follow. */
bool soak_goes_on(const struct soak_state *state);

/* ---- where a boot is */

/* What the state said last of where the boot is; zero before the first. */
struct soak_mark {
    bool any;
    uint64_t at_ns;
    const char *experiment, *part;
    uint32_t number;
};

/* True if it is time to say it: at once for another experiment or other work, else for another part
 * or point when 2 s have passed. *mark is then what is to be said. */
bool soak_mark_due(struct soak_mark *mark, const struct progress *now, uint64_t now_ns);
/* "tests=regions, block 17", "tests=curve, point 3 of 40", "levels" */
void soak_where(const struct progress *now, char where[SOAK_WHERE_BYTES]);

/* ---- lines of the history */

/* What a boot's line says. */
struct soak_said {
    unsigned run; /* number of its results; 0: they were not saved, which ends the soak */
    const char *status, *verdict;
    bool conclusive;
    uint64_t errors, warnings;
    double seconds;
    double firmware_s; /* that the firmware took; 0: not known */
};
/* The line of the boot that ends, newline included. */
void soak_line(const struct soak_state *state, const struct soak_said *said,
               char line[SOAK_LINE_BYTES]);

/* Where the line begins that ends at `end`, newline included; end is not 0. */
size_t soak_line_before(const char *history, size_t end);
/* A column of a line, *length characters; NULL: there is none. */
enum soak_column { SOAK_BOOT, SOAK_RUN, SOAK_STATUS, SOAK_VERDICT, SOAK_FIRMWARE_S = 9 };
const char *soak_column(const char *line, size_t bytes, enum soak_column column, size_t *length);
/* The history's last `count` boots, oldest first. */
struct soak_boot {
    uint32_t run;
    double firmware_s; /* 0: not known */
};
size_t soak_boots(const char *history, size_t bytes, struct soak_boot boot[], size_t count);
/* How many of the history's last `count` lines have that verdict. */
uint32_t soak_with_verdict(const char *history, size_t bytes, uint32_t count, const char *verdict);

/* The first line of a history. */
extern const char soak_header[];

/* A file name's part for a board: its name, made safe for FAT, and the CRC-32 of what tells it from
 * others: the system's UUID, else the board's serial number, else `other`. Placeholders (all zeros,
 * all ones, 03000200-0400-0500-0006-000700080009, serial numbers that say nothing) are none. */
void soak_key(const char *board, const uint8_t uuid[16], const char *serial, const void *other,
              size_t other_bytes, char key[SOAK_KEY_BYTES]);

#endif
