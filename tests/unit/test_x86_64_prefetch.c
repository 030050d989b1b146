/* SPDX-License-Identifier: BSD-2-Clause */
/* core/cpu/prefetch.c over scripted MSRs of x86-64, and every row of its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_prefetch.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define BIT(n) (1ull << (n))
#define NONE    \
    {           \
        0, 0, 0 \
    }
#define INTEL(m)                                                           \
    {                                                                      \
        .vendor = CPU_VENDOR_INTEL, .family = 6, .model = (m), .msr = true \
    }
#define P(m)                                                                                  \
    {                                                                                         \
        .vendor = CPU_VENDOR_INTEL, .family = 6, .model = (m), .msr = true, .core_type = 0x40 \
    }
#define E(m, n)                                                                                \
    {                                                                                          \
        .vendor = CPU_VENDOR_INTEL, .family = 6, .model = (m), .msr = true, .core_type = 0x20, \
        .native_model = (n)                                                                    \
    }
#define FAMILY(f, m)                                                         \
    {                                                                        \
        .vendor = CPU_VENDOR_INTEL, .family = (f), .model = (m), .msr = true \
    }
#define AMD(f, bit)                                                       \
    {                                                                     \
        .vendor = CPU_VENDOR_AMD, .family = (f), .model = 1, .msr = true, \
        .amd_prefetch_msr = (bit)                                         \
    }

#define CRESTMONT_1A4  0x1ffull
#define CRESTMONT_1320 (BIT(43) | BIT(31) | BIT(30))

/* What must be written on which CPU, all fields of a register together: typed in from the fact
 * sheet, not derived from the table. */
