/* SPDX-License-Identifier: BSD-2-Clause */
/* core/cpu/prefetch.c over scripted system registers of AArch64, and every row of its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_prefetch.h"
#include "tests/unit/support_msr.h"

#define BIT(n)                  (1ull << (n))
#define MIDR(implementer, part) ((uint64_t)(implementer) << 24 | 0xful << 16 | (part) << 4)
#define ARM(part)               MIDR(0x41, part)
#define ONE(reg, bits)               \
    {                                \
        SYSREG_##reg, (bits), (bits) \
    }
#define HPA BIT(46)

/* What must be written on which core, all fields of a register together: typed in from the fact
 * sheet, not derived from the table. */
static const struct expectation {
    const char *core;
    uint64_t midr;
    struct {
        enum sysreg reg;
        uint64_t mask, off;
    } field[3];
    bool unofficial;
    uint64_t fixed; /* bits of field[0] that may not be written */
} expectations[] = {
    {"A57",
     0x411fd072,
     {ONE(CPUACTLR_A57, BIT(56)), {SYSREG_CPUECTLR_A57, 0x5b00000000, BIT(38)}},
     false,
     BIT(56)},
    {"A72",
     0x410fd083,
     {ONE(CPUACTLR_A57, BIT(56)), {SYSREG_CPUECTLR_A57, 0x5b00000000, BIT(38)}},
     false,
     BIT(56)},
    {"A53", 0x410fd034, {{SYSREG_CPUACTLR_A57, 0xe000, 0}}, false, 0xe000},
    {"A35", ARM(0xd04), {{SYSREG_CPUACTLR_A57, 0xe000, 0}}, true, 0xe000},
    {"A55", ARM(0xd05), {{SYSREG_CPUECTLR, 0xfc00, 0}}, true, 0},
    {"N1", 0x414fd0c1, {ONE(CPUECTLR, BIT(15) | BIT(8) | BIT(7) | BIT(5) | BIT(51))}, false, 0},
    {"N2", ARM(0xd49), {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15) | BIT(28) | HPA)}, false, 0},
    {"A710", ARM(0xd47), {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15) | HPA)}, false, 0},
    {"X2", ARM(0xd48), {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15) | HPA)}, false, 0},
    {"X3",
     ARM(0xd4e),
     {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))},
     false,
     0},
    {"V2",
     ARM(0xd4f),
     {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))},
     false,
     0},
    {"C1-Premium",
     0x411fd900,
     {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15)), ONE(CPUACTLR6, BIT(41))},
     false,
     0},
    {"C1-Ultra",
     0x410fd8c0,
     {ONE(CPUACTLR2, BIT(29)), ONE(CPUECTLR, BIT(15)), ONE(CPUACTLR6, BIT(41))},
     false,
     0},
    {"X4", ARM(0xd82), {ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))}, false, 0},
    {"V3AE", ARM(0xd83), {ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))}, false, 0},
    {"V3", ARM(0xd84), {ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))}, false, 0},
    {"X925", ARM(0xd85), {ONE(CPUECTLR, BIT(15) | HPA), ONE(CPUACTLR6, BIT(41))}, false, 0},
    {"C1-Pro", ARM(0xd8b), {ONE(CPUECTLR, BIT(15)), ONE(CPUECTLR2, BIT(49))}, false, 0},
    {"A76, TLB prefetch", 0x414fd0b1, {ONE(CPUECTLR, BIT(51))}, false, 0},
    {"A76, by analogy", 0x414fd0b1, {ONE(CPUECTLR, BIT(15))}, true, 0},
    {"A77", ARM(0xd0d), {ONE(CPUECTLR, BIT(15))}, true, 0},
    {"A78", ARM(0xd41), {ONE(CPUECTLR, BIT(15))}, true, 0},
    {"X1", ARM(0xd44), {ONE(CPUECTLR, BIT(15))}, true, 0},
    {"V1", ARM(0xd40), {ONE(CPUECTLR, BIT(15))}, true, 0},
    {"A77, aggregation", ARM(0xd0d), {ONE(CPUECTLR, HPA)}, false, 0},
    {"A78, aggregation", ARM(0xd41), {ONE(CPUECTLR, HPA)}, false, 0},
    {"A78AE, aggregation", ARM(0xd42), {ONE(CPUECTLR, HPA)}, false, 0},
    {"A78C, aggregation", ARM(0xd4b), {ONE(CPUECTLR, HPA)}, false, 0},
    {"X1, aggregation", ARM(0xd44), {ONE(CPUECTLR, HPA)}, false, 0},
    {"X1C, aggregation", ARM(0xd4c), {ONE(CPUECTLR, HPA)}, false, 0},
    {"V1, aggregation", ARM(0xd40), {ONE(CPUECTLR, HPA)}, false, 0},
    {"A64FX", 0x461f0010, {ONE(IMP_PF_STREAM_DETECT_CTRL, BIT(63) | BIT(59) | BIT(58))}, false, 0},
    {"Apple A10", MIDR(0x61, 0x006), {ONE(HID5, BIT(45) | BIT(44))}, true, 0},
    {"Apple M1", MIDR(0x61, 0x023), {ONE(HID5, BIT(45) | BIT(44))}, true, 0},
    /* nothing to be read or written */
    {"A73", ARM(0xd09), {{0, 0, 0}}, false, 0},
    {"A75", ARM(0xd0a), {{0, 0, 0}}, false, 0},
    {"A715", ARM(0xd4d), {{0, 0, 0}}, false, 0},
    {"A720", ARM(0xd81), {{0, 0, 0}}, false, 0},
    {"A725", ARM(0xd87), {{0, 0, 0}}, false, 0},
    {"N3", ARM(0xd8e), {{0, 0, 0}}, false, 0},
    {"C1-Nano", ARM(0xd8a), {{0, 0, 0}}, false, 0},
    {"Kunpeng 920", 0x481fd010, {{0, 0, 0}}, false, 0},
    {"ThunderX2", 0x431f0af1, {{0, 0, 0}}, false, 0},
    {"Qualcomm Oryon", 0x511f0010, {{0, 0, 0}}, false, 0},
    {"AmpereOne", MIDR(0xc0, 0xac3), {{0, 0, 0}}, false, 0},
    {"Apple M2", MIDR(0x61, 0x033), {{0, 0, 0}}, false, 0},
    {"QEMU max", 0x000f0510, {{0, 0, 0}}, false, 0},
    {"Arm's part number at another maker", MIDR(0x51, 0xd0c), {{0, 0, 0}}, false, 0},
    {"unknown part", ARM(0xfff), {{0, 0, 0}}, false, 0},
};
#define EXPECTATIONS (sizeof(expectations) / sizeof(expectations[0]))

