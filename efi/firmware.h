/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware as passed to the application: system table, boot services, our loaded image, and the
 * few thin calls that everything in efi/ needs. UEFI 2.10, chapters 4 and 7. */
#ifndef EFI_FIRMWARE_H
#define EFI_FIRMWARE_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/text.h"

struct firmware {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *system;
    EFI_BOOT_SERVICES *boot;
    EFI_LOADED_IMAGE *loaded; /* NULL: the firmware does not provide it */
};

/* Switches the boot manager's watchdog off (it would reset the machine after five minutes) and
 * finds our loaded image. */
void firmware_start(struct firmware *fw, EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* A handle's protocol, or NULL. */
void *firmware_protocol(const struct firmware *fw, EFI_HANDLE handle, const EFI_GUID *guid);
/* A configuration table's address, or NULL. */
void *firmware_table(const struct firmware *fw, const EFI_GUID *guid);

/* Allocates memory of the firmware's pool, zeroed, 8-byte aligned; NULL: there is none. Free it
 * with firmware_free, which also takes NULL. */
void *firmware_allocate(const struct firmware *fw, size_t bytes);
void firmware_free(const struct firmware *fw, void *memory);

void firmware_wait_ms(const struct firmware *fw, uint64_t ms);

/* "volume full", ... for the status codes of files and memory; never NULL. */
const char *firmware_status_words(EFI_STATUS status);

/* Appends a firmware string's ASCII, at most `max` characters up to its NUL; others become '?'. */
void firmware_text(struct text *text, const CHAR16 *words, size_t max);

#endif
