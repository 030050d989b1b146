/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory type at an address, and the distance within which it cannot change. */
#include "arch/x86_64/pure_mtrr.h"

#define MIB      (1ull << 20)
#define FOUR_GIB (1ull << 32)

#define DEFAULT_ENABLE       (1u << 11)
#define DEFAULT_FIXED_ENABLE (1u << 10)
#define CAPABILITY_FIXED     (1u << 8)
#define MASK_VALID           (1u << 11)
#define SYSCFG_TOM2_ENABLE   (1u << 21)
#define SYSCFG_TOM2_FORCE_WB (1u << 22)

const uint32_t mtrr_fixed_msrs[MTRR_FIXED] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                              0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

static bool fixed_decide(const struct mtrr_state *state)
{
    return (state->capability & CAPABILITY_FIXED) && (state->default_type & DEFAULT_FIXED_ENABLE);
}

/* Fixed ranges: one register of 64 KiB pieces, two of 16 KiB, eight of 4 KiB; eight pieces each. */
static uint64_t fixed_piece_bytes(uint64_t address)
{
    if (address < 0x80000)
        return 0x10000;
    return address < 0xc0000 ? 0x4000 : 0x1000;
}

static enum mtrr_type fixed_type(const struct mtrr_state *state, uint64_t address)
{
    uint64_t piece = fixed_piece_bytes(address);
    unsigned reg = 0, slot = (unsigned)(address / piece) & 7;
    uint64_t type;

    if (piece == 0x4000)
        reg = 1 + (unsigned)(address - 0x80000) / 0x20000;
    if (piece == 0x1000)
        reg = 3 + (unsigned)(address - 0xc0000) / 0x8000;
    type = state->fixed[reg] >> (8 * slot) & 0xff;
    /* AMD: RdMem and WrMem are bits 4:3; unless both select DRAM, it is not memory. */
    if (state->amd && (type & 0x18)) {
        if ((type & 0x18) != 0x18)
            return MTRR_UC;
        type &= 7;
    }
    return type == MTRR_UC || type == MTRR_WC || type == MTRR_WT || type == MTRR_WP ||
                   type == MTRR_WB
               ? (enum mtrr_type)type
               : MTRR_UNDEFINED;
}

static uint64_t address_bits(const struct mtrr_state *state)
{
    unsigned bits = state->physical_bits;

    if (bits < 32 || bits > 52)
        bits = bits < 32 ? 36 : 52;
    return ((1ull << bits) - 1) & ~0xfffull;
}

/* Precedence of overlapping ranges (SDM 12.11.4.1): UC wins; WT wins over WB; any other pair of
 * different types is undefined. */
static enum mtrr_type types_join(enum mtrr_type a, enum mtrr_type b)
{
    if (a == b)
        return a;
    if (a == MTRR_UC || b == MTRR_UC)
        return MTRR_UC;
    if ((a == MTRR_WT && b == MTRR_WB) || (a == MTRR_WB && b == MTRR_WT))
        return MTRR_WT;
    return MTRR_UNDEFINED;
}

static enum mtrr_type variable_type(const struct mtrr_state *state, unsigned i)
{
    switch (state->base[i] & 0xff) {
    case MTRR_UC:
    case MTRR_WC:
    case MTRR_WT:
    case MTRR_WP:
    case MTRR_WB:
        return (enum mtrr_type)(state->base[i] & 0xff);
    default:
        return MTRR_UNDEFINED;
    }
}

static enum mtrr_type default_type_at(const struct mtrr_state *state, uint64_t address)
{
    uint64_t type = state->default_type & 0xff;

    if (state->amd && (state->syscfg & SYSCFG_TOM2_ENABLE) &&
        (state->syscfg & SYSCFG_TOM2_FORCE_WB) && address >= FOUR_GIB && address < state->top_mem2)
        return MTRR_WB;
    return type <= MTRR_WB && type != 2 && type != 3 ? (enum mtrr_type)type : MTRR_UNDEFINED;
}

enum mtrr_type mtrr_type_at(const struct mtrr_state *state, uint64_t address)
{
    uint64_t bits = address_bits(state);
    enum mtrr_type type = MTRR_UNDEFINED;
    bool matched = false;
    unsigned i;

    if (!(state->default_type & DEFAULT_ENABLE))
        return MTRR_UC;
    if (address < MIB && fixed_decide(state))
        return fixed_type(state, address);
    for (i = 0; i < state->variable && i < MTRR_VARIABLE_MAX; i++) {
        uint64_t mask = state->mask[i] & bits;
        if (!(state->mask[i] & MASK_VALID) || (address & mask) != (state->base[i] & mask))
            continue;
        type = matched ? types_join(type, variable_type(state, i)) : variable_type(state, i);
        matched = true;
    }
    return matched ? type : default_type_at(state, address);
}

static uint64_t nearer(uint64_t edge, uint64_t address, uint64_t end)
{
    return edge > address && edge < end ? edge : end;
}

/* The lowest address above one that does not match at which a mask matches, found from the highest
 * bit that differs: where it is to be set, everything above may stay; where it is to be cleared,
 * the lowest clear bit above it that the mask leaves free must be set. */
static uint64_t next_match(uint64_t mask, uint64_t base, uint64_t address, uint64_t end)
{
    uint64_t differs = (address ^ base) & mask, bit = 1ull << 63;

    while (!(differs & bit))
        bit >>= 1;
    if (!(base & bit))
        for (bit <<= 1; bit != 0 && ((mask | address) & bit); bit <<= 1)
            ;
    if (bit == 0)
        return end;
    return (address & ~(bit | (bit - 1))) | bit | (base & (bit - 1));
}

/* Returns the next address, at most end, at which a variable range begins or stops matching. */
static uint64_t variable_edge(const struct mtrr_state *state, unsigned i, uint64_t address,
                              uint64_t end)
{
    uint64_t mask = state->mask[i] & address_bits(state);
    uint64_t size = mask & (~mask + 1), base = state->base[i] & mask;

    /* An empty mask matches everything. */
    if (!(state->mask[i] & MASK_VALID) || !mask)
        return end;
    if ((address & mask) == base)
        return nearer((address | (size - 1)) + 1, address, end);
    return nearer(next_match(mask, base, address, end), address, end);
}

/* Returns the next address, at most end, at which the type may change. */
static uint64_t next_edge(const struct mtrr_state *state, uint64_t address, uint64_t end)
{
    unsigned i;

    if (address < MIB && fixed_decide(state)) {
        uint64_t piece = fixed_piece_bytes(address);
        return nearer((address / piece + 1) * piece, address, end);
    }
    if (state->amd)
        end = nearer(FOUR_GIB, address, nearer(state->top_mem2, address, end));
    for (i = 0; i < state->variable && i < MTRR_VARIABLE_MAX; i++)
        end = variable_edge(state, i, address, end);
    return end;
}

phys_addr mtrr_same_type(const struct mtrr_state *state, phys_addr base, phys_addr end,
                         bool *writeback)
{
    *writeback = mtrr_type_at(state, base.value) == MTRR_WB;
    return phys_make(next_edge(state, base.value, end.value));
}
