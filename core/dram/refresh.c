/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/refresh.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/stats/stats.h"

/* Periods that are looked for: LPDDR has 15.6 us and more when it is cold, and DDR5 0.98 us when it
 * is hot and refreshed in fine granularity. */
#define PERIOD_MIN_NS 900.0
#define PERIOD_MAX_NS 32000.0
#define PERIOD_TICKS  8 /* of the clock, at least */
/* First, stretches of time by themselves: over the whole time there would be ten thousands of
 * periods to try. */
#define STRETCH_NS   (8 * PERIOD_MAX_NS)
#define STEPS        4 /* of frequency, for each that a stretch can tell apart */
#define EVENTS_MIN   100
#define SEARCHED_MAX 1500
#define FINEST       1e5  /* steps of a turn over the whole time */
#define EXACT        1e-4 /* of a turn over the whole time: what steps and rounding leave */
/* The longest period that comes within this of the best is the true one: the others are its parts,
 * which sharp events keep as well. */
#define FUNDAMENTAL 0.5
/* Its double and triple must not come this close, or it would be a part of theirs. */
#define AMBIGUOUS 0.2
/* Over all frequencies that noise could choose from, one run in a million passes. */
#define COHERENCE_MIN 0.3
#define EVIDENCE_MIN  30.0
/* Of the waits, that are longer than the two which the stall is from. */
#define STALL_LONGEST    0.05
#define STALL_NEAR       0.25
#define PEAKS_MAX        100
#define PEAK_MIN         0.01
#define PHASE_EVENTS_MIN 4
#define CHANCE_MAX       0.0625 /* of a turn: coarser phases tell no lines apart */
/* Fewer banks than this are refreshed together only if it is each by itself: a group of DDR5's has
 * one bank of each of four or eight groups. */
#define TOGETHER_MIN 4
#define NO_PERIOD    "slow accesses have no period in common"
#define SAME_PERIOD  0.01
#define TURN         0x1p64
#define TWO_PI       6.283185307179586

const char *refresh_scope_name(enum refresh_scope scope)
{
    static const char *const names[] = {"unsure", "together", "per-bank"};

    return names[scope];
}

const char *refresh_verdict_name(enum refresh_verdict verdict)
{
    static const char *const names[] = {"unsure", "found"};

    return names[verdict];
}

static const char two_periods[] = "slow accesses have more than one period";

/* ---- ends of slow accesses */

/* How many accesses are slower; their ends, less what an access takes anyway, go to end[]. */
static size_t slow_ends(const struct refresh_series *series, double slow, uint64_t base,
                        uint64_t *end)
{
    size_t count = 0;

    for (size_t i = 0; i < series->count; i++)
        if ((double)series->ticks[i] > slow)
            end[count++] = series->start[i] + series->ticks[i] - base;
    return count;
}

/* ---- coherence */

struct vector {
    double x, y;
};

static struct vector sum_of(const uint64_t *end, size_t count, uint64_t turn)
{
    struct vector sum = {0, 0};

    for (size_t i = 0; i < count; i++) {
        double cosine, sine;
        real_circle(end[i] * turn, &cosine, &sine);
        sum.x += cosine;
        sum.y += sine;
    }
    return sum;
}

/* Squared coherence of events that lie in one stretch, over all stretches: of pairs, without each
 * event's with itself. */
static double coherence_within(const uint64_t *end, size_t count, double stretch, uint64_t turn)
{
    double pairs = 0, squares = 0;

    for (size_t first = 0, next; first < count; first = next) {
        struct vector sum;
        for (next = first + 1; next < count && (double)(end[next] - end[first]) < stretch;)
            next++;
        sum = sum_of(end + first, next - first, turn);
        squares += sum.x * sum.x + sum.y * sum.y - (double)(next - first);
        pairs += (double)(next - first) * (double)(next - first - 1);
    }
    return pairs > 0 ? squares / pairs : 0;
}

static double coherence_whole(const uint64_t *end, size_t count, uint64_t turn)
{
    struct vector sum = sum_of(end, count, turn);

    return real_hypotenuse(sum.x, sum.y) / (double)count;
}

/* ---- the period */

struct search {
    const uint64_t *end;
    size_t count;
    double stretch; /* in the clock's units, as the step of frequency, in turns */
    double step;
};

static double at(const struct search *search, double turns)
{
    return coherence_within(search->end, search->count, search->stretch, (uint64_t)(turns * TURN));
}

/* From a frequency that is right to within a step: stretches grow to the whole time, and steps
 * shrink with them. */
