/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/support_recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pure_sysreg.h"

#define LINE_BYTES 400
#define WORDS_MAX  12

enum kind { KIND_CPUID, KIND_ID, KIND_MSR, KIND_SYSREG, KIND_ACPI, KIND_SMBIOS, KINDS };
static const char *const kind_names[] = {"cpuid", "id", "msr", "sysreg", "acpi", "smbios"};

struct reading {
    struct recorded_machine *machine;
    bool sourced[KINDS]; /* where these facts are from */
    size_t count;
    char *word[WORDS_MAX];
    char rest[LINE_BYTES]; /* of the line, after the second word */
};

static bool number(const char *word, int base, uint64_t *value)
{
    char *end;

    *value = strtoull(word, &end, base);
    return end != word && *end == '\0';
}

static bool is_word(const struct reading *reading, size_t i, const char *word)
{
    return i < reading->count && strcmp(reading->word[i], word) == 0;
}

static bool read_cpuid(struct reading *reading)
{
    uint64_t value[6];

    if (reading->count != 7)
        return false;
    for (size_t i = 0; i < 6; i++)
        if (!number(reading->word[i + 1], 16, &value[i]) || value[i] > UINT32_MAX)
            return false;
    *cpuid_set_at(&reading->machine->cpuid, (uint32_t)value[0], (uint32_t)value[1]) =
        (struct cpuid_words){(uint32_t)value[2], (uint32_t)value[3], (uint32_t)value[4],
                             (uint32_t)value[5]};
    return true;
}

static bool read_id(struct reading *reading)
{
    struct recorded_machine *m = reading->machine;
    struct {
        const char *name;
        uint64_t *field;
    } fields[] = {{"midr", &m->id.midr},       {"mpidr", &m->id.mpidr}, {"ctr", &m->id.ctr},
                  {"clidr", &m->id.clidr},     {"mmfr0", &m->id.mmfr0}, {"mmfr2", &m->id.mmfr2},
                  {"cntfrq", &m->clock.cntfrq}};
    uint64_t value;

    if (reading->count != 3 || !number(reading->word[2], 0, &value))
        return false;
    m->aarch64 = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (is_word(reading, 1, fields[i].name))
            return *fields[i].field = value, true;
    if (is_word(reading, 1, "level"))
        return m->clock.level = (unsigned)value, true;
    if (strncmp(reading->word[1], "ccsidr", 6) != 0 || reading->word[1][6] < '1' ||
        reading->word[1][6] > '0' + DESCRIBE_LEVELS || reading->word[1][7] != '\0')
        return false;
    m->id.ccsidr[reading->word[1][6] - '1'] = value;
    return true;
}

static bool read_habits(const struct reading *reading, struct msr_model_register *reg)
{
    struct {
        const char *name;
        uint64_t *bits;
    } masks[] = {
        {"locked=", &reg->locked}, {"sticky=", &reg->sticky}, {"reserved=", &reg->reserved}};

    for (size_t i = 3; i < reading->count; i++) {
        bool known = is_word(reading, i, "refuses") || is_word(reading, i, "zero");

        reg->write_faults |= is_word(reading, i, "refuses");
        reg->reads_zero |= is_word(reading, i, "zero");
        for (size_t k = 0; k < sizeof masks / sizeof masks[0] && !known; k++) {
            size_t bytes = strlen(masks[k].name);
            known = strncmp(reading->word[i], masks[k].name, bytes) == 0 &&
                    number(reading->word[i] + bytes, 0, masks[k].bits);
        }
        if (!known)
            return false;
    }
    return true;
}

static bool read_register(struct reading *reading, uint64_t address)
{
    struct msr_model_register *reg = msr_model_at(&reading->machine->registers, (uint32_t)address);

    return reading->count >= 3 && number(reading->word[2], 0, &reg->value) &&
           read_habits(reading, reg);
}

static bool read_msr(struct reading *reading)
{
    uint64_t address;

    return reading->count >= 3 && number(reading->word[1], 0, &address) &&
           read_register(reading, address);
}

static bool read_sysreg(struct reading *reading)
{
    for (unsigned i = 0; i < SYSREG_COUNT; i++)
        if (is_word(reading, 1, sysreg_name((enum sysreg)i)))
            return read_register(reading, i);
    return false;
}

