/* SPDX-License-Identifier: BSD-2-Clause */
/* \barechase\run-NNNN on a volume: a directory of its own for every run, never one that stands. */
#ifndef EFI_RUN_DIRECTORY_H
#define EFI_RUN_DIRECTORY_H

#include "efi/file.h"

#define RESULTS_HOME L"\\barechase" /* on a volume; its configuration lies there too */

/* "\barechase\" and a path below it, whose slashes may be of either kind. False: it is too long,
 * and was cut. */
bool home_path(const char *name, CHAR16 path[FILE_PATH_MAX]);
/* "\barechase\run-0042" and, when name is not NULL, "\name". */
void run_directory_path(unsigned run, const CHAR16 *name, CHAR16 path[FILE_PATH_MAX]);
/* Makes the directory after the highest one there is, and \barechase where that is missing; once
 * 9999 is there, the lowest free one. *run: its number. NULL, or why there is none, in words. */
const char *run_directory_make(const struct firmware *fw, const struct volume *volume,
                               unsigned *run);
/* The first volume with a \barechase directory that can be written, with so many bytes free. NULL,
 * or why there is none, in words. */
const char *home_volume(const struct volumes *volumes, uint64_t bytes,
                        const struct volume **volume);
/* How many runs stand there. */
unsigned run_directory_count(const struct firmware *fw, const struct volume *volume);

#endif
