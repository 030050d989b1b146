/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/board.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/chance.h"

#define ROW_LOG2  13 /* of a row's bytes in one bank */
#define ABOVE_MAX 6  /* bits above a row that a function may also have */

/* ---- the mapping */

static uint32_t log2_of(uint32_t count)
{
    return (uint32_t)__builtin_ctz(count);
}

/* A function of that bit of the row's part of an address, and of up to two of those above it. */
static void add_function(struct random *random, struct sim_xors *xors, uint32_t bit,
                         uint32_t row_bit)
{
    uint64_t mask = 1ull << bit;

    for (unsigned i = 0; i < 2; i++)
        if (chance(random, 0.5))
            mask |= 1ull << (row_bit + random_below(random, ABOVE_MAX));
    xors->mask[xors->count++] = mask;
}

/* Channels alternate by low bits, banks and ranks by those next to a row's. */
static void draw_mapping(struct random *random, struct sim_config *config)
{
    struct sim_memory_config *memory = &config->memory;
    uint32_t channels = log2_of(memory->channels), ranks = log2_of(memory->ranks);
    uint32_t banks = log2_of(memory->banks), low = 6 + (uint32_t)random_below(random, 4);
    uint32_t row_bit = ROW_LOG2 + channels + ranks + banks, bit = ROW_LOG2 + channels;

    for (uint32_t i = 0; i < channels; i++)
        add_function(random, &config->mapping.channel, low + i, row_bit);
    for (uint32_t i = 0; i < banks; i++)
        add_function(random, &config->mapping.bank, bit++, row_bit);
    for (uint32_t i = 0; i < ranks; i++)
        add_function(random, &config->mapping.rank, bit++, row_bit);
    config->mapping.row_bit = row_bit;
}

/* ---- memory */

static double access_ns(const struct sim_memory_config *memory)
{
    return memory->base_ns + memory->tcl_ns + memory->trcd_ns;
}

static void draw_memory(struct random *random, struct sim_memory_config *memory)
{
    memory->channels = ONE_OF(random, 1, 1, 2, 2, 2, 4);
    memory->ranks = memory->channels == 4 ? 1 : ONE_OF(random, 1, 2, 2);
    memory->banks = ONE_OF(random, 8, 16) / (memory->channels * memory->ranks);
    memory->bytes = (uint64_t)ONE_OF(random, 128, 160, 192) << 20;
    memory->row_bytes = 1u << ROW_LOG2;
    memory->open_pages = chance(random, 0.8);
    memory->base_ns = chance_between(random, 35, 90);
    memory->tcl_ns = chance_between(random, 12, 18);
    memory->trcd_ns = memory->tcl_ns;
    memory->trp_ns = memory->tcl_ns;
    memory->trefi_ns = ONE_OF(random, 3900, 7800);
    memory->trfc_ns = chance_between(random, 160, 350);
    memory->bytes_per_s = chance_between(random, 8e9, 21e9);
    memory->misses_max = ONE_OF(random, 8, 10, 12);
}

/* What makes channels or ranks differ on boards with nothing wrong: some of it is so little that
 * it is found in some boots only. */
static void draw_differences(struct random *random, struct sim_memory_config *memory)
{
    double most = chance(random, 0.5) ? 0.02 : 0.06;

    if (memory->channels > 1 && chance(random, 0.3)) {
        memory->distance.count = memory->channels;
        for (uint32_t i = 1; i < memory->channels; i++)
            memory->distance.ns[i] = chance_between(random, 0, most) * access_ns(memory);
    } else if (memory->ranks > 1 && chance(random, 0.2)) {
        memory->module_count = 1;
        memory->module[0] = (struct sim_module_config){
            .channel = SIM_ANY,
            .rank = (uint32_t)random_below(random, memory->ranks),
            .tcl_ns = memory->tcl_ns + chance_between(random, 0, most) * access_ns(memory),
            .trcd_ns = -1,
            .trp_ns = -1};
    }
}