static const struct prefetch_request request_off = {
    .off = true, .unofficial = false, .write = true};
static const struct prefetch_request request_all = {.off = true, .unofficial = true, .write = true};
static const struct prefetch_request request_look = {
    .off = true, .unofficial = true, .write = false};

/* A core may have more than one expectation: its official and its unofficial fields. */
static void check_table_row(const struct expectation *e)
{
    const struct aarch64_prefetch_row *rows[PREFETCH_CONTROLS_MAX + 8];
    size_t count = aarch64_prefetch_select(e->midr, rows, PREFETCH_CONTROLS_MAX + 8);

    assert_true(count <= PREFETCH_CONTROLS_MAX);
    if (!e->field[0].mask)
        assert_int_equal(count, 0);
    /* Variant and revision do not matter. */
    assert_int_equal(aarch64_prefetch_select(e->midr ^ 0x00a00005, rows, PREFETCH_CONTROLS_MAX),
                     count);
    for (size_t k = 0; k < 3 && e->field[k].mask; k++) {
        uint64_t mask = 0, off = 0, fixed = 0;
        for (size_t i = 0; i < count; i++) {
            const struct prefetch_field *field = &rows[i]->field;
            if (field->reg != e->field[k].reg || field->unofficial != e->unofficial)
                continue;
            assert_int_equal(mask & field->mask, 0);
            mask |= field->mask;
            off |= field->off;
            fixed |= field->fixed ? field->mask : 0;
        }
        assert_int_equal(mask, e->field[k].mask);
        assert_int_equal(off, e->field[k].off);
        assert_int_equal(fixed, k ? 0 : e->fixed);
    }
}

