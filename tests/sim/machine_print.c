/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated machine as a machine file: every key of the table, so that none can be forgotten. */
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "tests/sim/machine_file.h"

#define TEXT_MAX   SIM_VALUE_TEXT_MAX
#define NUMBER_MAX 64

/* With as many decimals as it takes to read the same number again: the format has no exponents. */
static void number_text(double number, char *text)
{
    int decimals = 0;

    do
        snprintf(text, NUMBER_MAX, "%.*f", decimals, number);
    while (strtod(text, NULL) != number && ++decimals < 13);
}

static void pages_text(uint32_t pages, char text[TEXT_MAX])
{
    text[0] = '\0';
    for (unsigned page = 0; page < SIM_PAGES; page++)
        if (pages & 1u << sim_page_log2((enum sim_page)page)) {
            strcat(text, text[0] == '\0' ? "" : ",");
            strcat(text, page_name(sim_page_log2((enum sim_page)page)));
        }
}

static void xors_text(const struct sim_xors *xors, char text[TEXT_MAX])
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < xors->count; i++)
        for (uint64_t left = xors->mask[i]; left != 0; left &= left - 1)
            used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%d",
                                     left != xors->mask[i] ? "^"
                                     : i > 0               ? ","
                                                           : "",
                                     __builtin_ctzll(left));
}

static void scaled_text(double number, const char *unit, char *text)
{
    number_text(number, text);
    strcat(text, unit);
}

static void ppm_text(double ppm, char text[TEXT_MAX])
{
    text[0] = '-';
    scaled_text(ppm < 0 ? -ppm : ppm, "ppm", ppm < 0 ? text + 1 : text);
}

static void times_text(const struct sim_times *times, char text[TEXT_MAX])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < times->count; i++) {
        char each[TEXT_MAX];
        scaled_text(times->ns[i], "ns", each);
        snprintf(text + strlen(text), TEXT_MAX - strlen(text), "%s%s", i > 0 ? "," : "", each);
    }
}

void sim_size_text(uint64_t bytes, char text[TEXT_MAX])
{
    static const char units[] = "KMGT";
    size_t steps = 0;

    while (bytes != 0 && bytes % 1024 == 0 && steps < 4) {
        bytes /= 1024;
        steps++;
    }
    snprintf(text, TEXT_MAX, "%llu%.*s", (unsigned long long)bytes, steps != 0,
             steps != 0 ? &units[steps - 1] : "");
}

void sim_value_text(const struct sim_key *key, const void *section, char text[TEXT_MAX])
{
    const char *place = (const char *)section + key->offset;
    const struct sim_time *time = (const void *)place;
    uint64_t whole = 0;

    switch (key->value) {
    case SIM_VALUE_COUNT:
        snprintf(text, TEXT_MAX, "%u", *(const uint32_t *)place);
        break;
    case SIM_VALUE_TIME:
        scaled_text(time->value, time->cycles ? "c" : "ns", text);
        break;
    case SIM_VALUE_NS:
        scaled_text(*(const double *)place, "ns", text);
        break;
    case SIM_VALUE_SHARE:
        scaled_text(*(const double *)place * 100, "%", text);
        break;
    case SIM_VALUE_HZ:
    case SIM_VALUE_REAL:
        number_text(*(const double *)place, text);
        break;
    case SIM_VALUE_WORD:
        snprintf(text, TEXT_MAX, "%s", key->words[*(const int *)(const void *)place]);
        break;
    case SIM_VALUE_EITHER:
        snprintf(text, TEXT_MAX, "%s", key->words[*(const bool *)place]);
        break;
    case SIM_VALUE_FLAG:
        snprintf(text, TEXT_MAX, "%s", *(const bool *)place ? "yes" : "no");
        break;
    case SIM_VALUE_NAME:
        snprintf(text, TEXT_MAX, "%s", place);
        break;
    case SIM_VALUE_PAGES:
        pages_text(*(const uint32_t *)place, text);
        break;
    case SIM_VALUE_PPM:
        ppm_text(*(const double *)place, text);
        break;
    case SIM_VALUE_TIMES:
        times_text((const void *)place, text);
        break;
    case SIM_VALUE_XORS:
        xors_text((const void *)place, text);
        break;
    case SIM_VALUE_ENTRIES:
        snprintf(text, TEXT_MAX, "%u/%u", *(const uint32_t *)place,
                 *(const uint32_t *)((const char *)section + key->second_offset));
        break;
    default:
        memcpy(&whole, place, sizeof whole);
        if (key->value == SIM_VALUE_DECLARED && whole == SIM_UNDECLARED)
            strcpy(text, "no");
        else if (key->value == SIM_VALUE_ADDRESS)
            snprintf(text, TEXT_MAX, "0x%llx", (unsigned long long)whole);
        else if (key->value == SIM_VALUE_SEED)
            snprintf(text, TEXT_MAX, "%llu", (unsigned long long)whole);
        else
            sim_size_text(whole, text);
        break;
    }
}

/* A value that the key would not take means that there is no such thing: it is left out. */
static void print_section(struct sim_config *config, enum sim_section section, size_t index,
                          FILE *file)
{
    static struct sim_config aside;
    void *place = sim_section_place(config, section, index);
    char text[TEXT_MAX], allowed[SIM_ALLOWED_MAX];

    fprintf(file, "%s", sim_section_names[section]);
    for (size_t i = 0; i < sim_key_count; i++) {
        if (sim_keys[i].section != section)
            continue;
        sim_value_text(&sim_keys[i], place, text);
        if (!sim_value_read(&sim_keys[i], text, sim_section_place(&aside, section, index), allowed))
            fprintf(file, " %s=%s", sim_keys[i].name, text);
    }
    fputc('\n', file);
}

void sim_config_print(const struct sim_config *config, FILE *file)
{
    struct sim_config copy = *config;
    size_t count[SIM_SECTIONS] = {[SIM_SECTION_CACHE] = config->cache_count,
                                  [SIM_SECTION_TLB] = config->tlb_count,
                                  [SIM_SECTION_CPU] = config->cpu_count,
                                  [SIM_SECTION_NODE] = config->memory.node_count,
                                  [SIM_SECTION_WAY] = config->memory.way_count,
                                  [SIM_SECTION_HOLE] = config->memory.hole_count,
                                  [SIM_SECTION_MODULE] = config->memory.module_count,
                                  [SIM_SECTION_DIMM] = config->dimm_count,
                                  [SIM_SECTION_SLOW] = config->memory.slow_count,
                                  [SIM_SECTION_PREFETCH] = config->prefetch_count,
                                  [SIM_SECTION_FAULT] = config->fault_count};

    for (unsigned section = 0; section < SIM_SECTIONS; section++)
        for (size_t i = 0;
             i < (sim_section_max((enum sim_section)section) > 1 ? count[section] : 1); i++)
            print_section(&copy, (enum sim_section)section, i, file);
    fprintf(file, "end\n");
}