/* ---- the rest of the board */

static void draw_clock(struct random *random, struct sim_config *config)
{
    config->core_hz = chance_between(random, 1.4e9, 4e9);
    config->counter_hz = chance(random, 0.8) ? config->core_hz : chance(random, 0.5) ? 100e6 : 25e6;
    config->core.window = ONE_OF(random, 64, 128, 224);
}

static void draw_caches(struct random *random, struct sim_config *config)
{
    config->cache_count = 2;
    config->cache[0] = (struct sim_cache_config){
        .name = "L1", .bytes = 32 << 10, .ways = 8, .line_bytes = 64, .latency = {4, true}};
    config->cache[1] =
        (struct sim_cache_config){.name = "L2", .ways = 8, .line_bytes = 64, .latency = {14, true}};
    config->cache[1].bytes = ONE_OF(random, 128, 256, 512) << 10;
    config->page_sizes = 1u << 12 | 1u << 21;
}

static void draw_noise(struct random *random, struct sim_noise_config *noise)
{
    noise->jitter = chance_between(random, 0.002, 0.02);
    noise->spike_every = chance_between(random, 200, 1000);
    noise->spike_factor = chance_between(random, 1.5, 3);
    if (chance(random, 0.3)) {
        noise->smi_hz = chance_between(random, 1, 10);
        noise->smi_us = chance_between(random, 20, 200);
        noise->smi_counted = chance(random, 0.5);
    }
}

/* The functions of channels and ranks, lowest first, and a slot for each combination. */
static size_t put_decode(const struct sim_config *config, char *words, size_t room)
{
    const struct sim_xors *all[] = {&config->mapping.channel, &config->mapping.rank};
    size_t used = 0;
    const char *before = " decode=";

    for (unsigned i = 0; i < 2; i++)
        for (uint32_t k = 0; k < all[i]->count; k++, before = "/")
            used += (size_t)snprintf(words + used, room - used, "%s0x%llx", before,
                                     (unsigned long long)all[i]->mask[k]);
    for (uint32_t i = 0; used != 0 && i < config->memory.channels * config->memory.ranks; i++)
        used += (size_t)snprintf(words + used, room - used, "%sc%ur%u", i == 0 ? ":" : ",",
                                 i % config->memory.channels, i / config->memory.channels);
    return used;
}

/* Now and then what takes longer to run. */
static void draw_words(struct random *random, struct board *board)
{
    const char *tests = chance(random, 0.1)    ? "regions,single"
                        : chance(random, 0.05) ? "dram,regions pages=2m"
                                               : "regions";
    size_t used = (size_t)snprintf(board->words, sizeof board->words,
                                   "tests=%s block=16M verdict=on rule-coverage=0", tests);

    (void)put_decode(&board->config, board->words + used, sizeof board->words - used);
}

void board_draw(struct board *board, uint64_t seed)
{
    struct sim_config *config = &board->config;
    struct random random;

    random_start(&random, seed ^ 0x626f617264ull);
    memset(board, 0, sizeof *board);
    board->seed = seed;
    sim_config_start(config);
    snprintf(config->name, sizeof config->name, "board-%llu", (unsigned long long)seed);
    draw_clock(&random, config);
    draw_caches(&random, config);
    draw_memory(&random, &config->memory);
    draw_mapping(&random, config);
    draw_differences(&random, &config->memory);
    draw_noise(&random, &config->noise);
    board->keeps = chance(&random, 0.3);
    board->stray = chance(&random, 0.1);
    draw_words(&random, board);
}

/* ---- a boot */

/* The source of what a board draws later, each time for one purpose. */
static struct random source_of(const struct board *board, uint64_t purpose, uint64_t number)
{
    struct random random;

    random_start(&random, random_mix(board->seed ^ purpose) + number);
    return random;
}

