/* SPDX-License-Identifier: BSD-2-Clause */
/* Real machines that no emulator has, from what they answer to CPUID or hold in identification
 * registers: all that is decided from it, and the head of their report, compared with a text that a
 * person has reviewed (tests/unit/recorded/NAME.text). RECORDED=write in the environment writes the
 * texts anew; the difference is then for a person to read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pure_prefetch.h"
#include "arch/x86_64/pure_describe.h"
#include "arch/x86_64/pure_refclocks.h"
#include "arch/x86_64/pure_tsc.h"
#include "arch/x86_64/pure_turbo.h"
#include "core/lib/text.h"
#include "core/measure/controls.h"
#include "core/measure/describe.h"
#include "core/names.h"
#include "core/report/report.h"
#include "tests/unit/support_recorded.h"
#include "tests/unit/support_text.h"

#define FILES        "tests/unit/recorded/*.machine"
#define MACHINES_MIN 8 /* machines of public dumps */
#define TEXT_MAX     (1u << 16)
#define PATH_ROOM    200

static struct recorded_machine recorded;
static struct arch_facts facts;
static struct arch_clock declared;
static struct prefetch_set prefetchers;
static struct prefetch_port port;
static struct report report;
static struct journal journal;
static struct controls controls;
static struct kept_text shown;
static struct options options;

static void say(const char *format, ...)
{
    size_t room = sizeof shown.text - shown.bytes;
    va_list args;
    int bytes;

    va_start(args, format);
    bytes = vsnprintf(shown.text + shown.bytes, room, format, args);
    va_end(args);
    assert_true(bytes >= 0 && (size_t)bytes < room);
    shown.bytes += (size_t)bytes;
}

/* ---- the machine as the firmware machine sees it */

static enum status prefetch_set(void *self, uint32_t cpu, bool off, struct prefetch_report *out)
{
    struct prefetch_request request = {.off = off,
                                       .unofficial = recorded.prefetch_unofficial,
                                       .write =
                                           off && (recorded.prefetch_write || !recorded.aarch64)};

    (void)self;
    (void)cpu;
    prefetch_set_try(&prefetchers, &request, &port, out);
    return STATUS_OK;
}

static void decide(void)
{
    struct cpuid_source cpuid = cpuid_set_source(&recorded.cpuid);
    struct tsc_snapshot tsc;
    struct cpu_identity identity;
    struct tsc_msr *msrs[] = {&tsc.platform_info, &tsc.hwcr, &tsc.pstate0, &tsc.de_cfg};
    static const uint32_t numbers[] = {TSC_MSR_PLATFORM_INFO, TSC_MSR_HWCR, TSC_MSR_PSTATE0,
                                       TSC_MSR_DE_CFG};

    port = msr_model_port(&recorded.registers);
    port.faults_are_final = recorded.aarch64;
    if (recorded.aarch64) {
        aarch64_describe(&recorded.id, &facts);
        aarch64_clock_declared(&recorded.clock, &declared);
        aarch64_prefetch_start(&prefetchers, recorded.id.midr);
        return;
    }
    x86_64_describe(&cpuid, &facts);
    cpuid_identify(&cpuid, &identity);
    x86_64_prefetch_start(&prefetchers, &identity);
    tsc_snapshot_cpuid(&tsc, &cpuid);
    for (size_t i = 0; i < 4; i++)
        if (i == 0 ? tsc_msrs_wanted(&identity).platform_info : tsc_msrs_wanted(&identity).amd)
            msrs[i]->known = port.read(port.context, numbers[i], &msrs[i]->value);
    tsc_declared(&tsc, &declared);
    say("fence        %s\n", tsc_fence_needed(&tsc) == TSC_FENCE_LFENCE ? "lfence" : "mfence");
}

/* ---- what the report does not show */

static void say_tlbs(void)
{
    for (size_t i = 0; i < facts.tlb_count; i++) {
        const struct tlb_level *tlb = &facts.tlbs[i];

        say("TLB          L%u %s, %u entries, ", tlb->level, page_name(tlb->page_log2),
            tlb->entries);
        if (tlb->ways == UINT32_MAX)
            say("fully associative\n");
        else
            say("%u-way\n", tlb->ways);
    }
}

static void say_core(void)
{
    const struct cpu_info *cpu = &facts.boot_cpu;

    say("core         id 0x%llx, core %u, module %u, %s\n", (unsigned long long)cpu->hardware_id,
        cpu->core, cpu->module,
        cpu->type == 0x20   ? "efficiency"
        : cpu->type == 0x40 ? "performance"
                            : "kind not told");
    for (size_t i = 0; i < facts.cache_count; i++)
        say("cache        L%u shared by %u\n", facts.caches[i].level, facts.caches[i].shared_by);
}

static void say_clock(void)
{
    const struct clock_declared *of = &declared.declared;

    say("clock        %s, %s, ", declared.counter,
        declared.invariant ? "invariant" : "not invariant");
    if (of->hz == 0)
        say("no rate declared");
    else
        say("%llu Hz by %s, %s", (unsigned long long)of->hz, of->source,
            clock_grade_name(of->grade));
    if (of->crystal_numerator != 0)
        say(", %u/%u of a crystal", of->crystal_numerator, of->crystal_denominator);
    say("\n");
}

static void say_timers(void)
{
    struct refclock clock;

    if (refclocks_pm_timer(&recorded.acpi, &clock))
        say("timer        %s, port 0x%llx, %u bits\n", clock.name,
            (unsigned long long)clock.argument, clock.bits);
    if (recorded.acpi.hpet_known &&
        refclocks_hpet(recorded.acpi.hpet_base.value, recorded.hpet_capabilities,
                       recorded.hpet_configuration, &clock))
        say("timer        %s, %.0f Hz\n", clock.name,
            (double)clock.hz_numerator / (double)clock.hz_denominator);
}

