/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/x86_64/msr.h for a process: the kernel's MSR device in place of the two instructions. An
 * access that would fault there returns an error here. */
#include "arch/x86_64/msr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/process.h"

static int device = -1;

bool process_controls_open(uint32_t cpu, char *why, size_t capacity)
{
    char path[40];

    if (device >= 0)
        close(device);
    snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu);
    device = open(path, O_RDWR | O_CLOEXEC);
    if (device >= 0)
        return true;
    snprintf(why, capacity, "%s: %s", path, strerror(errno));
    return false;
}

bool msr_read(uint32_t msr, uint64_t *value)
{
    uint64_t read;

    *value = 0;
    if (device < 0 || pread(device, &read, sizeof read, (off_t)msr) != (ssize_t)sizeof read)
        return false;
    *value = read;
    return true;
}

bool msr_write(uint32_t msr, uint64_t value)
{
    return device >= 0 && pwrite(device, &value, sizeof value, (off_t)msr) == (ssize_t)sizeof value;
}