static double refine(struct search *search, double turns)
{
    double span = (double)(search->end[search->count - 1] - search->end[0]) + 1;

    for (;; search->stretch *= 2) {
        double best = at(search, turns), fine = search->stretch > span ? FINEST : 16 * STEPS;
        for (search->step = 1 / (STEPS * search->stretch);
             search->step > 1 / (fine * search->stretch); search->step /= 2)
            for (int side = -1; side <= 1; side += 2)
                for (;;) {
                    double next = turns + side * search->step, value = at(search, next);
                    if (!(value > best))
                        break;
                    best = value;
                    turns = next;
                }
        if (search->stretch > span)
            return turns;
    }
}

struct peaks {
    size_t count;
    double turns[PEAKS_MAX], value[PEAKS_MAX];
};

/* Frequencies of higher coherence than their neighbours', ascending. */
static void find_peaks(const struct search *search, double low, double high, struct peaks *peaks)
{
    double before = 0, here = at(search, low), after;

    peaks->count = 0;
    for (double turns = low; turns < high && peaks->count < PEAKS_MAX; turns += search->step) {
        after = at(search, turns + search->step);
        if (here >= before && here >= after && here > PEAK_MIN) {
            peaks->turns[peaks->count] = turns;
            peaks->value[peaks->count++] = here;
        }
        before = here;
        here = after;
    }
}

/* The lowest frequency that comes near the best one's coherence; 0: none. */
static double fundamental(const struct peaks *peaks)
{
    double best = 0;

    for (size_t i = 0; i < peaks->count; i++)
        best = peaks->value[i] > best ? peaks->value[i] : best;
    for (size_t i = 0; i < peaks->count; i++)
        if (peaks->value[i] >= FUNDAMENTAL * best)
            return peaks->turns[i];
    return 0;
}

static bool stands_out(size_t events, double coherence)
{
    return (double)events * coherence * coherence >= EVIDENCE_MIN;
}

/* Whether every second or third event differs from the others, over the whole time: in a stretch
 * they may, where accesses fall into step with refreshes for a while. */
static bool is_part(const uint64_t *end, const struct refresh *refresh)
{
    for (uint64_t part = 2; part <= 3; part++) {
        double coherence = coherence_whole(end, refresh->events, refresh->turn / part);
        if (coherence > AMBIGUOUS * refresh->coherence && stands_out(refresh->events, coherence))
            return true;
    }
    return false;
}

/* Ends in step scatter about their direction; others have any. Both lower the coherence at the
 * period and at its half, and the second more the wider the scatter is. The error of a mean
 * direction has both (Mardia and Jupp, Directional Statistics, 2000, 4.4). */
static void find_scatter(const uint64_t *end, double tick_turns, struct refresh *refresh)
{
    double once = refresh->coherence;
    double twice = coherence_whole(end, refresh->events, 2 * refresh->turn);
    double late = once > twice ? 2.0 / 3 * real_log(once / twice) : 0;
    double any = twice < 1 ? (1 - twice) / (2 * once * once) : 0;
    double step = tick_turns * tick_turns / 12;

    refresh->late_turns = real_sqrt(late / (TWO_PI * TWO_PI) + step);
    refresh->scatter_turns = real_sqrt(any / (TWO_PI * TWO_PI) + step);
}

static const char *fold(const struct refresh_series *series, const uint64_t *end,
                        struct refresh *refresh)
{
    struct search search = {end, refresh->events, STRETCH_NS / series->clock_ns, 0};
    struct peaks peaks;
    double turns, error, span;

    search.step = 1 / (STEPS * search.stretch);
    if (search.count > SEARCHED_MAX)
        search.count = SEARCHED_MAX;
    find_peaks(&search, series->clock_ns / PERIOD_MAX_NS, series->clock_ns / PERIOD_MIN_NS, &peaks);
    turns = fundamental(&peaks);
    if (turns == 0)
        return NO_PERIOD;
    search.count = refresh->events;
    turns = refine(&search, turns);
    refresh->turn = (uint64_t)(turns * TURN);
    refresh->coherence = coherence_whole(end, refresh->events, refresh->turn);
    if (refresh->coherence < COHERENCE_MIN || !stands_out(refresh->events, refresh->coherence))
        return NO_PERIOD;
    if (is_part(end, refresh))
        return two_periods;
    /* The error of a frequency from phases that scatter, spread over the whole time (Rife and
     * Boorstyn 1974). */
    span = (double)(end[refresh->events - 1] - end[0]);
    find_scatter(end, turns * series->tick_ns / series->clock_ns, refresh);
    error = (real_sqrt(12 / (double)refresh->events) * refresh->scatter_turns + EXACT) / span;
    refresh->period_ns = series->clock_ns / turns;
    refresh->period_low = series->clock_ns / (turns + 2 * error);
    refresh->period_high = series->clock_ns / (turns - 2 * error);
    return NULL;
}

/* ---- the stall */

static double along(struct vector v, uint64_t turn)
{
    double cosine, sine;

    real_circle(turn, &cosine, &sine);
    return v.x * cosine + v.y * sine;
}

