/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/board.h"

#include "core/lib/text.h"

bool board_is_placeholder(const char *words)
{
    static const char *const known[] = {"not specified",
                                        "not provided",
                                        "not applicable",
                                        "default string",
                                        "undefined",
                                        "unknown",
                                        "no dimm",
                                        "[empty]",
                                        "n/a",
                                        "none",
                                        "o.e.m.",
                                        "system manufacturer",
                                        "system version",
                                        "system product name"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (text_begins(words, known[i]) && words[text_length(known[i])] == '\0')
            return true;
    return text_begins(words, "to be filled");
}

static bool says(const char *words)
{
    return words[0] != '\0' && !board_is_placeholder(words);
}

static void add(struct text *name, const char *words)
{
    if (says(words))
        text_format(name, "%s%s", name->used != 0 ? " " : "", words);
}

uint64_t board_memory(uint64_t bytes)
{
    uint64_t step = 1;

    while (bytes / 16 >= step)
        step *= 2;
    return bytes > UINT64_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

const char *board_name(const struct board_words *words, char *name, size_t capacity)
{
    uint64_t fitted_bytes = board_memory(words->memory_bytes);
    struct text text;

    text_start(&text, name, capacity);
    if (says(words->product)) {
        add(&text, words->maker);
        add(&text, words->product);
        add(&text, words->version);
        return "smbios";
    }
    if (says(words->system_product)) {
        add(&text, words->system_maker);
        add(&text, words->system_product);
        return "smbios";
    }
    if (says(words->model)) {
        add(&text, words->model);
        return "device-tree";
    }
    if (!says(words->cpu) || fitted_bytes == 0)
        return NULL;
    text_format(&text, "%s, %s", words->cpu, TEXT_SIZE(fitted_bytes));
    return "cpu-and-memory";
}
