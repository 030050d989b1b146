/* SPDX-License-Identifier: BSD-2-Clause */
/* The UEFI application: settings, machine, results, engine, and what follows a run. */
#include "arch/arch.h"
#include "core/engine.h"
#include "core/report/csv.h"
#include "core/report/report.h"
#include "core/results/run_id.h"
#include "efi/calendar.h"
#include "efi/fatal.h"
#include "efi/inject.h"
#include "efi/judge.h"
#include "efi/keys.h"
#include "efi/load_options.h"
#include "efi/machine.h"
#include "efi/menu.h"
#include "efi/pager.h"
#include "efi/results.h"
#include "efi/run_directory.h"
#include "efi/settings.h"

#define WORKSPACE_ALIGN 16 /* pool memory is aligned to 8 only */

/* Everything that lives as long as the application; in the firmware's pool, because stacks and our
 * image are small. */
struct application {
    struct firmware fw;
    struct console console;
    struct notes notes;
    struct volumes volumes;
    struct settings settings;
    struct firmware_machine machine;
    enum status machine_status;
    struct journal journal;
    struct results results;
    struct report screen, report;
    struct csv csv;
    struct pager pager;
    struct judge judge;
    struct soak soak;
    size_t start_notes;                 /* the number of notes that every run starts with */
    void *workspace_memory, *workspace; /* the engine's, allocated and aligned */
};

static uint64_t new_run_id(struct firmware *fw)
{
    int64_t seconds = 0;

    (void)calendar_read(fw, &seconds);
    return run_id_of((uint64_t)seconds, arch_ticks());
}

static void watch_records(struct application *app)
{
    struct record_sink records = results_record_sink(&app->results);
    struct text_sink console = console_sink(&app->console);
    struct text_sink report = results_text_sink(&app->results, RESULTS_REPORT);
    struct text_sink points = results_text_sink(&app->results, RESULTS_POINTS);

    journal_start(&app->journal, &records);
    journal_identify(&app->journal, new_run_id(&app->fw));
    report_start(&app->screen, &console);
    report_on_console(&app->screen);
    report_start(&app->report, &report);
    csv_start(&app->csv, &points);
    journal_watch(&app->journal, results_notes_view(&app->results));
    journal_watch(&app->journal, (struct journal_view){&app->screen, report_record, report_flush});
    journal_watch(&app->journal, (struct journal_view){&app->report, report_record, report_flush});
    journal_watch(&app->journal, (struct journal_view){&app->csv, csv_record, NULL});
    journal_watch(&app->journal, (struct journal_view){&app->judge.verdict, verdict_record, NULL});
}

static enum status measure(struct application *app)
{
    const struct engine_request request = {.machine = &app->machine.machine,
                                           .options = &app->settings.options,
                                           .journal = &app->journal,
                                           .version = BARECHASE_VERSION,
                                           .before_end = judge_conclude,
                                           .before_end_context = &app->judge,
                                           .workspace = app->workspace};
    enum status status;

    if (!app->settings.valid) {
        /* A refusal has no describing records for the first notes to follow. */
        app->notes.emitted = 0;
        engine_refuse(&request, "options not understood", app->settings.error.text);
        return STATUS_BAD_INPUT;
    }
    if (app->machine_status != STATUS_OK) {
        engine_refuse(&request, "no quiet section on this machine",
                      status_name(app->machine_status));
        return app->machine_status;
    }
    dump_registers(&app->fw, &app->console, &app->machine.processors, "before");
    status = engine_run(&request);
    dump_registers(&app->fw, &app->console, &app->machine.processors, "after");
    return status;
}

static void show_last_screen(struct application *app, enum option_end end)
{
    char line[160];
    struct text text = text_open(line, sizeof line, "results: ");
    struct report_foot foot = {.where = line, .menu = end == END_MENU ? MENU_WORDS : NULL};

    results_where(&app->results, &text);
    console_show(&app->console, report_screen(&app->screen, console_rows(&app->console), &foot));
}

static enum status run(struct application *app)
{
    const struct options *options = &app->settings.options;
    enum status status;

    app->notes.count = app->start_notes;
    results_start(&app->results, &app->fw, &app->volumes, &app->console, &app->journal, &app->notes,
                  options->save, options->records);
    watch_records(app);
    judge_start(&app->judge, &app->fw, &app->volumes, options, &app->results, &app->soak,
                &app->notes);
    firmware_machine_run_starts(&app->machine, options);
    status = measure(app);
    judge_stop(&app->judge);
    return status;
}

static EFI_STATUS efi_status_of(enum status status)
{
    if (status == STATUS_OK)
        return EFI_SUCCESS;
    return status == STATUS_ABORTED ? EFI_ABORTED : EFI_DEVICE_ERROR;
}

