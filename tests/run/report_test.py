"""The report of `mmk run`: its fields, its exit codes, and what options change in it."""

import re

from command import EXAMPLES, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
PIPES = {"scalar", "mte1", "mte2", "mte3", "cube", "fixpipe", "vector"}


class Report(CommandTest):
    def test_every_field(self):
        (report,) = self.report(FUSED, "--case", "S4", "--repeat", 3, "--warmup", 1)
        self.assertEqual(list(report), ["kernel", "case", "dims", "machine", "variant", "chosen_for", "check",
                                        "clock", "host", "memory", "flags", "machine_set",
                                        "environment"])
        self.assertEqual(report["kernel"], "matmul_bias_leakyrelu")
        self.assertEqual(report["case"], "S4")
        self.assertEqual(report["dims"], {"M": 512, "N": 128, "K": 512})
        self.assertEqual(report["machine"], "ascend910b3")
        self.assertTrue(report["variant"].startswith("cores=20,grid.K=4,tile=128x256x64,stage=256,"))

        check = report["check"]
        self.assertEqual(set(check), {"passed", "elements", "wrong", "error_ratio",
                                      "max_abs_error", "max_rel_error", "sampled",
                                      "unexplained"})
        self.assertIs(check["passed"], True)
        self.assertEqual((check["elements"], check["wrong"]), (512 * 128, 0))

        clock = report["clock"]
        self.assertEqual(set(clock), {"cycles", "time_us", "task_us", "launch_us", "cores", "bound", "global_bytes",
                                      "bound_us", "pipes"})
        self.assertAlmostEqual(clock["time_us"], clock["cycles"] / 1800, places=3)
        self.assertIn(clock["bound"], PIPES)
        self.assertEqual(set(clock["pipes"]), PIPES)
        for pipe in clock["pipes"].values():
            self.assertEqual(set(pipe), {"busy_us", "ratio"})
            self.assertTrue(0 <= pipe["ratio"] <= 1)
        self.assertEqual(clock["bound_us"], clock["pipes"][clock["bound"]]["busy_us"])

        host = report["host"]
        self.assertEqual(set(host), {"threads", "compile_ms", "cached", "run_ms", "gflops"})
        self.assertTrue(0 < host["run_ms"]["min"] <= host["run_ms"]["median"]
                        <= host["run_ms"]["p90"])
        self.assertGreater(host["gflops"], 0)

        self.assertEqual(set(report["memory"]), {"l1", "l0a", "l0b", "l0c", "bt", "ub"})
        for memory in report["memory"].values():
            self.assertTrue(0 <= memory["used"] <= memory["capacity"])
        self.assertEqual(set(report["environment"]), {"cpu", "features", "mmk", "llvm", "clock"})

    def test_dimensions_of_zero(self):
        """No kernel is launched, on any machine; sums over nothing are right."""
        import numpy
        (self.folder / "k.mmk").write_text(
            "kernel k(x: f32[M, N], w: f16[M, K], v: f16[K, N], b: f32[N]) -> y: f32[M, N], s: f32[M], top: f32[M],\n"
            "    p: f32[P] {\n"
            "  dim P = N / 2;\n  y = softmax[N](x) + w @ v;\n  s = sum[N](x);\n  top = max[N](w @ v);\n"
            "  p[i] = b[2 * i];\n"
            "  case rows { M = 0; N = 6; K = 3; }\n  case columns { M = 2; N = 0; K = 3; }\n"
            "  case depth { M = 2; N = 6; K = 0; }\n  case one { M = 2; N = 2; K = 1; }\n}\n")
        for machine in "ascend910b3", "ascend310p3", "ascend950pr", "host":
            with self.subTest(machine):
                words = ["k.mmk", "--machine", machine]
                reports = self.report(*words, *(["--watch"] if machine != "host" else []))
                for report, elements in zip(reports, (3, 4, 19, 9)):
                    self.assertEqual((report["check"]["passed"], report["check"]["elements"]), (True, elements))
                    if machine != "host":
                        self.assertEqual(report["clock"]["cycles"] == 0, report["case"] != "one")
                        self.assertEqual(report["watch"]["hazards"], [])
        self.mmk("run", "k.mmk", "--case", "columns", "--output", "top=top.npy", "--output", "y=y.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "top.npy"), [-numpy.inf] * 2)
        self.assertEqual(numpy.load(self.folder / "y.npy").shape, (2, 0))
        numpy.save(self.folder / "x.npy", numpy.zeros((2, 0), "f"))
        self.mmk("run", "k.mmk", "--input", "x=x.npy", "K=3")
        for verb in "tune", "explain", "compare", "bench", "report":
            self.mmk(verb, "k.mmk", "--case", "columns", *(["--b", "fuse=none"] if verb == "compare" else []), exit=2)
            self.assertEqual(self.said, "error: the case 'columns': N is 0, so that no kernel is launched, and "
                                        f"mmk {verb} is about its launch; mmk run gives the results\n")
        self.mmk("compile", "k.mmk", "--case", "columns")

    def test_time_and_speed_of_the_table_are_of_one_run(self):
        for words in [["--case", "S4", "--repeat", 9], ["M=1", "N=1", "K=1", "--repeat", 9]]:
            line = self.mmk("run", FUSED, *words).splitlines()[-1]
            m, n, k = map(int, re.search(r"M=(\d+) N=(\d+) K=(\d+)", line).groups())
            operations = 2e-6 * m * n * k
            # A value rounded to these digits is within half of the last one.
            (least_ms, most_ms), (least, most) = map(self.rounded, line.split()[-2:])
            self.assertLessEqual(least_ms * least, operations)
            self.assertGreaterEqual(most_ms * most, operations)

    @staticmethod
    def rounded(text):
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        return float(text) - half, float(text) + half

    def test_the_host_has_no_clock(self):
        (report,) = self.report(FUSED, "--case", "S4", "--machine", "host")
        self.assertNotIn("clock", report)
        self.assertIn("host", report)

    def test_counting_alone(self):
        (counted,) = self.report(FUSED, "--case", "S4", "--count-only")
        self.assertNotIn("check", counted)
        self.assertNotIn("host", counted)
        (run,) = self.report(FUSED, "--case", "S4")
        self.assertEqual(counted["clock"], run["clock"])

    def test_the_clock_does_not_depend_on_the_host(self):
        (one,) = self.report(FUSED, "--case", "S4", "--threads", 1)
        (many,) = self.report(FUSED, "--case", "S4", "--threads", 7, "--seed", 3)
        self.assertEqual(one["clock"], many["clock"])
        self.assertEqual((one["host"]["threads"], many["host"]["threads"]), (1, 7))

    def test_watched(self):
        (report,) = self.report(FUSED, "--case", "S4", "--watch")
        self.assertEqual(list(report)[-5:],
                         ["watch", "memory", "flags", "machine_set", "environment"])
        watch = report["watch"]
        self.assertEqual(list(watch), ["passed", "instructions", "accesses", "flags", "hazards"])
        self.assertEqual((watch["passed"], watch["hazards"]), (True, []))
        self.assertGreater(watch["accesses"], watch["instructions"])
        # On any host.
        (again,) = self.report(FUSED, "--case", "S4", "--watch", "--threads", 1, "--repeat", 2)
        self.assertEqual(again["watch"], watch)
        (plain,) = self.report(FUSED, "--case", "S4")
        self.assertEqual(plain["clock"], report["clock"])
        self.assertNotIn("watch", plain)

    def test_no_check(self):
        (report,) = self.report(FUSED, "--case", "S4", "--no-check")
        self.assertNotIn("check", report)

    def test_code_comes_from_the_cache_the_second_time(self):
        def cached(*words):
            return self.report(FUSED, "--case", "thin", *words)[0]["host"]["cached"]

        self.assertEqual([cached(), cached(), cached("--no-cache"), cached()],
                         [False, True, False, True])
        self.assertEqual((self.folder / "cache").stat().st_mode & 0o777, 0o700)
        self.assertFalse(cached("--set", "tile.N=128"))

    def test_every_case_of_the_file_without_any_word(self):
        reports = self.report(EXAMPLES / "bias_relu.mmk")
        self.assertEqual([report["case"] for report in reports], ["one", "ragged", "layer"])
        self.assertEqual(self.report(EXAMPLES / "bias_relu.mmk", "--case", "all")[1]["dims"],
                         {"B": 2, "H": 3, "W": 17, "C": 100})

    def test_words_override_the_case(self):
        (report,) = self.report(FUSED, "--case", "thin", "M=3")
        self.assertEqual((report["case"], report["dims"]), ("thin", {"M": 3, "N": 640, "K": 256}))
        (report,) = self.report(FUSED, "M=3", "N=4", "K=5")
        self.assertEqual((report["case"], report["dims"]), ("", {"M": 3, "N": 4, "K": 5}))

    def test_a_printed_variant_is_taken_back(self):
        (first,) = self.report(FUSED, "--case", "thin", "--set", "tile.M=64", "--set", "l1=1")
        (again,) = self.report(FUSED, "--case", "thin", "--variant", first["variant"])
        self.assertEqual(first["variant"], again["variant"])
        self.assertEqual(first["clock"], again["clock"])
        (by_set,) = self.report(FUSED, "--case", "thin", "--set", first["variant"])
        self.assertEqual(first["variant"], by_set["variant"])

    def test_a_what_if_on_the_machine(self):
        (as_is,) = self.report(FUSED, "--case", "S4", "--count-only")
        (slower,) = self.report(FUSED, "--case", "S4", "--count-only", "--machine-set",
                                "links.gm_l1.bytes_per_cycle=*0.1")
        self.assertGreater(slower["clock"]["cycles"], as_is["clock"]["cycles"])

    def test_a_machine_of_ones_own(self):
        (self.folder / "mine.json").write_text(
            '{"extends": "ascend910b3", "sources": {"mine": "for a test"},\n'
            ' "description": "two cores", "cube_cores": {"value": 2, "source": "mine"}}\n')
        (report,) = self.report(FUSED, "--case", "S4", "--machine", "mine.json")
        self.assertEqual((report["machine"], report["clock"]["cores"]), ("mine", 2))

    def test_several_kernels(self):
        program = self.folder / "two.mmk"
        program.write_text(
            "kernel twice(x: f32[N]) -> y: f32[N] { y = x + x; case a { N = 8; } }\n"
            "kernel pair(x: f32[N, 4], by: f32) -> y: f32[N, 4], z: f16[N, 4] {\n"
            "  y = x * by;\n  z = -x;\n}\n")
        (report,) = self.report(program, "--kernel", "twice")
        self.assertEqual((report["kernel"], report["check"]["elements"]), ("twice", 8))
        (report,) = self.report(program, "--kernel", "pair", "N=5", "by=3")
        self.assertEqual((report["kernel"], report["check"]["elements"]), ("pair", 40))
        text = self.mmk("check", program)
        self.assertTrue(text.startswith("ok: 2 kernels, 1 case; on ascend910b3:\n"), text)

    def test_a_report_in_a_file_beside_the_table(self):
        text = self.mmk("run", FUSED, "--case", "thin", "--json", "report.json")
        self.assertIn("thin", text)
        self.assertTrue((self.folder / "report.json").read_text().startswith("[\n"))
        self.assertEqual(list(self.folder.glob("report.json.*")), [])

    def test_special_values(self):
        for report in self.report(EXAMPLES / "bias_relu.mmk", "--data", "special"):
            self.assertTrue(report["check"]["passed"], report)


    def test_timing(self):
        words = ("examples/matmul.mmk", "--case", "tiny", "--case", "ragged", "--timing", "--no-cache")
        text = self.mmk("run", *words).split("\n\n")[1]
        self.assertRegex(text, r"\A +ms +%\n +[\d.]+  100\.0  total\n")
        tiny, ragged = self.report(*words)
        names = [part["name"] for part in tiny["timing"]["parts"]]
        self.assertEqual(names, ["load the machine", "parse", "check", "choose the variant", "build the IR", "passes",
                                 "emit LLVM IR", "optimise", "generate machine code", "link",
                                 "case tiny"])
        self.assertEqual([part["name"] for part in ragged["timing"]["parts"]],
                         names[:-1] + ["case ragged"])
        parts = {part["name"]: part for part in tiny["timing"]["parts"]}
        self.assertIn("aicore-insert-sync", [part["name"] for part in parts["passes"]["parts"]])
        self.assertTrue(parts["optimise"]["parts"])
        self.assertTrue(parts["generate machine code"]["parts"])
        self.assertEqual([part["name"] for part in parts["case tiny"]["parts"]],
                         ["data", "run", "check against the reference", "count"])

        def check(part):
            """The parts of a part are not longer than it."""
            inner = sum(each["ms"] for each in part.get("parts", []))
            self.assertLessEqual(inner, 1.001 * part["ms"] + 0.05, part["name"])
            for each in part.get("parts", []):
                self.assertGreaterEqual(each["count"], 1)
                check(each)

        check(parts["passes"])
        check(parts["optimise"])
        check(parts["case tiny"])
        self.assertNotIn("timing", self.report(*words[:3], "--count-only")[0])

    # Counting a variant of 65536 tiles takes longer than choosing may.
    def test_a_shape_too_large_to_count_its_variants(self):
        source = "kernel outer(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }"
        out = self.mmk("run", "-", "M=65536", "N=65536", "K=1", "--count-only", "--no-cache",
                       text=source)
        self.assertRegex(out, r"the best of \d+ by a closed form, each too large to be counted\n")


if __name__ == "__main__":
    main()
