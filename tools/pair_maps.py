# SPDX-License-Identifier: BSD-2-Clause
"""Pair records as maps for tools/plot: a cell for each pair, the darker the slower."""
import math

from result_files import (FONT, LETTER, Estimate, doubt_words, element, fitted, ns_words, number,
                          with_bounds, wrapped)

STOPS = ((0xff, 0xf4, 0xd2), (0xf4, 0xb4, 0x50), (0xc6, 0x40, 0x30), (0x46, 0x0c, 0x3c))
RATIO_LEAST = 1.1  # from the lightest colour to the darkest: noise is not shown as a pattern
CELL = 34  # pixels at most
TITLED = 64  # columns of a map whose cells have figures as tooltips; beyond it files would be huge
SHADES = 32  # of a larger map
BAR = 180  # pixels of the legend
HATCH = ('<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">'
         '<rect width="6" height="6" fill="#ffffff"/><path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" '
         'stroke="#888888" stroke-width="1"/></pattern></defs>')


def colour_of(share):
    """From light to dark; share: 0 to 1."""
    place = share * (len(STOPS) - 1)
    first = min(int(place), len(STOPS) - 2)
    rest = place - first
    return "#" + "".join(f"{round(a + (b - a) * rest):02x}"
                         for a, b in zip(STOPS[first], STOPS[first + 1]))


class Pair:
    def __init__(self, record):
        self.start = self.whole(record, "from")
        self.to_cpu = self.whole(record, "to_cpu", needed=False)
        self.home = self.whole(record, "home_node", needed=False)
        self.place, self.kind = record.words("to"), record.words("kind")
        self.experiment, self.state = record.words("experiment"), record.words("prefetch")
        self.ns = Estimate(record, "ns")
        self.lines = [record.figure(name, required=False) for name in ("ns_min", "ns_max")]
        self.doubt, self.why = record.doubt(), record.words("why")

    @staticmethod
    def whole(record, name, needed=True):
        value = record.figure(name, required=needed)
        if value is None and not needed:
            return None
        if value is None or value < 0 or value != int(value):
            raise record.trouble(f"'{name}' is no whole number")
        return int(value)

    def map_key(self):
        """Pairs that differ in it are of different maps: places are not compared with each other,
        nodes of one place are."""
        return (self.experiment, self.kind, "" if self.to_cpu is not None else self.place,
                self.to_cpu is not None, self.home if self.to_cpu is not None else None,
                self.state == "on")

    def column(self):
        return self.to_cpu if self.to_cpu is not None else -1 if self.home is None else self.home

    def words(self):
        other = (f"CPU {self.to_cpu}" if self.to_cpu is not None else
                 self.place + (f" of node {self.home}" if self.home is not None else ""))
        text = f"CPU {self.start}, {other}: "
        if self.ns.value is None:
            return text + f"no figure: {self.why or 'unknown'}"
        text += with_bounds(self.ns, ns_words, " ns")
        if None not in self.lines:
            text += f", lines {' to '.join(map(ns_words, self.lines))}"
        return text + doubt_words(self.doubt, "; ")


class PairMap:
    """Pairs of one experiment and kind; of two records of one pair the last counts."""

    def __init__(self, pairs):
        self.cells = {(pair.start, pair.column()): pair for pair in pairs}
        self.pairs = list(self.cells.values())
        self.experiment, self.kind, self.place, self.of_cpus, self.home, _ = pairs[0].map_key()
        self.rows, self.columns = (sorted({key[i] for key in self.cells}) for i in (0, 1))
        # From many CPUs to one place is a row.
        self.turned = len(self.columns) == 1 < len(self.rows)
        if self.turned:
            self.rows, self.columns = self.columns, self.rows
            self.cells = {(to, start): pair for (start, to), pair in self.cells.items()}
        figures = [pair.ns.value for pair in self.pairs if pair.ns.value is not None]
        above = [ns for ns in figures if ns > 0]
        self.low = math.log(min(above, default=1))
        self.high = max(math.log(max(above, default=1)), self.low + math.log(RATIO_LEAST))
        self.range = (min(figures), max(figures)) if figures else None

    def share(self, ns):
        """Of the way from the lightest colour to the darkest."""
        if ns <= 0:
            return 0
        return min(1, max(0, (math.log(ns) - self.low) / (self.high - self.low)))

    def ns_at(self, share):
        return math.exp(min(self.low + share * (self.high - self.low), 709))

    def heading(self):
        states = sorted({pair.state for pair in self.pairs if pair.ns.value is not None})
        home = f" of node {self.home}'s memory" if self.home is not None else ""
        what = (f"{self.kind or 'line'}{home}, to the CPU on the left from the CPU above"
                if self.of_cpus else f"ns/access from each CPU to {self.place or '-'}"
                + ("" if self.turned or self.columns == [-1] else " of the node above"))
        found = ("no figure" if self.range is None else
                 f"{ns_words(self.range[0])} to {ns_words(self.range[1])} ns")
        return (f"{self.experiment or '-'}: {what}; {found}"
                + (f"; prefetchers {', '.join(states)}" if states else ""))

    def remarks(self):
        """Why there are no figures, and what is doubted: each once."""
        reasons, doubts = {}, {}
        for pair in self.pairs:
            if pair.ns.value is None:
                reasons[pair.why] = reasons.get(pair.why, 0) + 1
            elif pair.doubt:
                doubts[pair.doubt] = doubts.get(pair.doubt, 0) + 1
        def count(pairs):
            return f"{pairs} pair" + ("s" if pairs != 1 else "")
        return ([f"hatched, {count(n)}: {why or 'unknown'}" for why, n in reasons.items()]
                + [f"dashed, {count(n)}: {doubt_words(doubt)}" for doubt, n in doubts.items()])

    def label(self, of_rows, value):
        is_cpu = of_rows != self.turned or self.of_cpus
        if is_cpu:
            return f"CPU {value}" if of_rows else str(value)
        return "" if value == -1 else f"node {value}"


