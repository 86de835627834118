"""`mmk compare`: two variants, two machines, two saved runs. `./dev goldens run/compare` writes
the whole text that it expects; read the difference then."""

import json
import os
import pathlib
import re

from command import EXAMPLES, CommandTest, main

WHOLE = pathlib.Path(__file__).resolve().parent / "compare.expected"

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"


class Compare(CommandTest):
    def compared(self, *words, exit=0):
        return json.loads(self.mmk("compare", *words, "--json", "-", exit=exit))

    def test_the_sides_are_what_run_reports(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--a", "acc=1", "--b", "l1=1,tile.M=64")
        for side, sets in [("a", []), ("b", ["--set", "l1=1", "--set", "tile.M=64"])]:
            (run,) = self.report(FUSED, "--case", "S1", "--count-only", *sets)
            for field in ["machine", "variant", "clock", "memory"]:
                self.assertEqual(pair[side][field], run[field])
        a, b = pair["a"]["clock"]["time_us"], pair["b"]["clock"]["time_us"]
        self.assertAlmostEqual(pair["gain_percent"], 100 * (a - b) / a)

    def test_every_field(self):
        pairs = self.compared(FUSED, "--b", "tile=64x128x64")
        self.assertEqual([pair["case"] for pair in pairs],
                         ["S1", "S2", "S3", "S4", "ragged", "thin"])
        for pair in pairs:
            self.assertEqual(list(pair), ["kernel", "case", "dims", "changes", "gain_percent", "a",
                                          "b", "ir", "remarks"])
            for side in ["a", "b"]:
                self.assertEqual(list(pair[side]),
                                 ["machine", "variant", "clock", "memory", "flags"])
        self.assertEqual(pairs[0]["changes"],
                         [{"name": "tile", "a": "128x256x64", "b": "64x128x64"}])

    def test_flags_are_those_of_the_ir(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--b", "l1=1")
        for side, sets in [("a", []), ("b", ["--set", "l1=1"])]:
            text = self.mmk("compile", FUSED, *sets)
            flags = pair[side]["flags"]
            self.assertEqual(flags["mte2 -> mte1"],
                             len(re.findall(r"aicore\.(?:set|wait)_flag \[mte2 -> mte1\]", text)))
            self.assertEqual(sum(flags.values()),
                             len(re.findall(r"aicore\.(?:set|wait)_(?:flag|cross)|aicore\.barrier",
                                            text)))
            self.assertEqual(flags["vector cores -> cube core"],
                             len(re.findall(r"set_cross \w+ to cube|wait_cross \w+ from vector",
                                            text)))

    def test_ir_that_differs(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--b", "l1=1")
        self.assertEqual(list(pair["ir"]), ["removed", "added"])
        (whole,) = self.compared(FUSED, "--case", "S1", "--b", "l1=1", "--ir")
        diff = whole["ir"]["diff"]
        self.assertEqual(sum(line.startswith("-") for line in diff), whole["ir"]["removed"])
        self.assertEqual(sum(line.startswith("+") for line in diff), whole["ir"]["added"])
        for sign, copies in [("-", 2), ("+", 1)]:
            self.assertTrue(any(line.startswith(sign) and f'"a" of "l1" copies {copies}' in line
                                for line in diff))
        # Without b's figures, its IR is shown completely.
        text = [line.strip() for line in self.mmk("compile", FUSED, "--set", "l1=1").splitlines()]
        for line in diff:
            if line.startswith("+"):
                self.assertIn(line[1:].strip(), text)

        excerpt = self.mmk("compare", FUSED, "--case", "S1", "--b", "l1=1")
        everything = self.mmk("compare", FUSED, "--case", "S1", "--b", "l1=1", "--ir")
        (left,) = re.findall(r"^\.\.\. (\d+) more lines with --ir$", excerpt, re.MULTILINE)
        shown = excerpt.splitlines()
        beginning = next(i for i, line in enumerate(shown) if line.startswith("ir: ")) + 1
        self.assertEqual(int(left) + len(shown) - beginning - 1, len(diff))
        self.assertEqual(everything.splitlines()[beginning:], diff)

    def test_long_lines_are_cut_to_where_they_differ(self):
        text = self.mmk("compare", FUSED, "--case", "S1", "--b", "l1=1")
        excerpt = text[text.index("\n@@ "):].splitlines()
        for line in excerpt:
            self.assertLessEqual(len(line), 100)
        self.assertTrue(any(re.match(r"-  aicore\.kernel @.* l1 = 2 : i64, ", line)
                            for line in excerpt))
        self.assertTrue(any(re.match(r"\+  aicore\.kernel @.* l1 = 1 : i64, ", line)
                            for line in excerpt))

    def test_the_text_is_the_same_every_time(self):
        words = ["compare", FUSED, "--a", "fuse=none", "--b", "fuse=all", "--ir"]
        self.assertEqual(self.mmk(*words), self.mmk(*words))

    def test_a_name_that_a_report_printed_is_a_side(self):
        (run,) = self.report(FUSED, "--case", "S4", "--count-only", "--set", "tile.N=64")
        (pair,) = self.compared(FUSED, "--case", "S4", "--b", run["variant"])
        self.assertEqual(pair["b"]["variant"], run["variant"])
        self.assertEqual(pair["changes"], [{"name": "grid.K", "a": "4", "b": "2"},
                                           {"name": "tile", "a": "128x256x64", "b": "128x64x64"}])

    def test_the_words_for_both_sides_count_for_both(self):
        (pair,) = self.compared(FUSED, "--case", "S4", "--set", "tile.M=64", "--machine",
                                "ascend910b1", "--b", "cores=1")
        for side in ["a", "b"]:
            self.assertEqual(pair[side]["machine"], "ascend910b1")
            self.assertIn("tile=64x256x64", pair[side]["variant"])
        # What stays open is chosen for each side: one core has no use for a split.
        self.assertEqual(pair["changes"], [{"name": "cores", "a": "24", "b": "1"},
                                           {"name": "grid.K", "a": "2", "b": ""}])

    def test_a_side_of_a_kernel_without_a_schedule_is_what_run_chooses(self):
        (self.folder / "open.mmk").write_text(
            "kernel f(a: f16[M, K], b: f16[K, N]) -> c: f16[M, N] {\n  c = relu(a @ b);\n"
            "  case wide { M = 64; N = 4096; K = 64; }\n"
            "  case deep { M = 64; N = 64; K = 8192; }\n}\n")
        pairs = self.compared("open.mmk", "--b", "fuse=none")
        self.assertEqual([pair["case"] for pair in pairs], ["wide", "deep"])
        for side, sets in [("a", []), ("b", ["--set", "fuse=none"])]:
            runs = self.report("open.mmk", "--count-only", *sets)
            for pair, run in zip(pairs, runs, strict=True):
                self.assertEqual(pair[side]["variant"], run["variant"])
                self.assertEqual(pair[side]["clock"], run["clock"])
        self.assertNotEqual(pairs[0]["a"]["variant"], pairs[1]["a"]["variant"])
        self.assertIn("fuse=none", pairs[0]["b"]["variant"])
        self.assertLess(pairs[0]["a"]["clock"]["cycles"], pairs[0]["b"]["clock"]["cycles"])

    def test_two_machines(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--a", "machine=ascend910b4",
                                "--b", "machine=ascend910b3")
        self.assertEqual(pair["changes"],
                         [{"name": "machine", "a": "ascend910b4", "b": "ascend910b3"}])
        self.assertGreater(pair["gain_percent"], 0)

    def test_one_figure_of_a_machine(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--b", "machine.megahertz=*0.5")
        self.assertEqual(pair["changes"],
                         [{"name": "machine.megahertz", "a": "1800", "b": "900"}])
        self.assertLess(pair["gain_percent"], 0)
        text = self.mmk("compare", FUSED, "--case", "S1", "--b", "machine.megahertz=*0.5")
        self.assertIn("\nir: the same\n", text)
        # The other side, by the options of all commands.
        (turned,) = self.compared(FUSED, "--case", "S1", "--machine-set", "megahertz=900",
                                  "--a", "machine.megahertz=1800")
        self.assertEqual(turned["a"], pair["a"])
        self.assertEqual(turned["b"], pair["b"])

    def test_a_figure_of_another_machine(self):
        (pair,) = self.compared(FUSED, "--case", "S1", "--b",
                                "machine=ascend910b1,machine.megahertz=900,cores=20")
        self.assertEqual(pair["changes"],
                         [{"name": "machine", "a": "ascend910b3", "b": "ascend910b1"},
                          {"name": "machine.megahertz", "a": "1800", "b": "900"}])

    def test_the_host_has_no_clock(self):
        (pair,) = self.compared(FUSED, "--case", "S4", "--machine", "host", "--b", "tile.M=64")
        self.assertNotIn("gain_percent", pair)
        self.assertNotIn("clock", pair["a"])
        self.assertIn("memory", pair["a"])
        self.assertEqual(len(pair["remarks"]), 1)
        text = self.mmk("compare", FUSED, "--machine", "host", "--b", "tile.M=64")
        self.assertIn("\nthe time is not known: host has no clock but the real one; two saved runs "
                      "on it can be compared\n", text)
        self.assertNotIn("cycles", text)

    def save(self, name, *words, exit=0):
        self.mmk("run", FUSED, *words, "--json", name, exit=exit)
        return json.loads((self.folder / name).read_text())

    def test_saved_runs_of_the_host(self):
        before = self.save("before.json", "--machine", "host", "--case", "S4", "--case", "thin")
        after = self.save("after.json", "--machine", "host", "--case", "thin", "--set", "tile.M=64")
        (pair,) = self.compared("--a", "before.json", "--b", "after.json")
        self.assertEqual((pair["case"], pair["dims"]), ("thin", {"M": 1, "N": 640, "K": 256}))
        self.assertEqual([change["name"] for change in pair["changes"]], ["tile"])
        a = before[1]["host"]["run_ms"]["median"]
        b = after[0]["host"]["run_ms"]["median"]
        self.assertEqual(pair["a"]["host"]["run_ms"]["median"], a)
        self.assertAlmostEqual(pair["host_gain_percent"], 100 * (a - b) / a)
        self.assertEqual(pair["remarks"],
                         ["only in a: S4: K=512 M=512 N=128",
                          "saved runs hold no IR"])

    def test_saved_runs_that_were_counted(self):
        # What the schedule leaves open is closed, as a comparison of variants chooses nothing.
        before = self.save("before.json", "--count-only", "--set", "grid.K=1")
        self.save("after.json", "--count-only", "--set", "l1=1", "--set", "grid.K=1")
        pairs = self.compared("--a", "before.json", "--b", "after.json")
        counted = self.compared(FUSED, "--b", "l1=1", "--set", "grid.K=1")
        self.assertEqual(len(pairs), len(before))
        for pair, same in zip(pairs, counted):
            for field in ["kernel", "case", "dims", "changes", "gain_percent"]:
                self.assertEqual(pair[field], same[field])
            for side in ["a", "b"]:
                for field in ["machine", "variant", "clock", "memory", "flags"]:
                    self.assertEqual(pair[side][field], same[side][field])

    def test_saved_runs_of_two_clocks(self):
        """Cycles that were counted by other rules are refused by name."""
        for name in ("before.json", "after.json"):
            self.save(name, "--count-only", "--case", "S4")
        path = self.folder / "before.json"
        saved = json.loads(path.read_text())
        for each in saved:
            del each["environment"]["clock"]
        path.write_text(json.dumps(saved))
        self.mmk("compare", "--a", "before.json", "--b", "after.json", exit=2)
        self.assertEqual(self.said, "error: before.json has cycles of version 1 of the clock, which cannot be compared "
                                    "with those of version 2 in after.json\n")

    def test_saved_runs_on_a_changed_machine(self):
        slower = ["--machine-set", "links.gm_l1.bytes_per_cycle=*0.5"]
        self.save("before.json", "--count-only", "--case", "S4")
        self.save("after.json", "--count-only", "--case", "S4", *slower)
        (pair,) = self.compared("--a", "before.json", "--b", "after.json")
        self.assertEqual(pair["changes"], [{"name": "machine.links.gm_l1.bytes_per_cycle",
                                            "a": "as described", "b": "55"}])
        (pair,) = self.compared("--a", "after.json", "--b", "after.json")
        self.assertEqual(pair["changes"], [])

    def test_a_run_of_an_older_mmk(self):
        run = self.save("before.json", "--count-only", "--case", "S4")
        del run[0]["flags"], run[0]["machine_set"]
        (self.folder / "old.json").write_text(json.dumps(run))
        (pair,) = self.compared("--a", "old.json", "--b", "before.json")
        self.assertEqual(pair["remarks"], ["only one of the runs holds its flags, and none its IR"])

    def test_another_computer_is_a_change(self):
        run = self.save("before.json", "--count-only", "--case", "S4")
        run[0]["environment"]["mmk"] = "0.0.1"
        (self.folder / "old.json").write_text(json.dumps(run))
        (pair,) = self.compared("--a", "old.json", "--b", "before.json")
        self.assertEqual([change["name"] for change in pair["changes"]], ["mmk"])
        text = self.mmk("compare", "--a", "before.json", "--b", "before.json")
        self.assertTrue(text.startswith("matmul_bias_leakyrelu on ascend910b3: nothing\n"), text)

    def test_a_wrong_result_ends_with_1(self):
        run = self.save("right.json", "--case", "thin")
        run[0]["check"]["passed"] = False
        (self.folder / "wrong.json").write_text(json.dumps(run))
        text = self.mmk("compare", "--a", "right.json", "--b", "wrong.json", exit=1)
        self.assertIn("\nthin: the result of b is wrong\n", text)

    def test_whole_text(self):
        (self.folder / "add.mmk").write_text("kernel add(x: f32[N]) -> y: f32[N] { y = x + x; }\n")
        text = self.mmk("compare", "add.mmk", "N=1000000", "--a", "ub=1,out=1", "--b",
                        "machine.megahertz=*0.5", "--ir")
        if os.environ.get("MMK_UPDATE"):
            WHOLE.write_text(text)
        self.assertEqual(text, WHOLE.read_text())


if __name__ == "__main__":
    main()
