/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/machine_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX   200
#define REPEATS_MAX (SIM_CPUS_MAX - 1) /* the most of them */
#define SHOWN_MAX   40                 /* characters of the file's text in a message */

struct parser {
    struct sim_config *config;
    const char *name;
    struct sim_file_error *error;
    size_t line;
    size_t seen[SIM_SECTIONS];                 /* how many were read */
    size_t line_of[SIM_SECTIONS][REPEATS_MAX]; /* where each was */
    bool ended;
};

static void say(struct parser *p, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct parser *p, size_t line, const char *format, ...)
{
    int used = snprintf(p->error->text, SIM_ERROR_MAX, "%.100s", p->name);
    va_list arguments;

    if (line != 0)
        used += snprintf(p->error->text + used, SIM_ERROR_MAX - (size_t)used, " line %zu", line);
    used += snprintf(p->error->text + used, SIM_ERROR_MAX - (size_t)used, ": ");
    va_start(arguments, format);
    vsnprintf(p->error->text + used, SIM_ERROR_MAX - (size_t)used, format, arguments);
    va_end(arguments);
}

static void set_defaults(enum sim_section section, void *place)
{
    if (section == SIM_SECTION_CACHE)
        *(struct sim_cache_config *)place = (struct sim_cache_config){.line_bytes = 64};
    else if (section == SIM_SECTION_CPU)
        *(struct sim_cpu_config *)place = (struct sim_cpu_config){
            .id = SIM_ANY, .node = SIM_ANY, .thread_of = SIM_ANY, .far_ns = -1, .present = true};
    else if (section == SIM_SECTION_WAY)
        *(struct sim_between_config *)place = (struct sim_between_config){.adds_ns = -1};
    else if (section == SIM_SECTION_MODULE)
        *(struct sim_module_config *)place = (struct sim_module_config){
            .channel = SIM_ANY, .rank = SIM_ANY, .tcl_ns = -1, .trcd_ns = -1, .trp_ns = -1};
    else if (section == SIM_SECTION_DIMM)
        *(struct sim_dimm_config *)place = (struct sim_dimm_config){.type = SIM_DDR4};
    else if (section == SIM_SECTION_SLOW)
        *(struct sim_slow_config *)place =
            (struct sim_slow_config){.part = {.parity = 1, .channel = SIM_ANY, .rank = SIM_ANY}};
    else if (section == SIM_SECTION_PREFETCH)
        *(struct sim_prefetch_config *)place =
            (struct sim_prefetch_config){.degree = 1,
                                         .into = 1,
                                         .region_bytes = 1024,
                                         .after = 2,
                                         .within_bytes = 4096,
                                         .accuracy = 1,
                                         .lead = {.value = 10, .cycles = false}};
}

static const struct sim_key *find_key(enum sim_section section, const char *name, size_t length)
{
    for (size_t i = 0; i < sim_key_count; i++)
        if (sim_keys[i].section == section && strlen(sim_keys[i].name) == length &&
            strncmp(sim_keys[i].name, name, length) == 0)
            return &sim_keys[i];
    return NULL;
}

static void add_name(char *names, const char *name)
{
    size_t used = strlen(names);

    snprintf(names + used, NAMES_MAX - used, "%s%s", used > 0 ? ", " : "", name);
}

static void say_unknown_key(struct parser *p, enum sim_section section, const char *what,
                            const char *key)
{
    char names[NAMES_MAX] = "";

    for (size_t i = 0; i < sim_key_count; i++)
        if (sim_keys[i].section == section)
            add_name(names, sim_keys[i].name);
    say(p, p->line, "%s: '%.*s' %s; allowed: %s", sim_section_names[section], SHOWN_MAX, key, what,
        names);
}