static const struct expectation {
    const char *cpu;
    struct cpu_identity identity;
    struct {
        uint32_t msr;
        uint64_t mask, off;
    } field[3];
    bool unofficial;
} expectations[] = {
    /* performance cores: 0x1a4 */
    {"Nehalem", INTEL(0x1a), {{0x1a4, 0xf, 0xf}}, false},
    {"Nehalem-EX", INTEL(0x2e), {{0x1a4, 0xf, 0xf}}, false},
    {"Westmere-EP", INTEL(0x2c), {{0x1a4, 0xf, 0xf}}, false},
    {"Sandy Bridge", INTEL(0x2a), {{0x1a4, 0xf, 0xf}}, false},
    {"Sandy Bridge-EP", INTEL(0x2d), {{0x1a4, 0xf, 0xf}}, false},
    {"Haswell", INTEL(0x3c), {{0x1a4, 0xf, 0xf}}, false},
    {"Haswell-EP", INTEL(0x3f), {{0x1a4, 0x1f, 0x1f}}, false},
    {"Broadwell-EP", INTEL(0x4f), {{0x1a4, 0x1f, 0x1f}}, false},
    {"Broadwell-DE", INTEL(0x56), {{0x1a4, 0x1f, 0x1f}}, false},
    {"Skylake-SP", INTEL(0x55), {{0x1a4, 0x1f, 0x1f}}, false},
    {"Skylake", INTEL(0x5e), {{0x1a4, 0xf, 0xf}}, false},
    {"Kaby Lake", INTEL(0x9e), {{0x1a4, 0xf, 0xf}}, false},
    {"Comet Lake", INTEL(0xa5), {{0x1a4, 0xf, 0xf}}, false},
    {"Ice Lake-SP", INTEL(0x6a), {{0x1a4, 0x1f, 0x1f}}, false},
    {"Ice Lake", INTEL(0x7e), {{0x1a4, 0xf, 0xf}}, false},
    {"Tiger Lake", INTEL(0x8c), {{0x1a4, 0xf, 0xf}}, false},
    {"Rocket Lake", INTEL(0xa7), {{0x1a4, 0xf, 0xf}}, false},
    {"Alder Lake P", P(0x97), {{0x1a4, 0x3f, 0x3f}}, false},
    {"Raptor Lake P", P(0xb7), {{0x1a4, 0x3f, 0x3f}}, false},
    {"Meteor Lake P", P(0xaa), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Meteor Lake-H P", P(0xac), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Arrow Lake P", P(0xc6), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Arrow Lake-H P", P(0xc5), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Arrow Lake-U P", P(0xb5), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Lunar Lake P", P(0xbd), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Panther Lake P", P(0xcc), {{0x1a4, 0x1ff, 0x1ff}}, false},
    {"Sapphire Rapids",
     INTEL(0x8f),
     {{0x1a4, 0x3f, 0x3f}, {0x6d, BIT(14) | BIT(42), BIT(14) | BIT(42)}},
     false},
    {"Emerald Rapids",
     P(0xcf),
     {{0x1a4, 0x3f, 0x3f}, {0x6d, BIT(14) | BIT(42), BIT(14) | BIT(42)}},
     false},
    {"Granite Rapids",
     INTEL(0xad),
     {{0x1a4, 0xff, 0xff}, {0x6d, BIT(14) | BIT(42), BIT(14) | BIT(42)}},
     false},
    {"Granite Rapids-D",
     INTEL(0xae),
     {{0x1a4, 0xff, 0xff}, {0x6d, BIT(14) | BIT(42), BIT(14) | BIT(42)}},
     false},
    {"Diamond Rapids", FAMILY(19, 1), {{0x1a4, 0x107f, 0x107f}}, false},
    /* efficiency cores: on the hybrid's own model number, or on chips that have no others */
    {"Alder Lake E",
     E(0x97, 1),
     {{0x1a4, 0x3d, 0x3d},
      {0x1320, BIT(43) | BIT(31), BIT(43) | BIT(31)},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Alder Lake N",
     INTEL(0xbe),
     {{0x1a4, 0x3d, 0x3d},
      {0x1320, BIT(43) | BIT(31), BIT(43) | BIT(31)},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Meteor Lake E",
     E(0xaa, 2),
     {{0x1a4, CRESTMONT_1A4, CRESTMONT_1A4},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Sierra Forest",
     INTEL(0xaf),
     {{0x1a4, CRESTMONT_1A4, CRESTMONT_1A4},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Grand Ridge",
     INTEL(0xb6),
     {{0x1a4, CRESTMONT_1A4, CRESTMONT_1A4},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Arrow Lake E",
     E(0xc6, 3),
     {{0x1a4, CRESTMONT_1A4, CRESTMONT_1A4},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Panther Lake E",
     E(0xcc, 4),
     {{0x1a4, 0x11ff, 0x11ff},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    {"Clearwater Forest",
     INTEL(0xdd),
     {{0x1a4, 0x11ff, 0x11ff},
      {0x1320, CRESTMONT_1320, CRESTMONT_1320},
      {0x1321, BIT(40), BIT(40)}},
     false},
    /* other and older Intel */
    {"Silvermont", INTEL(0x37), {{0x1a4, 0x5, 0x5}}, false},
    {"Avoton", INTEL(0x4d), {{0x1a4, 0x5, 0x5}}, false},
    {"Goldmont", INTEL(0x5c), {{0x1a4, 0x5, 0x5}}, false},
    {"Goldmont Plus", INTEL(0x7a), {{0x1a4, 0x5, 0x5}}, false},
    {"Knights Landing", INTEL(0x57), {{0x1a4, 0x3, 0x3}}, false},
    {"Knights Mill", INTEL(0x85), {{0x1a4, 0x3, 0x3}}, false},
    {"Core 2",
     INTEL(0x0f),
     {{0x1a0, BIT(9) | BIT(19) | BIT(37) | BIT(39), BIT(9) | BIT(19) | BIT(37) | BIT(39)}},
     false},
    {"Penryn",
     INTEL(0x17),
     {{0x1a0, BIT(9) | BIT(19) | BIT(37) | BIT(39), BIT(9) | BIT(19) | BIT(37) | BIT(39)}},
     false},
    {"NetBurst", FAMILY(0xf, 4), {{0x1a0, BIT(9) | BIT(19), BIT(9) | BIT(19)}}, false},
    {"Bonnell", INTEL(0x1c), {{0x1a0, BIT(9), BIT(9)}}, true},
    /* AMD */
    {"Zen 3, 4", AMD(0x19, true), {{0xc0000108, 0x2f, 0x2f}}, false},
    {"Zen 5", AMD(0x1a, true), {{0xc0000108, 0x2f, 0x2f}}, false},
    {"Zen 1, 2",
     AMD(0x17, false),
     {{0xc0011022, 0x72000, 0x72000}, {0xc001102b, BIT(2) | BIT(0), 0}},
     true},
    {"Hygon Dhyana",
     AMD(0x18, false),
     {{0xc0011022, 0x72000, 0x72000}, {0xc001102b, BIT(2) | BIT(0), 0}},
     true},
    {"Bulldozer",
     AMD(0x15, false),
     {{0xc001102b, 0x70008, 0x70008}, {0xc0011022, BIT(13), BIT(13)}},
     false},
    {"Jaguar",
     AMD(0x16, false),
     {{0xc0011022, BIT(13), BIT(13)}, {0xc00110a0, BIT(7), BIT(7)}},
     false},
    {"K10", AMD(0x10, false), {{0xc0011022, 0xa000, 0xa000}}, false},
    {"Llano", AMD(0x12, false), {{0xc0011022, 0xa000, 0xa000}}, false},
    /* nothing to be written */
    {"Zen 4 with the bit masked", AMD(0x19, false), {NONE}, false},
    {"unknown AMD family", AMD(0x1b, true), {NONE}, false},
    {"unknown Intel model", INTEL(0xfe), {NONE}, false},
    {"unknown model, P", P(0xfe), {NONE}, false},
    {"unknown model, E", E(0xfe, 2), {NONE}, false},
    {"unknown native model", E(0xcc, 5), {NONE}, false},
    {"native model not said", E(0x97, 0), {NONE}, false},
    {"Lakefield E", E(0x8a, 1), {NONE}, false},
    {"reserved core type",
     {.vendor = CPU_VENDOR_INTEL, .family = 6, .model = 0x97, .msr = true, .core_type = 0x10},
     {NONE},
     false},
    {"another vendor",
     {.vendor = CPU_VENDOR_OTHER, .family = 6, .model = 0x3c, .msr = true},
     {NONE},
     false},
    {"no MSRs", {.vendor = CPU_VENDOR_INTEL, .family = 6, .model = 0x3c}, {NONE}, false},
    {"Pentium III", INTEL(0x08), {NONE}, false},
};

static const struct prefetch_request request_off = {
    .off = true, .unofficial = false, .write = true};
static const struct prefetch_request request_all = {.off = true, .unofficial = true, .write = true};

/* A mixed pattern, so that a bit that should be kept and is not shows. */
static uint64_t mixed_value(uint32_t msr)
{
    return msr * 0x9e3779b97f4a7c15ull >> 3 & 0x00a5a5a5a5a5a5c0ull;
}

static void check_table_row(const struct expectation *e)
{
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX + 8];
    size_t count = x86_64_prefetch_select(&e->identity, rows, PREFETCH_CONTROLS_MAX + 8);
    uint32_t msrs[4];
    size_t registers = 0;

    assert_true(count <= PREFETCH_CONTROLS_MAX);
    for (size_t k = 0; k < 3 && e->field[k].mask; k++) {
        uint64_t mask = 0, off = 0;
        for (size_t i = 0; i < count; i++) {
            if (rows[i]->field.reg != e->field[k].msr)
                continue;
            assert_int_equal(mask & rows[i]->field.mask, 0);
            mask |= rows[i]->field.mask;
            off |= rows[i]->field.off;
            assert_int_equal(rows[i]->field.unofficial, e->unofficial);
        }
        assert_int_equal(mask, e->field[k].mask);
        assert_int_equal(off, e->field[k].off);
        registers++;
    }
    assert_int_equal(x86_64_prefetch_msrs(&e->identity, msrs, 4), registers);
    if (!registers)
        assert_int_equal(count, 0);
}

/* The whole sequence over registers that honour writes: off during the section, restored
 * afterwards, no other bit ever changed, no other register ever accessed. */
static void check_honoured(const struct expectation *e)
{
    struct msr_model model = {0};
    struct prefetch_port port = msr_model_port(&model);
    struct prefetch_set set;
    struct prefetch_report report;
    size_t registers = 0;

    for (; registers < 3 && e->field[registers].mask; registers++) {
        struct msr_model_register *reg = msr_model_at(&model, e->field[registers].msr);
        reg->value = (mixed_value(reg->msr) & ~e->field[registers].mask) |
                     (~e->field[registers].off & e->field[registers].mask);
    }
    struct msr_model before = model;
    x86_64_prefetch_start(&set, &e->identity);
    prefetch_set_try(&set, &request_all, &port, &report);
    assert_int_equal(report.state, registers ? PREFETCH_OFF : PREFETCH_UNSUPPORTED);
    for (size_t i = 0; i < registers; i++)
        assert_int_equal(model.reg[i].value, before.reg[i].value);
    prefetch_set_enter(&set, &port);
    for (size_t i = 0; i < registers; i++) {
        assert_int_equal(model.reg[i].value,
                         (before.reg[i].value & ~e->field[i].mask) | e->field[i].off);
        assert_int_equal(model.reg[i].changed, e->field[i].mask);
    }
    prefetch_set_leave(&set, &port);
    for (size_t i = 0; i < registers; i++)
        assert_int_equal(model.reg[i].value, before.reg[i].value);
    assert_int_equal(model.unlisted, 0);
}

static void every_row_of_the_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
        print_message("           %s\n", expectations[i].cpu);
        check_table_row(&expectations[i]);
        check_honoured(&expectations[i]);
    }
}

/* Every row is covered by an expectation and has a name, and its off value lies within its mask. */
static void no_row_without_a_test(void **state)
{
    (void)state;
    for (size_t r = 0; r < x86_64_prefetch_row_count; r++) {
        const struct x86_64_prefetch_row *row = &x86_64_prefetch_rows[r];
        bool reached = false;

        for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
            const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];
            size_t count =
                x86_64_prefetch_select(&expectations[i].identity, rows, PREFETCH_CONTROLS_MAX);
            for (size_t k = 0; k < count; k++)
                reached = reached || rows[k] == row;
        }
        assert_true(reached);
        assert_true(row->field.mask && !(row->field.off & ~row->field.mask));
        assert_true(row->field.name && row->field.name[0] && row->field.source &&
                    row->field.source[0]);
        assert_false(row->field.reg == 0x1a4 && (row->field.mask & BIT(11)));
        assert_false(row->field.reg == 0xc0000108 && (row->field.mask & 0x3d0));
    }
}

/* Dynamic prefetch control goes first, so that it cannot write over what follows. */
static void dynamic_control_is_first(void **state)
{
    static const struct cpu_identity cpus[] = {E(0xcc, 4), FAMILY(19, 1)};
    const struct x86_64_prefetch_row *rows[PREFETCH_CONTROLS_MAX];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(x86_64_prefetch_select(&cpus[i], rows, PREFETCH_CONTROLS_MAX) > 1);
        assert_int_equal(rows[0]->field.mask, BIT(12));
    }
}

/* ---- scripted registers. Alder Lake E has seven fields in three registers. */

static const struct cpu_identity alder_e = E(0x97, 1);
static const struct cpu_identity haswell = INTEL(0x3c);

struct scene {
    struct msr_model model, before;
    struct prefetch_port port;
    struct prefetch_set set;
    struct prefetch_report report;
};

static void scene_start(struct scene *scene, const struct cpu_identity *identity)
{
    uint32_t msrs[8];
    size_t count = x86_64_prefetch_msrs(identity, msrs, 8);

    memset(scene, 0, sizeof(*scene));
    x86_64_prefetch_start(&scene->set, identity);
    for (size_t i = 0; i < count; i++)
        msr_model_at(&scene->model, msrs[i])->value = 0x4000;
    scene->port = msr_model_port(&scene->model);
}

static void scene_try(struct scene *scene, const struct prefetch_request *request)
{
    scene->before = scene->model;
    prefetch_set_try(&scene->set, request, &scene->port, &scene->report);
    assert_int_equal(scene->model.unlisted, 0);
}

static void check_restored(const struct scene *scene)
{
    for (size_t i = 0; i < scene->model.count; i++)
        assert_int_equal(scene->model.reg[i].value, scene->before.reg[i].value);
    for (size_t i = 0; i < scene->report.count; i++)
        assert_false(scene->report.control[i].stuck);
}

/* Enter and leave after a trial: what changed inside, and that all is restored. */
static void check_bracket(struct scene *scene, uint32_t msr, uint64_t inside)
{
    prefetch_set_enter(&scene->set, &scene->port);
    assert_int_equal(msr_model_at(&scene->model, msr)->value, inside);
    prefetch_set_leave(&scene->set, &scene->port);
    check_restored(scene);
}

static void state_off(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.count, 1);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_int_equal(scene.report.control[0].state, PREFETCH_OFF);
    assert_int_equal(scene.report.control[0].reg, 0x1a4);
    assert_int_equal(scene.report.control[0].mask, 0xf);
    assert_int_equal(scene.report.control[0].requested, 0xf);
    assert_int_equal(scene.report.control[0].readback, 0xf);
    assert_string_equal(scene.report.control[0].name, "MSR 0x1a4 bits 3:0 L2 and DCU prefetchers");
    assert_false(scene.report.control[0].unofficial);
    check_restored(&scene);
    check_bracket(&scene, 0x1a4, 0x400f);
}

/* Each of Haswell's four by itself: one bit, read back, all of it restored, and back to all. */
static void one_prefetcher_by_itself(void **state)
{
    static const char *const names[] = {
        "MSR 0x1a4 bit 0 L2 streamer", "MSR 0x1a4 bit 1 L2 adjacent line",
        "MSR 0x1a4 bit 2 DCU next line", "MSR 0x1a4 bit 3 DCU IP stride"};
    struct prefetch_report alone;
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    scene_try(&scene, &request_off);
    for (size_t i = 0; i < 4; i++) {
        assert_true(prefetch_set_alone(&scene.set, &scene.port, i, &alone));
        assert_int_equal(alone.count, 1);
        assert_int_equal(alone.state, PREFETCH_ON);
        assert_int_equal(alone.control[0].state, PREFETCH_OFF);
        assert_string_equal(alone.control[0].name, names[i]);
        assert_int_equal(alone.control[0].mask, 1 << i);
        assert_int_equal(alone.control[0].readback, 1 << i);
        check_restored(&scene);
        check_bracket(&scene, 0x1a4, 0x4000 | BIT(i));
    }
    scene.model.logged = 0;
    assert_false(prefetch_set_alone(&scene.set, &scene.port, 4, &alone));
    assert_int_equal(scene.model.logged, 0);
    check_bracket(&scene, 0x1a4, 0x4008);
    scene_try(&scene, &request_off);
    check_bracket(&scene, 0x1a4, 0x400f);
}

/* Every part lies in its field, has a name of its own, and together they are the field. */
static void parts_make_up_their_field(void **state)
{
    (void)state;
    for (size_t r = 0; r < x86_64_prefetch_row_count; r++) {
        const struct prefetch_field *field = &x86_64_prefetch_rows[r].field;
        uint64_t all = 0;

        for (size_t k = 0; k < field->part_count; k++) {
            assert_true(field->parts[k].mask && !(field->parts[k].mask & ~field->mask));
            assert_int_equal(all & field->parts[k].mask, 0);
            all |= field->parts[k].mask;
            assert_true(field->parts[k].name[0]);
        }
        /* A field of several bits without a list of parts switches one prefetcher by all of them.
         */
        assert_true(field->part_count ? all == field->mask
                                      : (field->mask & (field->mask - 1)) == 0);
    }
}

/* Dynamic prefetch control is no prefetcher; it goes with each of them. */
static void dynamic_control_goes_with_every_prefetcher(void **state)
{
    static const struct cpu_identity panther_e = E(0xcc, 4);
    struct prefetch_report alone;
    struct scene scene;

    (void)state;
    scene_start(&scene, &panther_e);
    scene_try(&scene, &request_off);
    assert_true(prefetch_set_alone(&scene.set, &scene.port, 0, &alone));
    assert_string_equal(alone.control[0].name, "MSR 0x1a4 bit 0 L2 streamer");
    check_bracket(&scene, 0x1a4, 0x4000 | BIT(12) | BIT(0));
}

/* A control that did not obey in the trial is not one of them. */
static void a_locked_one_is_left_out(void **state)
{
    struct prefetch_report alone;
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->locked = BIT(0) | BIT(2);
    scene_try(&scene, &request_off);
    assert_true(prefetch_set_alone(&scene.set, &scene.port, 0, &alone));
    assert_int_equal(alone.control[0].mask, BIT(1));
    assert_true(prefetch_set_alone(&scene.set, &scene.port, 1, &alone));
    assert_int_equal(alone.control[0].mask, BIT(3));
    assert_false(prefetch_set_alone(&scene.set, &scene.port, 2, &alone));
}

static void state_off_by_firmware(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->value = 0xf;
    msr_model_at(&scene.model, 0x1a4)->write_faults = true;
    scene_try(&scene, &request_off);
    /* Already off: nothing is written, so that a locked register is no refusal. */
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_int_equal(scene.model.logged, 0);
    check_bracket(&scene, 0x1a4, 0xf);
    assert_int_equal(scene.model.logged, 0);
}

static void state_on_when_not_requested(void **state)
{
    static const struct prefetch_request leave = {.off = false, .write = true};
    static const struct prefetch_request look = {.off = true, .write = false};
    struct scene scene;

    (void)state;
    scene_start(&scene, &alder_e);
    msr_model_at(&scene.model, 0x1a4)->value = 0x4;
    scene_try(&scene, &leave);
    assert_int_equal(scene.report.state, PREFETCH_ON);
    for (size_t i = 0; i < scene.report.count; i++)
        assert_int_equal(scene.report.control[i].requested, scene.report.control[i].readback);
    assert_int_equal(scene.model.logged, 0);
    /* All switched off by firmware; nothing requested. */
    msr_model_at(&scene.model, 0x1a4)->value = 0x3d;
    msr_model_at(&scene.model, 0x1320)->value = BIT(43) | BIT(31);
    msr_model_at(&scene.model, 0x1321)->value = BIT(40);
    scene_try(&scene, &leave);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    /* One still on. */
    msr_model_at(&scene.model, 0x1321)->value = 0;
    scene_try(&scene, &leave);
    assert_int_equal(scene.report.state, PREFETCH_ON);
    /* Report only: the request is shown, nothing is written, nothing is written later. */
    scene_try(&scene, &look);
    assert_int_equal(scene.report.state, PREFETCH_ON);
    assert_int_equal(scene.report.control[0].requested, scene.report.control[0].mask);
    prefetch_set_enter(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 0);
}

static void state_unsupported(void **state)
{
    static const struct cpu_identity unknown = INTEL(0xfe);
    struct scene scene;

    (void)state;
    /* No row: nothing is even read. */
    scene_start(&scene, &unknown);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.count, 0);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_int_equal(scene.model.unlisted, 0);
    /* A row, but no register. */
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->read_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_int_equal(scene.report.control[0].state, PREFETCH_UNSUPPORTED);
    assert_true(scene.report.control[0].readback == MACHINE_UNKNOWN);
    assert_int_equal(scene.model.logged, 0);
    check_bracket(&scene, 0x1a4, 0x4000);
    assert_int_equal(scene.model.logged, 0);
}

