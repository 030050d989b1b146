/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the module's slot in every record that has a physical address: decode=. */
#ifndef CORE_MEASURE_SLOTS_H
#define CORE_MEASURE_SLOTS_H

#include "core/dram/slots.h"
#include "core/options/decode.h"
#include "core/results/journal.h"

#define SLOTS_FUNCTIONS_MAX 12
#define SLOTS_PARTS_MAX     (1u << SLOTS_FUNCTIONS_MAX)
#define SLOTS_WORDS         48

struct slots {
    struct decode decode;
    struct address_mapping said;  /* by decode=; no functions: it says none */
    struct address_mapping found; /* by tests=banks; no functions: none yet */
    bool missed;                  /* an address had no name, as no functions were found before it */
    char name[2][SLOTS_WORDS];
};

/* From then on the journal's records get their slots; options->decode was checked when it was read.
 * *slots and the option's text must outlive the run. */
void slots_start(struct slots *slots, const char *decode, struct journal *journal);
/* The number of the address's slot, below SLOTS_PARTS_MAX; false: decode= does not tell. */
bool slots_slot(const struct slots *slots, phys_addr address, uint32_t *number);
/* Its name, which lives until the next call. */
const char *slots_name(struct slots *slots, uint32_t number);
/* The number of the address's bank among 1 << found.functions.count; false: no functions were
 * found. */
bool slots_bank(const struct slots *slots, phys_addr address, uint32_t *bank);
/* Notes that decode=found had nothing to go by, if so. */
void slots_note(const struct slots *slots, struct journal *journal);

#endif