/* given marks the keys that were seen. */
static bool read_word(struct parser *p, enum sim_section section, char *word, void *place,
                      bool given[])
{
    const char *section_name = sim_section_names[section];
    char *equals = strchr(word, '=');
    const struct sim_key *key;
    const char *allowed;
    char scratch[SIM_ALLOWED_MAX];

    if (!equals) {
        say_unknown_key(p, section, "is not key=value", word);
        return false;
    }
    key = find_key(section, word, (size_t)(equals - word));
    if (!key) {
        *equals = '\0';
        say_unknown_key(p, section, "is no key", word);
        return false;
    }
    if (given[key - sim_keys]) {
        say(p, p->line, "%s %s: '%.*s' is given a second time; allowed: each key once",
            section_name, key->name, SHOWN_MAX, equals + 1);
        return false;
    }
    given[key - sim_keys] = true;
    allowed = sim_value_read(key, equals + 1, place, scratch);
    if (allowed)
        say(p, p->line, "%s %s: '%.*s' is not %s", section_name, key->name, SHOWN_MAX, equals + 1,
            allowed);
    return !allowed;
}

static bool find_section(struct parser *p, const char *word, enum sim_section *section)
{
    char names[NAMES_MAX] = "";

    for (unsigned i = 0; i < SIM_SECTIONS; i++) {
        add_name(names, sim_section_names[i]);
        *section = (enum sim_section)i;
        if (strcmp(word, sim_section_names[i]) == 0)
            return true;
    }
    say(p, p->line, "'%.*s' is no section; allowed: %s, end", SHOWN_MAX, word, names);
    return false;
}

static bool read_section(struct parser *p, enum sim_section section, char *rest)
{
    void *place = sim_section_place(p->config, section, p->seen[section]);
    bool given[SIM_KEYS_MAX] = {false};
    char *word, *saved = NULL;

    if (!place) {
        say(p, p->line, "%s: one more than can be; allowed: at most %zu of them",
            sim_section_names[section], sim_section_max(section));
        return false;
    }
    set_defaults(section, place);
    for (word = strtok_r(rest, " \t", &saved); word; word = strtok_r(NULL, " \t", &saved))
        if (!read_word(p, section, word, place, given))
            return false;
    for (size_t i = 0; i < sim_key_count; i++)
        if (sim_keys[i].section == section && sim_keys[i].needed && !given[i]) {
            char scratch[SIM_ALLOWED_MAX];
            say(p, p->line, "%s %s: missing; allowed: %s", sim_section_names[section],
                sim_keys[i].name, sim_value_read(&sim_keys[i], "", place, scratch));
            return false;
        }
    p->line_of[section][p->seen[section]++] = p->line;
    return true;
}

static bool read_line(struct parser *p, char *line)
{
    enum sim_section section;
    char *word, *rest = NULL;

    line[strcspn(line, "#")] = '\0';
    word = strtok_r(line, " \t", &rest);
    if (!word)
        return true;
    if (p->ended) {
        say(p, p->line, "'%.*s' follows 'end'; allowed: comments", SHOWN_MAX, word);
        return false;
    }
    if (strcmp(word, "end") == 0) {
        p->ended = true;
        word = strtok_r(NULL, " \t", &rest);
        if (!word)
            return true;
        say(p, p->line, "end: '%.*s': it takes no keys; allowed: end alone", SHOWN_MAX, word);
        return false;
    }
    return find_section(p, word, &section) && read_section(p, section, rest);
}

static bool read_lines(struct parser *p, const char *text, size_t bytes)
{
    char line[SIM_LINE_MAX];
    size_t length = 0;

    for (size_t i = 0; i <= bytes; i++) {
        char c = '\n';
        if (i < bytes)
            c = text[i];
        if (c == '\n') {
            p->line++;
            line[length] = '\0';
            if (!read_line(p, line))
                return false;
            length = 0;
            continue;
        }
        if (c == '\r' && (i + 1 == bytes || text[i + 1] == '\n'))
            continue;
        if ((c < ' ' && c != '\t') || c > '~') {
            say(p, p->line + 1, "byte 0x%02x is not text; allowed: printable ASCII, blanks, tabs",
                (unsigned char)c);
            return false;
        }
        if (length == SIM_LINE_MAX - 1) {
            say(p, p->line + 1, "a line that is too long; allowed: %d characters",
                SIM_LINE_MAX - 1);
            return false;
        }
        line[length++] = c;
    }
    return true;
}

