"""Products as Ascend C: types of operands, transposed or not, the bias table, split-K, index notation."""

from projects import ProjectTest
from command import EXAMPLES, main, pairs

SCHEDULE = "schedule { cores = 3; tile M = 32, N = 64, K = 32; stage K = 64; buffers l1 = 2, l0 = 2, acc = 2; }"

PLANE = """\
kernel product(x: f16[4, M, K], b: f16[K, N]) -> c: f32[M, N] {
  c[m, n] = sum[k](x[2, m, k] * b[k, n]);
}
"""


def product(kind, left, right, result):
    """A product of operands of this type; a shape beginning with K on the left, or ending with it on the
    right, is transposed."""
    def operand(name, shape, transposed):
        return f"transpose({name})" if transposed else name
    return f"""\
kernel product(a: {kind}[{left[0]}, {left[1]}], b: {kind}[{right[0]}, {right[1]}]) -> c: {result}[M, N] {{
  c = {operand("a", left, left == "KM")} @ {operand("b", right, right == "NK")};
  {SCHEDULE}
}}
"""


class Products(ProjectTest):
    def test_operands(self):
        """Of one and of four bytes, each transposed or not."""
        for (kind, result), left, right in pairs(
                (("f32", "f32"), ("i8", "i32"), ("f32", "f16"), ("bf16", "f32")), ("MK", "KM"), ("KN", "NK")):
            with self.subTest(kind=kind, left=left, right=right):
                shapes = {"M": 70, "K": 101, "N": 150}
                order = dict.fromkeys(left + right)
                self.check(product(kind, left, right, result), [[shapes[d] for d in order]])

    def test_parts_of_squares(self):
        """Tiles that fill no whole squares, by which operands of one and of four bytes are transposed."""
        for kind, result, left, right, sets in (
                ("i8", "i32", "MK", "KN", {"tile.N": 16}), ("i8", "i32", "MK", "KN", {"tile.N": 48, "stage.K": 128}),
                ("i8", "i32", "KM", "NK", {"tile.M": 16}), ("i8", "i32", "KM", "NK", {"tile.M": 48, "tile.K": 64}),
                ("f32", "f32", "MK", "KN", {"tile.K": 24, "stage.K": 48}), ("f32", "f32", "KM", "NK", {"tile.K": 24, "stage.K": 72}),
                ("f32", "f32", "KM", "KN", {"tile.K": 8, "stage.K": 24})):
            with self.subTest(kind=kind, left=left, right=right, sets=sets):
                order = dict.fromkeys(left + right)
                self.check(product(kind, left, right, result),
                           [[shapes[d] for d in order] for shapes in ({"M": 70, "K": 101, "N": 90},
                                                                      {"M": 33, "K": 64, "N": 49})],
                           *(word for key, value in sets.items() for word in ("--set", f"{key}={value}")), orders=("ahead",))

    def test_one_row(self):
        for kind, result in (("f32", "f32"), ("i8", "i32")):
            self.check(product(kind, "MK", "KN", result), [(1, 1, 1), (1, 70, 33)])

    def test_bias_table(self):
        for kind in ("f16", "f32"):
            self.check(f"""\
kernel product(a: {kind}[M, K], b: {kind}[K, N], bias: f32[N]) -> c: f32[M, N] {{
  c = a @ b + bias;
  schedule {{ cores = 2; tile M = 32, N = 64, K = 16; bias = table; }}
}}
""", [(50, 40, 130), (1, 1, 1)])

    def test_relu(self):
        """Applied by Fixpipe, behind a row of the bias table or without."""
        for result in ("f32", "f16", "bf16"):
            for bias, choice in ((", bias: f32[N]", "bias = table;"), ("", "")):
                self.check(f"""\
kernel product(a: bf16[M, K], b: bf16[K, N]{bias}) -> c: {result}[M, N] {{
  c = relu(a @ b{" + bias" if bias else ""});
  schedule {{ cores = 2; tile M = 32, N = 64, K = 16; {choice} }}
}}
""", [(50, 40, 130), (1, 1, 1)])

    def test_leaky_relu(self):
        """Applied on the way out of L0C, by the C interface: to the bit as mmk's emulator does it."""
        self.machine = (*self.machine, "--machine-set", "fixpipe_leaky_relu.use=on")
        for bias, choice in ((", bias: f32[N]", "bias = table; store = overlapped; buffers bt = 2;"), ("", "")):
            self.check(f"""\
kernel product(a: f16[M, K], b: f16[K, N]{bias}, alpha: f32 = 0.1) -> c: f16[M, N] {{
  c = leaky_relu(a @ b{" + bias" if bias else ""}, alpha);
  schedule {{ cores = 2; tile M = 32, N = 64, K = 16; {choice} }}
}}
""", [(50, 40, 130), (1, 1, 1)], scalars=["alpha=-0.3"])

    def test_bias_table_in_parts(self):
        self.check("""\
kernel product(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f16[M, N] {
  c = cast<f16>(a @ b + bias);
  schedule { cores = 2; tile M = 32, N = 64, K = 16; stage K = 32; bias = table; store = overlapped; buffers bt = 2; }
}
""", [(70, 100, 130), (20, 20, 20)])

    def test_parts_of_ragged_tiles(self):
        """The next tile fills its first part, with other rows, while the last part of this one is stored."""
        self.check(EXAMPLES / "matmul_bias_leakyrelu.mmk", [(70, 130, 150)], "--variant",
                   "cores=2,grid.K=4,tile=64x32x32,stage=256,l1=2,l0=2,acc=1,out=2,ub=2,keep=none,bias=vector,"
                   "skew=stages,store=overlapped,order=rows,fuse=all", scalars=["alpha=0.01"])

    def test_split(self):
        self.check(EXAMPLES / "matmul_small.mmk", [(60, 300, 130)], "--set", "grid.K=4", "--set", "tile.M=32",
                   "--set", "tile.N=64", "--set", "stage.K=128")

    def test_split_flags(self):
        self.expect_flags(EXAMPLES / "matmul_small.mmk", (40, 300, 70), "--set", "grid.K=2", "--set", "tile.M=32",
                          "--set", "tile.N=64", "--set", "stage.K=128", "--set", "cores=3", least=15)

    def test_chain(self):
        self.check("""\
kernel product(a: f16[M, K], b: f16[K, N], d: f16[N, P]) -> c: f32[M, P] {
  let e = cast<f16>(a @ b);
  c = e @ d;
}
""", [(40, 50, 70, 90)], "--set", "fuse=none")

    def test_index_notation(self):
        self.check(PLANE, [(40, 50, 33)])

    def test_batches(self):
        self.check(EXAMPLES / "batched_matmul.mmk", [(2, 3, 40, 50, 33)])


if __name__ == "__main__":
    main()
