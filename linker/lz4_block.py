# SPDX-License-Identifier: BSD-2-Clause
"""LZ4 blocks, as small as they get: made here, where seconds do not matter, and unpacked by
linker/unpack.c at each start. The format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md

A block is a row of sequences: a token (how many literals, how long a match is), the literals, and two
bytes of how far back the match lies. The token has four bits for each count; what does not fit follows
in bytes of up to 255. The last sequence is literals alone.
"""
MATCH_MIN, DISTANCE_MAX = 4, 65535
# The format's rules for a block's end: no match begins in the last 12 bytes, or reaches the last 5.
LAST_START, LAST_LITERALS = 12, 5
TOKEN_MAX, STEP = 15, 255
# Places are looked up by the longest of these runs that a longer match must begin with.
RUNS = (MATCH_MIN, 5, 6, 8, 12, 24)
NEVER = float("inf")


class Corrupt(Exception):
    """A block that does not unpack; the text says why."""


def extra(count):
    """How many bytes a count takes beside its four bits."""
    return 0 if count < TOKEN_MAX else 1 + (count - TOKEN_MAX) // STEP


def longest_matches(data):
    """Returns for each position the length and the distance of its longest match, zeros for none. Any
    distance takes two bytes, so only the length counts."""
    found, length, distance = [], 0, 0
    end = len(data) - LAST_LITERALS
    places = {}  # of each run that is as long as one of RUNS
    for pos in range(len(data)):
        # The match of the position before goes on here, a byte shorter. Is there a longer one?
        length = max(length - 1, MATCH_MIN - 1)
        longer = pos <= len(data) - LAST_START and pos + length < end
        while longer:
            wanted = data[pos : pos + length + 1]
            run = wanted[: max(count for count in RUNS if count <= length + 1)]
            longer = False
            for start in reversed(places.get(run, ())):
                if start < pos - DISTANCE_MAX:
                    break
                if data.startswith(wanted, start):
                    length, distance = length + 1, pos - start
                    while pos + length < end and data[start + length] == data[pos + length]:
                        length += 1
                    longer = pos + length < end
                    break
        found.append((length, distance) if length >= MATCH_MIN else (0, 0))
        for count in RUNS:
            places.setdefault(data[pos : pos + count], []).append(pos)
    return found


def cheapest_match(costs, pos, longest):
    """Returns (cost, length) of the best match at this position, whose shorter ones are matches too;
    costs are those of what follows. Of lengths that need several more bytes the longest are tried."""
    best = (NEVER, 0)
    top = MATCH_MIN + TOKEN_MAX + STEP * max((longest - MATCH_MIN - TOKEN_MAX) // STEP, 0)
    for low, high in ((MATCH_MIN, MATCH_MIN + TOKEN_MAX), (top, top + STEP)):
        window = costs[pos + low : pos + min(high, longest + 1)]
        if window:
            length = low + window.index(min(window))
            best = min(best, (2 + extra(length - MATCH_MIN) + costs[pos + length], length))
    return best


def cheapest_literals(ahead, beyond, pos, size):
    """Returns (cost, count) of the best run of literals at this position, up to a match or to the end."""
    best = (size - pos + extra(size - pos), size - pos)
    for low, high in ((0, TOKEN_MAX), (TOKEN_MAX, TOKEN_MAX + STEP)):
        window = ahead[pos + low : pos + high]
        if window:
            count = low + window.index(min(window))
            best = min(best, (ahead[pos + count] - pos + extra(count), count))
    cost, place = beyond[min(pos + TOKEN_MAX + STEP, size)]
    return min(best, (cost - pos + extra(TOKEN_MAX + STEP), place - pos))


def sequences(data):
    """Returns the cheapest (literals, match length, match distance), found from the end: at each position
    what the rest costs is known. The last of them has no match."""
    size, matches = len(data), longest_matches(data)
    costs = [NEVER] * (size + 1)  # of the rest, when a sequence begins here
    ahead = [NEVER] * (size + 1)  # the position, plus the cost of the rest when a match begins here
    beyond = [(NEVER, size)] * (size + 2)  # the cheapest of ahead from here on, and where
    lengths, literals = [0] * (size + 1), [0] * (size + 1)
    for pos in range(size, -1, -1):
        if pos < size and matches[pos][0]:
            cost, lengths[pos] = cheapest_match(costs, pos, matches[pos][0])
            ahead[pos] = pos + cost
        cost, place = beyond[pos + 1]
        # A literal of a long run is a byte, which the position counts, and 1/255 byte of the count.
        beyond[pos] = min((cost + 1 / STEP, place), (ahead[pos], pos))
        cost, literals[pos] = cheapest_literals(ahead, beyond, pos, size)
        costs[pos] = 1 + cost
    found, pos = [], 0
    while not found or found[-1][1]:
        place = pos + literals[pos]
        found.append((literals[pos], lengths[place], matches[place][1] if place < size else 0))
        pos = place + lengths[place]
    return found


def written_extra(count):
    """The bytes of a count beside its four bits."""
    rest = count - TOKEN_MAX
    return b"" if rest < 0 else b"\xff" * (rest // STEP) + bytes([rest % STEP])


def compress(data):
    """Returns the block that unpacks to these bytes."""
    block, pos = bytearray(), 0
    for count, length, distance in sequences(data):
        match = max(length - MATCH_MIN, 0)
        block.append(min(count, TOKEN_MAX) << 4 | min(match, TOKEN_MAX))
        block += written_extra(count) + data[pos : pos + count]
        if length:
            block += distance.to_bytes(2, "little") + written_extra(match)
        pos += count + length
    return bytes(block)


def decompress(block, size):
    """Returns the bytes of a block that unpacks to `size` bytes; raises Corrupt."""
    out, pos = bytearray(), 0

    def take(count):
        nonlocal pos
        if count > len(block) - pos:
            raise Corrupt(f"the block ends after {len(out)} bytes of {size}")
        pos += count
        return block[pos - count : pos]

    def counted(count):
        more = STEP if count == TOKEN_MAX else 0
        while more == STEP:
            more = take(1)[0]
            count += more
        return count

    while True:
        (token,) = take(1)
        out += take(counted(token >> 4))
        if pos == len(block):
            break
        distance = int.from_bytes(take(2), "little")
        length = MATCH_MIN + counted(token & TOKEN_MAX)
        if not 0 < distance <= len(out) or length > size - len(out):
            raise Corrupt(f"a match of {length} bytes, {distance} back, after {len(out)} of {size}")
        for _ in range(length):
            out.append(out[-distance])
    if len(out) != size:
        raise Corrupt(f"{len(out)} bytes, not {size}")
    return bytes(out)
