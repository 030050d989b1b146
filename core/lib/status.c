/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/status.h"

const char *status_name(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return "ok";
    case STATUS_UNSUPPORTED:
        return "unsupported";
    case STATUS_REFUSED:
        return "refused";
    case STATUS_NO_MEMORY:
        return "no memory";
    case STATUS_FAULT:
        return "fault";
    case STATUS_ABORTED:
        return "aborted";
    case STATUS_LATE:
        return "out of time";
    case STATUS_IO:
        return "input/output failed";
    case STATUS_BAD_INPUT:
        return "bad input";
    }
    return "unknown status";
}
