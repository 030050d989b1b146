/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of memory as the kernel's EDAC drivers count them. */
#ifndef TESTS_HOST_EDAC_H
#define TESTS_HOST_EDAC_H

#include "core/machine.h"

/* Reads the counts below `root`, /sys/devices/system/edac/mc on a machine: each memory controller
 * is a bank. Errors that were not corrected have their count as the bank's status. */
void edac_read(const char *root, struct error_banks *now);

#endif
