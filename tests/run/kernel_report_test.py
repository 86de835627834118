"""`mmk report`: the versions of a kernel, what it takes from kept results, its two forms, and its messages."""

import html.parser
import json
import os
import pathlib
import re
import xml.etree.ElementTree

from command import ROOT, CommandTest, main

FUSED = "examples/matmul_bias_leakyrelu.mmk"
GOLDEN = pathlib.Path(__file__).with_name("kernel_report.expected")


def rows_of(text, head):
    """The rows of the first table whose head begins with these cells."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| " + " | ".join(head) + " |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


class Page(html.parser.HTMLParser):
    """The ids, the links, the elements and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.words, self.open = [], [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.open += [] if tag in ("meta", "wbr") else [tag]
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "href" in attributes:
            self.links.append(attributes["href"])

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        self.words += data


class KernelReport(CommandTest):
    def document(self, *words, kernel="matmul_bias_leakyrelu"):
        """The Markdown of a report."""
        said = self.mmk("report", *words, "-o", "out")
        self.assertEqual(said, f"report: out/{kernel}.html, out/{kernel}.md\n")
        return (self.folder / f"out/{kernel}.md").read_text()

    def refused(self, *words):
        self.mmk("report", *words, "-o", "out", exit=2)
        return self.said

    def test_golden(self):
        text = self.document(FUSED, "--case", "S4")
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)
        text = re.sub(r"(?m)^\| (cpu|features|cpus|governor|build|llvm|mmk|caches|system) \| .* \|$", r"| \1 | ... |",
                      text)
        if os.environ.get("MMK_UPDATE"):
            GOLDEN.write_text(text)
        self.assertEqual(text, GOLDEN.read_text())

    def test_each_version_is_faster_and_is_a_variant_of_the_file(self):
        text = self.document(FUSED, "--case", "S1")
        times = rows_of(text, ["version", "cycles", "us"])
        self.assertEqual([row[0] for row in times],
                         ["v0 naive", "v1 tiled", "v2 double-buffered", "v3 tuned", "v4 fused"])
        cycles = [int(row[1]) for row in times]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        self.assertEqual(len(set(cycles)), 5)
        variants = rows_of(text, ["version", "what it adds"])
        for count, row in zip(cycles, variants):
            (run,) = self.report(FUSED, "--case", "S1", "--count-only", "--variant", row[3].strip("`"))
            self.assertEqual(run["clock"]["cycles"], count)
        # The share of the bound is that of mmk explain.
        explained = self.mmk("explain", FUSED, "--case", "S1", "--variant", variants[-1][3].strip("`"))
        self.assertIn(f"{times[-1][5]} reached", explained)

    def test_pictures_of_the_documentation(self):
        self.document(FUSED, "--case", "S1")
        for kind in ("ladder", "roofline"):
            picture = (self.folder / f"out/matmul_bias_leakyrelu-S1-{kind}.svg").read_text()
            shown = ROOT / f"docs/kernel-report-{kind}.svg"
            if os.environ.get("MMK_UPDATE"):
                shown.write_text(picture)
            self.assertEqual(picture, shown.read_text())

    def test_without_a_product(self):
        text = self.document("examples/softmax.mmk", "M=1024", "N=2048", kernel="softmax")
        times = rows_of(text, ["version", "cycles"])
        self.assertEqual([row[0] for row in times], ["v0 naive", "v1 double-buffered", "v2 tuned"])
        self.assertIn("### M=1024 N=2048: M=1024 N=2048", text)
        # The commands that it names are of these dimensions.
        command = re.search(r"`(mmk tune .*) --json tune.json`", text)[1]
        self.assertEqual(command, "mmk tune examples/softmax.mmk M=1024 N=2048")

    def test_what_is_set_is_set_in_all_versions(self):
        text = self.document(FUSED, "--case", "S4", "--set", "cores=4", "--set", "fuse=none")
        for row in rows_of(text, ["version", "what it adds"]):
            self.assertRegex(row[3], "^`cores=4,.*fuse=none`$")

    def test_nothing_kept(self):
        text = self.document(FUSED, "--case", "S4")
        for command in ("bench {} --save bench.json", "run {} --json run.json",
                        "bench {} --count-only --history history", "tune {} --case S4 --json tune.json"):
            self.assertIn(f"`mmk {command.format(FUSED)}`", text)
        self.assertIn("none were given", text)

    def keep(self):
        kept = self.folder / "kept"
        kept.mkdir()
        case = (FUSED, "--case", "S4")
        fixed = [word for each in ("cores=4", "tile.M=128", "tile.N=128", "stage.K=256", "keep=none", "buffers.l0=2")
                 for word in ("--set", each)]
        self.mmk("tune", *case, *fixed, "--json", "kept/tune.json")
        self.mmk("tune", *case, "--guided", "--rounds", "1", "--json", "kept/guided.json")
        self.mmk("run", *case, "--json", "kept/run.json")
        self.mmk("bench", *case, "--no-command", "--repeat", "10", "--seconds", "0.5", "--save", "kept/bench.json")
        self.mmk("bench", *case, "--count-only", "--history", "kept")
        return kept

    def test_what_was_kept(self):
        kept = self.keep()
        # Of another computer.
        bench = json.loads((kept / "bench.json").read_text())
        bench[0]["environment"]["cpu"] = "a CPU <of> another computer"
        bench[0]["kernel_ms"]["samples"] = [4.25] * 10
        (kept / "bench.json").write_text(json.dumps(bench))
        self.mmk("explain", FUSED, "--case", "S4", "--json", "kept/explain.json")
        text = self.document(FUSED, "--case", "S4", "--from", "kept")
        # The best of both searches is the last version, counted again.
        tunes = [json.loads((kept / f"{name}.json").read_text())[0][best]
                 for name, best in (("tune", "best"), ("guided", "last"))]
        best = min(tunes, key=lambda each: each["cycles"])
        self.assertEqual(rows_of(text, ["version", "cycles"])[-1][1], str(best["cycles"]))
        self.assertEqual(rows_of(text, ["version", "what it adds"])[-1][3], f"`{best['variant']}`")
        self.assertIn("`kept/bench.json`, `kept/guided.json`, `kept/history.json`, `kept/run.json`, `kept/tune.json`",
                      text)
        # What is not used is named.
        self.assertIn("Not used: kept/explain.json is of mmk explain, which a report does not read", text)
        # Times stand below the computer that they were measured on.
        parts = text.split("Milliseconds, measured on: ")[1:]
        [other] = [part for part in parts if part.startswith("cpu: a CPU &lt;of> another computer; ")]
        [row] = rows_of(other, ["case", "of", "median"])
        self.assertEqual(row[:4], ["S4", "kernel", "4.250", "4.250"])
        self.assertNotIn("4.250", "".join(part for part in parts if part is not other))
        # The search, and what it dropped.
        search = json.loads((kept / "tune.json").read_text())[0]["search"]
        self.assertIn(f"of {search['space']:.0f} points, {search['counted']} were counted", text)
        dropped = rows_of(text, ["choice that was dropped"])
        self.assertTrue(all(re.match(r"^`[a-z0-9]+=", row[0]) and row[2].endswith("%") for row in dropped))
        change = rows_of(text, ["change", "changes tried"])[0]
        self.assertEqual((change[0], change[4]), ("`--set grid.K=4`", "kept"))
        self.assertEqual(rows_of(text, ["case", "figure"])[0][:4], ["S4", "cycles", "42025", "42025"])
        # Nothing is missing.
        self.assertNotIn("No run was kept", text)
        self.assertNotIn("No history was kept", text)
        self.assertNotIn("No search was kept", text)
        page = (self.folder / "out/matmul_bias_leakyrelu.html").read_text()
        self.assertIn("a CPU &lt;of&gt; another computer", page)

    def test_host(self):
        case = (FUSED, "--case", "S4", "--machine", "host")
        text = self.document(*case)
        self.assertIn("host has no clock but the real one, so that nothing is counted: times are those of kept "
                      "results, below.", text)
        self.assertRegex(text, "A version without a time was not measured, or not on this machine: `mmk bench "
                               ".* --variant '.*' --no-command --save fused.json`")
        versions = rows_of(text, ["version", "kernel, ms"])
        self.assertEqual({row[1] for row in versions}, {"-"})
        # The command that the report names fills in the time.
        command = re.search(r"`(mmk bench .* --save fused.json)`", text)[1]
        self.assertEqual(self.shell(command + " --seconds 0.5 --repeat 10").returncode, 0)
        text = self.document(*case, "--from", "fused.json")
        versions = rows_of(text, ["version", "kernel, ms"])
        self.assertEqual([row[1] != "-" for row in versions], [False] * 4 + [True])
        self.assertEqual(versions[-1][2], "fused.json")

    def test_page(self):
        (self.folder / "a<b>&.mmk").write_text((self.folder / FUSED).read_text())
        self.document("a<b>&.mmk", "--case", "S4", "--case", "thin")
        text = (self.folder / "out/matmul_bias_leakyrelu.html").read_text()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual([link for link in page.links if link.lstrip("#") not in page.ids], [])
        # It needs nothing but itself.
        for tag, attributes in page.tags:
            self.assertNotIn(tag, ("script", "link", "img", "iframe"))
            self.assertNotIn("src", attributes)
        self.assertEqual(set(re.findall(r"https?://[^\"' )]*", text)), {"http://www.w3.org/2000/svg"})
        self.assertIn("a<b>&.mmk", page.words)
        self.assertEqual(sum(tag == "svg" for tag, _ in page.tags), 4)
        # The Markdown has the same pictures beside it.
        markdown = (self.folder / "out/matmul_bias_leakyrelu.md").read_text()
        pictures = re.findall(r"!\[[^]]*\]\((.*?)\)", markdown)
        self.assertEqual(pictures, [f"matmul_bias_leakyrelu-{case}-{kind}.svg" for case in ("S4", "thin")
                                    for kind in ("ladder", "roofline")])
        for name in pictures:
            root = xml.etree.ElementTree.parse(self.folder / "out" / name).getroot()
            self.assertIn("prefers-color-scheme: dark", root.find("{http://www.w3.org/2000/svg}style").text)

    def test_pictures_stay_inside(self):
        self.document(FUSED)
        for path in (self.folder / "out").glob("*.svg"):
            root = xml.etree.ElementTree.parse(path).getroot()
            width, height = map(float, root.get("viewBox").split()[2:])
            for element in root.iter():
                for name, most in (("x", width), ("x1", width), ("x2", width), ("cx", width), ("y", height),
                                   ("y1", height), ("y2", height), ("cy", height)):
                    if element.get(name):
                        self.assertTrue(0 <= float(element.get(name)) <= most, (path.name, element.attrib))

    def test_a_kept_variant_that_is_no_longer_legal(self):
        self.keep_tune()
        tune = json.loads((self.folder / "tune.json").read_text())
        tune[0]["best"]["variant"] = "cores=20,tile=512x512x512"
        (self.folder / "tune.json").write_text(json.dumps(tune))
        self.assertEqual(self.refused(FUSED, "--case", "S4", "--from", "tune.json"),
                         "error: tune.json: its best variant is no longer legal: 'cores=20,tile=512x512x512'; search "
                         f"again: mmk tune {FUSED} --case S4 --json tune.json\n")

    def test_a_schedule_without_alternatives(self):
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f16[M, N]) -> y: f16[M, N] { y = x + x; schedule { cores = 1; tile M = 8, N = 128; "
            "buffers out = 1, ub = 1; order = rows; } case a { M = 8; N = 128; } }")
        self.assertIn("the default of the schedule", self.document("k.mmk", kernel="k"))

    def test_a_figure_that_was_changed(self):
        text = self.document(FUSED, "--case", "S4", "--machine-set", "megahertz=1000")
        self.assertIn("`megahertz` was changed on the command line, to 1000.", text)

    def test_how_a_search_ended(self):
        self.keep_tune()
        path = self.folder / "tune.json"
        document = lambda: self.document(FUSED, "--case", "S4", "--from", "tune.json")
        self.assertIn("time. Not all points were looked at.", document())
        (tune,) = json.loads(path.read_text())
        tune["search"]["exhaustive"] = True
        tune["failed"] = [dict(tune["best"], variant="cores=1")]
        path.write_text(json.dumps([tune]))
        text = document()
        self.assertIn("time. All points are decided.", text)
        self.assertIn("`cores=1` was dropped: its results are wrong, which is a bug of mmk.", text)
        del tune["best"]
        path.write_text(json.dumps([tune]))
        self.assertIn("It found no variant that is legal and right.", document())

    def keep_tune(self):
        self.mmk("tune", FUSED, "--case", "S4", "--effort", "random", "--budget", "3", "--json", "tune.json")

    def test_messages(self):
        self.keep_tune()
        expected = ("expected what mmk run, mmk tune or mmk bench writes with --json, or the history.json of mmk bench "
                    "--history")
        (self.folder / "other.json").write_text('[{"a": 1}]')
        (self.folder / "empty").mkdir()
        self.mmk("explain", FUSED, "--case", "S4", "--json", "explain.json")
        self.mmk("bench", "examples/matmul.mmk", "--case", "tiny", "--count-only", "--history", "history")
        for words, message in (
                (("--from", "nowhere.json"), "error: cannot read nowhere.json: No such file or directory\n"),
                (("--from", "other.json"), f"error: other.json: {expected}\n"),
                (("--from", "empty"), f"error: empty has no .json file; {expected}\n"),
                (("--from", "explain.json"),
                 f"error: explain.json is of mmk explain, which a report does not read; {expected}\n"),
                (("--from", "history/history.json"),
                 "error: history/history.json has no case of this report: it has matmul tiny on ascend910b3; the "
                 "report has K=512 M=512 N=128\n"),
                (("--from", "tune.json", "--machine", "ascend910b2"),
                 "error: tune.json is about ascend910b3, not about ascend910b2; --machine and --machine-set choose "
                 "what is reported\n"),
                (("--from", "tune.json", "--machine-set", "megahertz=1000"),
                 "error: tune.json is about ascend910b3, not about ascend910b3 with megahertz = 1000; --machine and "
                 "--machine-set choose what is reported\n")):
            with self.subTest(words=words):
                self.assertEqual(self.refused(FUSED, "--case", "S4", *words), message)
        self.assertEqual(self.refused(FUSED, "--case", "S1", "--from", "tune.json"),
                         "error: tune.json has no case of this report: it has K=512 M=512 N=128; the report has K=2048 "
                         "M=2048 N=2048\n")
        self.assertEqual(self.refused("examples/matmul.mmk", "--case", "tiny", "--from", "tune.json"),
                         "error: tune.json is about 'matmul_bias_leakyrelu', not about 'matmul'\n")
        two = (self.folder / FUSED).read_text() + "kernel other(a: f32[N]) -> b: f32[N] { b = a + a; }\n"
        (self.folder / "two.mmk").write_text(two)
        self.assertEqual(self.refused("two.mmk", "--kernel", "other", "N=8", "--from", "tune.json"),
                         "error: tune.json is about 'matmul_bias_leakyrelu', not about 'other'; --kernel "
                         "matmul_bias_leakyrelu reports it\n")
        # Of a folder, what is about something else is skipped.
        (self.folder / "mixed").mkdir()
        for name in ("tune.json", "other.json"):
            (self.folder / name).rename(self.folder / "mixed" / name)
        text = self.document("examples/matmul.mmk", "--case", "tiny", "--from", "mixed", kernel="matmul")
        self.assertIn(f"Not used: mixed/other.json: {expected}.", text)
        self.assertIn("Not used: mixed/tune.json is about 'matmul_bias_leakyrelu', not about 'matmul'.", text)


if __name__ == "__main__":
    main()