/* "cache ways: '7': do not divide the cache's lines; allowed: ..."; without the value where none
 * was given, as what is kept then cannot be written. */
static void say_problem(struct parser *p, const struct sim_problem *problem)
{
    const char *section = sim_section_names[problem->section];
    const struct sim_key *key = find_key(problem->section, problem->key, strlen(problem->key));
    void *place = sim_section_place(p->config, problem->section, problem->index);
    size_t line = p->seen[problem->section] != 0 ? p->line_of[problem->section][problem->index] : 0;
    char value[SIM_VALUE_TEXT_MAX] = "", scratch[SIM_ALLOWED_MAX];
    bool given = true;

    if (key->value == SIM_VALUE_HZ) {
        snprintf(value, sizeof value, "%.9gG", *(double *)((char *)place + key->offset) * 1e-9);
    } else {
        sim_value_text(key, place, value);
        given = !sim_value_read(key, value, place, scratch);
    }
    if (given)
        say(p, line, "%s %s: '%.80s': %s; allowed: %s", section, problem->key, value,
            problem->reason, problem->allowed);
    else
        say(p, line, "%s %s: %s; allowed: %s", section, problem->key, problem->reason,
            problem->allowed);
}

static bool check(struct parser *p)
{
    struct sim_problem problem;

    if (!p->ended) {
        say(p, p->line, "cut short: there is no line 'end'; allowed: files that end with it");
        return false;
    }
    for (unsigned i = 0; i < SIM_SECTIONS; i++) {
        bool needed = i == SIM_SECTION_MACHINE || i == SIM_SECTION_CLOCK ||
                      i == SIM_SECTION_CACHE || i == SIM_SECTION_MEMORY ||
                      (i == SIM_SECTION_WALK && p->seen[SIM_SECTION_TLB] != 0);
        if (needed && p->seen[i] == 0) {
            say(p, 0,
                "%s: missing; allowed: a line each of machine, clock, cache, memory, and of "
                "walk beside tlb",
                sim_section_names[i]);
            return false;
        }
    }
    if (sim_config_check(p->config, &problem))
        return true;
    say_problem(p, &problem);
    return false;
}

bool sim_machine_parse(struct sim_config *config, const char *text, size_t bytes, const char *name,
                       struct sim_file_error *error)
{
    struct parser p = {.config = config, .name = name, .error = error};

    sim_config_start(config);
    if (bytes > SIM_FILE_MAX) {
        say(&p, 0, "a file that is too long; allowed: %d bytes", SIM_FILE_MAX);
        return false;
    }
    if (!read_lines(&p, text, bytes))
        return false;
    config->cache_count = p.seen[SIM_SECTION_CACHE];
    config->tlb_count = p.seen[SIM_SECTION_TLB];
    config->memory.hole_count = p.seen[SIM_SECTION_HOLE];
    config->memory.node_count = p.seen[SIM_SECTION_NODE];
    config->memory.way_count = p.seen[SIM_SECTION_WAY];
    config->memory.module_count = p.seen[SIM_SECTION_MODULE];
    config->memory.slow_count = p.seen[SIM_SECTION_SLOW];
    config->prefetch_count = p.seen[SIM_SECTION_PREFETCH];
    config->dimm_count = p.seen[SIM_SECTION_DIMM];
    config->cpu_count = p.seen[SIM_SECTION_CPU];
    config->fault_count = p.seen[SIM_SECTION_FAULT];
    return check(&p);
}

#define NOT_READ "%s; allowed for machine=: a file that describes one (docs/simulator.md)"

bool sim_machine_load(struct sim_config *config, const char *path, struct sim_file_error *error)
{
    static char text[SIM_FILE_MAX + 1];
    struct parser p = {.config = config, .name = path, .error = error};
    FILE *file = fopen(path, "rb");
    size_t bytes;

    if (!file) {
        say(&p, 0, NOT_READ, strerror(errno));
        return false;
    }
    bytes = fread(text, 1, sizeof text, file);
    if (ferror(file)) {
        say(&p, 0, NOT_READ, strerror(errno));
        fclose(file);
        return false;
    }
    fclose(file);
    return sim_machine_parse(config, text, bytes, path, error);
}