/* A direction as 2^64ths of a turn: by halves, since there is no arc tangent here. */
static uint64_t direction(struct vector v)
{
    uint64_t turn = 0;

    for (uint64_t step = 1ull << 63; step > 1ull << 40; step >>= 1)
        for (uint64_t side = 0; side < 2; side++) {
            uint64_t next = side == 0 ? turn + step : turn - step;
            if (along(v, next) > along(v, turn))
                turn = next;
        }
    return turn;
}

struct waits {
    const uint64_t *in, *out; /* sorted: those that end in step, and those that end opposite */
    size_t in_count, out_count;
};

/* The wait that so many of those that end in step exceed. As many as end opposite, in half the
 * turns, do so by chance. */
static double exceeded_by(const struct waits *waits, double count)
{
    size_t far = 0, i = waits->in_count;

    while (i-- > 0) {
        while (far < waits->out_count && waits->out[waits->out_count - 1 - far] >= waits->in[i])
            far++;
        if ((double)(waits->in_count - i) - (double)far / 2 >= count)
            return (double)waits->in[i];
    }
    return 0;
}

/* Accesses come at any time of a refresh's begin: the longest waits are spread evenly up to the
 * whole of it, which two of them point to. Shorter ones are fewer, since an access that came
 * earlier has taken their place. */
static void find_stall(const struct refresh_series *series, uint64_t mean, uint64_t *room,
                       struct refresh *refresh)
{
    uint64_t base = (uint64_t)refresh->base_ticks;
    struct waits waits = {.in = room};
    double net, near, longest, error;

    for (size_t i = 0; i < series->count; i++) {
        uint64_t end = series->start[i] + series->ticks[i] - base;
        double away = real_abs((double)(int64_t)(end * refresh->turn - mean)) / TURN;
        if (!((double)series->ticks[i] > refresh->slow_ticks))
            continue;
        if (away < 0.125)
            room[waits.in_count++] = series->ticks[i] - base;
        else if (away > 0.25)
            room[series->count - ++waits.out_count] = series->ticks[i] - base;
    }
    net = (double)waits.in_count - (double)waits.out_count / 2;
    if (net < EVENTS_MIN / 2)
        return;
    waits.out = room + series->count - waits.out_count;
    stats_sort(room, waits.in_count);
    stats_sort(room + series->count - waits.out_count, waits.out_count);
    longest = exceeded_by(&waits, STALL_LONGEST * net);
    near = exceeded_by(&waits, STALL_NEAR * net);
    error = 3 * (longest - near) / (STALL_NEAR - STALL_LONGEST) * real_sqrt(STALL_LONGEST / net);
    error = (error + 2 * refresh->usual_ticks) * series->clock_ns + 1.5 * series->tick_ns;
    longest += (longest - near) * STALL_LONGEST / (STALL_NEAR - STALL_LONGEST);
    refresh->stall_ns = longest * series->clock_ns;
    refresh->stall_low = refresh->stall_ns - error;
    refresh->stall_high = refresh->stall_ns + error;
}

/* Of the accesses, the slowest are taken: few of them wait for a refresh if it is short or rare. */
static const double slow_shares[] = {0.05, 0.02, 0.005};
#define SHARES (sizeof slow_shares / sizeof slow_shares[0])

static struct refresh unsure(const char *why)
{
    const double nan = real_nan();

    return (struct refresh){.verdict = REFRESH_UNSURE,
                            .why = why,
                            .period_ns = nan,
                            .period_low = nan,
                            .period_high = nan,
                            .stall_ns = nan,
                            .stall_low = nan,
                            .stall_high = nan,
                            .coherence = nan};
}

bool refresh_stall_known(const struct refresh *refresh)
{
    return refresh->verdict == REFRESH_FOUND && !real_is_nan(refresh->stall_ns);
}

void refresh_doubt(struct refresh *refresh, const char *why)
{
    struct refresh doubted = unsure(why);

    doubted.coherence = refresh->coherence;
    doubted.events = refresh->events;
    *refresh = doubted;
}

static void try_share(const struct refresh_series *series, uint64_t base, uint64_t slow,
                      uint64_t *room, struct refresh *refresh)
{
    double least = (double)base + 2 * series->tick_ns / series->clock_ns;

    *refresh = unsure("too few accesses are slow");
    refresh->base_ticks = (double)base;
    refresh->slow_ticks = (double)slow > least ? (double)slow : least;
    refresh->events = slow_ends(series, refresh->slow_ticks, base, room);
    if (refresh->events < EVENTS_MIN)
        return;
    refresh->why = fold(series, room, refresh);
    refresh->verdict = refresh->why == NULL ? REFRESH_FOUND : REFRESH_UNSURE;
}

