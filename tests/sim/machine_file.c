/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/machine_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX   200
#define REPEATS_MAX 16
#define SHOWN_MAX   40 /* characters of somebody else's text in a message */

struct parser {
    struct sim_config *config;
    const char *name;
    struct sim_file_error *error;
    size_t line;
    size_t seen[SIM_SECTIONS];                 /* how many there were */
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

static void say_unknown_key(struct parser *p, enum sim_section section, const char *key)
{
    char names[NAMES_MAX] = "";

    for (size_t i = 0; i < sim_key_count; i++)
        if (sim_keys[i].section == section)
            add_name(names, sim_keys[i].name);
    say(p, p->line, "%s: unknown key '%.*s'; there are %s", sim_section_names[section], SHOWN_MAX,
        key, names);
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
        say(p, p->line, "%s: '%.*s' is not key=value", section_name, SHOWN_MAX, word);
        return false;
    }
    key = find_key(section, word, (size_t)(equals - word));
    if (!key) {
        *equals = '\0';
        say_unknown_key(p, section, word);
        return false;
    }
    if (given[key - sim_keys]) {
        say(p, p->line, "%s %s: given twice", section_name, key->name);
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

    if (strcmp(word, "cpus") == 0 || strcmp(word, "cpu") == 0) {
        say(p, p->line, "%s: not yet known: simulated machines have one processor", word);
        return false;
    }
    for (unsigned i = 0; i < SIM_SECTIONS; i++) {
        add_name(names, sim_section_names[i]);
        *section = (enum sim_section)i;
        if (strcmp(word, sim_section_names[i]) == 0)
            return true;
    }
    say(p, p->line, "unknown section '%.*s'; there are %s, end", SHOWN_MAX, word, names);
    return false;
}

static bool read_section(struct parser *p, enum sim_section section, char *rest)
{
    void *place = sim_section_place(p->config, section, p->seen[section]);
    bool given[SIM_KEYS_MAX] = {false};
    char *word, *saved = NULL;

    if (!place) {
        say(p, p->line, "%s: at most %zu of them", sim_section_names[section],
            sim_section_most(section));
        return false;
    }
    set_defaults(section, place);
    for (word = strtok_r(rest, " \t", &saved); word; word = strtok_r(NULL, " \t", &saved))
        if (!read_word(p, section, word, place, given))
            return false;
    for (size_t i = 0; i < sim_key_count; i++)
        if (sim_keys[i].section == section && sim_keys[i].needed && !given[i]) {
            say(p, p->line, "%s %s: missing", sim_section_names[section], sim_keys[i].name);
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
        say(p, p->line, "something follows 'end'");
        return false;
    }
    if (strcmp(word, "end") == 0) {
        p->ended = true;
        if (!strtok_r(NULL, " \t", &rest))
            return true;
        say(p, p->line, "end: takes no keys");
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
            say(p, p->line + 1, "byte 0x%02x is not text", (unsigned char)c);
            return false;
        }
        if (length == SIM_LINE_MAX - 1) {
            say(p, p->line + 1, "longer than %d characters", SIM_LINE_MAX - 1);
            return false;
        }
        line[length++] = c;
    }
    return true;
}

static bool check(struct parser *p)
{
    struct sim_problem problem;

    if (!p->ended) {
        say(p, p->line, "cut short: there is no line 'end'");
        return false;
    }
    for (unsigned i = 0; i < SIM_SECTIONS; i++) {
        bool needed = i == SIM_SECTION_MACHINE || i == SIM_SECTION_CLOCK ||
                      i == SIM_SECTION_CACHE || i == SIM_SECTION_MEMORY ||
                      (i == SIM_SECTION_WALK && p->seen[SIM_SECTION_TLB] != 0);
        if (needed && p->seen[i] == 0) {
            say(p, 0, "%s: missing", sim_section_names[i]);
            return false;
        }
    }
    if (sim_config_check(p->config, &problem))
        return true;
    say(p, p->seen[problem.section] != 0 ? p->line_of[problem.section][problem.index] : 0,
        "%s %s: %s", sim_section_names[problem.section], problem.key, problem.reason);
    return false;
}

bool sim_machine_parse(struct sim_config *config, const char *text, size_t bytes, const char *name,
                       struct sim_file_error *error)
{
    struct parser p = {.config = config, .name = name, .error = error};

    sim_config_start(config);
    if (bytes > SIM_FILE_MAX) {
        say(&p, 0, "longer than %d bytes", SIM_FILE_MAX);
        return false;
    }
    if (!read_lines(&p, text, bytes))
        return false;
    config->cache_count = p.seen[SIM_SECTION_CACHE];
    config->tlb_count = p.seen[SIM_SECTION_TLB];
    config->prefetch_count = p.seen[SIM_SECTION_PREFETCH];
    config->fault_count = p.seen[SIM_SECTION_FAULT];
    return check(&p);
}

bool sim_machine_load(struct sim_config *config, const char *path, struct sim_file_error *error)
{
    static char text[SIM_FILE_MAX + 1];
    struct parser p = {.config = config, .name = path, .error = error};
    FILE *file = fopen(path, "rb");
    size_t bytes;

    if (!file) {
        say(&p, 0, "%s", strerror(errno));
        return false;
    }
    bytes = fread(text, 1, sizeof text, file);
    if (ferror(file)) {
        say(&p, 0, "%s", strerror(errno));
        fclose(file);
        return false;
    }
    fclose(file);
    return sim_machine_parse(config, text, bytes, path, error);
}
