/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/thread.h"

#include <signal.h>

#include "tests/host/pin.h"

bool thread_start(uint32_t cpu, void *(*body)(void *arg), void *arg, pthread_t *thread)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    sigset_t others, before;
    pthread_attr_t attributes;
    bool started;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    started =
        pin_attributes(cpu, &attributes) && pthread_create(thread, &attributes, body, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
