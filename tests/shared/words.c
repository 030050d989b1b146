/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/words.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine.h"

enum status words_run(const struct machine *machine, const char *words,
                      void (*listen)(void *context, const struct record *record), void *context,
                      struct option_error *error)
{
    static const struct option_source source = {.name = "test", .host = OPTION_SIMULATOR};
    static const struct record_sink none = {.write = NULL};
    static struct journal journal;
    static char pool[OPTIONS_POOL_BYTES];
    struct options options;
    struct engine_request request = {
        .machine = machine, .options = &options, .journal = &journal, .version = "test"};
    enum status status;

    error->text[0] = '\0';
    options_default(&options);
    status = options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, error);
    if (status != STATUS_OK)
        return status;
    request.workspace = malloc(engine_workspace_bytes());
    if (request.workspace == NULL)
        abort();
    journal_start(&journal, &none);
    journal_watch(&journal, (struct journal_view){context, listen, NULL});
    status = engine_run(&request);
    free(request.workspace);
    return status;
}
