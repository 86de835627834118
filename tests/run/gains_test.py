"""The least gains of a schedule, as relative statements on the clock. The figures are
deterministic; the bounds leave room for a clock that is fitted better."""

from command import EXAMPLES, CommandTest, main

FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"
PLAIN = ["cores=20", "tile=128x256x64", "stage=64", "l1=1", "l0=1", "acc=1", "out=1", "ub=1",
         "store=after", "order=rows", "fuse=none"]
# The hand-written kernel's schedule, in its most favourable interpretation; docs/ablation.md.
HAND_WRITTEN = ["cores=1", "tile=256x128x64", "stage=256", "l1=2", "l0=2", "acc=1", "out=1", "ub=1",
                "store=after", "order=rows", "fuse=all"]


class Gains(CommandTest):
    def setUp(self):
        super().setUp()
        self.counted = {}

    def cycles(self, case, *words, base=()):
        """Of a case ("S1") with the choices of `base`, then those of `words`; without the fixed cost of the task."""
        choices = dict(word.split("=", 1) for word in [*base, *words])
        variant = ",".join(f"{name}={value}" for name, value in choices.items())
        if (case, variant) not in self.counted:
            chosen = ["--variant", variant] if variant else []
            (report,) = self.report(FUSED, "--case", case, "--count-only", *chosen)
            clock = report["clock"]
            self.counted[case, variant] = clock["cycles"] * (1 - clock["task_us"] / clock["time_us"])
        return self.counted[case, variant]

    def assertSaves(self, percent, after, before):
        self.assertLessEqual(after, before * (1 - percent / 100))

    def test_double_buffering(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                doubled = self.cycles(case, "l1=2", "l0=2", "out=2", "ub=2", base=PLAIN)
                self.assertSaves(15, doubled, self.cycles(case, base=PLAIN))
                self.assertSaves(20, self.cycles(case), self.cycles(case, "l1=1"))
                self.assertSaves(15, self.cycles(case), self.cycles(case, "l0=1"))

    def test_no_second_copy_costs_time(self):
        for case in ["S1", "S2"]:
            for words in [["l1=2"], ["l0=2"], ["out=2", "ub=2"]]:
                with self.subTest(case=case, words=words):
                    self.assertLess(self.cycles(case, *words, base=PLAIN),
                                    self.cycles(case, base=PLAIN))

    def test_fusion(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                self.assertSaves(2, self.cycles(case, "fuse=all", base=PLAIN),
                                 self.cycles(case, base=PLAIN))
                self.assertSaves(2, self.cycles(case), self.cycles(case, "fuse=none"))
        for case in ["S3", "S4", "ragged", "thin"]:
            with self.subTest(case=case):
                self.assertLess(self.cycles(case), self.cycles(case, "fuse=none"))

    def test_stages_larger_than_the_base_tile(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                self.assertSaves(15, self.cycles(case), self.cycles(case, "stage.K=64"))

    def test_an_overlapped_store(self):
        # Where MTE2 bounds the kernel it hides nothing; with one tile a core, half of the drain.
        for case, percent in [("S1", 0), ("S2", 0.5), ("S3", 5)]:
            with self.subTest(case=case):
                self.assertSaves(percent, self.cycles(case), self.cycles(case, "store=after"))

    def test_a_walk_in_bands(self):
        # Fewer cores read the same line at once; the loads of this shape have hardly any wait for it.
        self.assertSaves(0.3, self.cycles("S1"), self.cycles("S1", "order=rows"))

    def test_all_cores_against_one(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                self.assertSaves(90, self.cycles(case), self.cycles(case, "cores=1"))

    def test_against_the_hand_written_schedule(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                hand_written = self.cycles(case, base=HAND_WRITTEN)
                self.assertSaves(80, self.cycles(case), hand_written)
                self.assertLessEqual(self.cycles(case, "cores=1"), hand_written)

    def test_large_tiles_feed_the_cube(self):
        for case in ["S1", "S2"]:
            with self.subTest(case=case):
                self.assertSaves(30, self.cycles(case), self.cycles(case, "tile=64x64x64"))

    def test_a_slower_memory_never_helps(self):
        for path in ["hbm.bytes_per_second", "links.gm_l1.bytes_per_cycle", "l2.bytes_per_cycle"]:
            with self.subTest(path=path):
                (pair,) = self.report(FUSED, "--case", "S1", "--count-only", "--machine-set",
                                      f"{path}=*0.5")
                self.assertGreaterEqual(pair["clock"]["cycles"], self.cycles("S1"))


if __name__ == "__main__":
    main()
