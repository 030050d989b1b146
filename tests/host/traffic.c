/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/traffic.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "tests/host/quiet.h"
#include "tests/host/thread.h"

struct worker {
    struct traffic_progress progress;
    struct traffic_done begun, done;
    int status_fd; /* what the kernel says of the thread; -1: it does not */
    uint64_t switches_begun, switches_done;
    const struct traffic *traffic;
    uint32_t number; /* the kernel's, of its CPU */
    pthread_t thread;
    bool ready, asleep, faulted;
    struct fault_info fault; /* if it faulted */
    char fault_text[QUIET_FAULT_BYTES];
};

/* Workers change their flags, and the turn changes, under the lock alone. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker *worker; /* [count]; NULL: none */
    uint32_t count;
    uint64_t turn; /* counts chases */
    bool over;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void load(void *arg)
{
    struct worker *worker = arg;

    arch_traffic(worker->traffic, &worker->progress);
}

/* How often the kernel gave its CPU to others. Unknown is 0. */
static uint64_t switches(const struct worker *worker)
{
    static const char key[] = "nonvoluntary_ctxt_switches:";
    char text[4096];
    ssize_t bytes = worker->status_fd < 0 ? -1 : pread(worker->status_fd, text, sizeof text - 1, 0);
    const char *found;

    if (bytes <= 0)
        return 0;
    text[bytes] = '\0';
    found = strstr(text, key);
    return found == NULL ? 0 : strtoull(found + sizeof key - 1, NULL, 10);
}

static int status_open(void)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool next_turn(struct worker *worker, uint64_t *turn)
{
    bool over;

    worker->asleep = true;
    pthread_cond_broadcast(&crew.changed);
    while (!crew.over && crew.turn == *turn)
        pthread_cond_wait(&crew.changed, &crew.lock);
    *turn = crew.turn;
    over = crew.over;
    worker->asleep = over;
    return !over;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    uint64_t turn = 0;
    bool ran = true;

    worker->status_fd = status_open();
    pthread_mutex_lock(&crew.lock);
    worker->ready = true;
    turn = crew.turn;
    while (next_turn(worker, &turn)) {
        pthread_mutex_unlock(&crew.lock);
        if (ran)
            ran = quiet_guard(load, worker, &worker->fault, worker->fault_text);
        pthread_mutex_lock(&crew.lock);
        worker->faulted = !ran;
        pthread_cond_broadcast(&crew.changed);
    }
    pthread_mutex_unlock(&crew.lock);
    if (worker->status_fd >= 0)
        close(worker->status_fd);
    return NULL;
}

static void join(uint32_t started)
{
    pthread_mutex_lock(&crew.lock);
    crew.over = true;
    pthread_cond_broadcast(&crew.changed);
    pthread_mutex_unlock(&crew.lock);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(crew.worker[i].thread, NULL);
    free(crew.worker);
    crew.worker = NULL;
    crew.count = 0;
    crew.over = false;
}