static void state_refused(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->write_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    assert_int_equal(scene.report.control[0].readback, 0);
    check_restored(&scene);
    scene.model.logged = 0;
    check_bracket(&scene, 0x1a4, 0x4000);
    assert_int_equal(scene.model.logged, 0);
}

static void state_not_honoured(void **state)
{
    struct scene scene;

    (void)state;
    /* As in QEMU TCG: every write is accepted, every read is 0. */
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->value = 0;
    msr_model_at(&scene.model, 0x1a4)->reads_zero = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    assert_int_equal(scene.report.control[0].requested, 0xf);
    assert_int_equal(scene.report.control[0].readback, 0);
    check_restored(&scene);
    scene.model.logged = 0;
    check_bracket(&scene, 0x1a4, 0);
    assert_int_equal(scene.model.logged, 0);
}

static void a_locked_bit_is_reported_and_the_rest_used(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->locked = 0x2;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    assert_int_equal(scene.report.control[0].readback, 0xd);
    check_restored(&scene);
    check_bracket(&scene, 0x1a4, 0x400d);
}

/* Writing with reserved bits faults: narrower and narrower sets of bits are tried. */
static void narrower_masks(void **state)
{
    static const struct cpu_identity zen4 = AMD(0x19, true), granite = INTEL(0xad);
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->reserved = 0xa;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    assert_int_equal(scene.report.control[0].requested, 0xf);
    assert_int_equal(scene.report.control[0].readback, 0x5);
    check_restored(&scene);
    check_bracket(&scene, 0x1a4, 0x4005);

    scene_start(&scene, &zen4);
    msr_model_at(&scene.model, 0xc0000108)->reserved = 0x20;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    assert_int_equal(scene.report.control[0].readback, 0xf);
    check_bracket(&scene, 0xc0000108, 0x400f);

    /* Fields that stand alone fail alone. */
    scene_start(&scene, &granite);
    msr_model_at(&scene.model, 0x6d)->value = 0;
    msr_model_at(&scene.model, 0x1a4)->reserved = 0x80;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    check_bracket(&scene, 0x1a4, 0x407f);
}

