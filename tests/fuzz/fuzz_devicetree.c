/* SPDX-License-Identifier: BSD-2-Clause */
/* A devicetree made of any bytes. Its header is mended, so that mutations reach the nodes. */
#include <stdlib.h>
#include <string.h>

#include "core/firmware/devicetree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(uint8_t *pos, size_t value)
{
    for (unsigned i = 0; i < 4; i++)
        pos[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Inputs of odd size: magic, length, and the versions. */
static void mend(uint8_t *tree, size_t size)
{
    if (size % 2 == 0 || size < 40)
        return;
    put(tree, 0xd00dfeed);
    put(tree + 4, size);
    put(tree + 20, 17);
    put(tree + 24, 16);
}

static void check(const struct devicetree_facts *facts)
{
    if (facts->cpu_count > CPUS_MAX || (facts->cpus_dropped != 0 && facts->cpu_count < CPUS_MAX))
        abort();
    for (size_t i = 0; i < facts->cpu_count; i++)
        if (devicetree_find(facts, facts->cpu[i].id) != &facts->cpu[i])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct devicetree_facts facts;
    static const struct devicetree_facts nothing;
    uint8_t *tree = malloc(size + 1);

    if (tree == NULL)
        abort();
    if (size > 0)
        memcpy(tree, data, size);
    mend(tree, size);
    /* A copy as long as the tree, so that a sanitizer sees what is read behind it. */
    uint8_t *exact = realloc(tree, size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    enum status status = devicetree_read(exact, size, &facts);
    free(exact);
    if (facts.known != (status == STATUS_OK))
        abort();
    if (status != STATUS_OK && memcmp(&facts, &nothing, sizeof facts) != 0)
        abort();
    check(&facts);
    return 0;
}
