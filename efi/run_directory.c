/* SPDX-License-Identifier: BSD-2-Clause */
/* Run directories; see run_directory.h. */
#include "efi/run_directory.h"

#include "core/lib/memory.h"

#define RUN_MAX 9999u

static size_t put_path(CHAR16 *path, size_t pos, const CHAR16 *words)
{
    while (*words != 0 && pos + 1 < FILE_PATH_MAX)
        path[pos++] = *words++;
    path[pos] = 0;
    return pos;
}

bool home_path(const char *name, CHAR16 path[FILE_PATH_MAX])
{
    size_t pos = put_path(path, 0, RESULTS_HOME L"\\");

    for (; *name != '\0' && pos + 1 < FILE_PATH_MAX; name++)
        path[pos++] = *name == '/' ? '\\' : (CHAR16)(unsigned char)*name;
    path[pos] = 0;
    return *name == '\0';
}

void run_directory_path(unsigned run, const CHAR16 *name, CHAR16 path[FILE_PATH_MAX])
{
    size_t pos = put_path(path, 0, RESULTS_HOME L"\\run-");

    for (unsigned unit = 1000; unit != 0; unit /= 10)
        path[pos++] = (CHAR16)('0' + run / unit % 10);
    path[pos] = 0;
    if (name != NULL)
        put_path(path, put_path(path, pos, L"\\"), name);
}

/* The number of "run-NNNN" (any case), or 0. */
static unsigned run_number(const CHAR16 *name)
{
    static const char prefix[] = "run-";
    unsigned number = 0;

    for (size_t i = 0; i < 4; i++, name++)
        if (*name != (CHAR16)prefix[i] && *name != (CHAR16)(prefix[i] - 32))
            return 0;
    for (size_t i = 0; i < 4; i++, name++) {
        if (*name < '0' || *name > '9')
            return 0;
        number = number * 10 + (unsigned)(*name - '0');
    }
    return *name == 0 ? number : 0;
}

struct run_scan {
    unsigned highest;
    uint8_t taken[RUN_MAX / 8 + 1];
};

static void scan_entry(void *context, const CHAR16 *name)
{
    struct run_scan *scan = context;
    unsigned number = run_number(name);

    scan->taken[number / 8] |= (uint8_t)(1u << number % 8);
    if (number > scan->highest)
        scan->highest = number;
}

/* The number after the highest one; once 9999 is there, the lowest free one; 0: all are taken. */
static unsigned next_run(const struct run_scan *scan)
{
    if (scan->highest < RUN_MAX)
        return scan->highest + 1;
    for (unsigned i = 1; i <= RUN_MAX; i++)
        if ((scan->taken[i / 8] & 1u << i % 8) == 0)
            return i;
    return 0;
}

static const char *make_home(const struct volume *volume)
{
    EFI_STATUS status = EFI_SUCCESS;

    if (!volume_has_directory(volume, RESULTS_HOME))
        status = directory_make(volume, RESULTS_HOME);
    return EFI_ERROR(status) ? firmware_status_words(status) : NULL;
}

const char *run_directory_make(const struct firmware *fw, const struct volume *volume,
                               unsigned *run)
{
    const char *why = make_home(volume);
    CHAR16 path[FILE_PATH_MAX];
    struct run_scan scan;
    EFI_STATUS status;

    if (why != NULL)
        return why;
    memory_fill(&scan, 0, sizeof scan);
    status = directory_list(fw, volume, RESULTS_HOME, scan_entry, &scan);
    if (EFI_ERROR(status))
        return firmware_status_words(status);
    *run = next_run(&scan);
    if (*run == 0)
        return "run-0001 to run-9999 all stand already: move some away";
    run_directory_path(*run, NULL, path);
    status = directory_make(volume, path);
    return EFI_ERROR(status) ? firmware_status_words(status) : NULL;
}

unsigned run_directory_count(const struct firmware *fw, const struct volume *volume)
{
    struct run_scan scan;
    unsigned count = 0;

    memory_fill(&scan, 0, sizeof scan);
    (void)directory_list(fw, volume, RESULTS_HOME, scan_entry, &scan);
    for (unsigned i = 1; i <= RUN_MAX; i++)
        count += scan.taken[i / 8] >> i % 8 & 1;
    return count;
}

const char *home_volume(const struct volumes *volumes, uint64_t bytes, const struct volume **volume)
{
    const char *why = "no volume has a barechase directory";

    for (size_t i = 0; i < volumes->count; i++) {
        EFI_STATUS status;
        if (!volume_has_directory(&volumes->volume[i], RESULTS_HOME))
            continue;
        status = volume_writable(&volumes->volume[i], bytes);
        if (!EFI_ERROR(status)) {
            *volume = &volumes->volume[i];
            return NULL;
        }
        why = firmware_status_words(status);
    }
    return why;
}
