/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/dram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static struct sim_dram_count count_of(uint32_t count)
{
    if ((count & (count - 1)) == 0)
        return (struct sim_dram_count){count, count - 1, log2_of(count)};
    return (struct sim_dram_count){count, UINT32_MAX, 0};
}

static void start_ranks(struct sim_dram *dram)
{
    const struct sim_memory_config *config = dram->config;
    uint32_t count = config->channels * config->ranks;

    for (uint32_t i = 0; i < count; i++) {
        struct sim_rank *rank = &dram->rank[i];
        uint32_t channel = i / config->ranks;
        double tcl = config->tcl_ns;
        rank->trcd_ns = config->trcd_ns;
        rank->trp_ns = config->trp_ns;
        for (size_t k = 0; k < config->module_count; k++) {
            const struct sim_module_config *module = &config->module[k];
            if ((module->channel != SIM_ANY && module->channel != channel) ||
                (module->rank != SIM_ANY && module->rank != i % config->ranks))
                continue;
            tcl = module->tcl_ns < 0 ? tcl : module->tcl_ns;
            rank->trcd_ns = module->trcd_ns < 0 ? rank->trcd_ns : module->trcd_ns;
            rank->trp_ns = module->trp_ns < 0 ? rank->trp_ns : module->trp_ns;
        }
        rank->memory_ns = config->base_ns + tcl;
        if (config->distance.count != 0)
            rank->memory_ns += config->distance.ns[channel];
        rank->phase_ns =
            config->phases.count != 0 ? config->phases.ns[i] : dram->trefi_ns * i / count;
    }
}

static void start_refresh(struct sim_dram *dram)
{
    const struct sim_memory_config *config = dram->config;

    dram->refresh_banks = config->refresh_banks != 0 ? config->refresh_banks : config->banks;
    dram->trefi_ns = config->trefi_ns * (1 + config->trefi_ppm * 1e-6);
    if (dram->trefi_ns > 0)
        dram->per_trefi = 1 / dram->trefi_ns;
}

/* What functions are of. Controllers move down only what is above the hole. */
static inline uint64_t decoded(const struct sim_mapping_config *mapping, uint64_t physical)
{
    return physical >= SIM_MEMORY_BASE ? physical - mapping->offset_bytes : physical;
}

static int by_lowest_bit(const void *a, const void *b)
{
    int x = __builtin_ctzll(*(const uint64_t *)a), y = __builtin_ctzll(*(const uint64_t *)b);

    return x - y;
}

/* Lines beyond flex_bytes are all in the first channel, and fill its ranks, banks and rows as if
 * half (a quarter...) of the addresses were left out: those that the functions put elsewhere. So
 * each function of the channel determines a bit, which the number of a line does not have. */
static void start_flex(struct sim_dram *dram)
{
    uint64_t row, bytes = dram->config->flex_bytes;
    struct sim_xors *xors = &dram->flex;

    dram->flex_lines = bytes != 0 ? bytes >> dram->line_log2 : UINT64_MAX;
    if (bytes == 0 || dram->mapping == NULL)
        return;
    row = 1ull << dram->mapping->row_bit;
    dram->flex_base = decoded(dram->mapping, sim_map_physical(&dram->map, bytes - 1)) + 1;
    dram->flex_base = (dram->flex_base + row - 1) & ~(row - 1);
    *xors = dram->mapping->channel;
    for (uint32_t i = 0; i < xors->count; i++)
        for (uint32_t k = 0; k < xors->count; k++)
            if (k != i && xors->mask[k] & xors->mask[i] & -xors->mask[i])
                xors->mask[k] ^= xors->mask[i];
    qsort(xors->mask, xors->count, sizeof *xors->mask, by_lowest_bit);
}

void sim_dram_ask_from(struct sim_dram *dram, uint32_t node, double away_ns)
{
    for (size_t i = 0; i < dram->segment_count; i++)
        dram->segment_ns[i] = away_ns + sim_nodes_way_ns(dram->config, node, dram->segment[i].node);
}

