/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetcher control bits of each core, as data. A core that matches no row is left alone. */
#ifndef ARCH_AARCH64_PURE_PREFETCH_TABLE_H
#define ARCH_AARCH64_PURE_PREFETCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu/prefetch.h"

/* One field of a register on a group of cores of one implementer. */
struct aarch64_prefetch_row {
    uint32_t implementer;
    const uint16_t *parts;
    size_t part_count;
    struct prefetch_field field; /* reg is an enum sysreg */
};

extern const struct aarch64_prefetch_row aarch64_prefetch_rows[];
extern const size_t aarch64_prefetch_row_count;

#endif
