/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/devicetree.h"

#include "core/lib/memory.h"
#include "core/lib/text.h"

#define MAGIC        0xd00dfeedu
#define HEADER_BYTES 40u
#define BYTES_MAX    (2u << 20)
/* Nodes within nodes; real trees have less than ten. */
#define DEPTH_MAX 64u

/* Since then the sizes of both blocks stand in the header; later ones say what they go along with.
 */
#define VERSION_MIN 17u

enum token { TOKEN_BEGIN = 1, TOKEN_END = 2, TOKEN_PROPERTY = 3, TOKEN_NOP = 4, TOKEN_LAST = 9 };

/* A string that ends within its bytes; pos NULL: there is none. */
struct words {
    const uint8_t *pos;
    size_t bytes;
};

/* What the node that was begun last says of itself: its properties stand before its children. */
struct node {
    struct words name, compatible, method, device_type, enable_method, status, reg;
};

struct walk {
    const uint8_t *structs, *strings;
    size_t struct_bytes, string_bytes, pos;
    unsigned depth;         /* of the open node; the root has 1 */
    bool open;              /* node is the innermost one, and has no child yet */
    bool in_cpus;           /* the open node of depth 2 is /cpus */
    uint32_t id_cells;      /* its #address-cells */
    struct words own_cells; /* #address-cells of the open node */
    struct node node;
    struct devicetree_facts *facts;
};

static uint32_t big_u32(const uint8_t *pos)
{
    return (uint32_t)pos[0] << 24 | (uint32_t)pos[1] << 16 | (uint32_t)pos[2] << 8 | pos[3];
}

size_t devicetree_bytes(const uint8_t *head)
{
    uint32_t bytes = big_u32(head + 4);

    return big_u32(head) != MAGIC || bytes < HEADER_BYTES || bytes > BYTES_MAX ? 0 : bytes;
}

/* ---- values */

/* Bytes up to a NUL that stands among the first `max`; max: there is none. */
static size_t string_length(const uint8_t *pos, size_t max)
{
    size_t length = 0;

    while (length < max && pos[length] != 0)
        length++;
    return length;
}

/* A value is a list of strings, each with its NUL. */
static bool list_has(const struct words *list, const char *word)
{
    size_t pos = 0, bytes = text_length(word) + 1;

    while (pos < list->bytes) {
        if (list->bytes - pos >= bytes && memory_same(list->pos + pos, word, bytes))
            return true;
        pos += string_length(list->pos + pos, list->bytes - pos) + 1;
    }
    return false;
}

/* A node's name without its unit address: cpu@1 is a cpu. */
static bool name_is(const struct words *name, const char *word)
{
    size_t length = text_length(word);

    return name->bytes >= length && memory_same(name->pos, word, length) &&
           (name->bytes == length || name->pos[length] == '@');
}

/* ---- nodes */

static bool is_available(const struct words *status)
{
    return status->pos == NULL || list_has(status, "okay") || list_has(status, "ok");
}

static void psci_take(struct walk *walk)
{
    const struct node *node = &walk->node;
    bool modern =
        list_has(&node->compatible, "arm,psci-0.2") || list_has(&node->compatible, "arm,psci-1.0");

    if (walk->facts->psci > DEVICETREE_PSCI_OLD || !is_available(&node->status))
        return;
    if (!modern)
        walk->facts->psci =
            list_has(&node->compatible, "arm,psci") ? DEVICETREE_PSCI_OLD : walk->facts->psci;
    else if (list_has(&node->method, "hvc"))
        walk->facts->psci = DEVICETREE_PSCI_HVC;
    else
        walk->facts->psci =
            list_has(&node->method, "smc") ? DEVICETREE_PSCI_SMC : DEVICETREE_PSCI_ODD;
}

static enum devicetree_enable enable_of(const struct words *method)
{
    if (method->pos == NULL)
        return ENABLE_NOT_TOLD;
    if (list_has(method, "psci"))
        return ENABLE_PSCI;
    return list_has(method, "spin-table") ? ENABLE_SPIN_TABLE : ENABLE_OTHER;
}

static void cpu_take(struct walk *walk)
{
    const struct node *node = &walk->node;
    struct devicetree_facts *facts = walk->facts;
    struct devicetree_cpu cpu = {.enable = enable_of(&node->enable_method)};

    if (node->reg.bytes != walk->id_cells * 4)
        return;
    for (uint32_t cell = 0; cell < walk->id_cells; cell++)
        cpu.id = cpu.id << 32 | big_u32(node->reg.pos + cell * 4);
    cpu.available = is_available(&node->status);
    if (devicetree_find(facts, cpu.id) != NULL)
        return;
    if (facts->cpu_count == CPUS_MAX)
        facts->cpus_dropped++;
    else
        facts->cpu[facts->cpu_count++] = cpu;
}

