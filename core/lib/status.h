/* SPDX-License-Identifier: BSD-2-Clause */
/* Result of a call that can fail. EFI_STATUS stays in efi/; errno stays in tests/host. */
#ifndef CORE_LIB_STATUS_H
#define CORE_LIB_STATUS_H

enum status {
    STATUS_OK,
    STATUS_UNSUPPORTED, /* the machine does not have it */
    STATUS_REFUSED,     /* the machine has it but does not allow it */
    STATUS_NO_MEMORY,   /* not enough memory, or not of the requested kind */
    STATUS_FAULT,       /* an exception or a corrupted pointer in the quiet section */
    STATUS_ABORTED,     /* the user asked to stop */
    STATUS_LATE,        /* the time budget is used up */
    STATUS_IO,          /* a file or a volume failed */
    STATUS_BAD_INPUT    /* malformed text or table */
};

/* Returns the status as a word for notes and messages ("ok", "no memory", ...); never NULL. */
const char *status_name(enum status status);

#endif
