"""`mmk explain`: its figures, and one whole report as it is printed.

`./dev goldens run/explain` rewrites explain_test.txt; read the difference. It changes with every
figure of the machine and every refinement of the clock.
"""

import os
import pathlib
import re

import json

from command import EXAMPLES, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
PAGE = pathlib.Path(__file__).with_name("explain_test.txt")
KERNEL = """\
kernel small(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile    M = 64 | 128, N = 64, K = 64;
    stage   K = 128;
    buffers l1 = 1 | 2;
  }
  case one { M = 256; N = 256; K = 512; }
}
"""


class Explain(CommandTest):
    def explain(self, *words):
        """The only case's explanation."""
        (explanation,) = json.loads(self.mmk("explain", *words, "--json", "-"))
        return explanation

    def test_the_whole_report(self):
        (self.folder / "small.mmk").write_text(KERNEL)
        text = self.mmk("explain", "small.mmk")
        if os.environ.get("MMK_UPDATE"):
            PAGE.write_text(text)
        self.assertEqual(text, PAGE.read_text())

    def test_roofline(self):
        explanation = self.explain(FUSED, "--case", "S1")
        roof, clock = explanation["roofline"], explanation["clock"]
        n = 2048
        self.assertEqual(roof["operations"], 2 * n**3)
        # The result, 4 * n * n, stays in L2.
        self.assertEqual(roof["tensor_bytes"], 2 * n * n * 2 + 4 * n)
        self.assertEqual(roof["peak_operations_per_second"], 2 * 4096 * 20 * 1800e6)
        self.assertAlmostEqual(roof["intensity"], roof["operations"] / roof["tensor_bytes"])
        self.assertAlmostEqual(roof["compute_us"], 1e6 * 2 * n**3 / (2 * 4096 * 20 * 1800e6))
        self.assertAlmostEqual(roof["memory_us"],
                               1e6 * roof["tensor_bytes"] / roof["memory_bytes_per_second"])
        self.assertEqual(roof["bound"], "compute")
        self.assertGreater(roof["intensity"], roof["ridge"])
        self.assertAlmostEqual(roof["reached"], roof["compute_us"] / clock["time_us"])
        # Of its tiles, a core loads at least one whole row of A and one whole column of B.
        self.assertGreaterEqual(roof["port"]["bytes"], (128 + 256) * n * 2)
        self.assertLess(roof["port"]["us"], clock["time_us"])

    def test_an_elementwise_kernel_is_bound_by_memory(self):
        explanation = self.explain(EXAMPLES / "bias_relu.mmk", "--case", "layer")
        roof = explanation["roofline"]
        self.assertEqual(roof["bound"], "memory")
        self.assertEqual(roof["port"]["core"], "vector")
        self.assertTrue(0.3 < roof["reached"] <= 1, roof)
        self.assertEqual({pipe["core"] for pipe in explanation["critical_path"]["pipes"]},
                         {"vector"})

    def test_a_change_is_counted_as_the_command_line_would(self):
        words = (FUSED, "--case", "S4")
        explanation = self.explain(*words)
        now = explanation["clock"]["cycles"]
        real = [change for change in explanation["changes"] if change["exists"]]
        self.assertEqual([change["cycles"] for change in real],
                         sorted(change["cycles"] for change in real))
        tried = real[:3] + real[-3:] + [explanation.get("together", real[0])]
        for change in tried:
            self.assertAlmostEqual(change["gain"], (now - change["cycles"]) / now)
            # Beside the variant: a change alone would let mmk choose the rest anew.
            options = self.shell(f"mmk run {FUSED} --case S4 --count-only --json - "
                                 f"--variant '{explanation['variant']}' " + change["options"])
            (run,) = json.loads(options.stdout)
            self.assertEqual(run["clock"]["cycles"], change["cycles"], change)
        for change in explanation["changes"]:
            if not change["exists"]:
                options = self.shell(f"mmk check {FUSED} --variant '{explanation['variant']}' "
                                     f"{change['options']}")
                self.assertEqual(options.returncode, 2, change)
                self.assertIn("error: " + change["reason"], options.stderr)

    def test_every_kind_of_change_is_tried(self):
        keys = {key for change in self.explain(FUSED, "--case", "S4")["changes"]
                for key in change["set"]}
        self.assertLessEqual({"buffers.l1", "buffers.l0", "buffers.acc", "buffers.out", "tile.M",
                              "tile.N", "tile.K", "stage.K", "order", "cores", "grid.M", "grid.N",
                              "grid.K", "fuse", "store"}, keys)

    def test_a_single_buffer_is_found_out(self):
        explanation = self.explain(FUSED, "--case", "S1", "--set", "l1=1")
        change = next(change for change in explanation["changes"]
                      if change["set"] == {"buffers.l1": "2"})
        self.assertGreater(change["gain"], 0.2)
        wait = next(wait for wait in explanation["waits"]
                    if (wait["core"], wait["pipe"], wait["for"]) == ("cube", "mte2", "freed"))
        self.assertEqual(wait["by"], "mte1")
        self.assertEqual(wait["buffers"], [{"name": "a", "memory": "L1"},
                                           {"name": "b", "memory": "L1"}])
        self.assertEqual(wait["longest"]["slot"], 0)
        self.assertGreater(wait["cycles"], explanation["clock"]["cycles"] // 10)

    def test_every_machine_and_form(self):
        for machine in ("ascend910b1", "ascend310p3"):
            for words in ((), ("--set", "fuse=none"), ("--set", "order=swizzle(4)"),
                          ("--set", "store=overlapped"), ("--set", "grid.K=2"), ("--set", "l1=1")):
                explanation = self.explain(FUSED, "M=300", "N=500", "K=700", "--machine", machine,
                                           *words)
                # From the first instruction to the last; the fixed cost of the task is beside it.
                task = round(explanation["clock"]["task_us"] * explanation["clock"]["cycles"]
                             / explanation["clock"]["time_us"])
                self.assertEqual(explanation["critical_path"]["cycles"] + task,
                                 explanation["clock"]["cycles"])
                for wait in explanation["waits"]:
                    self.assertTrue(wait["buffers"], wait)

    def test_synchronisation(self):
        sync = self.explain(FUSED, "--case", "S1")["synchronisation"]
        (report,) = self.report(FUSED, "--case", "S1", "--count-only")
        self.assertEqual({flag["name"]: flag["placed"] for flag in sync["flags"]}, report["flags"])
        self.assertEqual(sync["instructions"], sum(report["flags"].values()))
        for flag in sync["flags"]:
            self.assertEqual(flag["events_available"], 16 if "core" in flag["name"] else 6, flag)
            self.assertIn(flag["events"], range(1, flag["events_available"] + 1), flag)
        # Two copies in L1 take an event each.
        (way,) = [flag for flag in sync["flags"] if flag["name"] == "mte2 -> mte1"]
        self.assertEqual(way["events"], 2)
        # No flag of aicore-insert-sync is redundant; each takes a cycle of its pipe.
        self.assertEqual(sync["needless"], [])
        path = sync["critical_path"]
        self.assertGreater(path["count"], 0)
        self.assertEqual(path["cycles"], path["count"])
        self.assertLess(path["cycles"], report["clock"]["cycles"] // 100)
        text = self.mmk("explain", FUSED, "--case", "S1")
        self.assertIn(f"\nsynchronisation: {sync['instructions']} flags and barriers, none of them "
                      f"needless; they take {path['cycles']} cycles of the critical path", text)
        self.assertRegex(text, rf"\n  mte2 -> mte1 +{way['placed']} +2 of 6\n")

    def test_a_coupled_chip_has_one_kind_of_core(self):
        words = (FUSED, "--case", "S4", "--machine", "ascend310p3")
        explanation = self.explain(*words)
        cores = {part["core"] for part in explanation["critical_path"]["pipes"]
                 + explanation["critical_path"]["parts"] + explanation["waits"]}
        self.assertEqual(cores | {explanation["roofline"]["port"]["core"]}, {"AI"})
        text = self.mmk("explain", *words)
        self.assertIn(" of the AI core: ", text)
        self.assertNotIn("cube core", text)

    def test_dimensions_stand_as_tiles_do(self):
        self.assertEqual(list(self.explain(FUSED, "--case", "S4")["dims"]), ["M", "N", "K"])
        self.assertIn("\nM=512 N=128 K=512: ", self.mmk("explain", FUSED, "--case", "S4"))

    def test_several_cases(self):
        text = self.mmk("explain", EXAMPLES / "bias_relu.mmk")
        self.assertEqual(re.findall(r"^bias_relu (\w+) on", text, re.MULTILINE),
                         ["one", "ragged", "layer"])
        self.assertNotIn("\033", text)
        self.assertEqual(self.said, "")


if __name__ == "__main__":
    main()