static void start_segments(struct sim_dram *dram, const struct sim_memory_config *config,
                           uint32_t line_bytes)
{
    dram->segment_count = sim_nodes_segments(config, dram->segment);
    for (size_t i = 0; i < dram->segment_count; i++)
        dram->segment_end[i] =
            dram->segment[i].end == UINT64_MAX ? UINT64_MAX : dram->segment[i].end / line_bytes;
}

/* What a line takes longer by its node. */
static double node_ns(const struct sim_dram *dram, uint64_t line)
{
    size_t i = 0;

    while (line >= dram->segment_end[i])
        i++;
    return dram->segment_ns[i];
}

void sim_dram_start(struct sim_dram *dram, const struct sim_memory_config *config,
                    const struct sim_mapping_config *mapping, uint32_t line_bytes)
{
    size_t banks = (size_t)config->channels * config->ranks * config->banks;

    *dram = (struct sim_dram){.config = config,
                              .mapping =
                                  mapping != NULL && sim_mapping_is_given(mapping) ? mapping : NULL,
                              .line_log2 = log2_of(line_bytes),
                              .column_log2 = log2_of(config->row_bytes / line_bytes),
                              .channels = count_of(config->channels),
                              .ranks = count_of(config->ranks),
                              .banks = count_of(config->banks)};
    if (config->bytes_per_s > 0)
        dram->transfer_ns = line_bytes / config->bytes_per_s * 1e9;
    sim_map_start(&dram->map, config);
    start_segments(dram, config, line_bytes);
    sim_dram_ask_from(dram, SIM_NODE_NEAR, 0);
    start_refresh(dram);
    start_flex(dram);
    dram->rank = calloc((size_t)config->channels * config->ranks, sizeof *dram->rank);
    dram->channel = calloc(config->channels, sizeof *dram->channel);
    dram->bank = calloc(banks, sizeof *dram->bank);
    if (!dram->channel || !dram->bank || !dram->rank) {
        fprintf(stderr, "simulator: no memory for %zu banks\n", banks);
        exit(2);
    }
    for (size_t i = 0; i < banks; i++)
        dram->bank[i].row = -1;
    start_ranks(dram);
    sim_dram_serve_cores(dram, 1);
}

static void *for_cores(void *before, uint32_t cores, size_t bytes)
{
    void *memory = realloc(before, cores * bytes);

    if (!memory) {
        fprintf(stderr, "simulator: no memory for transfers of %u cores\n", cores);
        exit(2);
    }
    return memory;
}

void sim_dram_serve_cores(struct sim_dram *dram, uint32_t cores)
{
    uint32_t channels = dram->config->channels;
    struct sim_transfer *all = dram->channel[0].transfer;

    dram->writes_max = cores * SIM_WRITES_MAX;
    dram->write = for_cores(dram->write, cores, SIM_WRITES_MAX * sizeof *dram->write);
    dram->transfers_max = cores * SIM_TRANSFERS_MAX;
    all = for_cores(all, cores, channels * SIM_TRANSFERS_MAX * sizeof *all);
    for (uint32_t i = 0; i < channels; i++)
        dram->channel[i].transfer = all + (size_t)i * dram->transfers_max;
}

void sim_dram_stop(struct sim_dram *dram)
{
    free(dram->rank);
    free(dram->channel[0].transfer);
    free(dram->channel);
    free(dram->write);
    free(dram->bank);
}

/* The remainder of a number; the quotient stays in it. */
static inline uint32_t take(uint64_t *x, const struct sim_dram_count *by)
{
    uint32_t remainder;

    if (by->mask == UINT32_MAX) {
        remainder = (uint32_t)(*x % by->count);
        *x /= by->count;
    } else {
        remainder = (uint32_t)*x & by->mask;
        *x >>= by->log2;
    }
    return remainder;
}

/* Chooses one by a remainder and what is above it: XOR, or a sum where XOR could lead beyond the
 * last one. Either way each value above is paired with each of them once. */
