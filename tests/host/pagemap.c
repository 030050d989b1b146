/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/pagemap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define PAIRS_MAX  4096u

/* Documentation/admin-guide/mm/pagemap.rst: bit 63 present, bits 54:0 the frame, 0 where the reader
 * may not know. */
#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_FRAME   ((1ull << 55) - 1)

static int pagemap_open(void)
{
    static int file = -2;

    if (file == -2)
        file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return file;
}

/* Frames of two pages in a row; 0: unknown. */
static void frames_of(uintptr_t address, uint64_t frame[2])
{
    uint64_t entry[2] = {0, 0};
    ssize_t got =
        pread(pagemap_open(), entry, sizeof entry, (off_t)(address / PAGE_BYTES * sizeof entry[0]));

    for (unsigned i = 0; i < 2; i++)
        frame[i] = got >= (ssize_t)((i + 1) * sizeof entry[0]) && (entry[i] & ENTRY_PRESENT)
                       ? entry[i] & ENTRY_FRAME
                       : 0;
}

phys_addr pagemap_phys(uintptr_t address)
{
    uint64_t frame[2];

    if (sysconf(_SC_PAGESIZE) != PAGE_BYTES)
        return phys_make(UINT64_MAX);
    frames_of(address, frame);
    return phys_make(frame[0] == 0 ? UINT64_MAX : frame[0] * PAGE_BYTES + address % PAGE_BYTES);
}

bool pagemap_hidden(void)
{
    volatile char touched = 0;

    return pagemap_phys((uintptr_t)&touched).value == UINT64_MAX;
}

/* Extends the span by the frames of these pages; false if one is unknown. */
static bool span_add(const uint64_t *entry, size_t pages, uint64_t *low, uint64_t *high)
{
    for (size_t i = 0; i < pages; i++) {
        uint64_t frame = entry[i] & ENTRY_PRESENT ? entry[i] & ENTRY_FRAME : 0;
        if (frame == 0)
            return false;
        *low = frame < *low ? frame : *low;
        *high = frame > *high ? frame : *high;
    }
    return true;
}

void pagemap_span(uintptr_t base, uint64_t bytes, phys_addr *low, phys_addr *high)
{
    uint64_t entry[512], first = UINT64_MAX, last = 0, page = base / PAGE_BYTES;
    uint64_t end = (base + bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    bool known = sysconf(_SC_PAGESIZE) == PAGE_BYTES;

    while (known && page < end) {
        size_t pages = end - page < 512 ? (size_t)(end - page) : 512;
        ssize_t got =
            pread(pagemap_open(), entry, pages * sizeof entry[0], (off_t)(page * sizeof entry[0]));
        known = got == (ssize_t)(pages * sizeof entry[0]) && span_add(entry, pages, &first, &last);
        page += pages;
    }
    *low = phys_make(known ? first * PAGE_BYTES : UINT64_MAX);
    *high = phys_make(known ? last * PAGE_BYTES + PAGE_BYTES - 1 : UINT64_MAX);
}

bool pagemap_neighbours(uintptr_t base, uint64_t bytes, double *share)
{
    uint64_t pages = bytes / PAGE_BYTES, pairs = 0, neighbours = 0, step;

    if (pages < 2 || sysconf(_SC_PAGESIZE) != PAGE_BYTES)
        return false;
    step = (pages - 1 + PAIRS_MAX - 1) / PAIRS_MAX;
    for (uint64_t page = 0; page + 1 < pages; page += step) {
        uint64_t frame[2];
        frames_of(base + page * PAGE_BYTES, frame);
        if (frame[0] == 0 || frame[1] == 0)
            return false;
        pairs++;
        neighbours += frame[1] == frame[0] + 1;
    }
    *share = (double)neighbours / (double)pairs;
    return true;
}

uint64_t pagemap_transparent_bytes(uintptr_t base, uint64_t bytes)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    uint64_t found = 0;
    bool inside = false;
    char line[512];

    if (!file)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long long first, end, kib;
        if (sscanf(line, "%llx-%llx ", &first, &end) == 2)
            inside = first < base + bytes && end > base;
        else if (inside && sscanf(line, "AnonHugePages: %llu kB", &kib) == 1)
            found += kib << 10;
    }
    fclose(file);
    return found;
}
