"""Cube and vector cores of a block exchange products and weights directly, or through global memory: the
results are the same, and every access is in order."""

from command import CommandTest, main, sets

MACHINE = "ascend950pr"

EPILOGUE = """kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N], x: f32[M, N]) -> c: f32[M, N] {
  c[i, j] = max(sum[k](a[i, k] * b[k, j]) + bias[j], 0) + x[i, j];
}"""
ROWS = """kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c[i, j] = softmax[j](sum[k](a[i, k] * b[k, j]));
}"""
ATTENTION = """kernel k(q: f16[M, D], k: f16[N, D], v: f16[N, E], scale: f32 = 0.125) -> o: f32[M, E] {
  let s[i, j] = scale * sum[d](q[i, d] * k[j, d]);
  o[i, e] = sum[j{where}](cast<f16>(softmax[j{where}](s[i, j])) * v[j, e]);
}"""
# Two products of the parts, and sums that stay in L0C.
GRADIENT = """kernel k(q: f16[M, D], k: f16[N, D], v: f16[N, D], g: f16[M, D], l: f32[M], delta: f32[M],
         scale: f32 = 0.125) -> dq: f32[M, D] {
  let s[i, j] = scale * sum[d](q[i, d] * k[j, d]);
  let p[i, j] = exp(s[i, j] - l[i]);
  let dp[i, j] = sum[d](g[i, d] * v[j, d]);
  let ds[i, j] = scale * p[i, j] * (dp[i, j] - delta[i]);
  dq[i, d] = sum[j](cast<f16>(ds[i, j]) * k[j, d]);
}"""


class Direct(CommandTest):
    def watched(self, text, dims, choices, exact=False):
        (self.folder / "k.mmk").write_text(text)
        words = [f"{name}={extent}" for name, extent in dims.items()]
        words += sets(choices)
        words += ["--data", "integers"] if exact else []
        with self.subTest(text=text, dims=dims, choices=choices):
            (report,) = self.report("k.mmk", *words, "--machine", MACHINE, "--watch")
            self.assertTrue(report["check"]["passed"], report["check"])
            self.assertEqual(report["watch"]["hazards"], [])
            if exact:
                self.assertEqual(report["check"]["max_abs_error"], 0)
            return report

    def test_epilogues(self):
        # One window of each tile, several, and more rows in the first core than in the second.
        for dims in ({"M": 130, "N": 70, "K": 200}, {"M": 33, "N": 500, "K": 64}, {"M": 1, "N": 1, "K": 1}):
            for choices in ([], ["tile=128x256x64", "stage=128"], ["tile=64x32x32", "stage=64", "ub=3", "acc=2"],
                            ["l1=1", "l0=1", "out=1", "ub=1"], ["store=overlapped"], ["bias=table"],
                            ["fuse=none"], ["grid.K=2"]):
                self.watched(EPILOGUE, dims, choices, exact=True)
                self.watched(EPILOGUE, dims, [*choices, "through=global"], exact=True)

    def test_rows(self):
        for choices in ([], ["through=global"], ["tile.M=32"], ["ub=1", "out=1"]):
            self.watched(ROWS, {"M": 70, "N": 200, "K": 40}, ["fuse=rows", "tile.N=208", *choices])

    def test_attention(self):
        for through in ("direct", "products", "global"):
            for preload in range(4):
                for tiles in (["tile.M=64", "tile.N=48"], ["tile.M=128", "tile.N=160", "buffers.ub=1",
                               "buffers.l1=1", "buffers.l0=1", "tile.D=64", "stage.D=64", "tile.E=32"],
                              ["tile.M=16", "tile.N=16", "buffers.acc=2"]):
                    self.watched(ATTENTION.replace("{where}", ""), {"M": 70, "N": 300, "D": 64, "E": 32},
                                 ["fuse=products", f"through={through}", f"preload={preload}", *tiles])

    def test_conditions(self):
        for through in ("direct", "global"):
            self.watched(ATTENTION.replace("{where}", " | j <= i + N - M"), {"M": 70, "N": 130, "D": 64, "E": 64},
                         ["fuse=products", f"through={through}", "tile.M=32", "tile.N=32"])

    def test_sums_in_l0c(self):
        for through in ("direct", "products", "global"):
            for preload in (1, 2):
                self.watched(GRADIENT, {"M": 70, "N": 200, "D": 64},
                             ["fuse=products", f"through={through}", f"preload={preload}", "tile.M=64", "tile.N=64"])

    def test_what_passes_global_memory(self):
        bytes_ = [self.watched(ATTENTION.replace("{where}", ""), {"M": 128, "N": 512, "D": 64, "E": 64},
                               ["fuse=products", "tile.M=64", "tile.N=64", f"through={through}"])["clock"]["global_bytes"]
                  for through in ("direct", "products", "global")]
        self.assertLess(bytes_[0], bytes_[1])
        self.assertLess(bytes_[1], bytes_[2])

    def test_refusals(self):
        (self.folder / "k.mmk").write_text(EPILOGUE)
        for machine in ("ascend310p3", "host"):
            self.mmk("run", "k.mmk", "M=16", "N=16", "K=16", "--machine", machine, "--set", "through=global", exit=2)
            self.assertIn(f"through = global is about what cube and vector cores exchange, and {machine} has one kind "
                          "of core; legal: direct", self.said)


if __name__ == "__main__":
    main()
