/* SPDX-License-Identifier: BSD-2-Clause */
/* Volumes, directories and files, through the firmware's Simple File System (UEFI 2.10, sections
 * 13.4 and 13.5). Every call opens, acts and closes: no handle stays open during a measurement. */
#ifndef EFI_FILE_H
#define EFI_FILE_H

#include "efi/firmware.h"

#define VOLUMES_MAX       16
#define VOLUME_NAME_BYTES 40
#define FILE_PATH_MAX     96 /* CHAR16s, the NUL included */

struct volume {
    EFI_FILE_IO_INTERFACE *system;
    bool boot;                    /* the one we were loaded from */
    char name[VOLUME_NAME_BYTES]; /* "boot volume BARECHASE", "volume 2 DATA" */
};

struct volumes {
    bool complete; /* volumes_more has been called */
    size_t count;
    struct volume volume[VOLUMES_MAX];
};

/* Finds every volume that the firmware has a driver on, the boot volume first. */
void volumes_find(const struct firmware *fw, struct volumes *volumes);
/* Starts drivers on storage that the firmware has left alone so far, once, and adds the volumes
 * that appear. True: there are new ones. */
bool volumes_more(const struct firmware *fw, struct volumes *volumes);
/* True if one of them has the directory. */
bool volumes_have_directory(const struct volumes *volumes, const CHAR16 *path);
bool volume_has_directory(const struct volume *volume, const CHAR16 *path);
/* Returns EFI_WRITE_PROTECTED, EFI_VOLUME_FULL (fewer free bytes than needed) or EFI_SUCCESS,
 * without writing anything. */
EFI_STATUS volume_writable(const struct volume *volume, uint64_t bytes_needed);
/* 0 when it cannot be read. */
uint64_t volume_free_bytes(const struct volume *volume);

/* Reads at most capacity bytes of a file. EFI_NOT_FOUND: there is none; EFI_UNSUPPORTED: it is a
 * directory. */
EFI_STATUS file_read(const struct volume *volume, const CHAR16 *path, void *bytes, size_t capacity,
                     size_t *used);
/* Called with every entry's name. EFI_VOLUME_CORRUPTED: there are more than a directory can have,
 * so its clusters go round in a circle. */
typedef void directory_entry(void *context, const CHAR16 *name);
EFI_STATUS directory_list(const struct firmware *fw, const struct volume *volume,
                          const CHAR16 *path, directory_entry *each, void *context);
/* Fails with EFI_ACCESS_DENIED if the path exists. */
EFI_STATUS directory_make(const struct volume *volume, const CHAR16 *path);

#define FILE_END UINT64_MAX

/* Writes at a place of the file (FILE_END: behind its last byte), which is made when it does not
 * exist, and flushes. EFI_VOLUME_FULL when not all of it could be written. *flushed is false when
 * all was written and only the flush failed. */
EFI_STATUS file_write(const struct volume *volume, const CHAR16 *path, uint64_t position,
                      const void *bytes, size_t count, bool *flushed);
/* Another name in the same directory, flushed. Firmware that cannot answers an error (U-Boot). */
EFI_STATUS file_rename(const struct volume *volume, const CHAR16 *path, const CHAR16 *name);
/* Removes a file or an empty directory; EFI_SUCCESS also if there was none. */
EFI_STATUS file_remove(const struct volume *volume, const CHAR16 *path);

#endif
