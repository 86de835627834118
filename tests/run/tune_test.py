"""`mmk tune` as a user runs it: what it reports, what it remembers and for what, what it writes."""

import csv
import json
import os
import re
import sqlite3
import stat

from command import CommandTest, main

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


class Report(TuneTest):
    def test_json(self):
        found = self.tune("--objective", "pareto")
        self.assertEqual(list(found), ["small", "thin"])
        small = found["small"]
        self.assertEqual(small["kernel"], "fused")
        self.assertEqual(small["machine"], "ascend910b3")
        self.assertEqual(small["dims"], {"M": 200, "K": 300, "N": 100})
        self.assertEqual(small["search"] | {"seconds": 0},
                         {"space": POINTS, "exhaustive": True, "interrupted": False,
                          "counted": POINTS, "remembered": 0, "refused": 0, "pruned": 0,
                          "merged": small["search"]["merged"], "seconds": 0})
        times = [each["time_us"] for each in small["variants"]]
        self.assertEqual(times, sorted(times))
        self.assertEqual(small["best"], small["variants"][0])
        self.assertTrue(small["best"]["check"]["passed"])
        self.assertEqual(small["failed"], [])
        self.assertEqual(len(small["variants"]) + small["search"]["merged"], POINTS)
        # What it says of a variant is what a run of it says.
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
            r"small  M=200 K=300 N=100  - +\d+ +[\d.]+ +[\d.]+ +[\d.]+ %  \w+\n"
            r"small: cores=\d+,tile=64x128x64,stage=128,l1=2,l0=2,acc=1,out=2,ub=2,order=\w+,"
            r"epilogue=fused\n"
            r"\d+ ask for more cores than have work: each is the variant with those that have\n"
            r"counted 16 new variants; the space has 16 points, all looked at\n\Z"))

    def test_files(self):
        self.mmk("tune", "k.mmk", "--report", "out", "--profiles", "2", "--check", "all",
                 "--objective", "pareto")
        with open(self.folder / "out" / "summary.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["case"] for row in rows}, {"small", "thin"})
        self.assertTrue(all(row["passed"] == "yes" for row in rows))
        self.assertTrue(all(float(row["error_ratio"]) == 0 for row in rows))
        page = (self.folder / "out" / "summary.md").read_text()
        self.assertIn("## small: M=200 K=300 N=100\n", page)
        self.assertIn("| 1 | `cores=", page)
        for name in ["small-1", "small-2", "thin-1", "thin-2"]:
            made = sorted(path.name for path in (self.folder / "out" / name).iterdir())
            self.assertEqual(made, ["op_summary.csv", "report.html", "summary.json", "trace.json"])
        (first,) = json.loads((self.folder / "out" / "small-1" / "summary.json").read_text())
        self.assertEqual(first["variant"], rows[0]["variant"])
        self.assertEqual(first["clock"]["cycles"], int(rows[0]["cycles"]))

    def test_a_wrong_variant_is_a_bug_with_its_line(self):
        self.write(KERNEL.replace("case small", "check { rtol = 0; atol = 0; } case small"))
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
        # It is remembered: nothing is counted or run again, and it is still said.
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
        self.assertEqual(self.counted("--objective", "pareto"), POINTS // 2)
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


if __name__ == "__main__":
    main()
