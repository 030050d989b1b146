/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/hardware_errors.h"

#include "core/dram/modules.h"
#include "core/lib/text.h"

static const char before_start[] = "before the start";

static const struct boot_errors *boot_errors(const struct hardware_errors *errors)
{
    return errors->machine->description->boot_errors;
}

static void count_before(struct record_hardware_errors *sum, uint64_t corrected, bool other)
{
    sum->before_corrected += corrected;
    sum->before_others += other;
}

/* ---- the boot before */

static void emit_boot_error(const struct boot_error *error, struct journal *journal)
{
    struct record record = {.kind = RECORD_HARDWARE_ERROR};

    record.u.hardware_error = (struct record_hardware_error){
        .experiment = before_start,
        .source = "BERT",
        .bank = RECORD_UNKNOWN,
        .severity = error_severity_name(error->corrected ? ERROR_CORRECTED : ERROR_UNCORRECTED),
        .corrected = error->corrected,
        .at_least = true,
        .memory = error->memory,
        .status = RECORD_UNKNOWN,
        .address = RECORD_UNKNOWN,
        .misc = RECORD_UNKNOWN,
        .physical_address = phys_make(error->physical),
        .text = error->words[0] != '\0' ? error->words : NULL};
    journal_emit(journal, &record);
}

static void take_boot(struct hardware_errors *errors)
{
    const struct boot_errors *boot = boot_errors(errors);

    if (boot == NULL)
        return;
    errors->sum.firmware_first = boot->firmware_first;
    for (size_t i = 0; i < boot->count; i++) {
        emit_boot_error(&boot->error[i], errors->journal);
        count_before(&errors->sum, boot->error[i].corrected, !boot->error[i].corrected);
    }
    if (boot->more != 0)
        journal_note_format(errors->journal, SEVERITY_WARNING, "more errors of the boot before",
                            "the firmware's table has %u that are not listed", boot->more);
}

/* ---- banks */

static void emit_news(const struct hardware_errors *errors, const struct error_news *news,
                      const char *experiment)
{
    const struct error_bank *bank = &errors->now.bank[news->bank];
    struct record record = {.kind = RECORD_HARDWARE_ERROR};

    record.u.hardware_error = (struct record_hardware_error){
        .experiment = experiment,
        .source = errors->now.source,
        .bank = news->bank,
        .severity = error_severity_name(news->other ? bank->severity : ERROR_CORRECTED),
        .corrected = news->corrected,
        .at_least = news->at_least,
        .overflow = bank->valid && bank->overflow,
        .memory = bank->memory,
        .status = bank->valid ? bank->status : RECORD_UNKNOWN,
        .address = bank->valid ? bank->address : RECORD_UNKNOWN,
        .misc = bank->valid ? bank->misc : RECORD_UNKNOWN,
        .physical_address = phys_make(bank->valid ? bank->physical : RECORD_UNKNOWN)};
    journal_emit(errors->journal, &record);
}

static size_t read(struct hardware_errors *errors, const struct error_banks *before)
{
    const struct machine *machine = errors->machine;

    machine->errors_read(machine->self, &errors->now);
    return errors_since(before, &errors->now, errors->news);
}

static const char *ecc_of(const struct machine_description *d)
{
    struct modules_summary summary;

    modules_sum(d->dimms, d->dimm_count, &d->module_arrays, d->memory, d->memory_count, &summary);
    return modules_ecc_name(summary.ecc);
}

void hardware_errors_start(struct hardware_errors *errors, const struct machine *machine,
                           struct journal *journal)
{
    size_t count;

    errors->machine = machine;
    errors->journal = journal;
    errors->now = (struct error_banks){.why = "this machine has no way to read them"};
    errors->sum = (struct record_hardware_errors){.ecc = ecc_of(machine->description)};
    take_boot(errors);
    if (machine->errors_read == NULL)
        return;
    count = read(errors, NULL);
    for (size_t i = 0; i < count; i++) {
        emit_news(errors, &errors->news[i], before_start);
        count_before(&errors->sum, errors->news[i].corrected, errors->news[i].other);
    }
    errors->before = errors->now;
}

void hardware_errors_look(struct hardware_errors *errors, const char *experiment)
{
    struct record_hardware_errors *sum = &errors->sum;
    size_t count;

    if (errors->now.counting == ERRORS_UNREAD)
        return;
    count = read(errors, &errors->before);
    for (size_t i = 0; i < count; i++) {
        emit_news(errors, &errors->news[i], experiment);
        sum->corrected += errors->news[i].corrected;
        sum->others += errors->news[i].other;
        sum->at_least = sum->at_least || errors->news[i].at_least;
    }
    if (count != 0)
        errors->before = errors->now;
}

/* ---- the end */

static bool has_ecc(const struct record_hardware_errors *sum)
{
    return sum->ecc != NULL && (text_equal(sum->ecc, "on") || text_equal(sum->ecc, "mixed"));
}

static void note_unseen(const struct hardware_errors *errors)
{
    static const char hidden[] = "ECC is on and its errors may be hidden";
    bool unread = errors->now.counting == ERRORS_UNREAD;

    if (errors->sum.hidden)
        journal_note(errors->journal, SEVERITY_INFO, hidden,
                     unread ? errors->now.why
                            : "the firmware takes corrected ones first (ACPI's HEST)");
    else if (unread && errors->machine->errors_read != NULL)
        journal_note(errors->journal, SEVERITY_INFO, "hardware errors are not counted",
                     errors->now.why);
}

void hardware_errors_conclude(struct hardware_errors *errors)
{
    struct record record = {.kind = RECORD_HARDWARE_ERRORS};
    struct record_hardware_errors *sum = &errors->sum;

    sum->counting = error_counting_name(errors->now.counting);
    sum->source = errors->now.source;
    sum->why = errors->now.why;
    sum->banks = errors->now.banks;
    sum->hidden = has_ecc(sum) && (errors->now.counting == ERRORS_UNREAD || sum->firmware_first);
    record.u.hardware_errors = *sum;
    journal_emit(errors->journal, &record);
    note_unseen(errors);
}