static double evidence(const struct refresh *refresh)
{
    return real_is_nan(refresh->coherence)
               ? 0
               : (double)refresh->events * refresh->coherence * refresh->coherence;
}

/* The clearest of the answers; but a period that not all that have one agree on is none. */
static struct refresh clearest(const struct refresh tried[SHARES])
{
    const struct refresh *best = &tried[0];

    for (size_t k = 1; k < SHARES; k++)
        best = evidence(&tried[k]) > evidence(best) ? &tried[k] : best;
    for (size_t k = 0; k < SHARES && best->verdict == REFRESH_FOUND; k++)
        if (tried[k].why == two_periods ||
            real_abs(tried[k].period_ns / best->period_ns - 1) > SAME_PERIOD)
            return unsure(two_periods);
    return *best;
}

void refresh_find(const struct refresh_series *series, uint64_t *room, struct refresh *refresh)
{
    struct refresh tried[SHARES];
    uint64_t base, fast, slow[SHARES];

    *refresh = unsure("too few accesses");
    if (series->count < 2 * EVENTS_MIN)
        return;
    *refresh = unsure("the clock's steps are too coarse for a refresh's period");
    if (PERIOD_TICKS * series->tick_ns > PERIOD_MIN_NS)
        return;
    memory_copy(room, series->ticks, series->count * sizeof room[0]);
    stats_sort(room, series->count);
    base = room[series->count / 2];
    fast = room[(size_t)((double)series->count * slow_shares[0])];
    for (size_t k = 0; k < SHARES; k++)
        slow[k] = room[(size_t)((double)series->count * (1 - slow_shares[k]))];
    for (size_t k = 0; k < SHARES; k++)
        try_share(series, base, slow[k], room, &tried[k]);
    *refresh = clearest(tried);
    refresh->usual_ticks = (double)(base - fast);
    if (refresh->verdict != REFRESH_FOUND)
        return;
    refresh->events = slow_ends(series, refresh->slow_ticks, base, room);
    find_stall(series, direction(sum_of(room, refresh->events, refresh->turn)), room, refresh);
}

/* ---- phases of lines */

void refresh_phase_of(const struct refresh *refresh, const struct refresh_series *series,
                      size_t first, size_t step, uint64_t *room, struct refresh_phase *phase)
{
    double wait = refresh->slow_ticks - refresh->base_ticks;
    size_t count = 0, slow = 0;
    uint64_t base;
    struct vector sum;

    *phase = (struct refresh_phase){.events = 0};
    for (size_t i = first; i < series->count; i += step)
        room[count++] = series->ticks[i];
    if (count == 0)
        return;
    stats_sort(room, count);
    base = room[count / 2];
    for (size_t i = first; i < series->count; i += step)
        if ((double)series->ticks[i] > (double)base + wait)
            room[slow++] = series->start[i] + series->ticks[i] - base;
    sum = sum_of(room, slow, refresh->turn);
    *phase = (struct refresh_phase){.events = slow, .cosine = sum.x, .sine = sum.y};
}

bool refresh_apart(const struct refresh *refresh, const struct refresh_phase *a,
                   const struct refresh_phase *b, double *apart, double *chance)
{
    uint64_t turns = direction((struct vector){a->cosine, a->sine}) -
                     direction((struct vector){b->cosine, b->sine});

    if (a->events < PHASE_EVENTS_MIN || b->events < PHASE_EVENTS_MIN)
        return false;
    *apart = real_abs((double)(int64_t)turns) / TURN;
    *chance =
        refresh->scatter_turns * (1 + 3 * real_sqrt(1 / (double)a->events + 1 / (double)b->events));
    return *chance < CHANCE_MAX;
}

bool refresh_is_over(const struct refresh *refresh, const struct refresh_phase *phase,
                     uint64_t before, uint64_t start)
{
    double period = TURN / (double)refresh->turn, late = 3 * refresh->late_turns * period;
    uint64_t end = direction((struct vector){phase->cosine, phase->sine});
    double since = (double)(start * refresh->turn - end) / TURN * period;
    double stall = refresh->stall_ns / refresh->period_ns * period;

    return since - (double)(start - before) > late && since < period - stall - late;
}

enum refresh_scope refresh_scope_of(const struct refresh_partners *partners)
{
    double tried = (double)partners->tried, same = (double)partners->same, share, error;

    if (partners->tried == 0)
        return SCOPE_UNSURE;
    share = (same - partners->by_chance) / tried;
    error = 3 * real_sqrt(same + 1) / tried;
    if ((share - error) * partners->banks_low > 1)
        return SCOPE_TOGETHER;
    if (share < error && (share + error) * partners->banks_high < TOGETHER_MIN - 1)
        return SCOPE_PER_BANK;
    return SCOPE_UNSURE;
}
