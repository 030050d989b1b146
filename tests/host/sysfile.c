/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/sysfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sysfile_line(const char *path, char *text, size_t capacity)
{
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fgets(text, (int)capacity, file) != NULL;
    size_t bytes;

    if (file)
        fclose(file);
    if (!read) {
        text[0] = '\0';
        return false;
    }
    for (bytes = strlen(text); bytes > 0 && isspace((unsigned char)text[bytes - 1]);)
        text[--bytes] = '\0';
    bytes = strspn(text, " \t");
    memmove(text, text + bytes, strlen(text + bytes) + 1);
    return true;
}

bool sysfile_number(const char *path, uint64_t *number)
{
    char line[64], *end;

    if (!sysfile_line(path, line, sizeof line) || !isdigit((unsigned char)line[0]))
        return false;
    *number = strtoull(line, &end, 10);
    if (*end == 'K')
        *number <<= 10;
    if (*end == 'M')
        *number <<= 20;
    return *end == '\0' || ((*end == 'K' || *end == 'M') && end[1] == '\0');
}

bool sysfile_kib(const char *path, const char *name, uint64_t *bytes)
{
    FILE *file = fopen(path, "re");
    size_t length = strlen(name);
    char line[256];
    bool found = false;

    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0) {
            *bytes = strtoull(line + length, NULL, 10) << 10;
            found = true;
        }
    fclose(file);
    return found;
}

bool sysfile_list_holds(const char *list, uint32_t number)
{
    while (isdigit((unsigned char)*list)) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (number >= first && number <= last)
            return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}
