/* SPDX-License-Identifier: BSD-2-Clause */
/* What a call that can fail answers. EFI_STATUS stays in efi/; errno stays in tests/host. */
#ifndef CORE_LIB_STATUS_H
#define CORE_LIB_STATUS_H

enum status {
    STATUS_OK,
    STATUS_UNSUPPORTED, /* this machine has no such thing */
    STATUS_REFUSED,     /* it has, but does not let us */
    STATUS_NO_MEMORY,   /* not enough memory, or not of the kind asked for */
    STATUS_FAULT,       /* an exception, or a pointer that led astray, inside the quiet section */
    STATUS_ABORTED,     /* somebody asked to stop */
    STATUS_LATE,        /* the time for it is used up */
    STATUS_IO,          /* a file or a volume failed */
    STATUS_BAD_INPUT    /* text or a table that does not say what it should */
};

/* The word for a status in notes and messages ("ok", "no memory", ...); never NULL. */
const char *status_name(enum status status);

#endif
