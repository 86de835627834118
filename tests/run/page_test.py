"""report.html, in a browser: that it opens without a word on the console, that what it shows is
what the trace holds, that it can be moved, and that no name in it is taken for markup."""

import collections
import csv
import itertools
import json
import math
import re

from browser import Browser
from command import EXAMPLES, ROOT, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
CHANGED = ["--set", "l1=1", "--set", "order=rows"]


def slices_of(trace):
    """Events of the trace by lane, each as the page has it."""
    names = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            names[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
    cores = {key[1]: name for key, name in names.items() if key[0] == "process_name"}
    lanes = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            block, core = re.fullmatch(r"block (\d+): (.*)", cores[event["pid"]]).groups()
            unit = int(core[-1]) + 1 if core.startswith("vector") else 0
            pipe = names["thread_name", event["pid"], event["tid"]]
            lanes[f"{block}/{unit}/{pipe}"].append(event)
    return lanes


# Of each event of a lane: begin, cycles, waited, title, place, buffers, bytes, whether critical.
EVENTS = """
const [name, from, to] = arguments;
const lane = view.lanes.find(lane => `${lane.block}/${lane.unit}/${lane.pipe}` === name);
const events = [];
for (let i = 0; i < lane.events; ++i) {
  const it = view.words.symbol(lane, i);
  events.push([lane.begin(i), lane.end(i) - lane.begin(i), lane.waited[i],
               `${it.work === 'issue' ? 'issue ' : ''}${it.text}`, `${it.file}:${it.line}`,
               it.buffers, it.bytes, !!lane.critical[i]]);
}
return events;
"""


# Severe protanopia, deuteranopia and tritanopia on linear RGB (Machado, Oliveira and Fernandes 2009).
VISIONS = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[.152286, 1.052583, -.204868], [.114503, .786281, .099216],
               [-.003882, -.048116, 1.051998]],
    "no green": [[.367322, .860646, -.227968], [.280085, .672501, .047413],
                 [-.011820, .042940, .968881]],
    "no blue": [[1.255528, -.076749, -.178779], [-.078411, .930809, .147602],
                [.004733, .691367, .303900]],
}


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= .04045 else ((part + .055) / 1.055)**2.4 for part in parts]


def luminance(rgb):
    return .2126 * rgb[0] + .7152 * rgb[1] + .0722 * rgb[2]


def contrast(one, other):
    """As the WCAG define it: from 1 to 21."""
    dark, light = sorted(luminance(linear(colour)) for colour in (one, other))
    return (light + .05) / (dark + .05)


def lab(rgb):
    x = (.4124 * rgb[0] + .3576 * rgb[1] + .1805 * rgb[2]) / .95047
    z = (.0193 * rgb[0] + .1192 * rgb[1] + .9505 * rgb[2]) / 1.08883
    x, y, z = (t**(1 / 3) if t > .008856 else 7.787 * t + 16 / 116
               for t in (x, luminance(rgb), z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, vision):
    return lab([min(1, max(0, sum(a * b for a, b in zip(row, linear(colour)))))
                for row in VISIONS[vision]])


class Palette(CommandTest):
    def test_pipes_are_told_apart(self):
        style = (ROOT / "report/page/style.css").read_text()
        for part in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
            colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))
            pipes = [name[5:] for name in colours if name.startswith("pipe-")]
            self.assertEqual(len(pipes), 7)
            for pipe in pipes:
                colour = colours[f"pipe-{pipe}"]
                self.assertGreaterEqual(contrast(colour, colours["page"]), 3, pipe)
                self.assertGreaterEqual(contrast(colour, colours[f"on-{pipe}"]), 4.5, pipe)
            for vision in VISIONS:
                for one, other in itertools.combinations(pipes, 2):
                    apart = math.dist(seen(colours[f"pipe-{one}"], vision),
                                      seen(colours[f"pipe-{other}"], vision))
                    self.assertGreater(apart, 15, (vision, one, other))
            for text in ("ink", "soft", "accent", "good", "bad"):
                self.assertGreaterEqual(contrast(colours[text], colours["panel"]), 4.5, text)