static void wide_writes_fault_and_none_is_accepted(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->reserved = 0xf;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    /* The whole field and its one narrower form: 0xf, 0x5. */
    assert_int_equal(scene.model.logged, 2);
    check_restored(&scene);
}

/* Where sources disagree whether a field exists, a faulting write means it does not, and the state
 * is unaffected. */
static void a_disputed_field_that_faults_does_not_count(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &alder_e);
    msr_model_at(&scene.model, 0x1a4)->reserved = BIT(4);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    for (size_t i = 0; i < scene.report.count; i++)
        if (scene.report.control[i].reg == 0x1a4 && scene.report.control[i].mask == BIT(4))
            assert_int_equal(scene.report.control[i].state, PREFETCH_UNSUPPORTED);
    check_bracket(&scene, 0x1a4, 0x402d);
    /* An undisputed one counts. */
    scene_start(&scene, &alder_e);
    msr_model_at(&scene.model, 0x1a4)->reserved = BIT(5);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
}

static void restored_in_reverse_order(void **state)
{
    struct scene scene;
    size_t half;

    (void)state;
    scene_start(&scene, &alder_e);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    check_restored(&scene);
    half = scene.model.logged / 2;
    assert_int_equal(half, scene.report.count);
    for (size_t i = 0; i < half; i++)
        assert_int_equal(scene.model.log[i], scene.model.log[2 * half - 1 - i]);
    scene.model.logged = 0;
    prefetch_set_enter(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    check_restored(&scene);
    assert_int_equal(scene.model.logged, 2 * half);
    for (size_t i = 0; i < half; i++)
        assert_int_equal(scene.model.log[i], scene.model.log[2 * half - 1 - i]);
}

/* A later register that faults leaves the earlier ones neither off nor forgotten. */
static void restored_when_a_later_one_faults(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &alder_e);
    msr_model_at(&scene.model, 0x1321)->write_faults = true;
    msr_model_at(&scene.model, 0x1320)->read_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
    check_restored(&scene);
    check_bracket(&scene, 0x1a4, 0x403d);
    /* Worked in the trial, faults inside the bracket: restoring it is not attempted. */
    scene_start(&scene, &alder_e);
    scene_try(&scene, &request_off);
    msr_model_at(&scene.model, 0x1321)->write_faults = true;
    msr_model_at(&scene.model, 0x1320)->read_faults = true;
    check_bracket(&scene, 0x1a4, 0x403d);
}