/* Every register that an expectation of this core names, and no other. */
static size_t registers_named(uint64_t midr, enum sysreg *named)
{
    size_t count = 0;

    for (size_t i = 0; i < EXPECTATIONS; i++) {
        if (expectations[i].midr != midr)
            continue;
        for (size_t k = 0; k < 3 && expectations[i].field[k].mask; k++) {
            size_t known = 0;
            while (known < count && named[known] != expectations[i].field[k].reg)
                known++;
            if (known == count)
                named[count++] = expectations[i].field[k].reg;
        }
    }
    return count;
}

static void check_registers(uint64_t midr)
{
    enum sysreg named[8], listed[8];
    size_t count = registers_named(midr, named);

    assert_int_equal(aarch64_prefetch_registers(midr, listed, 8), count);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < count && listed[k] != named[i])
            k++;
        assert_true(k < count);
    }
}

static void every_row_of_the_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        print_message("           %s\n", expectations[i].core);
        check_table_row(&expectations[i]);
        check_registers(expectations[i].midr);
    }
}

/* Every row and every part in it is covered by an expectation and has a name, and its off value
 * lies within its mask. */
static void no_row_without_a_test(void **state)
{
    (void)state;
    for (size_t r = 0; r < aarch64_prefetch_row_count; r++) {
        const struct aarch64_prefetch_row *row = &aarch64_prefetch_rows[r];
        bool reached = false;

        for (size_t i = 0; i < EXPECTATIONS; i++) {
            const struct aarch64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
            size_t count =
                aarch64_prefetch_select(expectations[i].midr, rows, PREFETCH_CONTROLS_MAX);
            for (size_t k = 0; k < count; k++)
                reached = reached || rows[k] == row;
        }
        assert_true(reached);
        assert_true(row->field.mask && !(row->field.off & ~row->field.mask));
        assert_true(row->field.name[0] && row->field.source[0]);
        assert_true(strlen(row->field.name) < 64);
        assert_true(row->field.reg < SYSREG_COUNT);
        /* An unverified control says so, and is used only on request. */
        assert_int_equal(row->field.unofficial, strstr(row->field.source, "unverified") != NULL);
    }
}

/* ---- scripted registers */

#define A57 0x411fd072
#define A53 0x410fd034
#define A55 ARM(0xd05)
#define N1  0x414fd0c1
#define N2  ARM(0xd49)
#define X3  ARM(0xd4e)

struct scene {
    struct msr_model model, before;
    struct prefetch_port port;
    struct prefetch_set set;
    struct prefetch_report report;
};

static void scene_start(struct scene *scene, uint64_t midr, uint64_t value)
{
    enum sysreg registers[8];
    size_t count = aarch64_prefetch_registers(midr, registers, 8);

    memset(scene, 0, sizeof(*scene));
    aarch64_prefetch_start(&scene->set, midr);
    for (size_t i = 0; i < count; i++)
        msr_model_at(&scene->model, registers[i])->value = value;
    scene->port = msr_model_port(&scene->model);
    scene->port.faults_are_final = true;
}

static struct msr_model_register *pos(struct scene *scene, enum sysreg reg)
{
    return msr_model_at(&scene->model, reg);
}

static void scene_try(struct scene *scene, const struct prefetch_request *request)
{
    scene->before = scene->model;
    scene->model.logged = 0;
    prefetch_set_try(&scene->set, request, &scene->port, &scene->report);
    assert_int_equal(scene->model.unlisted, 0);
}

static const struct prefetch_control *control_of(const struct scene *scene, enum sysreg reg,
                                                 uint64_t mask)
{
    for (size_t i = 0; i < scene->report.count; i++)
        if (scene->report.control[i].reg == reg && scene->report.control[i].mask == mask)
            return &scene->report.control[i];
    fail_msg("no control %u mask %llx", reg, (unsigned long long)mask);
    return NULL;
}

static void check_restored(const struct scene *scene)
{
    for (size_t i = 0; i < scene->model.count; i++)
        assert_int_equal(scene->model.reg[i].value, scene->before.reg[i].value);
    for (size_t i = 0; i < scene->report.count; i++)
        assert_false(scene->report.control[i].stuck);
}

