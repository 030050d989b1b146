/* SPDX-License-Identifier: BSD-2-Clause */
/* What a point requires of its machine and of its working set; conflicts between options alone are
 * in core/options/conflicts.c. */
#include "core/plan/check.h"

#include "core/names.h"
#include "core/plan/names.h"

static bool too_many(struct text *why, const char *what, uint64_t value, uint64_t max)
{
    if (value <= max)
        return false;
    text_format(why, "%s=%lu; this machine's limit is %lu", what, value, max);
    return true;
}

static bool refuse_size(struct text *why, const char *what, uint64_t bytes, const char *allowed)
{
    text_format(why, "%s=%s %s", what, TEXT_SIZE(bytes), allowed);
    return true;
}

static bool bad_hop(const struct machine_description *machine, const struct point *point,
                    struct text *why)
{
    if (too_many(why, "chains", point->chains, machine->chains_cycle_max))
        return true;
    if (point->load == LOAD_PLAIN || (machine->loads >> point->load & 1))
        return false;
    text_format(why, "load=%s is not supported by this machine", load_names[point->load]);
    return true;
}

static bool bad_stride(const struct machine_description *machine, const struct point *point,
                       struct text *why)
{
    bool any = point->kernel == KERNEL_STREAM ||
               (point->kernel == KERNEL_CYCLE &&
                (point->order == ORDER_FORWARD || point->order == ORDER_REVERSE));
    bool whole = point->stride_bytes % machine->line_bytes == 0;

    if (point->kernel == KERNEL_CYCLE && point->order == ORDER_SEQUENTIAL &&
        point->stride_bytes != machine->line_bytes)
        return refuse_size(why, "stride", point->stride_bytes,
                           "with pattern=sequential, which goes line by line; pattern=forward "
                           "allows any stride");
    if (!whole && (!any || point->word != 0 || point->load == LOAD_DIRTY))
        return refuse_size(why, "stride", point->stride_bytes,
                           "is not a multiple of the line; only forward and reverse allow that, "
                           "with word=0 and without load=dirty");
    return false;
}

static bool bad_group(const struct machine_description *machine, const struct point *point,
                      struct text *why)
{
    if (point->kernel != KERNEL_CYCLE || !order_by_groups(point->order))
        return false;
    if (point->group_bytes % machine->line_bytes != 0)
        return refuse_size(why, "group", point->group_bytes, "is not a multiple of the line");
    if (point->group_bytes % point->stride_bytes != 0)
        return refuse_size(why, "group", point->group_bytes, "is not a multiple of the stride");
    if (point->group_bytes / point->stride_bytes > SHUFFLE_MAX)
        return refuse_size(why, "group", point->group_bytes, "holds more than 2^24 nodes");
    return false;
}

static bool bad_set(const struct point *point, struct text *why)
{
    uint64_t nodes = point->bytes / point->stride_bytes;

    if (nodes == 0) {
        text_format(why, "stride=%s is larger than the working set of %s",
                    TEXT_SIZE(point->stride_bytes), TEXT_SIZE(point->bytes));
        return true;
    }
    if (nodes >= point->chains)
        return false;
    text_format(why, "chains=%u in a working set of %s, which has fewer nodes", point->chains,
                TEXT_SIZE(point->bytes));
    return true;
}

bool plan_possible(const struct machine_description *machine, const struct point *point,
                   struct text *why)
{
    return !bad_hop(machine, point, why) && !bad_stride(machine, point, why) &&
           !bad_group(machine, point, why) && !bad_set(point, why);
}

const char *plan_no_flush(const struct machine_description *machine, bool probes)
{
    return probes && (machine->loads & 1u << LOAD_FLUSH)
               ? NULL
               : "this machine cannot flush single lines from its caches";
}

const char *plan_no_physical(const struct machine_description *machine)
{
    return machine->hides_physical
               ? "the kernel shows this process no physical addresses (CAP_SYS_ADMIN sees them)"
               : NULL;
}

bool plan_word_possible(const struct machine_description *machine, uint32_t word, struct text *why)
{
    uint32_t words = machine->line_bytes / 8;

    if (word < words)
        return true;
    text_format(why, "word=%u is outside a line of %u bytes; allowed: 0 to %u", word,
                machine->line_bytes, words - 1);
    return false;
}