static void say_turbo(enum turbo_choice choice, const char *requested)
{
    struct cpuid_source cpuid = cpuid_set_source(&recorded.cpuid);
    struct x86_64_turbo turbo;
    struct turbo_report answer;

    x86_64_turbo_start(&turbo, &cpuid);
    x86_64_turbo_try(&turbo, choice, &port, &answer);
    say("turbo        asked %s: %s%s%s\n", requested, turbo_state_name(answer.state),
        answer.name[0] != '\0' ? ", " : "", answer.name);
    x86_64_turbo_enter(&turbo, &port);
    x86_64_turbo_leave(&turbo, &port);
}

/* ---- what the report shows */

static void show_head(void)
{
    static char effective[OPTIONS_EFFECTIVE_MAX];
    struct machine_description description = {.arch = facts.arch,
                                              .firmware = "",
                                              .board = recorded.board,
                                              .bios = recorded.bios,
                                              .cpu_name = facts.cpu_name,
                                              .caches = facts.caches,
                                              .cache_count = facts.cache_count,
                                              .tlbs = facts.tlbs,
                                              .tlb_count = facts.tlb_count,
                                              .cpus = recorded.acpi.cpus,
                                              .cpu_count = recorded.acpi.cpu_count,
                                              .dimms = recorded.dimms,
                                              .dimm_count = recorded.dimm_count,
                                              .clock = {.hz = declared.declared.hz,
                                                        .source = declared.declared.source,
                                                        .check_source = "",
                                                        .invariant = declared.invariant},
                                              .page_sizes = facts.page_sizes,
                                              .line_bytes = facts.line_bytes};

    options_default(&options);
    describe_run(&description, &options, "recorded", effective, &journal);
    describe_machine(&description, &journal);
}

/* As prefetch=both does it: off, then as the firmware left them. */
static void show_prefetchers(void)
{
    static const struct machine_description none;
    static struct machine machine = {.description = &none, .prefetch_set = prefetch_set};

    memset(&controls, 0, sizeof controls);
    controls.machine = &machine;
    controls.journal = &journal;
    controls_prefetch(&controls, true);
    prefetch_set_enter(&prefetchers, &port);
    prefetch_set_leave(&prefetchers, &port);
    controls_prefetch(&controls, false);
    report_flush(&report);
}

/* Every register holds what it held, or its line says what it holds now. */
static void say_registers(const struct msr_model *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct msr_model_register *reg = &recorded.registers.reg[i];

        if (reg->value != before->reg[i].value)
            say("LEFT CHANGED 0x%x holds 0x%llx, held 0x%llx\n", reg->msr,
                (unsigned long long)reg->value, (unsigned long long)before->reg[i].value);
    }
}

static void show_machine(const char *path)
{
    static const struct record_sink no_sink;
    struct text_sink sink = kept_text_start(&shown);
    struct journal_view view = {.context = &report, .record = report_record, .flush = report_flush};
    struct msr_model before;

    recorded_read(&recorded, path);
    before = recorded.registers;
    report_start(&report, &sink);
    journal_start(&journal, &no_sink);
    journal_watch(&journal, view);
    decide();
    say_core();
    say_tlbs();
    say_clock();
    if (!recorded.aarch64) {
        say_timers();
        say_turbo(TURBO_AS_FOUND, "nothing");
        say_turbo(TURBO_OFF, "off");
        say_turbo(TURBO_ON, "on");
    }
    show_head();
    show_prefetchers();
    say_registers(&before);
}

/* ---- against the reviewed text */

static void text_path(char *to, const char *path)
{
    snprintf(to, PATH_ROOM, "%.*s.text", (int)(strrchr(path, '.') - path), path);
}

static void write_text(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(shown.text, 1, shown.bytes, file), shown.bytes);
    fclose(file);
}

static void fail_at_line(const char *path, const char *expected, const char *found)
{
    unsigned line = 1;

    for (; *expected == *found; expected++, found++) {
        if (*expected == '\n')
            line++;
    }
    fail_msg("%s:%u: \"%.*s\" where \"%.*s\" was reviewed", path, line, (int)strcspn(found, "\n"),
             found, (int)strcspn(expected, "\n"), expected);
}

static void check_text(const char *path)
{
    static char expected[TEXT_MAX];
    FILE *file = fopen(path, "r");
    size_t bytes;

    if (file == NULL)
        fail_msg("%s: no reviewed text", path);
    bytes = fread(expected, 1, sizeof expected - 1, file);
    fclose(file);
    expected[bytes] = '\0';
    if (strcmp(expected, shown.text) != 0)
        fail_at_line(path, expected, shown.text);
}

static void every_machine_is_as_reviewed(void **state)
{
    const char *requested = getenv("RECORDED");
    size_t dumps = 0;
    char path[PATH_ROOM];
    glob_t files;

    (void)state;
    assert_int_equal(glob(FILES, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        print_message("           %s\n", files.gl_pathv[i]);
        show_machine(files.gl_pathv[i]);
        dumps += recorded.from_dump;
        text_path(path, files.gl_pathv[i]);
        if (requested != NULL && strcmp(requested, "write") == 0)
            write_text(path);
        check_text(path);
        assert_true(strstr(shown.text, "LEFT CHANGED") == NULL);
    }
    globfree(&files);
    assert_true(dumps >= MACHINES_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_is_as_reviewed),
    };

    return cmocka_run_group_tests_name("recorded machines", tests, NULL, NULL);
}
