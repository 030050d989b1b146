# SPDX-License-Identifier: BSD-2-Clause
"""What tools/plot and tools/compare share: records whose fields are read strictly, figures as
text, and elements of a picture."""
import json
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

from record_lines import read_lines

SCHEMAS = (1, 2)
# Names of schema 1 that have changed: fields, and words in them.
RENAMED_FIELDS = {"prefetch_alone": "prefetch_only_off", "most": "max_share", "most_low": "max_low",
                  "most_high": "max_high", "most_distance": "max_distance"}
RENAMED_WORDS = {("frames", "as-found"): "as-allocated",
                 ("name", "core cycles of a hop"): "core cycles per access",
                 ("name", "fixed time of a hop"): "fixed time per access"}
FONT = 12
LETTER = 0.62 * FONT  # a wide font's mean
CLOCK_WARNING_PPM = 1000
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#a6761d", "#222222", "#7570b3"]
PAGES = ["4k", "2m", "1g"]


class Trouble(Exception):
    """A message about bad input."""


# ---- reading

class Record:
    """A line of results.jsonl: fields by name and type, or Trouble with file and line."""

    def __init__(self, path, number, fields):
        self.path, self.number, self.fields = path, number, fields

    def trouble(self, words):
        return Trouble(f"{self.path}:{self.number}: {words}")

    def figure(self, name, required=True):
        """A finite number, or None for null. Integers above 2^53 come as strings."""
        if name not in self.fields and required:
            raise self.trouble(f"a {self.fields['record']} record without {name!r}")
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}", value):
            value = int(value)
        try:
            if not isinstance(value, bool) and math.isfinite(value):
                return float(value)
        except (TypeError, OverflowError):
            pass
        raise self.trouble(f"{name!r} is not a number: {json.dumps(value)[:40]}")

    def words(self, name):
        value = self.fields.get(name)
        if value is not None and not isinstance(value, str):
            raise self.trouble(f"{name!r} is not text: {json.dumps(value)[:40]}")
        return value or ""

    def doubt(self):
        """The reasons why a figure or verdict may not be what it says; runs of versions that knew
        none have none. A point's is that no steady state was seen."""
        value = self.fields.get("doubt", [])
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.trouble(f"'doubt' is no list of words: {json.dumps(value)[:40]}")
        return tuple(value) + (("unsettled",) if self.fields.get("settled") is False else ())


def read_records(name):
    """(file, records, what could not be read of it); the latter is text, or empty."""
    path = pathlib.Path(name)
    if path.is_dir():
        path /= "results.jsonl"
    try:
        found, stopped = read_lines(path)
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from None
    if not found:
        file, number, words = stopped or (path, 1, "the file is empty")
        raise Trouble(f"{file}:{number}: {words}")
    records = [Record(*line) for line in found]
    if records[0].fields["record"] != "run":
        raise records[0].trouble("not a results file: its first record is not a run record")
    schema = records[0].figure("schema")
    if schema not in SCHEMAS:
        raise records[0].trouble(f"schema {records[0].fields['schema']}, but known are "
                                 + " and ".join(map(str, SCHEMAS)))
    if schema == 1:
        for record in records:
            record.fields = translated(record.fields)
    return path, standing(records), stopped_words(stopped)


def stopped_words(stopped):
    if stopped is None:
        return ""
    file, number, words = stopped
    return f"{file.name} is read up to line {number - 1}; line {number}: {words}."


def translated(fields):
    """A record of schema 1 in today's words."""
    return {RENAMED_FIELDS.get(name, name): RENAMED_WORDS.get((name, value), value)
            if isinstance(value, str) else value for name, value in fields.items()}


SAME_POINT = ("experiment", "purpose", "pattern", "pages", "frames", "map", "prefetch",
              "prefetch_only_off", "turbo", "bytes", "stride_bytes", "group_bytes", "chains", "load",
              "hint", "work_cycles", "word")
SAME_HZ = 0.01


def standing(records):
    """Without the points that were measured again because the core ran at another frequency."""
    last, kept = {}, []
    for record in reversed(records):
        if record.fields["record"] == "point":
            key = json.dumps([record.fields.get(name) for name in SAME_POINT])
            hz = record.figure("cpu_hz_after", required=False)
            latest = last.setdefault(key, hz)
            if hz and latest and abs(hz / latest - 1) > SAME_HZ:
                continue
        kept.append(record)
    return kept[::-1]


class Estimate:
    """A figure with its bounds, of which any may be unknown."""

    def __init__(self, record, name):
        self.value = record.figure(name)
        self.low = record.figure(f"{name}_low")
        self.high = record.figure(f"{name}_high")
        known = [x for x in (self.value, self.low, self.high) if x is not None]
        self.drawn = self.value is not None and min(known) > 0

    def bounds(self):
        return (self.value if self.low is None else min(self.low, self.value),
                self.value if self.high is None else max(self.high, self.value))


def doubt_words(doubt, before=""):
    """Why a figure may not be what it says; empty where no reason is known."""
    return f"{before}doubt: {', '.join(doubt)}" if doubt else ""


def page_rank(pages):
    return PAGES.index(pages) if pages in PAGES else -1


def size_words(count):
    for unit in ["", "K", "M", "G", "T", "P"]:
        if count < 1023.5:
            break
        count /= 1024
    else:
        unit = "E"
    return (f"{count:.0f}" if count >= 99.95 else f"{count:.3g}") + unit


