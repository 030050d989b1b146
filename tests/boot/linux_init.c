/* SPDX-License-Identifier: BSD-2-Clause */
/* The only program of a Linux kernel that a boot test starts: says which CPUs the kernel has, runs
 * on each of them until a timer has fired there, and switches the machine off. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void say_online(void)
{
    char online[256] = "";
    mkdir("/sys", 0755);
    mount("none", "/sys", "sysfs", 0, NULL);
    int file = open("/sys/devices/system/cpu/online", O_RDONLY);
    if (file < 0 || read(file, online, sizeof online - 1) < 0)
        perror("init: /sys/devices/system/cpu/online");
    printf("init: online %s", online);
}

static void run_on(int cpu)
{
    struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0)
        return; /* there is none of that number */
    nanosleep(&pause, NULL);
    printf("init: ran on CPU %d\n", sched_getcpu());
}

int main(void)
{
    printf("\n");
    say_online();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        run_on(cpu);
    printf("init: done\n");
    fflush(stdout);
    reboot(RB_POWER_OFF);
    return 1;
}