/* Neither the trial nor a bracket after it writes anything. */
static void check_untouched(struct scene *scene)
{
    prefetch_set_enter(&scene->set, &scene->port);
    prefetch_set_leave(&scene->set, &scene->port);
    assert_int_equal(scene->model.logged, 0);
    check_restored(scene);
}

/* Honoured everywhere: off inside, as before outside, no other bit ever flipped. */
static void every_core_honoured(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        uint64_t kept = 0x0010000500020002ull; /* in no field of any row */
        struct scene scene;

        scene_start(&scene, expectations[i].midr, kept | 0xfc00);
        for (size_t k = 0; k < scene.set.count; k++)
            pos(&scene, (enum sysreg)scene.set.action[k].field->reg)->value &=
                ~scene.set.action[k].field->off;
        scene_try(&scene, &request_all);
        check_restored(&scene);
        prefetch_set_enter(&scene.set, &scene.port);
        for (size_t k = 0; k < scene.set.count; k++) {
            const struct prefetch_field *field = scene.set.action[k].field;
            const struct msr_model_register *reg = pos(&scene, (enum sysreg)field->reg);
            if (!field->fixed)
                assert_int_equal(reg->value & field->mask, field->off);
            assert_int_equal(reg->value & kept & ~field->mask,
                             scene.before.reg[reg - scene.model.reg].value & kept & ~field->mask);
        }
        prefetch_set_leave(&scene.set, &scene.port);
        check_restored(&scene);
    }
}

/* The default: what the registers say, nothing written. */
static void report_only(void **state)
{
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        scene_start(&scene, expectations[i].midr, 0xfc00);
        scene_try(&scene, &request_look);
        check_untouched(&scene);
        for (size_t k = 0; k < scene.report.count; k++)
            assert_true(scene.report.control[k].readback != MACHINE_UNKNOWN);
    }
    scene_start(&scene, X3, 0);
    scene_try(&scene, &request_look);
    assert_int_equal(scene.report.state, PREFETCH_ON);
    /* Switched off by firmware; a field that is no prefetcher does not count. */
    pos(&scene, SYSREG_CPUECTLR)->value = BIT(15);
    pos(&scene, SYSREG_CPUACTLR6)->value = BIT(41);
    scene_try(&scene, &request_look);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_int_equal(control_of(&scene, SYSREG_CPUECTLR, HPA)->state, PREFETCH_ON);
    /* Not readable. */
    scene_start(&scene, N1, 0);
    pos(&scene, SYSREG_CPUECTLR)->read_faults = true;
    scene_try(&scene, &request_look);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_true(scene.report.control[0].readback == MACHINE_UNKNOWN);
}

/* EL3 injects UNDEF: refused, and tried only once. */
static void undef_on_write_is_refused(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, N1, 0);
    pos(&scene, SYSREG_CPUECTLR)->write_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    assert_int_equal(scene.model.logged, scene.report.count);
    scene.model.logged = 0;
    check_untouched(&scene);
}

/* As QEMU implements them on A57: every write is accepted, every read is 0. */
static void raz_wi_is_not_honoured(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, A57, 0);
    pos(&scene, SYSREG_CPUECTLR_A57)->reads_zero = true;
    pos(&scene, SYSREG_CPUACTLR_A57)->reads_zero = true;
    scene_try(&scene, &request_off);
    assert_int_equal(control_of(&scene, SYSREG_CPUECTLR_A57, 0x5b00000000)->state,
                     PREFETCH_NOT_HONOURED);
    assert_int_equal(control_of(&scene, SYSREG_CPUECTLR_A57, 0x5b00000000)->readback, 0);
    check_restored(&scene);
    scene_start(&scene, N1, 0);
    pos(&scene, SYSREG_CPUECTLR)->reads_zero = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    scene.model.logged = 0;
    check_untouched(&scene);
    /* A field that means off when 0, in a register that reads 0 altogether: not implemented. */
    scene_start(&scene, A53, 0);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_int_equal(scene.model.logged, 0);
}