static void a_bit_that_sticks_is_reported(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->sticky = 0x4;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_true(scene.report.control[0].stuck);
    assert_int_equal(msr_model_at(&scene.model, 0x1a4)->value, 0x4004);
    /* Not touched again. */
    scene.model.logged = 0;
    prefetch_set_enter(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 0);
    /* The second write faults: the first cannot be undone. */
    scene_start(&scene, &haswell);
    msr_model_at(&scene.model, 0x1a4)->faults_from = 2;
    scene_try(&scene, &request_off);
    assert_true(scene.report.control[0].stuck);
}

static void leave_alone_does_nothing(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    prefetch_set_leave(&scene.set, &scene.port);
    prefetch_set_enter(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 0);
    scene_try(&scene, &request_off);
    scene.model.logged = 0;
    prefetch_set_enter(&scene.set, &scene.port);
    /* A second enter must not take the off value for the original. */
    prefetch_set_enter(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 2);
    check_restored(&scene);
}

/* A later trial that does not request off discards what an earlier one found. */
static void a_new_request_forgets_the_old(void **state)
{
    static const struct prefetch_request leave = {.off = false, .write = true};
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    scene_try(&scene, &request_off);
    scene_try(&scene, &leave);
    scene.model.logged = 0;
    prefetch_set_enter(&scene.set, &scene.port);
    prefetch_set_leave(&scene.set, &scene.port);
    assert_int_equal(scene.model.logged, 0);
}

