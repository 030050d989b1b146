/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters of a process: the events that arch/ plans for this CPU, counted by the
 * kernel (perf_event_open(2)). It provides arch_pmu_* of arch/arch.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tests/host/process.h"
#include "tests/host/traffic.h"

static struct {
    struct pmu_plan plan;
    int fd[PMU_KINDS]; /* -1: not counted */
    int leader;        /* -1: none */
    bool counted;
    uint64_t count[PMU_KINDS];
} perf = {.leader = -1};

static int event_open(uint64_t raw, int leader)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_RAW;
    attr.config = raw;
    attr.disabled = leader < 0;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static const char *reason(int error)
{
    if (error == EACCES || error == EPERM)
        return "perf_event_open: not permitted (kernel.perf_event_paranoid)";
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        return "perf_event_open: this kernel counts no such event on this CPU";
    return "perf_event_open failed";
}

void arch_pmu_try(struct pmu_report *report)
{
    *report = (struct pmu_report){.why = {NULL}};
    process_pmu_plan(&perf.plan);
    for (size_t i = 0; i < PMU_KINDS; i++) {
        perf.fd[i] = -1;
        report->why[i] = perf.plan.why[i];
        if (perf.plan.event[i].name == NULL)
            continue;
        perf.fd[i] = event_open(perf.plan.raw[i], perf.leader);
        if (perf.fd[i] < 0)
            report->why[i] = reason(errno);
        else
            report->event[i] = perf.plan.event[i];
        if (perf.leader < 0)
            perf.leader = perf.fd[i];
    }
}

static void count_begin(void)
{
    perf.counted = false;
    if (perf.leader < 0)
        return;
    perf.counted = ioctl(perf.leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0 &&
                   ioctl(perf.leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0;
}

/* Reads the count; false if the kernel gave the counter to others meanwhile. */
static bool event_read(int fd, uint64_t *count)
{
    struct {
        uint64_t value, enabled, running;
    } got;

    if (read(fd, &got, sizeof got) != (ssize_t)sizeof got || got.enabled != got.running)
        return false;
    *count = got.value;
    return true;
}

static void count_end(void)
{
    if (!perf.counted)
        return;
    (void)ioctl(perf.leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    for (size_t i = 0; i < PMU_KINDS; i++)
        if (perf.fd[i] >= 0 && !event_read(perf.fd[i], &perf.count[i]))
            perf.counted = false;
}

/* Between these two are the timed samples of a chase: so the other CPUs' counts are taken here. */
void arch_pmu_begin(void)
{
    count_begin();
    traffic_samples_begin();
}

void arch_pmu_end(void)
{
    traffic_samples_end();
    count_end();
}

static uint64_t count_of(enum pmu_kind kind)
{
    return perf.counted && perf.fd[kind] >= 0 ? perf.count[kind] : MACHINE_UNKNOWN;
}

void arch_pmu_counts(struct machine_counters *delta)
{
    delta->llc_misses = count_of(PMU_LLC_MISSES);
    delta->page_walks = count_of(PMU_PAGE_WALKS);
    delta->accesses = count_of(PMU_ACCESSES);
}
