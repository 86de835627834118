"""`mmk bench --history`: what is kept, the thresholds, verdicts, and the page of trends. Times are not judged by
themselves here: the results before them are far from any time."""

import json
import re

from command import CommandTest, main

COUNT = ("bench", "examples/matmul_bias_leakyrelu.mmk", "--case", "S4", "--count-only", "--history", "kept")
TIME = ("bench", "examples/matmul.mmk", "--machine", "host", "--case", "tiny", "--threads", "1", "--repeat", "10",
        "--seconds", "0.5", "--no-command", "--history", "kept")
SLOW = ("--set", "l1=1")


class History(CommandTest):
    def rows(self):
        return json.loads((self.folder / "kept/history.json").read_text())["rows"]

    def write(self, rows):
        (self.folder / "kept").mkdir(exist_ok=True)
        (self.folder / "kept/history.json").write_text(json.dumps({"version": 1, "rows": rows}))

    def test_cycles(self):
        self.assertRegex(self.mmk(*COUNT), r"history in kept:\ncase  figure    now  threshold  results\nS4    cycles  "
                                           r"42025          -        1  collecting\n")
        self.assertRegex(self.mmk(*COUNT), r"S4    cycles  42025      42025        2  within\n")
        self.assertRegex(self.mmk(*COUNT, *SLOW, exit=1), r"S4    cycles  43078      42025        3  slower\n")
        [row] = self.rows()
        self.assertEqual([each["slower"] for each in row["results"]], [False, False, True])
        self.assertEqual((row["kernel"], row["machine"], row["case"], row["figure"], row["computer"], row["threshold"]),
                         ("matmul_bias_leakyrelu", "ascend910b3", "S4", "cycles", "clock: 2", 42025))
        # A result beyond the threshold does not move it; an update takes it in.
        self.mmk(*COUNT, *SLOW, exit=1)
        self.mmk(*COUNT, *SLOW, "--update-thresholds")
        self.assertRegex(self.mmk(*COUNT, *SLOW), "43078      43078        6  within")
        # Fewer cycles do not tighten it.
        self.mmk(*COUNT)
        self.mmk(*COUNT, *SLOW)
        self.mmk(*COUNT, "--update-thresholds")
        self.mmk(*COUNT, *SLOW, exit=1)

    def test_cycles_of_another_clock_are_not_compared(self):
        self.mmk(*COUNT)
        rows = self.rows()
        rows[0]["computer"] = ""  # as the first version of the clock was recorded
        rows[0]["threshold"] = 1
        (self.folder / "kept/history.json").write_text(json.dumps({"version": 1, "rows": rows}))
        self.assertRegex(self.mmk(*COUNT), r"S4    cycles  42025          -        1  collecting\n")
        self.assertEqual([row["computer"] for row in self.rows()], ["", "clock: 2"])

    def test_other_machines_have_rows_of_their_own(self):
        self.mmk(*COUNT)
        self.mmk(*COUNT, "--machine-set", "links.gm_l1.bytes_per_cycle=*0.5")
        self.assertEqual([row["machine"] for row in self.rows()],
                         ["ascend910b3", "ascend910b3 with links.gm_l1.bytes_per_cycle=*0.5"])

    def time_row(self):
        self.mmk(*TIME)
        [row] = self.rows()
        return row

    def test_times(self):
        row = self.time_row()
        self.assertIn("threads: 1", row["computer"])
        self.assertNotIn("mmk", row["computer"])
        [first] = row["results"]
        self.assertRegex(first["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(first["build"], r"^mmk \d.*, build [0-9a-f]+, llvm 22")
        # The fifth result sets a threshold: the mean and three standard deviations.
        row["results"] = [dict(first, value=value) for value in (1e6, 2e6, 3e6, 4e6)]
        self.write([row])
        self.assertIn("collecting", self.mmk(*TIME))
        [kept] = self.rows()
        values = [each["value"] for each in kept["results"]]
        mean = sum(values) / 5
        deviation = (sum((value - mean) ** 2 for value in values) / 4) ** 0.5
        self.assertAlmostEqual(kept["threshold"] / (mean + 3 * deviation), 1, places=9)
        self.assertIn("within", self.mmk(*TIME))
        # Beyond it: slower, and the threshold stays.
        row["results"], row["threshold"] = [dict(first, value=1e-9)] * 5, 1.5e-9
        self.write([row])
        self.assertIn("slower", self.mmk(*TIME, exit=1))
        self.assertEqual(self.rows()[0]["threshold"], 1.5e-9)

    def test_another_computer(self):
        row = self.time_row()
        row["computer"], row["threshold"] = "cpu: another", 1e-9
        self.write([row])
        self.assertIn("collecting", self.mmk(*TIME))
        self.assertEqual(len(self.rows()), 2)

    def test_a_hundred_results(self):
        row = self.time_row()
        row["results"] = [dict(row["results"][0], value=1000.0 + i) for i in range(100)]
        self.write([row])
        self.mmk(*TIME)
        values = [each["value"] for each in self.rows()[0]["results"]]
        self.assertEqual((len(values), values[0]), (100, 1001))

    def test_page(self):
        self.mmk(*COUNT)
        self.mmk(*COUNT)
        self.mmk(*COUNT, *SLOW, exit=1)
        page = (self.folder / "kept/trend.html").read_text()
        self.assertIn("matmul_bias_leakyrelu S4 on ascend910b3: cycles", page)
        self.assertEqual(len(re.findall("<circle", page)), 3)
        self.assertEqual(len(re.findall('<circle class="slower"', page)), 1)
        self.assertIn('class="threshold"', page)
        self.assertIn("last: 43078 of 3 results; threshold: 42025", page)

    def test_messages(self):
        folder = self.folder / "kept"
        folder.mkdir()
        for text, message in (("[]", "error: kept/history.json: expected object when parsing history\n"),
                              ('{"version": 2, "rows": []}',
                               "error: kept/history.json is of version 2; this mmk reads version 1\n")):
            (folder / "history.json").write_text(text)
            self.mmk(*COUNT, exit=2)
            self.assertEqual(self.said, message)


if __name__ == "__main__":
    main()
