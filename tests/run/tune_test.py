"""`mmk tune` as a user runs it: its reports, its store and its files."""

import csv
import json
import os
import random
import re
import signal
import sqlite3
import stat
import subprocess
import time

from command import MMK, CommandTest, main

KERNEL = """\
kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N], alpha: f32 = 0.1) -> c: f32[M, N] {
  c = leaky_relu(a @ b + bias, alpha);
  schedule {
    cores  = auto | 2;
    tile   M = 128 | 64, N = 128, K = 64;
    stage  K = 128;
    buffers l1 = 2 | 1, acc = 1;
    order  = rows | columns;
  }
  case small { M = 200; N = 100; K = 300; }
  case thin  { M = 1; N = 300; K = 200; }
}
"""
POINTS = 2 * 2 * 2 * 2
# Without this, mmk run may split the reduction, or compute the epilogue by itself, which is better than what the
# schedule lists.
CLOSED = KERNEL.replace("  order  =", "  grid   K = 1;\n    fuse   = all;\n    order  =")


class TuneTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.write(KERNEL)

    def write(self, text):
        (self.folder / "k.mmk").write_text(text)

    def tune(self, *words, exit=0):
        """The report of a search, by case."""
        found = json.loads(self.mmk("tune", "k.mmk", *words, "--json", "-", exit=exit))
        return {each["case"]: each for each in found}

    def counted(self, *words):
        found = self.tune(*words)
        return next(iter(found.values()))["search"]["counted"]


POOLING = """\
kernel pool(x: f16[B, C, H, W]) -> y: f16[B, C] {
  y = mean[H, W](x);
  case ragged { B = 2; C = 33; H = 5; W = 9; }
}
"""
CONVOLUTION = """\
kernel layer(x: f16[B, C, W], w: f16[O, C, 3]) -> y: f32[B, O, Q] {
  dim Q = W - 2;
  y[b, o, q] = sum[c, s](x[b, c, q + s] * w[o, c, s]);
  schedule {
    tile   O = 64, Q = 128, CS = 32;
    stage  CS = 32 | 96;
    window = direct | unfolded;
    buffers l1 = 2;
  }
  case layer { B = 1; C = 64; W = 300; O = 64; }
}
"""


class Windows(TuneTest):
    def test_variants_that_a_shape_refuses(self):
        """A stage of 32 is shorter than the taps of a block of channels: window = direct does not run there."""
        self.write(CONVOLUTION)
        layer = self.tune("--machine", "ascend910b2")["layer"]
        self.assertEqual((layer["search"]["counted"], layer["search"]["refused"]), (3, 1))
        self.assertTrue(layer["best"]["check"]["passed"])

    def test_limits_of_joined_dimensions(self):
        """A tile that is too short for rows of H * W elements is no candidate, and no bug."""
        self.write(POOLING)
        self.assertGreater(self.counted("--effort", "quick", "--check", "none", "--budget", "60"), 20)

    def test_ways_are_explored(self):
        """Without a schedule both ways of windows are part of the space; of a product of matrices, they are not."""
        self.write(CONVOLUTION[:CONVOLUTION.index("  schedule")] + CONVOLUTION[CONVOLUTION.index("  case"):])
        words = ("--machine", "ascend910b2", "--effort", "random", "--budget", "100", "--check", "none")
        variants = self.tune(*words)["layer"]["variants"]
        self.assertEqual({"window=direct" in each["variant"] for each in variants}, {True, False})
        self.write("kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b;\n case c { M = 64; N = 64; K = 64; } }")
        self.assertFalse(any("window" in each["variant"] for each in self.tune(*words)["c"]["variants"]))