/* CPUACTLR of A57 and A72 may be written on an idle core only, and ours is not. */
static void the_idle_rule(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, A57, 0x0900000000);
    pos(&scene, SYSREG_CPUACTLR_A57)->value = 0;
    scene_try(&scene, &request_all);
    assert_int_equal(pos(&scene, SYSREG_CPUACTLR_A57)->writes, 0);
    assert_int_equal(control_of(&scene, SYSREG_CPUACTLR_A57, BIT(56))->state, PREFETCH_REFUSED);
    assert_int_equal(control_of(&scene, SYSREG_CPUECTLR_A57, 0x5b00000000)->state, PREFETCH_OFF);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    check_restored(&scene);
    prefetch_set_enter(&scene.set, &scene.port);
    assert_int_equal(pos(&scene, SYSREG_CPUECTLR_A57)->value, BIT(38));
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(pos(&scene, SYSREG_CPUACTLR_A57)->writes, 0);
    check_restored(&scene);
    /* Off by firmware. */
    pos(&scene, SYSREG_CPUACTLR_A57)->value = BIT(56);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    /* A53 has its one field there. */
    scene_start(&scene, A53, 0xa000);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    assert_int_equal(scene.report.control[0].readback, 0xa000);
    check_untouched(&scene);
}

/* Reported where our off stops it, not where the firmware had. */
static void stopped_aggregation_is_reported(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, X3, 0);
    scene_try(&scene, &request_look);
    assert_false(scene.report.aggregation);
    scene_try(&scene, &request_off);
    assert_true(scene.report.aggregation);
    pos(&scene, SYSREG_CPUECTLR)->locked = HPA;
    scene_try(&scene, &request_off);
    assert_false(scene.report.aggregation);
    scene_start(&scene, X3, HPA);
    scene_try(&scene, &request_off);
    assert_false(scene.report.aggregation);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    scene_start(&scene, N1, 0);
    scene_try(&scene, &request_off);
    assert_false(scene.report.aggregation);
}

static const uint16_t deadlock_parts[] = {0xd47, 0xd48, 0xd4e, 0xd49, 0xd4f, 0xd90, 0xd8c};

/* The model of the hazard: bit 15 of CPUECTLR set while bit 29 of CPUACTLR2 is not. */
static struct scene *hazard_scene;
static unsigned hazards;
static bool (*model_write)(void *context, uint32_t reg, uint64_t value);

static bool hazard_write(void *context, uint32_t reg, uint64_t value)
{
    bool taken = model_write(context, reg, value);

    if ((pos(hazard_scene, SYSREG_CPUECTLR)->value & BIT(15)) &&
        !(pos(hazard_scene, SYSREG_CPUACTLR2)->value & BIT(29)))
        hazards++;
    return taken;
}

static void hazard_start(struct scene *scene, uint64_t midr)
{
    scene_start(scene, midr, 0);
    hazard_scene = scene;
    hazards = 0;
    model_write = scene->port.write;
    scene->port.write = hazard_write;
}

static void the_deadlock_rule(void **state)
{
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < sizeof(deadlock_parts) / sizeof(deadlock_parts[0]); i++) {
        hazard_start(&scene, ARM(deadlock_parts[i]));
        scene_try(&scene, &request_off);
        assert_int_equal(scene.report.state, PREFETCH_OFF);
        check_restored(&scene);
        prefetch_set_enter(&scene.set, &scene.port);
        assert_int_equal(pos(&scene, SYSREG_CPUECTLR)->value & BIT(15), BIT(15));
        assert_int_equal(pos(&scene, SYSREG_CPUACTLR2)->value, BIT(29));
        prefetch_set_leave(&scene.set, &scene.port);
        check_restored(&scene);
        assert_int_equal(hazards, 0);

        /* Set by firmware already: nothing to write there. */
        pos(&scene, SYSREG_CPUACTLR2)->value = BIT(29);
        pos(&scene, SYSREG_CPUACTLR2)->writes = 0;
        scene_try(&scene, &request_off);
        prefetch_set_enter(&scene.set, &scene.port);
        assert_int_equal(pos(&scene, SYSREG_CPUECTLR)->value & BIT(15), BIT(15));
        prefetch_set_leave(&scene.set, &scene.port);
        assert_int_equal(pos(&scene, SYSREG_CPUACTLR2)->writes, 0);
        assert_int_equal(hazards, 0);
    }
}

