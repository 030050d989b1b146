/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU plugin that records what a timed sample touches: between two marks (x86-64: 7-byte NOPs
 * whose displacement is the mark's number; AArch64: moves of it into the zero register;
 * arch/<cpu>/hooks.h puts them around every kernel's loops) it counts instructions and keeps each
 * data address, in the order of first use, with the loads and stores it got; accesses of 16 bytes
 * are two of 8. The tests read its file. QEMU's plugin interface (version 1, QEMU 4.2 to 8.1 accept
 * it) is declared here by hand: it is a stable C interface, and its header is not packaged
 * everywhere. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum { CALLBACK_NO_REGISTERS = 0 };
enum { ACCESS_READ_WRITE = 3 };
enum { INLINE_ADD = 0 };
typedef void tb_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void insn_executed(unsigned cpu, void *data);
typedef void memory_accessed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address,
                             void *data);
typedef void plugin_simple(qemu_plugin_id_t id);
typedef void plugin_ended(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_translated *call);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, insn_executed *call,
                                            int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation,
                                                void *counter, uint64_t immediate);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, memory_accessed *call,
                                      int flags, int access, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_ended *call, void *data);
void qemu_plugin_reset(qemu_plugin_id_t id, plugin_simple *call);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
                               char **argv);

#define SLOTS         (1u << 20) /* different addresses in one window, times two */
#define ADDRESS_LIMIT (SLOTS / 2)
#define OTHERS_MAX    16
#define WINDOWS_LIMIT 4096

struct address_count {
    uint64_t address, loads, stores; /* both 0: a free slot */
};

static struct address_count slot[SLOTS];
static uint32_t visited[ADDRESS_LIMIT]; /* slots in the order of first use */
static uint32_t visited_count;
static struct {
    uint64_t address;
    unsigned bytes;
    bool store;
} other[OTHERS_MAX]; /* accesses that are not 8 or 16 bytes long */
static uint64_t loads, stores, others, instructions, instructions_begin, windows;
static bool open_window, tracing;
static FILE *out;

/* movz xzr, #0x4301 or #0x4302 */
static int mark_of_word(const unsigned char *bytes)
{
    uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                    (uint32_t)bytes[3] << 24;

    return word == 0xd288603fu ? 1 : word == 0xd288605fu ? 2 : 0;
}

static int mark_of(const struct qemu_plugin_insn *insn)
{
    static const unsigned char prefix[] = {0x0f, 0x1f, 0x80}, number[] = {0x00, 0x43, 0x42};
    const unsigned char *bytes = qemu_plugin_insn_data(insn);

    if (qemu_plugin_insn_size(insn) == 4)
        return mark_of_word(bytes);
    if (qemu_plugin_insn_size(insn) != 7 || memcmp(bytes, prefix, 3) != 0 ||
        memcmp(bytes + 4, number, 3) != 0)
        return 0;
    return bytes[3];
}

static void window_clear(void)
{
    for (uint32_t i = 0; i < visited_count; i++)
        memset(&slot[visited[i]], 0, sizeof slot[0]);
    visited_count = 0;
    loads = 0;
    stores = 0;
    others = 0;
}

static void window_begin(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    window_clear();
    open_window = true;
    instructions_begin = instructions;
}

static void window_end(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    if (!open_window)
        return;
    open_window = false;
    if (windows++ >= WINDOWS_LIMIT)
        return;
    fprintf(out, "window %llu instructions %llu loads %llu stores %llu others %llu\n",
            (unsigned long long)windows, (unsigned long long)(instructions - instructions_begin),
            (unsigned long long)loads, (unsigned long long)stores, (unsigned long long)others);
    for (uint64_t i = 0; i < others && i < OTHERS_MAX; i++)
        fprintf(out, "%s 0x%llx %u\n", other[i].store ? "store" : "load",
                (unsigned long long)other[i].address, other[i].bytes);
    for (uint32_t i = 0; i < visited_count; i++)
        fprintf(out, "at 0x%llx %llu %llu\n", (unsigned long long)slot[visited[i]].address,
                (unsigned long long)slot[visited[i]].loads,
                (unsigned long long)slot[visited[i]].stores);
    fflush(out);
}

static void other_access(uint64_t address, unsigned bytes, bool store)
{
    if (others < OTHERS_MAX) {
        other[others].address = address;
        other[others].bytes = bytes;
        other[others].store = store;
    }
    others++;
}

static void word_access(uint64_t address, bool store)
{
    uint32_t pos = (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 44);

    while (slot[pos].loads + slot[pos].stores != 0 && slot[pos].address != address)
        pos = (pos + 1) % SLOTS;
    if (slot[pos].loads + slot[pos].stores == 0) {
        slot[pos].address = address;
        visited[visited_count++] = pos;
    }
    slot[pos].loads += !store;
    slot[pos].stores += store;
    loads += !store;
    stores += store;
}

static void memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    unsigned bytes = 1u << qemu_plugin_mem_size_shift(info);
    bool store = qemu_plugin_mem_is_store(info);

    (void)cpu;
    (void)data;
    if (!open_window)
        return;
    if ((bytes != 8 && bytes != 16) || visited_count + 2 > ADDRESS_LIMIT) {
        other_access(address, bytes, store);
        return;
    }
    for (unsigned byte = 0; byte < bytes; byte += 8)
        word_access(address + byte, store);
}

static void tb_instrument(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t count = qemu_plugin_tb_n_insns(tb);

    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        int mark = mark_of(insn);

        qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD, &instructions, 1);
        qemu_plugin_register_vcpu_mem_cb(insn, memory_access, CALLBACK_NO_REGISTERS,
                                         ACCESS_READ_WRITE, NULL);
        if (mark == 1)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, window_begin, CALLBACK_NO_REGISTERS, NULL);
        else if (mark == 2)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, window_end, CALLBACK_NO_REGISTERS, NULL);
    }
}

static void trace_ended(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    if (out == NULL) /* QEMU calls it once for each way that it exits */
        return;
    fprintf(out, "end windows %llu\n", (unsigned long long)windows);
    fclose(out);
    out = NULL;
}

static void trace_start(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, tb_instrument);
    qemu_plugin_register_atexit_cb(id, trace_ended, NULL);
}

/* Instrumenting every access of the firmware would make the boot several times slower, so nothing
 * is instrumented until the first mark is seen; then QEMU drops all translated code and starts
 * over. The samples up to that moment are not traced. */
static void tb_search(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t count = qemu_plugin_tb_n_insns(tb);

    for (size_t i = 0; i < count && !tracing; i++)
        if (mark_of(qemu_plugin_tb_get_insn(tb, i)) != 0) {
            tracing = true;
            qemu_plugin_reset(id, trace_start);
        }
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || (out = fopen(argv[0] + 4, "w")) == NULL) {
        fprintf(stderr, "trace plugin: give out=FILE\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, tb_search);
    return 0;
}