class Page(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Browser())

    def profile(self, *words, file=FUSED):
        self.mmk("run", file, *words, "--count-only", "--profile", "out")
        self.page = self.folder / "out/report.html"
        return self.page.read_text()

    def show(self):
        """Opens the page, and returns the trace beside it."""
        self.browser.open(self.page)
        self.browser.run("document.documentElement.style.scrollBehavior = 'auto';"
                         "document.querySelector('.frame').scrollIntoView({block: 'center'})")
        self.assertEqual(self.browser.console(), [])
        trace = self.folder / "out/trace.json"
        return slices_of(json.loads(trace.read_text())) if trace.exists() else None

    def lanes(self):
        return self.browser.run(
            "return [...document.querySelectorAll('[data-lane]')].map(each => each.dataset.lane)")

    def place_of(self, lane, share):
        """Where on the screen a lane is, at a share of the width."""
        return tuple(map(int, self.browser.run("""
            const label = document.querySelector(`[data-lane="${arguments[0]}"]`);
            const lane = label.getBoundingClientRect();
            const canvas = document.querySelector('.frame canvas').getBoundingClientRect();
            return [canvas.left + arguments[1] * canvas.width, lane.top + lane.height / 2];
            """, lane, share)))

    def span(self):
        """The cycles that the timeline shows, from and to."""
        return self.browser.run("return [view.time(0), view.time(view.width)]")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).textContent", selector)

    def test_a_lane_for_each_pipe_and_all_of_its_events(self):
        for machine in ("ascend910b3", "ascend310p3"):
            for words in ((), ("--set", "fuse=none")):
                self.profile("--case", "S4", "--machine", machine, *words)
                trace = self.show()
                self.assertCountEqual(self.lanes(), trace)
                for lane, events in trace.items():
                    expected = [[
                        event["ts"], event["dur"], event["args"].get("waited", 0), event["name"],
                        event["args"].get("line", ":0"), event["args"].get("buffers", ""),
                        event["args"].get("bytes", 0), event["args"].get("critical", False)]
                        for event in events]
                    self.assertEqual(self.browser.run(EVENTS, lane), expected, (machine, lane))

    def colours(self):
        """The pipes whose colours are on the canvas."""
        self.browser.frame()
        return self.browser.run("""
            const canvas = document.querySelector('.frame canvas');
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const seen = {};
            for (let i = 0; i < data.length; i += 4)
              seen['#' + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, '0')).join('')] = 1;
            return report.pipes.filter(pipe => seen[pipeColor(pipe)]);""")

    def test_it_is_painted(self):
        self.profile("--case", "S1")
        self.show()
        self.assertEqual(self.colours(), ["scalar", "mte1", "mte2", "mte3", "cube", "fixpipe", "vector"])

    def test_the_fixed_cost_of_a_task_follows_its_instructions(self):
        self.profile("--case", "S4")
        self.show()
        worked, end, task = self.browser.run("return [view.worked, view.end, view.case.timeline.task]")
        self.assertEqual(end - worked, task)
        cost = "fixed cost of a task of cube and vector cores: 18.00 \u00b5s"
        self.assertIn(f"then {cost}.", self.browser.run("return document.getElementById('timeline').textContent"))
        # Zoomed to it, the picture has no instruction.
        self.browser.run("view.show(view.worked + 1, view.end)")
        self.assertEqual(self.colours(), [])

    def test_wheel_drag_and_keys(self):
        self.profile("--case", "S1")
        self.show()
        end = self.browser.run("return view.end")
        x, y = self.place_of("0/0/cube", 0.5)
        self.browser.frame()
        self.assertGreater(self.browser.run("return view.drawn.aggregated"), 0)
        # The cycle under the pointer stays where it is.
        for _ in range(12):
            self.browser.wheel(x, y, -200)
        begin, to = self.span()
        self.assertLess(to - begin, end / 25)
        self.assertAlmostEqual((begin + to) / 2, end / 2, delta=(to - begin) / 50)
        self.assertEqual(self.browser.run("return view.drawn.aggregated"), 0)
        # Dragged to the left by a quarter.
        width = self.browser.run("return view.width")
        self.browser.pointer((x, y), "down", (x - 20, y), (x - int(width / 4), y), "up")
        moved, _ = self.span()
        self.assertAlmostEqual(moved - begin, (to - begin) / 4, delta=(to - begin) / 50)
        # By keys.
        self.browser.run("document.querySelector('.frame').focus()")
        self.browser.press("+")
        closer = self.span()
        self.assertAlmostEqual(closer[1] - closer[0], (to - begin) / 1.6, delta=1)
        self.browser.press("\ue014")  # right
        self.assertGreater(self.span()[0], closer[0])
        self.browser.press("0")
        self.assertEqual([round(time) for time in self.span()], [0, end])

    def test_the_instruction_under_the_pointer(self):
        self.profile("--case", "S4", "--set", "grid.K=1", *CHANGED)
        trace = self.show()
        load = next(event for event in trace["0/0/mte2"]
                    if event["name"] == "load a" and event["ts"] > 1000)
        middle = load["ts"] + load["dur"] / 2
        end = self.browser.run("return view.end")
        x, y = self.place_of("0/0/mte2", middle / end)
        self.browser.pointer((x, y))
        tip = self.text("#tip")
        line = next(number for number, text in enumerate(FUSED.read_text().splitlines(), 1)
                    if "a @ b" in text)
        for part in ("load a", "block 0, cube core, mte2", f"matmul_bias_leakyrelu.mmk:{line}",
                     "a in GM, a[0] in L1", f"{load['args']['bytes']:,} of global memory",
                     f"{load['ts']:,} to {load['ts'] + load['dur']:,}"):
            self.assertIn(part, tip)
        # The pipe that it waited for: with one buffer, the one that frees it.
        self.assertRegex(tip, r"waited[\d,]+ cycles, ended by mte1 of cube core: "
                              r"wait for a, b in L1 to be free")
        self.browser.pointer((x, y), "down", "up")
        self.assertIn("load a", self.text("#timeline-details"))
        self.browser.run("document.querySelector('.frame').focus()")
        self.browser.press(".")
        self.assertNotIn("load a", self.text("#timeline-details"))

    def test_cases_and_figures(self):
        self.mmk("run", FUSED, "--case", "S4", "--case", "thin", "--count-only", "--profile", "out",
                 *CHANGED)
        self.page = self.folder / "out/report.html"
        self.show()
        for number, name in enumerate(("S4", "thin")):
            self.browser.run(f"document.querySelector('[data-case=\"{number}\"]').click()")
            self.browser.wait(f"document.documentElement.dataset.ready === '{number}'")
            self.assertEqual(self.text("#summary h2").split(":")[0], name)
            (run,) = self.report(FUSED, "--case", name, "--count-only", *CHANGED)
            self.assertIn(f"{run['clock']['cycles']:,} cycles", self.text("#summary"))
            (default,) = self.report(FUSED, "--case", name, "--count-only", "--set", "grid.K=1")
            before = self.browser.run(f"return report.cases[{number}].before")
            self.assertEqual(before["cycles"], default["clock"]["cycles"])
            points = self.browser.run("return [...document.querySelectorAll('[data-point]')]"
                                      ".map(point => point.dataset.point)")
            self.assertEqual(points, ["default schedule"] * 2 + ["chosen"] * 2)
            (explained,) = json.loads(self.mmk("explain", FUSED, "--case", name, "--json", "-",
                                               *CHANGED))
            counted = [change for change in explained["changes"] if change["exists"]]
            self.assertEqual(
                self.browser.run("return [...document.querySelectorAll('#changes .row')].length"),
                sum(abs(change["gain"]) >= 0.0005 for change in counted))
        self.assertEqual(self.browser.run(
            "return [...document.querySelectorAll('#shapes .row')].length"), 2)
        self.assertEqual(self.browser.console(), [])

    def test_traffic(self):
        """The traffic on the page equals that of the trace of all blocks."""
        self.profile("--case", "S4")
        trace = self.show()
        moved = sum(event["args"].get("bytes", 0) for events in trace.values() for event in events)
        self.assertEqual(self.browser.run("return report.cases[0].chosen.traffic_bytes"), moved)

    def test_a_search(self):
        """Every variant of a search is a point; the front is of time and traffic."""
        self.mmk("tune", FUSED, "--case", "S4", "--case", "thin", "--budget", "40", "--report",
                 "out", "--no-cache")
        self.page = self.folder / "out/report.html"
        self.show()
        with open(self.folder / "out/summary.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["case"] == "S4"]
        points = {(row["variant"], int(row["cycles"]), int(row["traffic_bytes"])) for row in rows}
        shown = self.browser.run("return report.cases[0].variants.map(each => "
                                 "[each.variant, each.cycles, each.traffic_bytes])")
        self.assertEqual({tuple(point) for point in shown}, points)
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('#variants svg g:not(.grid) > path').length"),
            len(points))
        front = {variant for variant, cycles, traffic in points
                 if not any(c <= cycles and t <= traffic and (c, t) != (cycles, traffic)
                            for _, c, t in points)}
        listed = self.browser.run("return [...document.querySelectorAll('#variants td .mono')]"
                                  ".map(each => each.textContent)")
        self.assertLessEqual(set(listed), front)
        chosen = self.browser.run("return report.cases[0].chosen")
        self.assertEqual((chosen["variant"], chosen["cycles"], chosen["traffic_bytes"]),
                         (rows[0]["variant"], int(rows[0]["cycles"]),
                          int(rows[0]["traffic_bytes"])))
        self.assertTrue(chosen["passed"])

    def test_a_cut_picture_says_so(self):
        self.profile("M=4096", "N=4096", "K=4096")
        self.show()
        self.assertRegex(self.text("#timeline .note"), r"it shows \d+ of 20 blocks, the slowest")
        self.assertLess(self.page.stat().st_size, 2_000_000)

    def test_names_are_not_markup(self):
        folder = self.folder / "x<"
        folder.mkdir()
        name = "script><img src=y onerror='document.title=0'>&quot;\"<!--\u2028.mmk"
        (folder / name).write_text(FUSED.read_text())
        page = self.profile("--case", "S4", file=f"x</{name}")
        self.assertNotIn("<img", page.lower())
        self.show()
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        self.assertEqual(self.browser.run("return report.file"), f"x</{name}")
        self.assertIn(f"x</{name}", self.text("#foot"))

    def test_no_network(self):
        page = self.profile("--case", "S4")
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"(?i)<(?:script|img|link|iframe)[^>]*\b(?:src|href)=")
        self.assertIn("Copyright 2010-2017 Mike Bostock", page)
        self.show()
        self.assertEqual(self.browser.run(
            "return performance.getEntriesByType('resource').map(each => each.name)"), [])

    def test_dark(self):
        self.profile("--case", "S4")
        with Browser(dark=True) as browser:
            browser.open(self.page)
            self.assertEqual(browser.run("return color('page')"), "#14171c")
            self.assertEqual(browser.console(), [])


if __name__ == "__main__":
    main()
