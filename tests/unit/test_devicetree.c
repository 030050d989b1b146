/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/devicetree.c: how CPUs are started by a tree, and trees that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/devicetree.h"
#include "tests/unit/support_fdt.h"

static struct fdt fdt;
static struct devicetree_facts facts;

/* In memory that ends where the tree does. */
static enum status read_tree(void)
{
    uint8_t *copy = malloc(fdt.bytes);
    enum status status;

    assert_non_null(copy);
    memcpy(copy, fdt.tree, fdt.bytes);
    status = devicetree_read(copy, fdt.bytes, &facts);
    free(copy);
    return status;
}

static void start(void)
{
    memset(&fdt, 0, sizeof fdt);
    fdt_begin(&fdt, "");
    fdt_cell(&fdt, "#address-cells", 2);
}

static enum status finish(void)
{
    fdt_end(&fdt);
    fdt_word(&fdt, 9);
    fdt_finish(&fdt);
    return read_tree();
}

static void psci_node(const char *compatible, size_t bytes, const char *method, const char *status)
{
    fdt_begin(&fdt, "psci");
    fdt_property(&fdt, "compatible", compatible, bytes);
    if (method != NULL)
        fdt_string(&fdt, "method", method);
    if (status != NULL)
        fdt_string(&fdt, "status", status);
    fdt_end(&fdt);
}

static void cpu_node(const char *name, const uint8_t *reg, size_t bytes, const char *method,
                     const char *status)
{
    fdt_begin(&fdt, name);
    fdt_property(&fdt, "reg", reg, bytes);
    fdt_string(&fdt, "device_type", "cpu");
    if (method != NULL)
        fdt_string(&fdt, "enable-method", method);
    if (status != NULL)
        fdt_string(&fdt, "status", status);
    fdt_end(&fdt);
}

static void psci_is_called_as_its_node_says(void **state)
{
    static const char three[] = "arm,psci-1.0\0arm,psci-0.2\0arm,psci";
    static const struct {
        const char *compatible;
        size_t bytes;
        const char *method, *status;
        enum devicetree_psci psci;
    } cases[] = {
        {three, sizeof three, "hvc", NULL, DEVICETREE_PSCI_HVC},
        {three, sizeof three, "smc", "okay", DEVICETREE_PSCI_SMC},
        {three, sizeof three, "smc", "ok", DEVICETREE_PSCI_SMC},
        {three, sizeof three, "smc", "disabled", DEVICETREE_NO_PSCI},
        {three, sizeof three, "call", NULL, DEVICETREE_PSCI_ODD},
        {three, sizeof three, NULL, NULL, DEVICETREE_PSCI_ODD},
        {"arm,psci-0.2", 13, "smc", NULL, DEVICETREE_PSCI_SMC},
        {"arm,psci-0.2", 12, "smc", NULL, DEVICETREE_NO_PSCI}, /* without its NUL */
        {"arm,psci", 9, "smc", NULL, DEVICETREE_PSCI_OLD},
        {"arm,psci-9.0", 13, "smc", NULL, DEVICETREE_NO_PSCI},
        {"x\0\0arm,psci-1.0", 16, "hvc", NULL, DEVICETREE_PSCI_HVC},
        {"", 0, "hvc", NULL, DEVICETREE_NO_PSCI},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start();
        psci_node(cases[i].compatible, cases[i].bytes, cases[i].method, cases[i].status);
        assert_int_equal(finish(), STATUS_OK);
        assert_true(facts.known);
        assert_int_equal(facts.psci, cases[i].psci);
    }
}

static void the_newer_psci_is_the_one(void **state)
{
    (void)state;
    start();
    psci_node("arm,psci", 9, "smc", NULL);
    psci_node("arm,psci-0.2", 13, "hvc", NULL);
    psci_node("arm,psci", 9, "smc", NULL);
    assert_int_equal(finish(), STATUS_OK);
    assert_int_equal(facts.psci, DEVICETREE_PSCI_HVC);
}