def ns_words(ns):
    return f"{ns:.2f}" if 0.1 <= abs(ns) < 1e5 or ns == 0 else f"{ns:.3g}"


def with_bounds(estimate, words, unit=""):
    if estimate is None or estimate.value is None:
        return "unknown"
    text = words(estimate.value) + unit
    if estimate.low is not None and estimate.high is not None:
        text += f" ({words(estimate.low)} to {words(estimate.high)})"
    return text


def registers_lie(run):
    """Whether prefetchers that read back as off were seen at work."""
    return any(r.words("state") == "off" and r.words("verdict") == "on" for r in run.prefetch)


def state_words(run, state):
    if state == "off" and registers_lie(run):
        return "prefetchers NOT off (registers say off)"
    return f"prefetchers {state}" if state in ("on", "off") else f"prefetchers NOT off ({state})"


def prefetch_words(run, state):
    """What the registers say, and what behaviour showed in that state."""
    text = state_words(run, state)
    shown = [r for r in run.prefetch if r.words("verdict")]
    shown = [r for r in shown if r.words("state") == state] or shown
    if not shown:
        return text + ", not proven by behaviour"
    last = shown[-1]
    share, high = (last.figure(name, required=False)
                   for name in ("footprint_share", "footprint_high"))
    ratio = last.figure("sequential_over_random")
    said = [f"footprint {100 * share:.1f} % (at most {100 * high:.1f})"] if share is not None else []
    said += [f"ratio {ratio:.2f}"] if ratio is not None else []
    return text + f", by behaviour {last.words('verdict')}" + (
        f" ({', '.join(said)})" if said else "") + doubt_words(last.doubt(), ", ")


def clock_words(run):
    hz, source = run.run.figure("clock_hz"), run.run.words("clock_source")
    text = f"clock {hz / 1e6:.3f} MHz by {source or '-'}" if hz else "clock unknown"
    ppm = run.end[0].figure("clock_check_ppm") if run.end else None
    if ppm is None:
        return text + ", not checked over the run"
    return text + f", {ppm:.1f} ppm from the second clock"


def machine_words(run, names):
    """What the machine is called. Where nothing names the board, the CPU stands in its name already."""
    if run.run.words("board_source") == "cpu-and-memory":
        names = [name for name in names if name != "cpu"]
    return [words for name in names if (words := run.run.words(name))]


def warnings_of(run):
    """What a reader must know before the figures are used."""
    machine = " ".join(run.run.words(name) for name in ("cpu", "board", "bios", "firmware"))
    ppm = run.end[0].figure("clock_check_ppm") if run.end else None
    status = run.end[0].words("status") if run.end else ""
    found = []
    if run.run.words("arch") == "simulated":
        found.append("A simulated machine: these figures say nothing about any hardware.")
    elif "TCG" in machine:
        found.append("An emulated machine: these figures say nothing about any hardware.")
    elif re.search(r"QEMU|KVM|VMware|VirtualBox|Bochs|Hyper-V|Xen", machine):
        found.append("A virtual machine: if it is emulated, these figures say nothing about any "
                     "hardware.")
    if run.unread:
        found.append(run.unread)
    if not run.end:
        found.append("The run was cut off: there is no end record.")
    elif status != "ok":
        found.append(f"The run ended {status}.")
    if ppm is not None and abs(ppm) > CLOCK_WARNING_PPM:
        found.append("The clock is off by more than 1000 ppm: every figure in ns is too.")
    if run.left_out:
        found.append(f"{run.left_out} points without a figure above 0 ns are left out.")
    return found


def wrapped(text, width):
    lines, line = [], ""
    for word in text.split():
        while len(word) > width:
            lines += [line] if line else []
            line, word = word[:width], word[width:]
            lines, line = lines + [line], ""
        if line and len(line) + 1 + len(word) > width:
            lines, line = lines + [line], ""
        line = f"{line} {word}".strip()
    return lines + [line]


def clean(text):
    """As XML allows it: no control characters, no lone surrogates."""
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text),
                  {'"': "&quot;"})


def element(name, text=None, **attributes):
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{clean(number(value))}"'
        for key, value in attributes.items() if value != "")
    return f"<{name}{words}/>" if text is None else f"<{name}{words}>{clean(text)}</{name}>"


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


class Axis:
    """Logarithmic, from the pixel `start` to `end`."""

    def __init__(self, low, high, start, end):
        self.low, self.high = math.log(low), math.log(high)
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def holds(self, value):
        return self.low - 1e-9 <= math.log(value) <= self.high + 1e-9

    def inside(self, value):
        return self.at(min(max(value, math.exp(self.low)), math.exp(self.high)))


def fitted(words, room):
    """Sets text smaller that would be too long."""
    share = room / (len(words) * LETTER)
    return {"font_size": max(FONT * share, 5.0)} if share < 1 else {}


def name_runs(runs):
    """Runs of one name are told apart by their paths; colours in the order given."""
    for i, run in enumerate(runs):
        run.colour = COLOURS[i] if i < len(COLOURS) else f"hsl({i * 137 % 360},70%,40%)"
        if sum(other.path.parent.name == run.path.parent.name for other in runs) > 1:
            run.name = str(run.path)


def write(path, text):
    data = text.encode("utf-8")
    if path is None:
        sys.stdout.buffer.write(data)
        return
    try:
        pathlib.Path(path).write_bytes(data)
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from None