static void show_report(struct application *app)
{
    size_t bytes;
    const char *text = results_text(&app->results, RESULTS_REPORT, &bytes);

    pager_show(&app->pager, text, bytes, &app->console, &app->fw);
}

/* Asks until something is chosen that ends this run; what the firmware refuses does not. */
static enum menu_choice choose(struct application *app, enum option_end end)
{
    bool wrote = results_wrote(&app->results);

    /* Keys of the run do not answer the menu. A script on a serial line may answer as soon as it
     * reads the menu, so nothing is dropped after that. */
    keys_flush(&app->fw);
    show_last_screen(app, end);
    for (;;) {
        enum menu_choice choice = menu_choose(end, &app->fw);

        if (choice == MENU_AGAIN || choice == MENU_RETURN)
            return choice;
        end = END_MENU;
        if (choice == MENU_REPORT) {
            show_report(app);
            show_last_screen(app, end);
        } else {
            menu_leave(choice, wrote, &app->console, &app->fw);
            console_print(&app->console, MENU_WORDS "\n");
        }
    }
}

/* Does not return if another boot of a soak follows, unless the firmware refuses to reset. */
static void go_on_with_soak(struct application *app)
{
    const struct verdict *verdict = &app->judge.verdict;
    struct soak_said said = {.run = app->results.directory ? app->results.run : 0,
                             .status = app->judge.end.status,
                             .verdict = verdict->wanted ? verdict_name(verdict->all) : "none",
                             .conclusive = verdict->conclusive,
                             .errors = app->journal.errors,
                             .warnings = app->journal.warnings,
                             .seconds = app->judge.end.seconds};

    if (soak_finish(&app->soak, &said, &app->console))
        soak_reset(&app->soak, &app->console);
}

/* Runs until anything but another run is chosen; returns what the firmware gets if it is to have
 * the machine back. */
static EFI_STATUS run_and_leave(struct application *app)
{
    enum option_end end = app->settings.options.end;

    for (;;) {
        enum status status = run(app);
        enum option_end then;
        enum menu_choice choice;

        go_on_with_soak(app);
        then = load_options_end(end, app->settings.options.runs,
                                end == END_REBOOT ? results_runs(&app->results) : 0);
        choice = choose(app, then);

        if (choice == MENU_RETURN) {
            /* What stands in the firmware's own mode is what is left to read. */
            if (console_end(&app->console))
                show_last_screen(app, END_RETURN);
            results_free(&app->results);
            return efi_status_of(status);
        }
        results_free(&app->results);
        end = END_MENU;
    }
}

/* If no volume is ours, the right one may only be waiting for its driver. */
static void find_volumes(struct application *app)
{
    volumes_find(&app->fw, &app->volumes);
    if (!volumes_have_directory(&app->volumes, RESULTS_HOME))
        volumes_more(&app->fw, &app->volumes);
}

static struct application *application_new(const struct firmware *fw, const struct console *console)
{
    struct application *app = firmware_allocate(fw, sizeof *app);

    if (app == NULL)
        return NULL;
    app->workspace_memory = firmware_allocate(fw, engine_workspace_bytes() + WORKSPACE_ALIGN);
    if (app->workspace_memory == NULL) {
        firmware_free(fw, app);
        return NULL;
    }
    app->workspace = (void *)(((uintptr_t)app->workspace_memory + WORKSPACE_ALIGN - 1) &
                              ~(uintptr_t)(WORKSPACE_ALIGN - 1));
    app->fw = *fw;
    app->console = *console;
    return app;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Called by linker/start_<arch>.S, by the C calling convention. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    struct firmware fw;
    struct console console;
    struct application *app;
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;

    firmware_start(&fw, image, system);
    console_start(&console, &fw);
    console_live(&console, "barechase " BARECHASE_VERSION ": reading the machine");
    app = application_new(&fw, &console);
    if (app == NULL) {
        (void)console_end(&console);
        console_print(&console, "barechase: not enough memory to start\n");
        return status;
    }
    fatal_start(&app->fw, &app->notes);
    find_volumes(app);
    /* The board's name says which options are its own, and the machine starts by the options. */
    tables_read(&app->machine.tables, &app->fw, &app->notes);
    settings_read(&app->settings, &app->fw, &app->volumes, app->machine.tables.board, &app->notes);
    app->machine_status = firmware_machine_start(&app->machine, &app->fw, &app->settings.options,
                                                 &app->volumes, &app->console, &app->notes);
    soak_start(&app->soak, &app->fw, &app->volumes, &app->settings.options, &app->machine.tables,
               &app->notes);
    app->machine.watch = soak_watch(&app->soak);
    app->start_notes = app->notes.count;
    status = run_and_leave(app);
    soak_stop(&app->soak);
    processors_stop(&app->machine.processors);
    firmware_free(&fw, app->workspace_memory);
    firmware_free(&fw, app);
    return status;
}
