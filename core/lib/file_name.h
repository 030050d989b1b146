/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files after words that anybody may have chosen. */
#ifndef CORE_LIB_FILE_NAME_H
#define CORE_LIB_FILE_NAME_H

#include <stddef.h>

/* At most FILE_NAME_BYTES - 1 characters. */
#define FILE_NAME_BYTES 49

/* Writes words as part of a name that every file system takes: letters and digits stay, whatever is
 * between them becomes one dash; "board" where nothing is left. What is too long is cut, and ends
 * in the CRC-32 of all words: models whose names differ at their end have files of their own. */
void file_name_of(const char *words, char name[FILE_NAME_BYTES]);

#endif
