"""`mmk tune --guided`: its log, and the page docs/optimization_log.md, which it writes.

`./dev goldens run/guided` rewrites the page; read it then.
"""

import json
import os
import re

from command import EXAMPLES, ROOT, CommandTest, main

PAGE = ROOT / "docs" / "optimization_log.md"
SMALL = """\
kernel small(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule { tile M = 128 | 64, N = 128, K = 64; stage K = 64 | 256; buffers l1 = 1 | 2; }
  case one { M = 512; N = 512; K = 512; }
}
"""


class Guided(CommandTest):
    def guided(self, *words, exit=0):
        (self.folder / "small.mmk").write_text(SMALL)
        text = self.mmk("tune", "small.mmk", "--guided", *words, exit=exit)
        return text, (self.folder / "optimization_log.md").read_text()

    def versions(self, log):
        """Name, change and cycles of each version in the table of a log."""
        rows = re.findall(r"^\| (v\d+|dropped) \| (?:`(.*?)`)? ?\| (\d+) \|", log, re.MULTILINE)
        return [(name, change, int(cycles)) for name, change, cycles in rows]

    def test_page(self):
        """Written from the hand-written kernel's schedule, run by run and figure by figure."""
        command = re.search(r"^mmk (tune .*)$", PAGE.read_text(), re.MULTILINE)[1]
        self.mmk(*command.split())
        log = (self.folder / "optimization_log.md").read_text()
        if os.environ.get("MMK_UPDATE"):
            PAGE.write_text(log)
        self.assertEqual(log, PAGE.read_text())

    def test_versions_are_what_they_say(self):
        text, log = self.guided("--rounds", "3")
        versions = self.versions(log)
        self.assertEqual([name for name, _, _ in versions], [f"v{i}" for i in range(4)])
        cycles = [cycles for _, _, cycles in versions]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        first, last = re.findall(r"^v\d is `(.*)`\.$", log, re.MULTILINE)
        for variant, counted in ((first, cycles[0]), (last, cycles[-1])):
            (report,) = self.report("small.mmk", "--variant", variant, "--count-only")
            self.assertEqual(report["clock"]["cycles"], counted)
        self.assertEqual(len(re.findall("^### Round", log, re.MULTILINE)), 3)
        for part in ("**Bottleneck**", "**Change**", "**Result**", "**Did not help**"):
            self.assertIn(part, log)
        self.assertIn("log: optimization_log.md\n", text)
        self.assertIn(f"one: {last}\n", text)

    def test_json(self):
        text, log = self.guided("--rounds", "3", "--json", "-")
        (one,) = json.loads(text)
        self.assertEqual((one["kernel"], one["case"], one["machine"], one["dims"]),
                         ("small", "one", "ascend910b3", {"M": 512, "K": 512, "N": 512}))
        self.assertEqual(
            [("v0", "", one["first"]["cycles"])] +
            [(f"v{i}", each["change"].removeprefix("--set ").replace(" --set ", ", "),
              each["after"]["cycles"])
             for i, each in enumerate(one["rounds"], 1)], self.versions(log))
        self.assertTrue(all(each["kept"] for each in one["rounds"]))
        self.assertEqual(one["rounds"][-1]["after"], one["last"])
        self.assertIn(one["rounds"][0]["before"]["bottlenecks"][0], log)

    def test_it_ends_where_nothing_helps(self):
        _, log = self.guided("--rounds", "50")
        self.assertIn("No change and no pair of changes saves time any more.", log)
        self.assertLess(len(self.versions(log)), 20)

    def test_what_is_fixed_stays(self):
        _, log = self.guided("--set", "buffers.l1=1", "--set", "cores=2")
        changes = " ".join(change for _, change, _ in self.versions(log))
        self.assertNotIn("buffers.l1", changes)
        self.assertNotIn("cores", changes)
        self.assertRegex(log, r"(?m)^v0 is `cores=2,.*l1=1")

    def test_it_begins_where_it_is_told(self):
        _, log = self.guided("--rounds", "1", "--variant", "tile=64x128x64,stage=64,l1=1")
        self.assertRegex(log, r"(?m)^v0 is `.*tile=64x128x64,stage=64,l1=1")

    def test_folder(self):
        (self.folder / "small.mmk").write_text(SMALL)
        self.mmk("tune", "small.mmk", "--guided", "--rounds", "1", "--report", "deep/folder")
        self.assertTrue((self.folder / "deep/folder/optimization_log.md").exists())

    def test_what_it_refuses(self):
        (self.folder / "small.mmk").write_text(SMALL)
        for words, message in (
                (["--rounds", "2"], "--rounds is of --guided, which is not given"),
                (["--guided", "--explore"],
                 "--explore is for a search; --guided makes one change at a time"),
                (["--guided", "--machine", "host"],
                 "--guided needs an emulated machine; host has no clock but the real one"),
                (["--guided", "--rounds", "0"], "--rounds")):
            self.mmk("tune", "small.mmk", *words, exit=2)
            self.assertIn(message, self.said)


if __name__ == "__main__":
    main()
