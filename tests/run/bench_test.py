"""`mmk bench`: its measurements, messages and comparisons. Times are never compared with each other here:
where a verdict is expected, the earlier measurement is a file that is a hundred times off."""

import json
import re

from command import CommandTest, main

SMALL = ("bench", "examples/matmul.mmk", "--machine", "host", "--case", "tiny", "--threads", "1",
         "--repeat", "20", "--seconds", "2")
COUNT = ("bench", "examples/matmul_bias_leakyrelu.mmk", "--case", "S4", "--case", "thin",
         "--count-only")


class Bench(CommandTest):
    def saved(self, change=None, of=SMALL):
        """A measurement in before.json, after `change` has been made to each case of it."""
        if not (self.folder / "measured.json").exists():
            self.mmk(*of, "--save", "measured.json")
        cases = json.loads((self.folder / "measured.json").read_text())
        for case in cases:
            if change:
                change(case)
        (self.folder / "before.json").write_text(json.dumps(cases))
        return cases

    def test_report(self):
        text = self.mmk(*SMALL, "--save", "saved.json")
        number, limits = r"\d+(\.\d+)?", r"samples|seconds"
        row = rf" +\d+( +{number}){{5}}  +{number} % +\d+"
        self.assertRegex(text, re.compile(
            r"matmul on host: cores=\S+\n"
            r"case  ms of +runs +min +mean +p50 +p90 +p99  +deviation  outliers +GFLOP/s\n"
            rf"tiny  kernel {row} +{number}\n"
            rf"tiny  command{row}\n"
            r"cpu [^;]+; features [^;]*; threads 1; cpus \d+; governor [^;]+; mmk \d+\.\d+\.\d+; "
            r"build [0-9a-f]{32}; llvm 22\.\d+\.\d+; clock \d+\n"
            rf"(tiny: (kernel|command): stopped by the limit of ({limits}), with a relative standard "
            rf"deviation of {number} %\n)*\Z"))
        [case] = json.loads((self.folder / "saved.json").read_text())
        self.assertEqual(list(case), ["kernel", "case", "dims", "machine", "machine_set", "variant",
                                      "check", "kernel_ms", "command_ms", "environment"])
        self.assertTrue(case["check"]["passed"])
        for series in case["kernel_ms"], case["command_ms"]:
            samples = sorted(series["samples"])
            self.assertTrue(10 <= len(samples) <= 20)
            self.assertEqual(series["min"], samples[0])
            self.assertLessEqual(series["p50"], series["p90"])
            self.assertLessEqual(series["p90"], series["p99"])
            self.assertAlmostEqual(series["mean"] * len(samples), sum(samples))
            if series["stopped_by"] == "deviation":
                self.assertLess(series["relative_deviation"], 0.05)
        # Starting a process takes longer than a product of 16.
        self.assertGreater(case["command_ms"]["min"], 10 * case["kernel_ms"]["min"])
        self.assertGreater(case["kernel_ms"]["runs_per_sample"], 1)

    def test_limits(self):
        [case] = json.loads(self.mmk(*SMALL[:-4], "--repeat", "4", "--deviation", "0.000001",
                                     "--no-command", "--json", "-"))
        self.assertEqual(len(case["kernel_ms"]["samples"]), 4)
        self.assertEqual(case["kernel_ms"]["stopped_by"], "samples")
        [case] = json.loads(self.mmk(*SMALL[:-4], "--seconds", "0.000001", "--deviation",
                                     "0.000001", "--no-command", "--json", "-"))
        self.assertEqual(len(case["kernel_ms"]["samples"]), 10)
        self.assertEqual(case["kernel_ms"]["stopped_by"], "seconds")
        [case] = json.loads(self.mmk(*SMALL[:-4], "--deviation", "100000", "--no-command",
                                     "--json", "-"))
        self.assertEqual(case["kernel_ms"]["stopped_by"], "deviation")
        self.assertGreater(len(case["kernel_ms"]["samples"]), 10)

    def test_slower_and_faster(self):
        def scaled(factor):
            def change(case):
                for series in case["kernel_ms"], case["command_ms"]:
                    series["samples"] = [factor * sample for sample in series["samples"]]
            return change

        for factor, verdict, code in (0.01, "slower", 1), (100, "faster", 0):
            self.saved(scaled(factor))
            text = self.mmk(*SMALL, "--against", "before.json", exit=code)
            rows = text.split("against before.json:\n")[1]
            self.assertRegex(rows, re.compile(
                r"case  figure +before +now +change +p\n"
                rf"tiny  kernel ms +\S+ +\S+ +[-+][\d.]+ % +\S+  {verdict}\n"
                rf"tiny  command ms +\S+ +\S+ +[-+][\d.]+ % +\S+  {verdict}\n\Z"))
        # Below the threshold nothing is slower.
        self.saved(scaled(0.01))
        self.mmk(*SMALL, "--against", "before.json", "--threshold", "1000", exit=1)
        self.saved(scaled(0.5))
        text = self.mmk(*SMALL, "--against", "before.json", "--threshold", "1000")
        self.assertEqual(len(re.findall(r"  same\n", text)), 2)

    def test_few_samples_prove_nothing(self):
        def lonely(case):
            for series in case["kernel_ms"], case["command_ms"]:
                series["samples"] = [0.01 * series["min"]]

        self.saved(lonely)
        text = self.mmk(*SMALL, "--against", "before.json")
        self.assertEqual(len(re.findall(r"  same\n", text)), 2)

    def test_other_fingerprint(self):
        def elsewhere(case):
            case["environment"].update(cpu="Abacus", threads="7", build="0" * 32)
            del case["environment"]["governor"]

        self.saved(elsewhere)
        here = json.loads((self.folder / "measured.json").read_text())[0]["environment"]
        self.mmk(*SMALL, "--against", "before.json", exit=2)
        self.assertEqual(
            self.said,
            f"error: before.json was measured elsewhere: cpu was 'Abacus', is '{here['cpu']}'\n"
            "error: before.json was measured elsewhere: threads was '7', is '1'\n"
            "error: before.json was measured elsewhere: governor was 'not recorded', is "
            f"'{here['governor']}'; --force compares anyway\n")
        text = self.mmk(*SMALL, "--against", "before.json", "--force", "--threshold", "1000")
        self.assertTrue(text.endswith(
            f"cpu was 'Abacus', is '{here['cpu']}'\n"
            "threads was '7', is '1'\n"
            f"governor was 'not recorded', is '{here['governor']}'\n"
            f"build was '{'0' * 32}', is '{here['build']}'\n"), text)

    def test_cycles(self):
        shown = self.mmk(*COUNT, "--save", "measured.json")
        cases = self.saved()
        cycles = [case["clock"]["cycles"] for case in cases]
        microseconds = [case["clock"]["time_us"] for case in cases]
        self.assertEqual(shown.splitlines()[1:], [
            "case  cycles  time us",
            f"S4    {cycles[0]:>6}  {microseconds[0]:>7.2f}",
            f"thin  {cycles[1]:>6}  {microseconds[1]:>7.2f}"])
        width = max(len(str(each)) for each in cycles)
        self.assertEqual(self.mmk(*COUNT, "--against", "before.json"), shown + f"""
against before.json:
case  figure  before  {"now":>{width}}  change      p
S4    cycles  {cycles[0]:>6}  {cycles[0]:>{width}}  +0.0 %  exact  same
thin  cycles  {cycles[1]:>6}  {cycles[1]:>{width}}  +0.0 %  exact  same
""")

        def changed(case):
            case["clock"]["cycles"] += {"S4": -1, "thin": 1}[case["case"]]
            case["environment"]["cpu"] = "Abacus"  # counting is the same on every computer

        self.saved(changed)
        text = self.mmk(*COUNT, "--against", "before.json", exit=1)
        self.assertRegex(text, rf"S4    cycles +{cycles[0] - 1} +{cycles[0]} .*  slower\n"
                               rf"thin  cycles +{cycles[1] + 1} +{cycles[1]} .*  faster\n"
                               r"cpu was 'Abacus', is '.*'\n\Z")
        self.mmk(*COUNT[:4], "--count-only", "--against", "before.json", exit=1)
        text = self.mmk(COUNT[0], COUNT[1], "--case", "thin", "--case", "ragged", "--count-only",
                        "--against", "before.json")
        self.assertIn("\nragged: not in before.json\n", text)

    def test_other_machine(self):
        self.mmk(*COUNT, "--save", "before.json", "--machine-set", "l2.bytes=*0.5")
        self.mmk(*COUNT, "--against", "before.json", exit=2)
        self.assertEqual(self.said, "error: before.json was measured elsewhere: machine was "
                                    "'ascend910b3 with l2.bytes=*0.5', is 'ascend910b3'; --force "
                                    "compares anyway\n")
        text = self.mmk(*COUNT, "--against", "before.json", "--force")
        self.assertIn("\nmachine was 'ascend910b3 with l2.bytes=*0.5', is 'ascend910b3'\n", text)

    def test_other_clock(self):
        """Cycles that were counted by other rules are refused by name."""
        self.mmk(*COUNT, "--save", "before.json")
        path = self.folder / "before.json"
        saved = json.loads(path.read_text())
        for each in saved:
            del each["environment"]["clock"]
        path.write_text(json.dumps(saved))
        self.mmk(*COUNT, "--against", "before.json", exit=2)
        self.assertEqual(self.said, "error: before.json has cycles of version 1 of the clock, which cannot be compared "
                                    "with those of version 2; --force compares anyway\n")
        self.assertIn("\nclock was 'not recorded', is '2'\n", self.mmk(*COUNT, "--against", "before.json", "--force"))

    def test_both_times_and_cycles(self):
        text = self.mmk("bench", "examples/matmul.mmk", "--case", "tiny", "--repeat", "3",
                        "--no-command")
        self.assertRegex(text, r"case  cycles  time us\ntiny +\d+ +[\d.]+\n\ncase  ms of .*\n"
                               r"tiny  kernel .*\n")

    def test_standard_input(self):
        text = (self.folder / "examples" / "matmul.mmk").read_text()
        self.mmk("bench", "-", "--case", "tiny", exit=2, text=text)
        self.assertEqual(self.said, "error: the whole command is measured by starting it again, "
                                    "which standard input allows once; name a file, or add "
                                    "--no-command\n")
        self.mmk("bench", "-", "--case", "tiny", "--count-only", text=text)


if __name__ == "__main__":
    main()