/* The bit it depends on cannot be set: bit 15 is refused, not tried. */
static void the_deadlock_rule_refuses(void **state)
{
    struct scene scene;

    (void)state;
    for (unsigned how = 0; how < 3; how++) {
        hazard_start(&scene, N2);
        pos(&scene, SYSREG_CPUACTLR2)->write_faults = how == 0;
        pos(&scene, SYSREG_CPUACTLR2)->locked = how == 1 ? BIT(29) : 0;
        pos(&scene, SYSREG_CPUACTLR2)->read_faults = how == 2;
        scene_try(&scene, &request_off);
        assert_int_equal(control_of(&scene, SYSREG_CPUECTLR, BIT(15))->state, PREFETCH_REFUSED);
        assert_int_equal(control_of(&scene, SYSREG_CPUECTLR, BIT(28))->state, PREFETCH_OFF);
        assert_int_equal(scene.report.state, PREFETCH_REFUSED);
        assert_int_equal(pos(&scene, SYSREG_CPUECTLR)->changed & BIT(15), 0);
        assert_int_equal(hazards, 0);
    }
    /* It worked in the trial, and fails inside the bracket. */
    hazard_start(&scene, N2);
    scene_try(&scene, &request_off);
    pos(&scene, SYSREG_CPUACTLR2)->write_faults = true;
    pos(&scene, SYSREG_CPUECTLR)->changed = 0;
    prefetch_set_enter(&scene.set, &scene.port);
    assert_int_equal(pos(&scene, SYSREG_CPUECTLR)->changed & BIT(15), 0);
    assert_true(pos(&scene, SYSREG_CPUECTLR)->changed & BIT(28));
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(hazards, 0);
}

/* When bit 15 cannot be restored, the bit it depends on stays set, and that is reported. */
static void the_deadlock_rule_on_the_way_out(void **state)
{
    struct scene scene;

    (void)state;
    hazard_start(&scene, N2);
    pos(&scene, SYSREG_CPUECTLR)->sticky = BIT(15);
    scene_try(&scene, &request_off);
    assert_true(control_of(&scene, SYSREG_CPUECTLR, BIT(15))->stuck);
    assert_true(control_of(&scene, SYSREG_CPUACTLR2, BIT(29))->stuck);
    assert_int_equal(pos(&scene, SYSREG_CPUACTLR2)->value, BIT(29));
    assert_int_equal(hazards, 0);
    /* Not in the trial, but later. */
    hazard_start(&scene, N2);
    scene_try(&scene, &request_off);
    prefetch_set_enter(&scene.set, &scene.port);
    pos(&scene, SYSREG_CPUECTLR)->sticky = BIT(15);
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(pos(&scene, SYSREG_CPUACTLR2)->value, BIT(29));
    assert_int_equal(hazards, 0);
    scene.model.logged = 0;
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 0);
}

static void unofficial_only_on_request(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, A55, 0xa000);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_int_equal(pos(&scene, SYSREG_CPUECTLR)->reads, 0);
    check_untouched(&scene);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    check_restored(&scene);
}

static void restored_in_reverse_order(void **state)
{
    struct scene scene;
    size_t half;

    (void)state;
    scene_start(&scene, X3, 0);
    scene_try(&scene, &request_off);
    half = scene.model.logged / 2;
    assert_int_equal(half, scene.report.count);
    assert_int_equal(scene.model.log[0], SYSREG_CPUACTLR2);
    for (size_t i = 0; i < half; i++)
        assert_int_equal(scene.model.log[i], scene.model.log[2 * half - 1 - i]);
    check_restored(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_facts),
        cmocka_unit_test(no_row_without_a_test),
        cmocka_unit_test(every_core_honoured),
        cmocka_unit_test(report_only),
        cmocka_unit_test(undef_on_write_is_refused),
        cmocka_unit_test(raz_wi_is_not_honoured),
        cmocka_unit_test(the_idle_rule),
        cmocka_unit_test(stopped_aggregation_is_reported),
        cmocka_unit_test(the_deadlock_rule),
        cmocka_unit_test(the_deadlock_rule_refuses),
        cmocka_unit_test(the_deadlock_rule_on_the_way_out),
        cmocka_unit_test(unofficial_only_on_request),
        cmocka_unit_test(restored_in_reverse_order),
    };
    return cmocka_run_group_tests_name("aarch64 prefetch", tests, NULL, NULL);
}