/* The open node's properties are all there. */
static void node_take(struct walk *walk)
{
    if (!walk->open)
        return;
    walk->open = false;
    if (walk->depth == 2) {
        walk->in_cpus = name_is(&walk->node.name, "cpus");
        walk->id_cells = walk->own_cells.bytes == 4 ? big_u32(walk->own_cells.pos) : 0;
        walk->in_cpus = walk->in_cpus && (walk->id_cells == 1 || walk->id_cells == 2);
    }
    if (walk->depth == 3 && walk->in_cpus && list_has(&walk->node.device_type, "cpu"))
        cpu_take(walk);
    psci_take(walk);
}

static bool node_begin(struct walk *walk)
{
    const uint8_t *name = walk->structs + walk->pos;
    size_t left = walk->struct_bytes - walk->pos, length = string_length(name, left);

    node_take(walk);
    if (length == left || walk->depth == DEPTH_MAX)
        return false;
    walk->pos += (length + 4) & ~(size_t)3;
    walk->depth++;
    walk->open = true;
    walk->node = (struct node){.name = {name, length}};
    walk->own_cells = (struct words){NULL, 0};
    return walk->pos <= walk->struct_bytes;
}

static bool property_take(struct walk *walk)
{
    const struct {
        const char *name;
        struct words *value;
    } wanted[] = {
        {"compatible", &walk->node.compatible},   {"method", &walk->node.method},
        {"device_type", &walk->node.device_type}, {"enable-method", &walk->node.enable_method},
        {"status", &walk->node.status},           {"reg", &walk->node.reg},
        {"#address-cells", &walk->own_cells}};
    const uint8_t *pos = walk->structs + walk->pos;
    size_t left = walk->struct_bytes - walk->pos;
    size_t bytes, padded;
    uint32_t name;

    if (left < 8)
        return false;
    bytes = big_u32(pos);
    padded = 8 + ((bytes + 3) & ~(size_t)3);
    name = big_u32(pos + 4);
    if (padded > left || name >= walk->string_bytes)
        return false;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        size_t length = text_length(wanted[i].name) + 1;
        if (walk->string_bytes - name >= length &&
            memory_same(walk->strings + name, wanted[i].name, length))
            *wanted[i].value = (struct words){pos + 8, bytes};
    }
    walk->pos += padded;
    return true;
}

/* True if the tree ends where it should. */
static bool tree_walk(struct walk *walk)
{
    while (walk->struct_bytes - walk->pos >= 4) {
        uint32_t token = big_u32(walk->structs + walk->pos);
        walk->pos += 4;
        if (token == TOKEN_LAST)
            return walk->depth == 0;
        if (token == TOKEN_BEGIN && !node_begin(walk))
            return false;
        if (token == TOKEN_PROPERTY && (walk->depth == 0 || !property_take(walk)))
            return false;
        if (token == TOKEN_END) {
            node_take(walk);
            if (walk->depth-- == 0)
                return false;
        }
        if (token < TOKEN_BEGIN || token > TOKEN_NOP)
            return false;
    }
    return false;
}

/* A block that lies in the tree. */
static bool block_find(const uint8_t *tree, size_t bytes, uint32_t pos, uint32_t size,
                       const uint8_t **block)
{
    if (pos > bytes || size > bytes - pos)
        return false;
    *block = tree + pos;
    return true;
}

enum status devicetree_read(const uint8_t *tree, size_t bytes, struct devicetree_facts *facts)
{
    struct walk walk = {.facts = facts};

    memory_fill(facts, 0, sizeof *facts);
    if (bytes < HEADER_BYTES || devicetree_bytes(tree) != bytes ||
        big_u32(tree + 20) < VERSION_MIN || big_u32(tree + 24) > VERSION_MIN)
        return STATUS_BAD_INPUT;
    walk.struct_bytes = big_u32(tree + 36);
    walk.string_bytes = big_u32(tree + 32);
    if (!block_find(tree, bytes, big_u32(tree + 8), big_u32(tree + 36), &walk.structs) ||
        !block_find(tree, bytes, big_u32(tree + 12), big_u32(tree + 32), &walk.strings) ||
        !tree_walk(&walk)) {
        memory_fill(facts, 0, sizeof *facts);
        return STATUS_BAD_INPUT;
    }
    facts->known = true;
    return STATUS_OK;
}

const struct devicetree_cpu *devicetree_find(const struct devicetree_facts *facts, uint64_t id)
{
    for (size_t i = 0; i < facts->cpu_count; i++)
        if (facts->cpu[i].id == id)
            return &facts->cpu[i];
    return NULL;
}

const char *devicetree_psci_refusal(const struct devicetree_facts *facts, uint64_t id)
{
    const struct devicetree_cpu *cpu = devicetree_find(facts, id);

    if (cpu == NULL || cpu->enable == ENABLE_NOT_TOLD || cpu->enable == ENABLE_PSCI)
        return NULL;
    return cpu->enable == ENABLE_SPIN_TABLE
               ? "the firmware keeps it in a spin table, which is not used"
               : "the devicetree has it started by another method than PSCI";
}