/* Where refreshes begin: each channel's somewhere, its ranks' evenly after that. On some boards
 * training leaves every rank's somewhere. */
static void draw_phases(struct random *random, bool stray, struct sim_memory_config *memory)
{
    double begin = 0;

    memory->phases.count = memory->channels * memory->ranks;
    for (uint32_t i = 0; i < memory->phases.count; i++) {
        if (i % memory->ranks == 0 || stray)
            begin = chance_between(random, 0, 1);
        else
            begin += 1.0 / memory->ranks;
        memory->phases.ns[i] = (begin - floor(begin)) * 0.9999 * memory->trefi_ns;
    }
}

void board_boot(const struct board *board, uint32_t boot, struct sim_config *config)
{
    struct random random = source_of(board, 0x626f6f74ull, boot);
    bool declared = board->config.counter_hz == board->config.core_hz;
    double core = chance_between(&random, 0.995, 1.005);

    *config = board->config;
    config->seed = random_next(&random) >> 1;
    config->core_hz *= core;
    config->counter_hz *= declared ? core : chance_between(&random, 1 - 2e-5, 1 + 2e-5);
    config->memory.base_ns *= chance_between(&random, 0.99, 1.01);
    config->memory.trefi_ppm = chance_between(&random, -50, 50);
    draw_phases(&random, board->stray, &config->memory);
    if (board->keeps)
        config->memory.kept_bytes = random_below(&random, 1024) << 12;
}

/* ---- a retraining */

static void choose(const struct board *board, struct random *random, struct board_part *part)
{
    const struct sim_memory_config *memory = &board->config.memory;
    struct sim_part *of = &part->slow.part;
    bool channels = memory->channels > 1, ranks = memory->ranks > 1;

    if (channels && ranks && chance(random, 0.5)) {
        snprintf(part->kind, sizeof part->kind, "module");
        of->channel = (uint32_t)random_below(random, memory->channels);
        of->rank = (uint32_t)random_below(random, memory->ranks);
    } else if (ranks && (!channels || chance(random, 0.5))) {
        snprintf(part->kind, sizeof part->kind, "rank");
        of->rank = (uint32_t)random_below(random, memory->ranks);
    } else if (channels) {
        snprintf(part->kind, sizeof part->kind, "channel");
        of->channel = (uint32_t)random_below(random, memory->channels);
    } else if (chance(random, 0.8)) {
        snprintf(part->kind, sizeof part->kind, "range");
        of->bytes = memory->bytes / 2;
        of->from = SIM_MEMORY_BASE + (chance(random, 0.5) ? of->bytes : 0);
    } else {
        snprintf(part->kind, sizeof part->kind, "all");
        of->bytes = memory->bytes;
        of->from = SIM_MEMORY_BASE;
    }
}

static void name_slot(const struct sim_memory_config *memory, struct board_part *part)
{
    const struct sim_part *of = &part->slow.part;
    bool channel = memory->channels == 1 || of->channel != SIM_ANY;
    bool rank = memory->ranks == 1 || of->rank != SIM_ANY;

    if (memory->channels * memory->ranks > 1 && channel && rank)
        snprintf(part->slot, sizeof part->slot, "c%ur%u", memory->channels > 1 ? of->channel : 0,
                 memory->ranks > 1 ? of->rank : 0);
}

void board_retrain(const struct board *board, uint32_t index, struct board_part *part)
{
    struct random random = source_of(board, 0x747261696eull, index);

    memset(part, 0, sizeof *part);
    part->slow.part = (struct sim_part){.parity = 1, .channel = SIM_ANY, .rank = SIM_ANY};
    choose(board, &random, part);
    name_slot(&board->config.memory, part);
    part->share = chance_between(&random, strcmp(part->kind, "all") == 0 ? 0.08 : 0.03, 0.15);
    part->slow.adds_ns = part->share * access_ns(&board->config.memory);
}