class Host(TuneTest):
    """Timed figures differ from run to run; the decisions on them are tested."""
    WORDS = ("--machine", "host", "--case", "small")

    def test_dimensions_of_1_are_left_out(self):
        """As in mmk run, whose variant the search starts from."""
        self.write("kernel k(x: f32[N, C, H, W], w: f32[C, 1, 1]) -> y: f32[N, C, H, W] { y = relu(x * w);\n"
                   "  case c { N = 10; C = 30; H = 1; W = 1; } }")
        usual = self.report("k.mmk", "--machine", "host")[0]["variant"]
        found = self.tune("--machine", "host", "--budget", "3")["c"]["variants"]
        self.assertIn(usual, [each["variant"] for each in found])
        for each in found:
            self.assertIn("extent.H=1,extent.W=1", each["variant"])

    def test_the_default_takes_part_and_the_winner_is_checked(self):
        small = self.tune(*self.WORDS)["small"]
        self.assertEqual(small["machine"], "host")
        self.assertTrue(small["best"]["check"]["passed"])
        self.assertLessEqual(small["best"]["time_us"], small["default"]["time_us"])
        self.assertGreater(small["search"]["counted"], 1)
        self.assertFalse(small["search"]["interrupted"])
        self.assertEqual(small["failed"], [])

    def test_it_is_remembered_and_used(self):
        first = self.tune(*self.WORDS)["small"]
        again = self.tune(*self.WORDS)["small"]
        self.assertEqual(again["search"]["counted"], 0)
        self.assertEqual(again["search"]["remembered"], first["search"]["counted"])
        self.assertEqual(again["best"], first["best"])
        (run,) = self.report("k.mmk", *self.WORDS)
        self.assertEqual(run["variant"], first["best"]["variant"])

    def test_all_that_are_checked(self):
        small = self.tune(*self.WORDS, "--check", "all", "--budget", "4")["small"]
        self.assertLessEqual(len(small["variants"]), 4)
        for variant in small["variants"]:
            self.assertTrue(variant["check"]["passed"], variant)

    def test_a_search_of_nothing_is_the_default(self):
        small = self.tune(*self.WORDS, "--effort", "none")["small"]
        self.assertEqual(small["best"]["variant"], small["default"]["variant"])
        self.assertEqual(len(small["variants"]), 1)


