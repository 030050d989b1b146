/* SPDX-License-Identifier: BSD-2-Clause */
/* By which instruction PSCI is called, why it is not, and what it answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_psci.h"

static struct acpi_facts acpi;
static struct devicetree_facts tree;

struct choice {
    int boot_flags; /* -1: no FADT */
    enum devicetree_psci psci;
    unsigned level;
    enum psci_conduit conduit;
    const char *why;
};

static void check(const struct choice *want)
{
    const char *why = "unset";

    acpi.fadt_known = want->boot_flags >= 0;
    acpi.arm_boot_flags = want->boot_flags >= 0 ? (uint16_t)want->boot_flags : 0;
    tree.psci = want->psci;
    assert_int_equal(psci_choose(&acpi, &tree, want->level, &why), want->conduit);
    if (want->why == NULL)
        assert_null(why);
    else
        assert_non_null(strstr(why, want->why));
}

static void the_tables_choose_the_conduit(void **state)
{
    static const struct choice cases[] = {
        {3, DEVICETREE_NO_PSCI, 1, PSCI_HVC, NULL},
        {1, DEVICETREE_NO_PSCI, 1, PSCI_SMC, NULL},
        {1, DEVICETREE_NO_PSCI, 2, PSCI_SMC, NULL},
        {3, DEVICETREE_NO_PSCI, 2, PSCI_NO_CONDUIT, "EL2"},
        {3, DEVICETREE_PSCI_SMC, 1, PSCI_HVC, NULL}, /* ACPI comes first */
        {0, DEVICETREE_PSCI_SMC, 1, PSCI_SMC, NULL},
        {2, DEVICETREE_PSCI_SMC, 1, PSCI_SMC, NULL}, /* HVC without PSCI says nothing */
        {-1, DEVICETREE_PSCI_HVC, 1, PSCI_HVC, NULL},
        {-1, DEVICETREE_PSCI_SMC, 2, PSCI_SMC, NULL},
        {-1, DEVICETREE_PSCI_HVC, 2, PSCI_NO_CONDUIT, "EL2"},
        {-1, DEVICETREE_PSCI_OLD, 1, PSCI_NO_CONDUIT, "0.1"},
        {-1, DEVICETREE_PSCI_ODD, 1, PSCI_NO_CONDUIT, "without a way"},
        {-1, DEVICETREE_NO_PSCI, 1, PSCI_NO_CONDUIT, "name no PSCI"},
        {0, DEVICETREE_NO_PSCI, 2, PSCI_NO_CONDUIT, "name no PSCI"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

static void protocols_that_are_not_used_are_named(void **state)
{
    static const struct choice none = {0, DEVICETREE_NO_PSCI, 1, PSCI_NO_CONDUIT, "spin table"},
                               parked = {0, DEVICETREE_NO_PSCI, 1, PSCI_NO_CONDUIT, "parking"},
                               psci = {1, DEVICETREE_NO_PSCI, 1, PSCI_SMC, NULL};

    (void)state;
    tree.cpu_count = 2;
    tree.cpu[1].enable = ENABLE_SPIN_TABLE;
    check(&none);
    acpi.cpus_parked = 1;
    check(&parked);
    check(&psci);
    memset(&tree, 0, sizeof tree);
    memset(&acpi, 0, sizeof acpi);
}

static void versions_before_0_2_are_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(psci_version_refusal(-1), "does not answer"));
    assert_non_null(strstr(psci_version_refusal(0xffffffff), "does not answer"));
    assert_non_null(strstr(psci_version_refusal(0), "older"));
    assert_non_null(strstr(psci_version_refusal(1), "older"));
    assert_null(psci_version_refusal(2));
    assert_null(psci_version_refusal(0x10001));
}

static void states_are_as_affinity_info_tells(void **state)
{
    (void)state;
    assert_int_equal(psci_state(0), ARCH_POWER_ON);
    assert_int_equal(psci_state(1), ARCH_POWER_OFF);
    assert_int_equal(psci_state(2), ARCH_POWER_TURNING_ON);
    assert_int_equal(psci_state(3), ARCH_POWER_UNKNOWN);
    assert_int_equal(psci_state(-2), ARCH_POWER_UNKNOWN);
    assert_int_equal(psci_state(0xfffffffe), ARCH_POWER_UNKNOWN);
}

static void errors_are_words(void **state)
{
    static const char *const words[] = {"not supported", "invalid parameters", "denied",
                                        "already on",    "on pending",         "internal failure",
                                        "not present",   "disabled",           "invalid address"};

    (void)state;
    assert_null(psci_error(0));
    assert_null(psci_error(1));
    for (int i = 0; i < 9; i++) {
        assert_non_null(strstr(psci_error(-1 - i), words[i]));
        assert_non_null(strstr(psci_error((uint32_t)(-1 - i)), words[i]));
    }
    assert_non_null(strstr(psci_error(-10), "unknown"));
    assert_non_null(strstr(psci_error(INT32_MIN), "unknown"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_choose_the_conduit),
        cmocka_unit_test(protocols_that_are_not_used_are_named),
        cmocka_unit_test(versions_before_0_2_are_refused),
        cmocka_unit_test(states_are_as_affinity_info_tells),
        cmocka_unit_test(errors_are_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