static void cpus_are_listed_with_how_they_start(void **state)
{
    static const uint8_t reg[][8] = {{0},
                                     {0, 0, 0, 0, 0, 0, 1, 0},
                                     {0, 0, 0, 7, 0, 0, 0, 1},
                                     {0, 0, 0, 0, 0, 0, 0, 2},
                                     {0, 0, 0, 0, 0, 0, 0, 3}};

    (void)state;
    start();
    fdt_begin(&fdt, "cpus");
    fdt_cell(&fdt, "#size-cells", 0);
    fdt_cell(&fdt, "#address-cells", 2);
    fdt_begin(&fdt, "cpu-map");
    fdt_begin(&fdt, "cluster0");
    fdt_end(&fdt);
    fdt_end(&fdt);
    cpu_node("cpu@0", reg[0], 8, "psci", NULL);
    cpu_node("cpu@100", reg[1], 8, "spin-table", "okay");
    cpu_node("cpu@700000001", reg[2], 8, "brcm,bcm2836-smp", "fail-test");
    cpu_node("cpu@0", reg[0], 8, NULL, NULL);     /* twice */
    cpu_node("cpu@2", reg[3] + 4, 4, NULL, NULL); /* of another length */
    cpu_node("cpu@2", reg[3], 8, NULL, NULL);
    fdt_end(&fdt);
    fdt_begin(&fdt, "other");
    fdt_cell(&fdt, "#address-cells", 2);
    cpu_node("cpu@3", reg[4], 8, "psci", NULL); /* not of /cpus */
    fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_OK);
    assert_int_equal(facts.cpu_count, 4);
    assert_int_equal(facts.cpu[0].id, 0);
    assert_int_equal(facts.cpu[0].enable, ENABLE_PSCI);
    assert_true(facts.cpu[0].available);
    assert_int_equal(facts.cpu[1].id, 0x100);
    assert_int_equal(facts.cpu[1].enable, ENABLE_SPIN_TABLE);
    assert_true(facts.cpu[1].available);
    assert_int_equal(facts.cpu[2].id, 0x700000001);
    assert_int_equal(facts.cpu[2].enable, ENABLE_OTHER);
    assert_false(facts.cpu[2].available);
    assert_int_equal(facts.cpu[3].enable, ENABLE_NOT_TOLD);
    assert_ptr_equal(devicetree_find(&facts, 0x100), &facts.cpu[1]);
    assert_null(devicetree_find(&facts, 3));
    assert_null(devicetree_psci_refusal(&facts, 0));
    assert_non_null(strstr(devicetree_psci_refusal(&facts, 0x100), "spin table"));
    assert_non_null(strstr(devicetree_psci_refusal(&facts, 0x700000001), "another method"));
    assert_null(devicetree_psci_refusal(&facts, 2));
    assert_null(devicetree_psci_refusal(&facts, 3));
}

static void ids_have_as_many_cells_as_cpus_says(void **state)
{
    static const uint8_t reg[12] = {0, 0, 0, 5};

    (void)state;
    for (uint32_t cells = 0; cells < 4; cells++) {
        start();
        fdt_begin(&fdt, "cpus");
        fdt_cell(&fdt, "#address-cells", cells);
        for (uint32_t there = 0; there < 4; there++)
            if (there != cells)
                cpu_node("cpu@6", reg, (size_t)there * 4, NULL, NULL);
        cpu_node("cpu@5", reg, (size_t)cells * 4, NULL, NULL);
        fdt_end(&fdt);
        assert_int_equal(finish(), STATUS_OK);
        assert_int_equal(facts.cpu_count, cells == 1 || cells == 2);
        if (facts.cpu_count == 1)
            assert_int_equal(facts.cpu[0].id, cells == 1 ? 5 : 5ull << 32);
    }
    assert_int_equal(facts.cpus_dropped, 0);
}

static void more_cpus_than_there_is_room_for_are_counted(void **state)
{
    size_t names;

    (void)state;
    start();
    fdt_begin(&fdt, "cpus");
    fdt_cell(&fdt, "#address-cells", 1);
    names = fdt.string_bytes;
    for (uint32_t i = 0; i < CPUS_MAX + 2; i++) {
        const uint8_t reg[4] = {0, 0, (uint8_t)(i >> 8), (uint8_t)i};
        fdt.string_bytes = names; /* those of all nodes are the same */
        fdt_begin(&fdt, "cpu");
        fdt_property(&fdt, "reg", reg, 4);
        fdt_string(&fdt, "device_type", "cpu");
        fdt_end(&fdt);
    }
    fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_OK);
    assert_int_equal(facts.cpu_count, CPUS_MAX);
    assert_int_equal(facts.cpus_dropped, 2);
}

/* ---- trees that lie */

static void whole_tree(void)
{
    static const uint8_t reg[8] = {0, 0, 0, 0, 0, 0, 0, 1};

    start();
    psci_node("arm,psci-1.0", 13, "smc", NULL);
    fdt_begin(&fdt, "cpus");
    fdt_cell(&fdt, "#address-cells", 2);
    cpu_node("cpu@1", reg, 8, "psci", NULL);
    fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_OK);
    assert_int_equal(facts.cpu_count, 1);
}

