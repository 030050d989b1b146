# SPDX-License-Identifier: BSD-2-Clause
"""What a run says of its memory, as figures and words with names: tools/compare puts those of
several runs side by side."""

BOUNDS = {"row_hit_ns": "row hit, ns", "row_empty_ns": "row empty, ns",
          "row_conflict_ns": "row conflict, ns", "refresh_period_ns": "refresh period, ns",
          "refresh_stall_ns": "refresh stall, ns"}
PERCENTILES = {"ns_median": "median, ns", "ns_p99": "99 %, ns", "ns_p9999": "99.99 %, ns"}


class Fact:
    """A name, and words, or a figure with its bounds (None where unknown) and unit."""

    def __init__(self, section, label, value, low=None, high=None, unit="words"):
        self.section, self.label, self.unit = section, label, unit
        self.value, self.low, self.high = value, low, high


def mask_of(record, bits):
    """A function from the list of its address bits."""
    if not isinstance(bits, list) or not all(type(bit) is int and 0 <= bit < 64 for bit in bits):
        raise record.trouble("a function that is no list of address bits")
    return sum(1 << bit for bit in set(bits))


def masks_of(record, name):
    value = record.fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise record.trouble(f"{name!r} is no list of functions")
    return [mask_of(record, bits) for bits in value]


def reduced(masks):
    """The same span by functions no two of which share their highest bit: one form for all bases."""
    basis = []
    for mask in masks:
        for other in basis:
            mask = min(mask, mask ^ other)
        if mask:
            basis = [min(other, other ^ mask) for other in basis] + [mask]
    return sorted(basis)


def of_mapping(record):
    section = f"{record.words('experiment')}: banks"
    yield Fact(section, "verdict", record.words("verdict"))
    low, high = (record.figure(name, required=False) for name in ("banks_low", "banks_high"))
    if record.words("verdict") != "linear":
        if low and high:
            yield Fact(section, "banks", (low * high) ** 0.5, low, high, "count")
        return
    masks = reduced(masks_of(record, "functions"))
    banks = 2.0 ** len(masks)
    yield Fact(section, "banks", banks, banks, banks, "count")
    for i, mask in enumerate(masks):
        yield Fact(section, f"function {i + 1}, reduced", f"{mask:#x}")
    offset = record.figure("offset_bytes", required=False) or 0
    yield Fact(section, "offset", f"{int(offset):#x}")


def of_distribution(record):
    section = f"{record.words('experiment')}: single accesses"
    for name, label in PERCENTILES.items():
        yield Fact(section, label, record.figure(name, required=False), unit="ns")
    yield Fact(section, "rows", record.words("rows"))
    for name, label in BOUNDS.items():
        stem = name[:-len("_ns")]
        yield Fact(section, label, *(record.figure(field, required=False) for field in
                                     (name, f"{stem}_low", f"{stem}_high")), "ns")
    yield Fact(section, "refresh of banks", record.words("refresh_scope"))


def of_regions(record):
    section = f"{record.words('experiment')}: blocks{of_node(record)}"
    yield Fact(section, "an access, ns", record.figure("ns", required=False), unit="ns")
    yield Fact(section, "blocks that stood out", record.figure("differing", required=False),
               unit="exact")


def of_node(record):
    node = record.figure("node", required=False)
    return "" if node is None else f" of node {node:.0f}"


def slower(record, label):
    section = f"{record.words('experiment')}: slower or faster{of_node(record)}"
    return Fact(section, label, record.figure("slower_ns"), record.figure("slower_low_ns"),
                record.figure("slower_high_ns"), "ns")


def of_range(record):
    yield slower(record, f"{record.words('physical_first')} to {record.words('physical_last')}, ns")


def parities(record):
    masks, value = masks_of(record, "mask"), record.fields.get("parity")
    odd = value if isinstance(value, list) else [value]
    return sorted(f"{mask:#x} {'odd' if bit else 'even'}" for mask, bit in zip(masks, odd))


def of_class(record):
    yield slower(record, f"{', '.join(parities(record))}, ns")


def of_bandwidth(record):
    section = f"{record.words('experiment')}: bandwidth{of_node(record)}"
    if record.fields.get("parity") is not None:
        bits, odd = record.fields.get("mask"), record.fields["parity"]
        label = f"{mask_of(record, bits):#x} {'odd' if odd else 'even'}, GB/s"
    elif record.fields.get("physical_first") is not None:
        label = f"{record.words('physical_first')} to {record.words('physical_last')}, GB/s"
    else:
        label = "all lines, GB/s"
        channels = record.figure("channels", required=False)
        yield Fact(section, "channels", channels, unit="exact")
    rates = [record.figure(f"bytes_per_s{end}", required=False) for end in ("", "_low", "_high")]
    yield Fact(section, label, *(None if rate is None else rate / 1e9 for rate in rates), "GB/s")


def of_verdict(record):
    """Whether each rule is met. What it was held against is in the report."""
    yield Fact(VERDICT, "verdict", record.words("verdict"))
    yield Fact(VERDICT, "conclusive", "yes" if record.fields.get("conclusive") is True else "no")
    rules, seen = record.fields.get("rules"), {}
    if not isinstance(rules, list) or not all(
            isinstance(rule, dict) and isinstance(rule.get("name"), str) for rule in rules):
        raise record.trouble("'rules' is no list of rules")
    for rule in rules:
        name, met = rule["name"], rule.get("met")
        seen[name] = seen.get(name, 0) + 1
        yield Fact(VERDICT, f"rule {name}" + (f" ({seen[name]})" if seen[name] > 1 else ""),
                   "met" if met is True else "NOT met" if met is False else "left open")


WRONG = {"words": "words read wrong", "stored": "  memory held wrong",
         "transfers": "  spoilt on the way", "aliases": "  two addresses in one",
         "outside": "  changed from outside"}


def of_verify(record):
    """What was tested of memory, and found."""
    section = f"{record.words('experiment')}: contents"
    tested, share = record.figure("bytes"), record.figure("least_share", required=False)
    yield Fact(section, "tested", tested, tested, tested, "bytes")
    if share is not None:
        yield Fact(section, "of the least node, %", *[100 * share] * 3, "%")
    cut = record.words("cut_by")
    yield Fact(section, "steps", f"{record.figure('steps_done'):.0f} of {record.figure('steps'):.0f}"
               + (f", {cut}" if cut else ""))
    for name, label in WRONG.items():
        yield Fact(section, label, record.figure(name), unit="exact")


SPREAD_UNITS = {"rate": ("GB/s", 1e-9), "size": ("bytes", 1), "speed": ("MT/s", 1)}  # others are times


def of_spread(record):
    """The middle of a figure over the boots of a soak, with the ends as its bounds. Blocks, which may
    be thousands, are left to the records."""
    name = record.words("name")
    if name.startswith("block "):
        return
    unit, scale = SPREAD_UNITS.get(record.words("kind"), ("ns", 1))
    values = [record.figure(end, required=False) for end in ("middle", "low", "high")]
    yield Fact("boots: middle and ends", f"{name}, {unit}",
               *(None if value is None else value * scale for value in values), unit)


VERDICT = "verdict"
KINDS = {"verdict": of_verdict, "verify": of_verify, "mapping": of_mapping,
         "distribution": of_distribution, "regions": of_regions, "range": of_range,
         "class": of_class, "bandwidth": of_bandwidth, "spread": of_spread}


def memory_facts(kinds):
    """The facts of a run's records, by kind, in the order of KINDS."""
    for kind, facts in KINDS.items():
        for record in kinds.get(kind, []):
            yield from (fact for fact in facts(record) if fact.value not in (None, ""))