/* The firmware's value is read anew at each enter. */
static void a_value_changed_between_is_kept(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &haswell);
    scene_try(&scene, &request_off);
    msr_model_at(&scene.model, 0x1a4)->value = 0x8002;
    scene.before = scene.model;
    check_bracket(&scene, 0x1a4, 0x800f);
}

static void unofficial_only_on_request(void **state)
{
    static const struct cpu_identity zen2 = AMD(0x17, false);
    struct scene scene;

    (void)state;
    scene_start(&scene, &zen2);
    msr_model_at(&scene.model, 0xc001102b)->value = 0x4001;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.count, 4);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    for (size_t i = 0; i < 4; i++) {
        assert_true(scene.report.control[i].unofficial);
        assert_int_equal(scene.report.control[i].state, PREFETCH_UNSUPPORTED);
        assert_true(scene.report.control[i].readback == MACHINE_UNKNOWN);
    }
    for (size_t i = 0; i < scene.model.count; i++)
        assert_int_equal(scene.model.reg[i].reads + scene.model.reg[i].writes, 0);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    check_bracket(&scene, 0xc001102b, 0x4000);
    /* A field that is off when 0, in a register that is 0 altogether: there is no such register. */
    scene_start(&scene, &zen2);
    msr_model_at(&scene.model, 0xc001102b)->value = 0;
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    assert_int_equal(scene.report.control[0].state, PREFETCH_OFF);
    assert_int_equal(scene.report.control[2].state, PREFETCH_UNSUPPORTED);
}