static inline uint32_t hashed(uint32_t remainder, uint64_t above, const struct sim_dram_count *by)
{
    if (by->mask == UINT32_MAX)
        return (remainder + (uint32_t)(above % by->count)) % by->count;
    return (remainder ^ (uint32_t)above) & by->mask;
}

static inline uint32_t parities(const struct sim_xors *xors, uint64_t address)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < xors->count; i++)
        bits |= (uint32_t)__builtin_parityll(xors->mask[i] & address) << i;
    return bits;
}

static inline uint64_t physical_of(const struct sim_dram *dram, uint64_t line)
{
    return sim_map_physical(&dram->map, line << dram->line_log2);
}

/* What a line beyond flex_lines is mapped by. */
static uint64_t flex_address(const struct sim_dram *dram, uint64_t line)
{
    uint64_t address = (line - dram->flex_lines) << dram->line_log2;

    for (uint32_t i = 0; i < dram->flex.count; i++) {
        uint64_t below = (dram->flex.mask[i] & -dram->flex.mask[i]) - 1;
        address = (address & ~below) << 1 | (address & below);
    }
    address += dram->flex_base;
    for (uint32_t i = 0; i < dram->flex.count; i++)
        if (__builtin_parityll(dram->flex.mask[i] & address))
            address ^= dram->flex.mask[i] & -dram->flex.mask[i];
    return address;
}

static struct sim_place mapped_place(const struct sim_dram *dram, uint64_t line)
{
    const struct sim_mapping_config *mapping = dram->mapping;
    uint64_t address = decoded(mapping, physical_of(dram, line));
    uint32_t remainder = 0;
    struct sim_place place;

    if (line >= dram->flex_lines)
        address = flex_address(dram, line);
    if (mapping->modulus > 1) {
        uint64_t above = address >> mapping->from_bit;
        remainder = (uint32_t)(above % mapping->modulus);
        address = above / mapping->modulus << mapping->from_bit |
                  (address & ((1ull << mapping->from_bit) - 1));
    }
    place.channel = remainder << mapping->channel.count | parities(&mapping->channel, address);
    place.rank = parities(&mapping->rank, address);
    place.bank = parities(&mapping->bank, address);
    place.row = (int64_t)(address >> mapping->row_bit);
    return place;
}

/* Channel and bank are hashed with higher bits, as memory controllers do, so that no power-of-two
 * stride stays on one of them. */
static inline struct sim_place hashed_place(const struct sim_dram *dram, uint64_t line)
{
    uint64_t x = line, above;
    struct sim_place place;

    place.channel = 0;
    if (line < dram->flex_lines) {
        place.channel = take(&x, &dram->channels);
        above = x << dram->channels.log2;
        place.channel =
            hashed(place.channel, above >> 7 ^ above >> 13 ^ above >> 19, &dram->channels);
    }
    x >>= dram->column_log2;
    place.bank = take(&x, &dram->banks);
    place.rank = take(&x, &dram->ranks);
    place.bank = hashed(place.bank, x, &dram->banks);
    place.row = (int64_t)x;
    return place;
}

static inline struct sim_place place_of(const struct sim_dram *dram, uint64_t line)
{
    return dram->mapping != NULL ? mapped_place(dram, line) : hashed_place(dram, line);
}

static inline uint64_t line_of(const struct sim_dram *dram, uint64_t physical)
{
    return sim_map_offset(&dram->map, physical) >> dram->line_log2;
}

struct sim_place sim_dram_place(const struct sim_dram *dram, uint64_t physical)
{
    return place_of(dram, line_of(dram, physical));
}

static bool is_in(const struct sim_dram *dram, const struct sim_part *part, uint64_t physical,
                  const struct sim_place *place)
{
    uint64_t address = dram->mapping != NULL ? decoded(dram->mapping, physical) : physical;

    return (part->bytes == 0 || physical - part->from < part->bytes) &&
           (part->channel == SIM_ANY || part->channel == place->channel) &&
           (part->rank == SIM_ANY || part->rank == place->rank) &&
           (part->mask.count == 0 || parities(&part->mask, address) == part->parity);
}

