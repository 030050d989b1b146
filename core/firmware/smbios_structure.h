/* SPDX-License-Identifier: BSD-2-Clause */
/* One structure of an SMBIOS table, and its fields by their offsets. A field that the structure is
 * too short for is 0: older versions of the specification have shorter ones. */
#ifndef CORE_FIRMWARE_SMBIOS_STRUCTURE_H
#define CORE_FIRMWARE_SMBIOS_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

/* A structure: its formatted part and the strings that follow. */
struct structure {
    const uint8_t *pos;
    uint8_t bytes;
    const uint8_t *strings;
    size_t string_bytes; /* the terminating empty string not included */
};

uint8_t structure_u8(const struct structure *s, size_t field);
uint16_t structure_u16(const struct structure *s, size_t field);
uint32_t structure_u32(const struct structure *s, size_t field);
uint64_t structure_u64(const struct structure *s, size_t field);
/* Reads the string whose number is at offset `field`, trimmed, bytes that are not ASCII as '?', cut
 * to the capacity; "" if there is none. */
void structure_string(const struct structure *s, size_t field, char *to, size_t capacity);
/* The same; "" also where firmware has words that say that nobody filled the field in. */
void structure_words(const struct structure *s, size_t field, char *to, size_t capacity);

#endif