/* Bits that only the predecessors are known to have: those that read back are used, the others
 * change nothing else, and "off" is said of known controls either way. */
static void inherited_bits(void **state)
{
    static const struct cpu_identity lunar = P(0xbd), alder = P(0x97), lunar_e = E(0xbd, 3);
    struct scene scene;

    (void)state;
    scene_start(&scene, &lunar);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_true(scene.report.known_only);
    check_bracket(&scene, 0x1a4, 0x41ff);
    /* Bits 5 and 7 are in this CPU, 4 faults, 6 and 8 stay as they are. */
    scene_start(&scene, &lunar);
    msr_model_at(&scene.model, 0x1a4)->locked = BIT(6) | BIT(8);
    msr_model_at(&scene.model, 0x1a4)->reserved = BIT(4);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    assert_true(scene.report.known_only);
    for (size_t i = 0; i < scene.report.count; i++) {
        const struct prefetch_control *control = &scene.report.control[i];
        assert_int_equal(control->disputed, control->mask != 0xf);
        assert_int_equal(control->state, control->mask == BIT(4)             ? PREFETCH_UNSUPPORTED
                                         : control->mask & (BIT(6) | BIT(8)) ? PREFETCH_NOT_HONOURED
                                                                             : PREFETCH_OFF);
    }
    check_restored(&scene);
    check_bracket(&scene, 0x1a4, 0x40af);
    /* A listed bit that does not obey makes the state worse as always. */
    msr_model_at(&scene.model, 0x1a4)->locked |= BIT(0);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    /* A disputed bit is not yet an unknown core, and the same chip's other cores are listed. */
    scene_start(&scene, &alder);
    scene_try(&scene, &request_off);
    assert_false(scene.report.known_only);
    scene_start(&scene, &lunar_e);
    scene_try(&scene, &request_off);
    assert_false(scene.report.known_only);
}