/* Waits until each of the first `started` waits for its first turn. */
static void wait_ready(uint32_t started)
{
    pthread_mutex_lock(&crew.lock);
    for (uint32_t i = 0; i < started; i++)
        while (!crew.worker[i].ready)
            pthread_cond_wait(&crew.changed, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

static struct worker *workers_make(const struct cpu_info *cpus, uint32_t line_bytes,
                                   const struct traffic *traffic, uint32_t count)
{
    struct worker *worker = aligned_alloc(TRAFFIC_APART_BYTES, count * sizeof *worker);

    for (uint32_t i = 0; worker != NULL && i < count; i++) {
        memset(&worker[i], 0, sizeof worker[i]);
        worker[i].traffic = &traffic[i];
        worker[i].number = cpus[traffic[i].cpu].number;
        traffic_open(&worker[i].progress, &traffic[i], line_bytes);
    }
    return worker;
}

enum status traffic_start(const struct cpu_info *cpus, uint32_t line_bytes,
                          const struct traffic *traffic, uint32_t count, const char **why)
{
    uint32_t started = 0;

    traffic_end();
    crew.worker = workers_make(cpus, line_bytes, traffic, count);
    *why = "there is no memory for threads";
    if (crew.worker == NULL)
        return STATUS_UNSUPPORTED;
    crew.count = count;
    while (started < count && thread_start(crew.worker[started].number, work, &crew.worker[started],
                                           &crew.worker[started].thread))
        started++;
    wait_ready(started);
    if (started == count)
        return STATUS_OK;
    *why = "the kernel starts no thread on one of these CPUs";
    join(started);
    return STATUS_UNSUPPORTED;
}

void traffic_end(void)
{
    if (crew.worker != NULL)
        join(crew.count);
}

bool traffic_is_on(uint32_t cpu)
{
    for (uint32_t i = 0; i < crew.count; i++)
        if (crew.worker[i].traffic->cpu == cpu)
            return true;
    return false;
}

static bool any_faulted(void)
{
    bool any = false;

    pthread_mutex_lock(&crew.lock);
    for (uint32_t i = 0; i < crew.count; i++)
        any = any || crew.worker[i].faulted;
    pthread_mutex_unlock(&crew.lock);
    return any;
}

/* Their CPUs may be others' for a while. */
static bool wait_runs(const struct worker *worker)
{
    while (!traffic_runs(&worker->progress)) {
        if (any_faulted())
            return false;
        sched_yield();
    }
    return true;
}

bool traffic_go(void)
{
    for (uint32_t i = 0; i < crew.count; i++) {
        traffic_begin(&crew.worker[i].progress);
        crew.worker[i].begun = crew.worker[i].done = (struct traffic_done){.ticks = 0};
    }
    pthread_mutex_lock(&crew.lock);
    crew.turn++;
    for (uint32_t i = 0; i < crew.count; i++)
        crew.worker[i].asleep = false;
    pthread_cond_broadcast(&crew.changed);
    pthread_mutex_unlock(&crew.lock);
    for (uint32_t i = 0; i < crew.count; i++)
        if (!wait_runs(&crew.worker[i]))
            return false;
    return true;
}

bool traffic_halt(struct fault_info *fault)
{
    for (uint32_t i = 0; i < crew.count; i++)
        traffic_stop(&crew.worker[i].progress);
    pthread_mutex_lock(&crew.lock);
    for (uint32_t i = 0; i < crew.count; i++)
        while (!crew.worker[i].asleep)
            pthread_cond_wait(&crew.changed, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
    for (uint32_t i = 0; i < crew.count; i++)
        if (crew.worker[i].faulted) {
            *fault = crew.worker[i].fault;
            fault->text = crew.worker[i].fault_text;
            return false;
        }
    return true;
}

void traffic_samples_begin(void)
{
    for (uint32_t i = 0; i < crew.count; i++)
        crew.worker[i].switches_begun = switches(&crew.worker[i]);
    for (uint32_t i = 0; i < crew.count; i++)
        crew.worker[i].begun = traffic_done_by(&crew.worker[i].progress);
}

void traffic_samples_end(void)
{
    for (uint32_t i = 0; i < crew.count; i++)
        crew.worker[i].done = traffic_done_by(&crew.worker[i].progress);
    for (uint32_t i = 0; i < crew.count; i++)
        crew.worker[i].switches_done = switches(&crew.worker[i]);
}

/* Of one whose CPU others had for a while it would be no rate. */
static struct traffic_done answer_of(const struct worker *worker)
{
    if (worker->switches_begun != worker->switches_done)
        return (struct traffic_done){.ticks = 0};
    return traffic_between(worker->begun, worker->done);
}

void traffic_answer(struct traffic_done *done)
{
    for (uint32_t i = 0; i < crew.count; i++)
        done[i] = answer_of(&crew.worker[i]);
}