class Drawing:
    """A map's elements; its height in pixels."""

    def __init__(self, pair_map, run, left, top, width, letters):
        self.map, self.run, self.left, self.letters = pair_map, run, left, letters
        self.out, self.y = [], top
        self.step = min(CELL, width / len(pair_map.columns))
        self.heading()
        self.labels_above()
        self.first = self.y
        self.cells()
        self.legend()

    def add(self, *arguments, **attributes):
        self.out.append(element(*arguments, **attributes))

    def text(self, x, y, words, **attributes):
        self.add("text", words, x=x, y=y, **attributes)

    def heading(self):
        for line in wrapped(self.map.heading(), self.letters):
            self.text(self.left, self.y + 4, line, fill=self.run.colour, font_weight="bold")
            self.y += 16

    def labels_above(self):
        labels = [self.map.label(False, value) for value in self.map.columns]
        room = max(map(len, labels)) * LETTER + 6
        every = max(1, math.ceil(room / self.step))
        for i, words in enumerate(labels):
            if words and i % every == 0:
                self.text(self.left + (i + 0.5) * self.step, self.y + 8, words,
                          text_anchor="middle")
        self.y += 14

    def place(self, row, column):
        return self.left + column * self.step, self.first + row * self.step

    def cells(self):
        every = math.ceil((FONT + 2) / self.step)
        for i, value in enumerate(self.map.rows):
            words = self.map.label(True, value)
            if words and i % every == 0:
                self.text(self.left - 6, self.first + (i + 0.5) * self.step + 4, words,
                          text_anchor="end", **fitted(words, self.left - 8))
        places = [(row, column, pair) for row, start in enumerate(self.map.rows)
                  for column, to in enumerate(self.map.columns)
                  if (pair := self.map.cells.get((start, to)))]
        if len(self.map.columns) <= TITLED:
            for row, column, pair in places:
                self.cell(*self.place(row, column), pair)
        else:
            self.shades(places)
        self.add("rect", x=self.left, y=self.first, width=self.step * len(self.map.columns),
                 height=self.step * len(self.map.rows), fill="none", stroke="#666666")
        self.y = self.first + self.step * len(self.map.rows)

    def fill_of(self, pair):
        ns = pair.ns.value
        return "url(#hatch)" if ns is None else colour_of(self.map.share(ns))

    def ink(self, ns):
        """What is seen on the colour of this figure."""
        return "#ffffff" if self.map.share(ns) > 0.5 else "#222222"

    def cell(self, x, y, pair):
        ns = pair.ns.value
        shape = element("rect", x=x, y=y, width=self.step, height=self.step, class_="pair",
                        fill=self.fill_of(pair))
        self.out.append(f"{shape[:-2]}>{element('title', pair.words())}</rect>")
        if pair.doubt and ns is not None:
            self.add("rect", x=x + 1.5, y=y + 1.5, width=self.step - 3, height=self.step - 3,
                     fill="none", stroke=self.ink(ns), stroke_dasharray="3 2", class_="doubted",
                     pointer_events="none")
        if ns is not None and self.step >= 22:
            words = f"{ns:.1f}" if abs(ns) < 99.95 else f"{ns:.0f}"
            self.text(x + self.step / 2, y + self.step / 2 + 3.5, words, text_anchor="middle",
                      fill=self.ink(ns),
                      pointer_events="none", **{"font_size": 10.0,
                                                **fitted(words, (self.step - 3) * FONT / 10)})

    def shades(self, places):
        """A path for each shade, of strips from left to right."""
        paths = {}
        for row, column, pair in places:
            ns = pair.ns.value
            shade = None if ns is None else min(int(self.map.share(ns) * SHADES), SHADES - 1)
            strips = paths.setdefault(shade, [])
            if strips and strips[-1][0] == row and strips[-1][1] + strips[-1][2] == column:
                strips[-1][2] += 1
            else:
                strips.append([row, column, 1])
        for shade, strips in paths.items():
            path = "".join(f"M{number(x)} {number(y)}h{number(count * self.step)}"
                           f"v{number(self.step)}h{number(-count * self.step)}z"
                           for row, column, count in strips
                           for x, y in [self.place(row, column)])
            self.add("path", d=path, class_="shade", shape_rendering="crispEdges",
                     fill="url(#hatch)" if shade is None else colour_of((shade + 0.5) / SHADES))

    def legend(self):
        if self.map.range is not None:
            self.y += 12
            for i in range(SHADES):
                self.add("rect", x=self.left + i * BAR / SHADES, y=self.y, height=10,
                         width=BAR / SHADES + 0.5, fill=colour_of((i + 0.5) / SHADES),
                         class_="scale")
            for share in (0, 0.5, 1):
                self.text(self.left + share * BAR, self.y + 23, ns_words(self.map.ns_at(share)),
                          text_anchor="middle")
            self.text(self.left + BAR + 40, self.y + 23, "ns")
            self.y += 26
        self.y += 8
        for remark in self.map.remarks():
            if remark.startswith("hatched"):
                self.add("rect", x=self.left, y=self.y - 1, width=14, height=12, stroke="#666666",
                         fill="url(#hatch)", class_="reason")
            for line in wrapped(remark, self.letters - 3):
                self.text(self.left + 20, self.y + 9, line)
                self.y += 16
        self.y += 16


def maps_of(records):
    found = {}
    for record in records:
        pair = Pair(record)
        found.setdefault(pair.map_key(), []).append(pair)
    return [PairMap(pairs) for pairs in found.values()]