static bool read_acpi(struct reading *reading)
{
    struct recorded_machine *m = reading->machine;
    uint64_t value[3] = {0};

    for (size_t i = 2; i < reading->count && i < 5; i++)
        if (!number(reading->word[i], 0, &value[i - 2]))
            return false;
    if (is_word(reading, 1, "pm-timer") && reading->count == 4) {
        m->acpi.fadt_known = m->acpi.pm_timer_known = m->acpi.pm_timer_is_port = true;
        m->acpi.pm_timer_address = value[0];
        m->acpi.pm_timer_bits = (unsigned)value[1];
        return true;
    }
    if (is_word(reading, 1, "hpet") && reading->count == 5) {
        m->acpi.hpet_known = true;
        m->acpi.hpet_base = phys_make(value[0]);
        m->hpet_capabilities = value[1];
        m->hpet_configuration = value[2];
        return true;
    }
    if (!is_word(reading, 1, "cpus") || reading->count != 3 || value[0] > CPUS_MAX)
        return false;
    m->acpi.madt_known = true;
    m->acpi.cpu_count = value[0];
    for (size_t i = 0; i < m->acpi.cpu_count; i++)
        m->acpi.cpus[i] = (struct cpu_info){.hardware_id = i, .enabled = true};
    return true;
}

static bool read_dimm(struct reading *reading)
{
    struct recorded_machine *m = reading->machine;
    uint64_t gib, rated, configured;
    struct dimm_info *dimm;

    if (reading->count != 9 || m->dimm_count == RECORDED_DIMMS_MAX ||
        !number(reading->word[4], 10, &gib) || !number(reading->word[5], 10, &rated) ||
        !number(reading->word[6], 10, &configured))
        return false;
    dimm = &m->dimms[m->dimm_count++];
    dimm->bytes = gib << 30;
    dimm->rated_mts = (uint32_t)rated;
    dimm->configured_mts = (uint32_t)configured;
    dimm->data_bits = dimm->total_bits = 64;
    dimm->physical_first = dimm->physical_last = DIMM_UNKNOWN;
    snprintf(dimm->locator, sizeof dimm->locator, "%s", reading->word[2]);
    snprintf(dimm->type, sizeof dimm->type, "%s", reading->word[3]);
    snprintf(dimm->maker, sizeof dimm->maker, "%s", reading->word[7]);
    snprintf(dimm->part, sizeof dimm->part, "%s", reading->word[8]);
    return true;
}

static bool read_smbios(struct reading *reading)
{
    struct recorded_machine *m = reading->machine;

    if (is_word(reading, 1, "dimm"))
        return read_dimm(reading);
    if (is_word(reading, 1, "board"))
        snprintf(m->board, sizeof m->board, "%.63s", reading->rest);
    else if (is_word(reading, 1, "bios"))
        snprintf(m->bios, sizeof m->bios, "%.63s", reading->rest);
    else
        return false;
    return reading->rest[0] != '\0';
}

static bool read_from(struct reading *reading)
{
    bool dump = is_word(reading, 2, "dump");

    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (!is_word(reading, 1, kind_names[kind]))
            continue;
        reading->sourced[kind] = true;
        reading->machine->from_dump |= dump && (kind == KIND_CPUID || kind == KIND_ID);
        /* A dump comes from a place that can be looked up. */
        return reading->count > 3 &&
               (dump ? strstr(reading->rest, "https://") != NULL : is_word(reading, 2, "made-up"));
    }
    return false;
}

static bool read_option(struct reading *reading)
{
    reading->machine->prefetch_write |= is_word(reading, 1, "prefetch-write");
    reading->machine->prefetch_unofficial |= is_word(reading, 1, "prefetch-unofficial");
    return is_word(reading, 1, "prefetch-write") || is_word(reading, 1, "prefetch-unofficial");
}

static bool read_line(struct reading *reading)
{
    static bool (*const readers[KINDS])(struct reading * reading) = {
        read_cpuid, read_id, read_msr, read_sysreg, read_acpi, read_smbios};

    if (is_word(reading, 0, "from"))
        return read_from(reading);
    if (is_word(reading, 0, "option"))
        return read_option(reading);
    for (unsigned kind = 0; kind < KINDS; kind++)
        if (is_word(reading, 0, kind_names[kind]))
            return reading->sourced[kind] && readers[kind](reading);
    return false;
}

static void split(struct reading *reading, char *line)
{
    char *pos = line;

    reading->count = 0;
    reading->rest[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    while (*(pos += strspn(pos, " ")) != '\0' && reading->count < WORDS_MAX) {
        if (reading->count == 2)
            snprintf(reading->rest, sizeof reading->rest, "%s", pos);
        reading->word[reading->count++] = pos;
        pos += strcspn(pos, " ");
        if (*pos != '\0')
            *pos++ = '\0';
    }
}

void recorded_read(struct recorded_machine *machine, const char *path)
{
    struct reading reading = {.machine = machine};
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];

    memset(machine, 0, sizeof *machine);
    machine->clock.level = 1;
    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    for (unsigned at = 1; fgets(line, sizeof line, file) != NULL; at++) {
        split(&reading, line);
        if (reading.count != 0 && reading.word[0][0] != '#' && !read_line(&reading))
            fail_msg("%s:%u: not understood, or nothing says where this is from", path, at);
    }
    fclose(file);
}
