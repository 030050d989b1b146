/* SPDX-License-Identifier: BSD-2-Clause */
/* What SMBIOS says of processors and their caches: types 4 and 7 (DSP0134, sections 7.5, 7.8). */
#ifndef CORE_FIRMWARE_SMBIOS_CPU_H
#define CORE_FIRMWARE_SMBIOS_CPU_H

#include "core/firmware/smbios.h"
#include "core/firmware/smbios_structure.h"

/* Adds a type 7 structure's cache; beyond SMBIOS_CACHES_MAX they are counted. */
void smbios_cache_read(const struct structure *s, struct smbios_facts *facts);
/* Takes the speeds of a type 4 structure, a populated and enabled socket of a central processor.
 * Sockets that differ leave the speed unknown. */
void smbios_processor_read(const struct structure *s, struct smbios_facts *facts);

#endif