class Report(TuneTest):
    def test_json(self):
        found = self.tune("--objective", "pareto")
        self.assertEqual(list(found), ["small", "thin"])
        small = found["small"]
        self.assertEqual(small["kernel"], "fused")
        self.assertEqual(small["machine"], "ascend910b3")
        self.assertEqual(small["dims"], {"M": 200, "K": 300, "N": 100})
        self.assertEqual(small["search"] | {"seconds": 0},
                         {"space": POINTS, "exhaustive": True, "interrupted": False, "points": POINTS,
                          "counted": POINTS, "remembered": 0, "refused": 0, "bounded": 0,
                          "decided_before": 0,
                          "merged": small["search"]["merged"], "seconds": 0})
        times = [each["time_us"] for each in small["variants"]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(small["best"], small["variants"][0])
        self.assertTrue(small["best"]["check"]["passed"])
        self.assertEqual(small["failed"], [])
        self.assertEqual(len(small["variants"]) + small["search"]["merged"], POINTS)
        # Its figures of a variant equal those of a run.
        (run,) = self.report("k.mmk", "--case", "small", "--variant", small["best"]["variant"])
        self.assertEqual(run["clock"]["cycles"], small["best"]["cycles"])
        self.assertEqual(run["clock"]["bound"], small["best"]["bound"])
        self.assertEqual(run["memory"]["l1"]["used"], small["best"]["memory"]["l1"])
        self.assertTrue(run["check"]["passed"])

    def test_text(self):
        shown = self.mmk("tune", "k.mmk", "--case", "small", "--check", "none")
        self.assertRegex(shown, re.compile(
            r"\Afused on ascend910b3\n"
            r"case   dims               check  cycles  time us  default us  +saved  bound\n"
            r"small  M=200 N=100 K=300  - +\d+ +[\d.]+ +[\d.]+ +[\d.]+ %  \w+\n"
            r"small: cores=\d+,tile=64x128x64,stage=128,l1=2,l0=2,acc=1,out=2,ub=2,order=\w+,"
            r"fuse=all\n"
            r"\d+ are the same as another, which has no cores without work, or another order of one "
            r"tile each\n"
            r"counted 16 new variants; the space has 16 points, all decided\n\Z"))

    def test_a_space_without_variants(self):
        shown = self.mmk("tune", "k.mmk", "--case", "small", "--set", "stage.K=96", exit=2)
        self.assertRegex(shown, r"small  M=200 N=100 K=300  none\n")
        self.assertEqual(
            self.said,
            "k.mmk:6:12: error: stage.K = 96 is not a multiple of tile.K = 64; nearest legal: 64, 128\n"
            "    6 |     stage  K = 128;\n"
            "      |            ^~~~~~~\n"
            "note: chosen on the command line: stage.K = 96\n")
        # The panel has room for 128 of the 300 steps of depth.
        self.mmk("tune", "k.mmk", "--case", "small", "--set", "keep=A(128)", "--set", "order=rows",
                 exit=2)
        self.assertEqual(self.said,
                         "error: none of these variants is legal at these dimensions\n")

    def test_files(self):
        self.mmk("tune", "k.mmk", "--report", "out", "--profiles", "2", "--check", "all",
                 "--objective", "pareto")
        with open(self.folder / "out" / "summary.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["case"] for row in rows}, {"small", "thin"})
        self.assertTrue(all(row["passed"] == "yes" for row in rows))
        self.assertTrue(all(float(row["error_ratio"]) == 0 for row in rows))
        page = (self.folder / "out" / "summary.md").read_text()
        self.assertIn("## small: M=200 N=100 K=300\n", page)
        self.assertIn("| 1 | `cores=", page)
        for name in ["small-1", "small-2", "thin-1", "thin-2"]:
            made = sorted(path.name for path in (self.folder / "out" / name).iterdir())
            self.assertEqual(made, ["op_summary.csv", "report.html", "summary.json", "trace.json"])
        (first,) = json.loads((self.folder / "out" / "small-1" / "summary.json").read_text())
        self.assertEqual(first["variant"], rows[0]["variant"])
        self.assertEqual(first["clock"]["cycles"], int(rows[0]["cycles"]))

    def test_a_wrong_variant_is_a_bug_with_its_line(self):
        self.write(KERNEL.replace("case small", "check { rtol = 0; atol = 0; rounding = 0; } case small"))
        words = ["--case", "small", "--set", "tile.M=64", "--set", "cores=2", "--set", "l1=2",
                 "--set", "order=rows"]
        self.mmk("tune", "k.mmk", *words, exit=1)
        self.assertRegex(self.said, re.compile(
            r"\Aerror: cores=2,tile=64x128x64,\S+ computes wrong results on uniform: \S+ of them\n"
            r"note: this is a bug in mmk; reproduce it with: (mmk run .*)\n\Z"))
        line = self.said.strip().rsplit("reproduce it with: ", 1)[1]
        again = self.shell(line)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("elements of c are wrong", again.stdout)
        # It is remembered: nothing is counted or run again, and it is still reported.
        found = self.tune(*words, exit=1)
        self.assertEqual(found["small"]["search"]["counted"], 0)
        self.assertEqual(len(found["small"]["failed"]), 1)


class Memory(TuneTest):
    def test_nothing_is_counted_twice(self):
        self.assertEqual(self.counted("--objective", "pareto"), POINTS)
        self.assertEqual(self.counted("--objective", "pareto"), 0)
        self.assertEqual(self.counted("--objective", "pareto", "--no-cache"), POINTS)

    def test_an_alternative_more_counts_the_new_ones_alone(self):
        self.counted("--objective", "pareto")
        self.write(KERNEL.replace("order  = rows | columns;", "order  = rows | columns | zigzag;"))
        # On all cores no core has two tiles, so that all orders are the same there.
        self.assertEqual(self.counted("--objective", "pareto"), POINTS // 4)
        # Also a new case: at its shape nothing is known.
        self.write(KERNEL.replace("case thin", "case new { M = 7; N = 8; K = 9; } case thin"))
        self.assertEqual(self.counted("--case", "new", "--objective", "pareto"), POINTS)
        self.assertEqual(self.counted("--case", "thin", "--objective", "pareto"), 0)

    def test_a_comment_loses_nothing_and_the_body_everything(self):
        self.counted("--objective", "pareto")
        self.write("// a comment\n" + KERNEL.replace("c = leaky", "let d = a @ b; c = leaky")
                   .replace("(a @ b +", "(d +").replace("case small", "case   little"))
        self.assertEqual(self.counted("--objective", "pareto"), 0)
        self.write(KERNEL.replace("a @ b + bias", "a @ b - bias"))
        self.assertEqual(self.counted("--objective", "pareto"), POINTS)

    def test_another_machine_has_its_own(self):
        self.counted("--objective", "pareto")
        self.assertEqual(self.counted("--objective", "pareto", "--machine-set", "l2.bytes=*0.5"),
                         POINTS)
        self.assertEqual(self.counted("--objective", "pareto", "--machine-set", "l2.bytes=*1"), 0)

    def test_another_build_serves_nothing(self):
        self.counted("--objective", "pareto")
        with sqlite3.connect(self.memory()) as database:
            database.execute("UPDATE context SET build = 'another'")
        self.assertEqual(self.counted("--objective", "pareto"), POINTS)

    WIDE = KERNEL.replace("M = 128 | 64, N = 128, K = 64;",
                          "M = 128 | 64 | 32 | 16, N = 128 | 64 | 32, K = 64 | 32;")

    def decided(self, *words):
        """The whole space, and how much of it an earlier search had decided."""
        found = self.tune(*words)
        search = found["small"]["search"]
        self.assertTrue(search["exhaustive"])
        return found, search["decided_before"], search["counted"]

    def test_a_decided_space_is_not_searched_again(self):
        self.write(self.WIDE)
        first, before, counted = self.decided()
        points = first["small"]["search"]["points"]
        self.assertEqual(before, 0)
        self.assertGreater(counted, 0)
        again, before, counted = self.decided()
        self.assertEqual((before, counted), (points, 0))
        for found in (first, again):
            for each in found.values():
                search = each["search"]
                self.assertEqual(points, sum(search.pop(name) for name in (
                    "counted", "remembered", "refused", "bounded")))
                del search["decided_before"], search["seconds"]
        self.assertEqual(first, again)
        self.assertRegex(self.mmk("tune", "k.mmk"), r"counted 0 new variants, \d+ known before.*; the "
                         r"space has \d+ points, all decided by an earlier search\n\Z")
        # One case of them, too.
        self.assertEqual(self.decided("--case", "small")[1:], (points, 0))
        # The wider one builds on it; a machine, an objective and a build have their own.
        self.write(self.WIDE.replace("rows | columns;", "rows | columns | zigzag;"))
        found, before, counted = self.decided("--check", "none")
        self.assertEqual(before, points)
        self.assertRegex(self.mmk("tune", "k.mmk", "--machine-set", "l2.bytes=*0.5", "--check", "none"),
                         r"points, all decided\n\Z")
        self.assertEqual(self.decided("--objective", "memory", "--check", "none")[1], 0)
        with sqlite3.connect(self.memory()) as database:
            database.execute("UPDATE context SET build = 'another'")
        self.assertEqual(self.decided("--check", "none")[1], 0)
        self.assertEqual(self.decided("--check", "none")[1:], (found["small"]["search"]["points"], 0))
        self.mmk("cache", "prune")
        self.assertEqual(self.decided("--check", "none")[1:], (found["small"]["search"]["points"], 0))

    def test_a_damaged_decision_is_no_decision(self):
        self.write(self.WIDE)
        self.decided("--check", "none")
        with sqlite3.connect(self.memory()) as database:
            database.execute("UPDATE decision SET refused = refused + 1")
        self.assertEqual(self.decided("--check", "none")[1], 0)
        self.assertRegex(self.said, r"\Awarning: nothing is remembered: .*memory.sqlite: it is damaged: of "
                         r"the \d+ points of a decided space, \d+ do not fit, \d+ cannot win and \d+ are "
                         r"measured\n\Z")

    def test_an_unreadable_winner_is_named(self):
        words = ("--machine", "host", "--case", "small")
        self.tune(*words, "--effort", "none")
        with sqlite3.connect(self.memory()) as database:
            database.execute("UPDATE variant SET name = 'tile=1x2x3x4'")
        self.report("k.mmk", *words)
        self.assertEqual(self.said, "warning: what mmk tune has found for M=200,N=100,K=300 is not used: "
                         "'tile=1x2x3x4' is no variant of 'fused'\n")

    def memory(self):
        return self.folder / "cache" / "tune" / "memory.sqlite"

    def test_it_is_the_users_alone(self):
        os.umask(0o022)
        self.counted("--effort", "none")
        self.assertEqual(stat.S_IMODE(self.memory().parent.stat().st_mode), 0o700)
        for file in self.memory().parent.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)

    def test_a_damaged_one_is_set_aside(self):
        self.counted()
        self.memory().write_bytes(b"x" * 10000)
        for suffix in ["-wal", "-shm"]:
            self.memory().with_name(self.memory().name + suffix).unlink(missing_ok=True)
        self.mmk("tune", "k.mmk", "--case", "small", "--effort", "none")
        self.assertEqual(
            self.said, "warning: the memory of mmk tune cannot be used: it is damaged: file is not "
            f"a database; it is now {self.memory()}.aside-1, and a new one is begun\n")

    def test_without_a_place_for_it_all_goes_on(self):
        (self.folder / "file").write_text("")
        self.environment["MMK_CACHE_DIR"] = str(self.folder / "file")
        self.environment.pop("XDG_CACHE_HOME", None)
        self.assertGreater(self.counted("--case", "small"), 0)
        self.assertEqual(self.said, "warning: nothing is remembered: there is no folder for it; "
                                    "set MMK_CACHE_DIR\n")


class Unscheduled(TuneTest):
    """A kernel without a schedule: its search starts from what `mmk run` chooses."""

    def setUp(self):
        super().setUp()
        self.write("kernel plain(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }\n")

    def test_the_result_is_never_behind_the_default(self):
        (chosen,) = self.report("k.mmk", "M=300", "N=200", "K=5000", "--count-only")
        (tuned,) = json.loads(self.mmk("tune", "k.mmk", "M=300", "N=200", "K=5000", "--effort",
                                       "quick", "--budget", 40, "--check", "none", "--json", "-"))
        self.assertEqual(tuned["default"]["cycles"], chosen["clock"]["cycles"])
        self.assertLessEqual(tuned["best"]["cycles"], tuned["default"]["cycles"])

    def test_a_winner_that_was_never_checked_is_named(self):
        words = ("k.mmk", "M=7", "N=512", "K=2048")
        (tuned,) = json.loads(self.mmk("tune", *words, "--effort", "quick", "--check", "none",
                                       "--json", "-"))
        self.assertLess(tuned["best"]["cycles"], tuned["default"]["cycles"])
        shown = self.mmk("run", *words, "--count-only")
        self.assertIn(f"a variant of {tuned['best']['time_us']:.2f} us is known but was never checked: "
                      "mmk tune --check winner\n", shown)
        self.mmk("tune", *words, "--effort", "quick", "--check", "winner")
        (run,) = self.report(*words, "--count-only")
        self.assertEqual(run["clock"]["cycles"], tuned["best"]["cycles"])
        self.assertNotIn("unchecked_us", run)

    def test_the_choice_is_remembered(self):
        words = ("k.mmk", "M=300", "N=200", "K=5000", "--count-only", "--timing")
        (first,) = self.report(*words)
        (second,) = self.report(*words)
        names = [[part["name"] for part in run["timing"]["parts"]] for run in (first, second)]
        self.assertIn("choose the variant", names[0])
        self.assertNotIn("choose the variant", names[1])
        for field in ["variant", "chosen_for", "clock"]:
            self.assertEqual(first[field], second[field])


class Known(TuneTest):
    """`mmk run` uses the tuned variants, and so do the commands that show or write what it runs."""

    def setUp(self):
        super().setUp()
        self.write(CLOSED)

    def test_run_takes_the_winner_and_says_so(self):
        best = self.tune("--case", "small")["small"]["best"]
        (run,) = self.report("k.mmk", "--case", "small")
        self.assertEqual(run["variant"], best["variant"])
        self.assertEqual(run["clock"]["cycles"], best["cycles"])
        self.assertEqual(run["tuned_for"], "M=200,N=100,K=300")
        shown = self.mmk("run", "k.mmk", "--case", "small")
        self.assertIn("the best variant that is known for M=200,N=100,K=300, from mmk tune\n", shown)
        for words in [["--no-cache"], ["--set", "order=rows"], ["--variant", "l1=2"]]:
            (run,) = self.report("k.mmk", "--case", "small", *words)
            self.assertNotIn("tuned_for", run)

    def test_other_commands_take_what_run_takes(self):
        best = self.tune("--case", "small")["small"]["best"]["variant"]
        origin = "the best variant that is known for M=200,N=100,K=300, from mmk tune\n"
        shown = self.mmk("explain", "k.mmk", "--case", "small")
        self.assertTrue(shown.startswith(f"fused small on ascend910b3: {best}\n{origin}"), shown)
        (explained,) = json.loads(self.mmk("explain", "k.mmk", "--case", "small", "--json", "-"))
        self.assertEqual(explained["tuned_for"], "M=200,N=100,K=300")

    def test_what_is_compiled_for_a_shape(self):
        best = self.tune("--case", "small")["small"]["best"]["variant"]
        result = subprocess.run([MMK, "compile", "k.mmk", "--case", "small", "--emit=mmk"],
                                cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(result.stderr,
                         "the best variant that is known for M=200,N=100,K=300, from mmk tune\n")
        self.assertIn(f'variant = "{best}"', result.stdout)
        # Ascend C has less room in UB: the machine has other figures, and the variant is tried there.
        self.mmk("compile", "k.mmk", "--case", "small", "--emit=ascendc", "-o", "out")
        self.assertIn(best, (self.folder / "out/fused.h").read_text())

    def test_what_was_not_checked_is_not_taken(self):
        self.tune("--case", "small", "--check", "none")
        (run,) = self.report("k.mmk", "--case", "small", "--count-only")
        self.assertNotIn("tuned_for", run)

    def test_at_other_dimensions_the_clock_chooses(self):
        self.tune("--case", "small")
        dims = ["M=210", "N=100", "K=300"]
        (default,) = self.report("k.mmk", *dims, "--count-only", "--no-cache")
        (run,) = self.report("k.mmk", *dims, "--count-only")
        self.assertEqual(run["tuned_for"], "M=200,N=100,K=300")
        self.assertLess(run["clock"]["cycles"], default["clock"]["cycles"])

    def test_each_case_has_its_own(self):
        best = {name: each["best"]["variant"] for name, each in self.tune().items()}
        runs = self.report("k.mmk", "--count-only")
        self.assertEqual({run["case"]: run["variant"] for run in runs}, best)


class Cache(TuneTest):
    def setUp(self):
        super().setUp()
        self.write(CLOSED)

    def listed(self):
        return json.loads(self.mmk("cache", "list", "--json", "-"))

    def test_list(self):
        self.assertEqual(self.mmk("cache"), "nothing is remembered\n")
        best = self.tune("--case", "small")["small"]["best"]
        (row,) = self.listed()
        self.assertEqual((row["kernel"], row["machine"], row["key"], row["dims"], row["variant"],
                          row["cycles"], row["checked"], row["of_this_build"]),
                         ("fused", "ascend910b3", "200x100x300:f16", "M=200,N=100,K=300",
                          best["variant"], best["cycles"], True, True))
        self.assertIn("checked", self.mmk("cache"))

    def test_export_and_import(self):
        best = self.tune("--case", "small")["small"]["best"]
        self.mmk("cache", "export", "tuned.json")
        (tuned,) = json.loads((self.folder / "tuned.json").read_text())["tuned"]
        self.assertEqual(list(tuned["best"]), ["200x100x300:f16"])
        self.mmk("cache", "prune", "--all")
        self.assertEqual(self.listed(), [])
        self.assertIn("1 variants are known now", self.mmk("cache", "import", "tuned.json"))
        (row,) = self.listed()
        self.assertFalse(row["checked"])
        # It has not been checked here, so it is tried first.
        (run,) = self.report("k.mmk", "--case", "small")
        self.assertEqual(run["variant"], best["variant"])

    def test_a_variant_of_another_kernel_is_harmless(self):
        self.tune("--case", "small")
        self.mmk("cache", "export", "tuned.json")
        file = self.folder / "tuned.json"
        file.write_text(re.sub(r'"variant": ".*"', '"variant": "cores=nonsense"', file.read_text()))
        self.mmk("cache", "prune", "--all")
        self.mmk("cache", "import", "tuned.json")
        (run,) = self.report("k.mmk", "--case", "small")
        self.assertNotIn("tuned_for", run)

    def test_prune(self):
        self.tune("--case", "small", "--effort", "none")
        self.assertEqual(self.mmk("cache", "prune"), "0 figures and 0 choices are forgotten\n")
        self.assertRegex(self.mmk("cache", "prune", "--all"), r"\A\d+ figures and \d+ choices are forgotten\n\Z")

    def test_mistakes(self):
        for words, message in [
            (["lisst"], "'mmk cache' can list, export, import and prune, found 'lisst' "
                        "(did you mean 'list'?)"),
            (["import"], "expected mmk cache import FILE"),
            (["export", "--json", "x"], "--json is for mmk cache list; mmk cache export takes a file"),
            (["list", "--all"], "--all is for mmk cache prune"),
        ]:
            self.mmk("cache", *words, exit=2)
            self.assertEqual(self.said, f"error: {message}\n")
        for text, message in [("{", "Expected object key"),
                           ("{}", "expected \"format\": \"mmk tuned variants\" and \"version\": 1")]:
            (self.folder / "x.json").write_text(text)
            self.mmk("cache", "import", "x.json", exit=2)
            self.assertIn(message, self.said)


class Several(TuneTest):
    """Processes that are killed, and processes at the same time."""

    SWEEP = ["--sweep", "tile.N=32,48,64,80,96,112,128", "--objective", "pareto", "--check", "none",
             "--threads", "1", "--case", "small"]

    def start(self, *words):
        return subprocess.Popen([MMK, "tune", "k.mmk", *self.SWEEP, *words], cwd=self.folder,
                                env=self.environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def rows_so_far(self):
        """The rows that a process at work has written; none before it has made the tables."""
        if not (self.folder / "cache" / "tune" / "memory.sqlite").exists():
            return set()
        try:
            return self.rows()
        except sqlite3.OperationalError:
            return set()

    def wait_for_rows(self, process, known=frozenset()):
        """Until `process` has written a row that is not in `known`, or has ended."""
        while process.poll() is None and self.rows_so_far() <= known:
            time.sleep(0.01)

    def rows(self):
        path = self.folder / "cache" / "tune" / "memory.sqlite"
        with sqlite3.connect(path) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            return set(database.execute(
                "SELECT s.dims, v.name, m.cycles, m.traffic, m.busy FROM measure m "
                "JOIN shape s ON s.id = m.shape JOIN variant v ON v.id = m.variant"))

    def test_a_kill_loses_nothing_that_was_known(self):
        self.mmk("tune", "k.mmk", "--effort", "none", "--case", "small")
        known = self.rows()
        random.seed(1)
        for turn in range(20):
            process = self.start()
            if turn == 0:
                self.wait_for_rows(process, known)
            else:
                time.sleep(random.uniform(0.02, 0.2))
            process.kill()
            process.communicate()
            now = self.rows()
            self.assertLessEqual(known, now)
            known = now
        found = self.tune(*self.SWEEP)["small"]
        fresh = self.tune(*self.SWEEP, "--no-cache")["small"]
        figures = [[(each["variant"], each["cycles"]) for each in report["variants"]]
                   for report in (found, fresh)]
        self.assertEqual(*figures)
        # Results of the killed ones were not counted again.
        self.assertLess(found["search"]["counted"], fresh["search"]["counted"])
        self.assertLessEqual(known, self.rows())

    def test_four_at_once_find_what_one_finds(self):
        processes = [self.start() for _ in range(4)]
        for process in processes:
            self.assertEqual(process.communicate()[1], "")
            self.assertEqual(process.returncode, 0)
        together = self.rows()
        self.environment["MMK_CACHE_DIR"] = str(self.folder / "alone")
        self.tune(*self.SWEEP)
        with sqlite3.connect(self.folder / "alone" / "tune" / "memory.sqlite") as database:
            alone = set(database.execute(
                "SELECT s.dims, v.name, m.cycles, m.traffic, m.busy FROM measure m "
                "JOIN shape s ON s.id = m.shape JOIN variant v ON v.id = m.variant"))
        self.assertEqual(together, alone)

    def test_an_interrupt_keeps_what_is_known(self):
        process = self.start()
        self.wait_for_rows(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate()[1], "")
        self.assertEqual(process.returncode, 0)
        self.assertTrue(self.rows())


if __name__ == "__main__":
    main()
