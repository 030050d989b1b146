/* SPDX-License-Identifier: BSD-2-Clause */
/* A mark that outlives a reset, laid before an act that may hang the machine and taken away after
 * it. If a later start finds it, that act did not return. It is 8 bytes that identify the CPU: a
 * file on the stick, where the kind of mark lies there and one can be written, else an EFI variable
 * under BREADCRUMB_GUID. */
#ifndef EFI_BREADCRUMB_H
#define EFI_BREADCRUMB_H

#include "core/results/notes.h"
#include "efi/file.h"
#include "efi/firmware.h"

#define BREADCRUMB_GUID                                    \
    {                                                      \
        0x501fdc93, 0x21c7, 0x4da0,                        \
        {                                                  \
            0x88, 0x5c, 0x5b, 0x0d, 0x62, 0x76, 0x32, 0xef \
        }                                                  \
    }

struct breadcrumb_kind {
    CHAR16 *variable;
    const char *name;  /* the variable's */
    const char *found; /* what a mark of an earlier start means: a sentence without its end */
    const char *stays; /* what comes of a mark that cannot be deleted */
};

extern const struct breadcrumb_kind breadcrumb_prefetch_try; /* writing prefetchers' controls */
extern const struct breadcrumb_kind breadcrumb_cpu_start;    /* starting another CPU */
extern const struct breadcrumb_kind breadcrumb_cpus_start;   /* all at once, the boot CPU waits */
extern const struct breadcrumb_kind breadcrumb_cpus_beside;  /* all at once, and it goes on */

/* Set kind, and volume and path if there are any; all else zero. */
struct breadcrumb {
    const struct breadcrumb_kind *kind;
    const struct volume *volume; /* that can be written; NULL: the variable alone */
    CHAR16 path[FILE_PATH_MAX];
    bool asked; /* since the application started, for this identity; answer holds */
    uint64_t identity;
    enum breadcrumb_answer {
        BREADCRUMB_LAID,
        BREADCRUMB_FOUND,  /* an earlier start's: the act is not to be tried */
        BREADCRUMB_NOWHERE /* nothing keeps a mark */
    } answer;
    bool on_volume, in_variable; /* it lies there now */
    char why[NOTES_WHY_BYTES];   /* unless it was laid */
};

/* Sets the mark, and reads it back. An older one is deleted, so that the next start may try the act
 * again; in this one the answer stays BREADCRUMB_FOUND whatever the CPU. After an act that
 * returned, no further mark is needed for the same identity. crumb->why says why none was laid. */
enum breadcrumb_answer breadcrumb_lay(struct breadcrumb *crumb, const struct firmware *fw,
                                      uint64_t identity);
/* Deletes the mark after the act. */
void breadcrumb_take(struct breadcrumb *crumb, const struct firmware *fw, struct notes *notes);

#endif
