/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/shared/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int first_error; /* of the first write that failed */

bool output_prepare(void)
{
    int opened = 0;

    while (opened >= 0 && opened <= STDERR_FILENO)
        opened = open("/dev/null", O_RDWR);
    if (opened > STDERR_FILENO)
        close(opened);
    signal(SIGPIPE, SIG_IGN);
    /* Whoever reads a pipe or a file sees each line when it is said. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    return opened >= 0;
}

bool output_write(const char *text, size_t bytes)
{
    if (first_error != 0)
        return false;
    errno = 0;
    if (fwrite(text, 1, bytes, stdout) == bytes && ferror(stdout) == 0)
        return true;
    first_error = errno != 0 ? errno : EIO;
    return false;
}

bool output_end(void)
{
    errno = 0;
    if (first_error == 0 && fflush(stdout) != 0)
        first_error = errno;
    if (first_error != 0)
        fprintf(stderr, "barechase: standard output: cannot be written: %s\n",
                strerror(first_error));
    return first_error == 0;
}