static double slow_ns(const struct sim_dram *dram, uint64_t line, const struct sim_place *place)
{
    const struct sim_memory_config *config = dram->config;
    double ns = 0;

    for (size_t i = 0; i < config->slow_count; i++)
        if (is_in(dram, &config->slow[i].part, physical_of(dram, line), place))
            ns += config->slow[i].adds_ns;
    return ns;
}

double sim_dram_slow_ns(const struct sim_dram *dram, uint64_t physical)
{
    uint64_t line = line_of(dram, physical);
    struct sim_place place = place_of(dram, line);

    return slow_ns(dram, line, &place);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* When a refresh begins, from the count 0 on: up to 1/16 of their distance late, since controllers
 * may let reads that wait go first (JESD79-4 lets them postpone up to eight refreshes). Were
 * refreshes strictly periodic, a chase, each hop of which begins when the one before ends, would
 * fall into step with them, and its latency would depend on how its hops fit between two. */
static inline double refresh_begin(const struct sim_dram *dram, uint32_t rank, uint32_t turn,
                                   uint32_t turns, int64_t epoch)
{
    uint64_t x = (((uint64_t)epoch << 8 | rank) + ((uint64_t)turn << 48)) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return dram->trefi_ns * ((double)epoch + (double)(int64_t)(x >> 40) * (0x1p-24 / 16 / turns));
}

/* How long a refresh of the bank that is under way still lasts; *epoch counts the bank's refreshes.
 * A rank's banks take turns where one refresh is not of all of them. */
static double refresh_wait(const struct sim_dram *dram, uint32_t rank, uint32_t bank,
                           double when_ns, int64_t *epoch)
{
    const struct sim_memory_config *config = dram->config;
    double since = when_ns + dram->clock_ns + 2 * dram->trefi_ns - dram->rank[rank].phase_ns;
    double inside;
    uint32_t turn = 0, turns = 1;

    if (dram->refresh_banks != config->banks) {
        turn = bank / dram->refresh_banks;
        turns = config->banks / dram->refresh_banks;
        since -= dram->trefi_ns * turn / turns;
    }
    /* since is positive: the cast is floor(), without a call. */
    *epoch = (int64_t)(since * dram->per_trefi);
    inside = since - refresh_begin(dram, rank, turn, turns, *epoch);
    if (inside < 0) {
        --*epoch;
        inside = since - refresh_begin(dram, rank, turn, turns, *epoch);
    }
    return inside < config->trfc_ns ? config->trfc_ns - inside : 0;
}

/* A refresh closes the rows of all banks that it is of. */
static double row_cost(struct sim_dram *dram, const struct sim_rank *rank, struct sim_bank *bank,
                       int64_t row, int64_t epoch)
{
    if (bank->epoch != epoch || !dram->config->open_pages)
        bank->row = -1;
    bank->epoch = epoch;
    if (bank->row == row) {
        dram->row_hits++;
        return 0;
    }
    if (bank->row < 0) {
        dram->row_empty++;
        bank->row = row;
        return rank->trcd_ns;
    }
    dram->row_conflicts++;
    bank->row = row;
    return rank->trp_ns + rank->trcd_ns;
}

/* The first moment from when_ns on when the channel is free for so long; the time waited is added
 * to *cost. Transfers that ended before now_ns are forgotten. */
static double reserve(struct sim_channel *channel, uint32_t max, double now_ns, double when_ns,
                      double length, bool write, struct sim_dram_cost *cost)
{
    struct sim_transfer *transfer = channel->transfer;
    uint32_t past = 0, place;

    if (now_ns >= channel->free_ns) {
        /* Nothing to come: all that is known is past. */
        channel->count = 1;
        transfer[0] = (struct sim_transfer){when_ns, when_ns + length, write};
        channel->free_ns = when_ns + length;
        return when_ns;
    }
    while (past < channel->count && transfer[past].until_ns <= now_ns)
        past++;
    if (past == 0 && channel->count == max)
        past = 1;
    channel->count -= past;
    memmove(transfer, transfer + past, channel->count * sizeof *transfer);
    for (place = 0; place < channel->count; place++) {
        if (when_ns + length <= transfer[place].from_ns)
            break;
        if (when_ns >= transfer[place].until_ns)
            continue;
        *(transfer[place].write ? &cost->write_ns : &cost->queue_ns) +=
            transfer[place].until_ns - when_ns;
        when_ns = transfer[place].until_ns;
    }
    memmove(transfer + place + 1, transfer + place, (channel->count - place) * sizeof *transfer);
    transfer[place] = (struct sim_transfer){when_ns, when_ns + length, write};
    channel->count++;
    channel->free_ns = later(channel->free_ns, when_ns + length);
    return when_ns;
}

/* A bank opens its row while others transfer; an access that waits for a bank occupies no channel.
 */
static double serve(struct sim_dram *dram, uint64_t line, double when_ns, bool write,
                    struct sim_dram_cost *cost)
{
    const struct sim_memory_config *config = dram->config;
    struct sim_place place = place_of(dram, line);
    uint32_t number = place.channel * dram->ranks.count + place.rank;
    const struct sim_rank *rank = &dram->rank[number];
    struct sim_bank *bank = &dram->bank[(size_t)number * dram->banks.count + place.bank];
    double length = dram->transfer_ns + (write ? config->twtr_ns : 0);
    double start = later(when_ns, bank->free_ns);
    int64_t epoch = 0;

    *cost = (struct sim_dram_cost){.memory_ns = rank->memory_ns};
    cost->memory_ns += node_ns(dram, line);
    if (config->slow_count != 0)
        cost->memory_ns += slow_ns(dram, line, &place);
    *(bank->wrote ? &cost->write_ns : &cost->queue_ns) = start - when_ns;
    if (config->trefi_ns > 0)
        cost->refresh_ns = refresh_wait(dram, number, place.bank, start, &epoch);
    dram->refresh_waits += cost->refresh_ns > 0;
    start += cost->refresh_ns;
    cost->row_ns = row_cost(dram, rank, bank, place.row, epoch);
    start += cost->row_ns;
    if (length > 0)
        start = reserve(&dram->channel[place.channel], dram->transfers_max, when_ns, start, length,
                        write, cost);
    bank->free_ns = start + (config->open_pages ? 0 : rank->trp_ns);
    bank->wrote = write;
    return start + cost->memory_ns;
}

static void write_first(struct sim_dram *dram)
{
    struct sim_write first = dram->write[0];
    struct sim_dram_cost nobody;

    dram->write_count--;
    memmove(dram->write, dram->write + 1, dram->write_count * sizeof first);
    dram->writes++;
    serve(dram, first.line, first.due_ns, true, &nobody);
}

static double access(struct sim_dram *dram, uint64_t line, double when_ns, bool write,
                     struct sim_dram_cost *cost)
{
    while (dram->write_count != 0 && dram->write[0].due_ns <= when_ns)
        write_first(dram);
    return serve(dram, line, when_ns, write, cost);
}

double sim_dram_access(struct sim_dram *dram, uint64_t line, double when_ns,
                       struct sim_dram_cost *cost)
{
    return access(dram, line, when_ns, false, cost);
}

double sim_dram_store(struct sim_dram *dram, uint64_t line, double when_ns,
                      struct sim_dram_cost *cost)
{
    return access(dram, line, when_ns, true, cost);
}

void sim_dram_write(struct sim_dram *dram, uint64_t line, double due_ns)
{
    uint32_t place = dram->write_count;

    if (place == dram->writes_max) {
        write_first(dram);
        place--;
    }
    for (; place != 0 && dram->write[place - 1].due_ns > due_ns; place--)
        dram->write[place] = dram->write[place - 1];
    dram->write[place] = (struct sim_write){line, due_ns};
    dram->write_count++;
}