static void assert_nothing_is_said(void)
{
    static const struct devicetree_facts nothing;

    assert_memory_equal(&facts, &nothing, sizeof facts);
}

static void a_header_that_does_not_fit_is_refused(void **state)
{
    /* magic, totalsize, the blocks' places, versions, the blocks' sizes */
    static const uint8_t words[] = {0, 4, 8, 12, 20, 24, 32, 36};

    (void)state;
    for (size_t i = 0; i < sizeof words; i++) {
        uint32_t high = words[i] == 20 ? 0 : 0x80;
        whole_tree();
        fdt.tree[words[i]] = (uint8_t)high;
        if (words[i] == 20)
            fdt.tree[23] = 16;
        assert_int_equal(read_tree(), STATUS_BAD_INPUT);
        assert_nothing_is_said();
    }
    whole_tree();
    fdt.bytes = 39;
    assert_int_equal(read_tree(), STATUS_BAD_INPUT);
}

static void a_tree_that_ends_anywhere_is_refused(void **state)
{
    size_t bytes;

    (void)state;
    whole_tree();
    bytes = fdt.struct_bytes;
    for (size_t left = 0; left < bytes; left++) {
        whole_tree();
        fdt.struct_bytes = left;
        fdt_finish(&fdt);
        assert_int_equal(read_tree(), STATUS_BAD_INPUT);
        assert_nothing_is_said();
    }
}

static void tokens_that_are_none_or_come_too_often_are_refused(void **state)
{
    (void)state;
    for (uint32_t token = 0; token < 12; token++) {
        start();
        fdt_word(&fdt, token);
        assert_int_equal(finish(), token == 4 ? STATUS_OK : STATUS_BAD_INPUT);
    }
    start();
    fdt_end(&fdt);
    fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_BAD_INPUT);
    start();
    for (unsigned i = 0; i < 64; i++)
        fdt_begin(&fdt, "deep");
    for (unsigned i = 0; i < 64; i++)
        fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_BAD_INPUT);
    start();
    fdt_word(&fdt, 3);
    fdt_word(&fdt, 0x7ffffff0); /* longer than all */
    fdt_word(&fdt, 0);
    assert_int_equal(finish(), STATUS_BAD_INPUT);
    memset(&fdt, 0, sizeof fdt);
    fdt_string(&fdt, "compatible", "arm,psci-1.0"); /* in no node */
    fdt_begin(&fdt, "");
    assert_int_equal(finish(), STATUS_BAD_INPUT);
}

static void properties_behind_children_are_nobodys(void **state)
{
    (void)state;
    start();
    fdt_begin(&fdt, "psci");
    fdt_string(&fdt, "method", "smc");
    fdt_begin(&fdt, "child");
    fdt_end(&fdt);
    fdt_string(&fdt, "compatible", "arm,psci-1.0");
    fdt_end(&fdt);
    assert_int_equal(finish(), STATUS_OK);
    assert_int_equal(facts.psci, DEVICETREE_NO_PSCI);
}

static void lengths_are_believed_up_to_two_mebibytes(void **state)
{
    static const struct {
        uint8_t head[8];
        size_t bytes;
    } cases[] = {
        {{0xd0, 0x0d, 0xfe, 0xed, 0, 0, 0, 40}, 40},
        {{0xd0, 0x0d, 0xfe, 0xed, 0, 0, 0, 39}, 0},
        {{0xd0, 0x0d, 0xfe, 0xed, 0, 0x20, 0, 0}, 2u << 20},
        {{0xd0, 0x0d, 0xfe, 0xed, 0, 0x20, 0, 1}, 0},
        {{0xed, 0xfe, 0x0d, 0xd0, 0, 0, 1, 0}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(devicetree_bytes(cases[i].head), cases[i].bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(psci_is_called_as_its_node_says),
        cmocka_unit_test(the_newer_psci_is_the_one),
        cmocka_unit_test(cpus_are_listed_with_how_they_start),
        cmocka_unit_test(ids_have_as_many_cells_as_cpus_says),
        cmocka_unit_test(more_cpus_than_there_is_room_for_are_counted),
        cmocka_unit_test(a_header_that_does_not_fit_is_refused),
        cmocka_unit_test(a_tree_that_ends_anywhere_is_refused),
        cmocka_unit_test(tokens_that_are_none_or_come_too_often_are_refused),
        cmocka_unit_test(properties_behind_children_are_nobodys),
        cmocka_unit_test(lengths_are_believed_up_to_two_mebibytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