/* CPUs whose memory controller reads ahead of the caches, whatever the core's controls. */
static void who_speculates(void **state)
{
    static const struct {
        struct cpu_identity cpu;
        bool speculates;
    } cases[] = {{INTEL(0x55), true},      {INTEL(0x6a), true},       {INTEL(0x8f), true},
                 {P(0xad), true},          {INTEL(0xaf), true},       {FAMILY(19, 1), true},
                 {AMD(0x17, false), true}, {AMD(0x18, false), true},  {AMD(0x19, true), true},
                 {AMD(0x1a, true), true},  {INTEL(0x5e), false},      {P(0x97), false},
                 {INTEL(0x3f), false},     {AMD(0x15, false), false}, {AMD(0x16, false), false},
                 {FAMILY(19, 2), false},   {AMD(0x55, false), false}, {FAMILY(0x17, 0x55), false}};
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scene_start(&scene, &cases[i].cpu);
        scene_try(&scene, &request_off);
        assert_int_equal(scene.report.speculates, cases[i].speculates);
    }
}

/* A virtual machine of a known model is tried; what it reads back decides. */
static void virtual_machines(void **state)
{
    struct cpuid_source source = cpuid_set_source(&cpuid_qemu_haswell);
    struct cpu_identity identity;
    struct scene scene;

    (void)state;
    cpuid_identify(&source, &identity);
    assert_true(identity.hypervisor);
    scene_start(&scene, &identity);
    msr_model_at(&scene.model, 0x1a4)->value = 0;
    msr_model_at(&scene.model, 0x1a4)->reads_zero = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    scene_start(&scene, &identity);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_OFF);
    /* KVM refuses what it does not know. */
    scene_start(&scene, &identity);
    msr_model_at(&scene.model, 0x1a4)->read_faults = true;
    msr_model_at(&scene.model, 0x1a4)->write_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    /* Milan under QEMU does not declare the prefetch MSR, qemu64 is no CPU of the tables. */
    source = cpuid_set_source(&cpuid_qemu_milan);
    cpuid_identify(&source, &identity);
    scene_start(&scene, &identity);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.count, 0);
    source = cpuid_set_source(&cpuid_qemu64);
    cpuid_identify(&source, &identity);
    scene_start(&scene, &identity);
    scene_try(&scene, &request_all);
    assert_int_equal(scene.report.count, 0);
}

/* off < unsupported < not-honoured < refused < on */
static void the_worst_state_is_reported(void **state)
{
    struct scene scene;

    (void)state;
    scene_start(&scene, &alder_e);
    msr_model_at(&scene.model, 0x1321)->read_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_UNSUPPORTED);
    msr_model_at(&scene.model, 0x1320)->locked = BIT(31);
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_NOT_HONOURED);
    msr_model_at(&scene.model, 0x1a4)->write_faults = true;
    scene_try(&scene, &request_off);
    assert_int_equal(scene.report.state, PREFETCH_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_facts),
        cmocka_unit_test(no_row_without_a_test),
        cmocka_unit_test(dynamic_control_is_first),
        cmocka_unit_test(state_off),
        cmocka_unit_test(one_prefetcher_by_itself),
        cmocka_unit_test(parts_make_up_their_field),
        cmocka_unit_test(dynamic_control_goes_with_every_prefetcher),
        cmocka_unit_test(a_locked_one_is_left_out),
        cmocka_unit_test(state_off_by_firmware),
        cmocka_unit_test(state_on_when_not_requested),
        cmocka_unit_test(state_unsupported),
        cmocka_unit_test(state_refused),
        cmocka_unit_test(state_not_honoured),
        cmocka_unit_test(a_locked_bit_is_reported_and_the_rest_used),
        cmocka_unit_test(narrower_masks),
        cmocka_unit_test(wide_writes_fault_and_none_is_accepted),
        cmocka_unit_test(a_disputed_field_that_faults_does_not_count),
        cmocka_unit_test(restored_in_reverse_order),
        cmocka_unit_test(restored_when_a_later_one_faults),
        cmocka_unit_test(a_bit_that_sticks_is_reported),
        cmocka_unit_test(leave_alone_does_nothing),
        cmocka_unit_test(a_new_request_forgets_the_old),
        cmocka_unit_test(a_value_changed_between_is_kept),
        cmocka_unit_test(unofficial_only_on_request),
        cmocka_unit_test(inherited_bits),
        cmocka_unit_test(who_speculates),
        cmocka_unit_test(virtual_machines),
        cmocka_unit_test(the_worst_state_is_reported),
    };
    return cmocka_run_group_tests_name("x86_64 prefetch", tests, NULL, NULL);
}
