/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for a key in as many at once as the host's instructions allow, without branches on what
 * is found: where a key is is chance, and a mispredicted branch takes longer than all of this. */
#ifndef TESTS_SIM_LANES_H
#define TESTS_SIM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#if __BIGGEST_ALIGNMENT__ == 64
#define SIM_LANES 16
#define SIM_LANES_NUMBERED                                   \
    {                                                        \
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 \
    }
/* All lanes of two vectors side by side, from the last of the first one, or from the second of the
 * first one on. */
#define SIM_LANES_ONE_ON(a, b)                                                                    \
    __builtin_shufflevector((a), (b), 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, \
                            30)
#define SIM_LANES_ONE_BACK(a, b) \
    __builtin_shufflevector((a), (b), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#elif __BIGGEST_ALIGNMENT__ == 32
#define SIM_LANES 8
#define SIM_LANES_NUMBERED     \
    {                          \
        0, 1, 2, 3, 4, 5, 6, 7 \
    }
#define SIM_LANES_ONE_ON(a, b)   __builtin_shufflevector((a), (b), 7, 8, 9, 10, 11, 12, 13, 14)
#define SIM_LANES_ONE_BACK(a, b) __builtin_shufflevector((a), (b), 1, 2, 3, 4, 5, 6, 7, 8)
#else
#define SIM_LANES 4
#define SIM_LANES_NUMBERED \
    {                      \
        0, 1, 2, 3         \
    }
#define SIM_LANES_ONE_ON(a, b)   __builtin_shufflevector((a), (b), 3, 4, 5, 6)
#define SIM_LANES_ONE_BACK(a, b) __builtin_shufflevector((a), (b), 1, 2, 3, 4)
#endif

typedef uint32_t sim_lanes __attribute__((vector_size(4 * SIM_LANES)));
typedef int32_t sim_signed_lanes __attribute__((vector_size(4 * SIM_LANES)));

static inline sim_lanes sim_lanes_all(uint32_t value)
{
    return value - (sim_lanes){0};
}

static inline uint32_t sim_lanes_joined(sim_lanes lanes)
{
    uint32_t joined = 0;

    for (unsigned i = 0; i < SIM_LANES; i++)
        joined |= lanes[i];
    return joined;
}

/* Of words at any alignment. */
typedef uint32_t sim_loose_lanes __attribute__((vector_size(4 * SIM_LANES), aligned(4)));

/* Whether a key is among those in the whole vectors that `count` ones need. */
static inline bool sim_lanes_any(const uint32_t *keys, uint32_t count, uint32_t key)
{
    sim_lanes wanted = sim_lanes_all(key), found = {0};

    for (uint32_t first = 0; first < count; first += SIM_LANES)
        found |= (sim_lanes)(*(const sim_loose_lanes *)(keys + first) == wanted);
    return sim_lanes_joined(found) != 0;
}

/* The place of a key among `room` ones (whole vectors), which hold it at most once; room: it is not
 * there. */
static inline uint32_t sim_lanes_find(const uint32_t *keys, uint32_t room, uint32_t key)
{
    sim_lanes wanted = sim_lanes_all(key), number = (sim_lanes)SIM_LANES_NUMBERED + 1, found = {0};
    uint32_t place;

    for (uint32_t first = 0; first < room; first += SIM_LANES, number += SIM_LANES)
        found |= (sim_lanes)(*(const sim_lanes *)(keys + first) == wanted) & number;
    place = sim_lanes_joined(found);
    return place == 0 ? room : place - 1;
}

/* Moves the key to the front, and those before place `from` back by one. */
static inline void sim_lanes_bring_forward(uint32_t *keys, uint32_t room, uint32_t from,
                                           uint32_t key)
{
    sim_signed_lanes number = SIM_LANES_NUMBERED, last = (sim_signed_lanes)sim_lanes_all(from);
    sim_lanes before = sim_lanes_all(key);

    for (uint32_t first = 0; first < room; first += SIM_LANES, number += SIM_LANES) {
        sim_lanes *pos = (sim_lanes *)(keys + first), now = *pos;
        sim_lanes moves = (sim_lanes)(number <= last);
        *pos = (SIM_LANES_ONE_ON(before, now) & moves) | (now & ~moves);
        before = now;
    }
}

/* Moves the keys behind place `gone` forward by one, and puts `none` behind the last one. */
static inline void sim_lanes_close_up(uint32_t *keys, uint32_t room, uint32_t gone, uint32_t none)
{
    sim_signed_lanes number = SIM_LANES_NUMBERED, from = (sim_signed_lanes)sim_lanes_all(gone);

    for (uint32_t first = 0; first < room; first += SIM_LANES, number += SIM_LANES) {
        sim_lanes *pos = (sim_lanes *)(keys + first), now = *pos;
        sim_lanes moves = (sim_lanes)(number >= from);
        sim_lanes behind = first + SIM_LANES < room ? pos[1] : sim_lanes_all(none);
        *pos = (SIM_LANES_ONE_BACK(now, behind) & moves) | (now & ~moves);
    }
}

#endif
