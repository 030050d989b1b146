/* SPDX-License-Identifier: BSD-2-Clause */
/* What SMBIOS says of memory modules: DSP0134, types 16 (array of slots, section 7.17), 17 (slot,
 * 7.18), 19 (where an array is mapped, 7.20), 20 (where a slot is, 7.21), 37 (channel, 7.38). */
#ifndef CORE_FIRMWARE_SMBIOS_MEMORY_H
#define CORE_FIRMWARE_SMBIOS_MEMORY_H

#include "core/firmware/smbios.h"
#include "core/firmware/smbios_structure.h"

/* Takes a structure of these types; false: it is of another. What there is no room for is counted.
 */
bool smbios_memory_read(const struct structure *s, struct smbios_facts *facts);
/* Follows the handles once all structures are read, as they may come in any order: fills what types
 * 16, 20 and 37 and slots' names say of facts->dimms, and facts->arrays. */
void smbios_memory_join(struct smbios_facts *facts);

#endif
