/* SPDX-License-Identifier: BSD-2-Clause */
/* The four functions that compilers emit calls to, for the application, which has no C library.
 * Host programs use their C library's (or its sanitizer's). */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *pos, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

/* Compilers turn copy and fill loops into calls of memcpy or memset, which would be recursive here;
 * an opaque empty statement prevents that. */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/* A word at any alignment that may alias any type. */
typedef uint64_t any_word __attribute__((aligned(1), may_alias));

static void copy_up(uint8_t *out, const uint8_t *in, size_t bytes)
{
    for (; bytes >= 8; bytes -= 8, out += 8, in += 8) {
        *(any_word *)out = *(const any_word *)in;
        KEEP_LOOP();
    }
    for (; bytes > 0; bytes--, out++, in++) {
        *out = *in;
        KEEP_LOOP();
    }
}

static void copy_down(uint8_t *out, const uint8_t *in, size_t bytes)
{
    while (bytes >= 8) {
        bytes -= 8;
        *(any_word *)(out + bytes) = *(const any_word *)(in + bytes);
        KEEP_LOOP();
    }
    while (bytes > 0) {
        bytes--;
        out[bytes] = in[bytes];
        KEEP_LOOP();
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    copy_up(to, from, bytes);
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        copy_up(to, from, bytes);
    else
        copy_down(to, from, bytes);
    return to;
}

void *memset(void *pos, int value, size_t bytes)
{
    uint8_t *out = pos;
    uint64_t word = 0x0101010101010101u * (uint8_t)value;

    for (; bytes >= 8; bytes -= 8, out += 8) {
        *(any_word *)out = word;
        KEEP_LOOP();
    }
    for (; bytes > 0; bytes--, out++) {
        *out = (uint8_t)value;
        KEEP_LOOP();
    }
    return pos;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a, *right = b;

    for (size_t i = 0; i < bytes; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}
