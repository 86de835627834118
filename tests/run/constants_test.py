"""Constant operands as a user of the command sees them: computed, reported, and bound to objects."""

import json
import re

from command import CommandTest, main

LAYER = """
kernel layer(x: bf16[M, K], w: const bf16[K, N], bias: f32[N]) -> y: f32[M, N] {
  y = relu(x @ w + bias);
  case few { M = 3; N = 130; K = 77; }
  case many { M = 50; N = 60; K = 70; }
}
"""
# Read elementwise, too.
ROWS = """
kernel rows(x: f32[K, N], w: const f32[M, K], u: const f32[K, N]) -> y: f32[M, N] {
  y = w @ (x + u);
  case only { M = 3; N = 13; K = 7; }
}
"""
# Two products and a batch of them.
TWICE = """
kernel twice(x: f16[B, M, K], w: const f16[B, K, N], v: const f16[N, P]) -> y: f32[B, M, P] {
  let h = cast<f16>(x @ w);
  y = h @ v;
  case only { B = 3; M = 5; N = 100; K = 33; P = 50; }
}
"""
TURNED = """
kernel turned(x: i8[M, K], w: const i8[N, K]) -> y: i32[M, N] {
  y = x @ transpose(w);
  case few { M = 3; N = 130; K = 77; }
  case many { M = 70; N = 60; K = 70; }
}
"""
# Weights of which several dimensions are one along K, those of groups, and on the left.
CONVOLUTION = """
kernel conv(x: bf16[B, H, W, C], w: const bf16[3, 3, C, O]) -> y: f32[B, H, W, O] {
  y[n, p, q, o] = sum[r, s, c](pad(x, 0)[n, p + r - 1, q + s - 1, c] * w[r, s, c, o]);
  case few { B = 1; H = 4; W = 5; C = 3; O = 130; }
  case many { B = 2; H = 9; W = 11; C = 20; O = 60; }
  case narrow { B = 2; H = 9; W = 11; C = 20; O = 7; }
}
"""
GROUPS = """
kernel groups(x: i8[B, L, G, C], w: const i8[G, 5, C, O]) -> y: i32[G, B, L, O] {
  y[g, n, l, o] = sum[t, c](pad(x, 0)[n, l + t - 2, g, c] * w[g, t, c, o]);
  case only { B = 2; L = 19; G = 3; C = 6; O = 40; }
}
"""
STRIDED = """
kernel strided(x: f32[B, C, H, W], w: const f32[O, C, 1, 1]) -> y: f32[B, O, P, Q] {
  dim P = (H - 1) / 2 + 1;
  dim Q = (W - 1) / 2 + 1;
  y[n, o, p, q] = sum[c, r, s](pad(x, 0)[n, c, 2*p + r, 2*q + s] * w[o, c, r, s]);
  case only { B = 2; C = 19; H = 9; W = 35; O = 20; }
}
"""
# Weights on the left: images that fill vectors badly, of one and of several passes along K, and that
# fill them.
LEFT = """
kernel left(x: TYPE[B, C, H, W], w: const TYPE[O, C, 3, 3], bias: f32[O], add: f32[B, O, P, Q])
    -> y: f32[B, O, P, Q] {
  dim P = (H - 1) / STRIDE + 1;
  dim Q = (W - 1) / STRIDE + 1;
  y[n, o, p, q] = relu(sum[c, r, s](pad(x, 0)[n, c, STRIDE*p + r - 1, STRIDE*q + s - 1] * w[o, c, r, s])
                       + bias[o] + add[n, o, p, q]);
  case ragged { B = 2; C = 5; H = 7; W = 7; O = 50; }
  case deep { B = 1; C = 130; H = 7; W = 7; O = 40; }
  case wide { B = 2; C = 3; H = 16; W = 33; O = 67; }
  case narrow { B = 2; C = 5; H = 7; W = 9; O = 9; }
}
"""
LEFT_GROUPS = """
kernel groups(x: bf16[B, G, C, L], w: const bf16[G, O, C, 3]) -> y: f32[B, G, O, L] {
  y[n, g, o, l] = exp(sum[c, t](pad(x, 0)[n, g, c, l + t - 1] * w[g, o, c, t]) * 0.01);
  case only { B = 2; L = 19; G = 3; C = 20; O = 40; }
}
"""
LEFTS = [LEFT.replace("TYPE", type).replace("STRIDE", stride)
         for type in ("f32", "bf16", "f16") for stride in "12"]
PROGRAM = """
#include "rows.h"
#include <stdio.h>
int main(void) {
  float x[6] = {1, 2, 3, 4, 5, 6}, w[2] = {10, 100}, u[6] = {0}, y[3];
  rows_arguments with = {.K = 2, .N = 3, .M = 1, .x = x, .w = w, .u = u, .y = y};
  if (rows(&with, NULL))
    return 1;
  printf("%g %g %g\\n", y[0], y[1], y[2]);
  return 0;
}
"""


class Constants(CommandTest):
    def file(self, text):
        (self.folder / "k.mmk").write_text(text)
        return "k.mmk"

    def test_are_computed_on_every_machine(self):
        for text in LAYER, ROWS, TWICE, TURNED, CONVOLUTION, GROUPS, STRIDED, LEFT_GROUPS, *LEFTS:
            for machine in "host", "ascend910b3":
                for case in self.report(self.file(text), "--machine", machine):
                    self.assertTrue(case["check"]["passed"])

    def test_report_on_the_host(self):
        few, many = self.report(self.file(LAYER), "--machine", "host")
        self.assertEqual(list(few["constants"]), ["w"])
        layout = few["constants"]["w"]["layout"]
        self.assertRegex(layout, r"^panels of 3 x \d+ columns")
        self.assertEqual(layout, many["constants"]["w"]["layout"])
        self.assertGreaterEqual(few["constants"]["w"]["packed_bytes"], 64 + 2 * 130 * 77)
        text = self.mmk("run", "k.mmk", "--machine", "host")
        self.assertIn(f"\nconstant w: {layout}, laid out before the runs\ncase", text)

    def test_dimensions_that_are_one(self):
        for text, elements in ((CONVOLUTION, 9 * 3 * 130), (GROUPS, 3 * 5 * 6 * 40),
                               (LEFTS[0], 50 * 5 * 9)):
            layout = self.report(self.file(text), "--machine", "host")[0]["constants"]["w"]
            self.assertRegex(layout["layout"], "^panels of 3 x ")
            self.assertGreaterEqual(layout["packed_bytes"], elements)

    def test_report_of_rows(self):
        rows = "\nconstant w: rows, read as they are bound\n"
        self.assertIn(rows, self.mmk("run", self.file(LAYER), "--count-only"))
        for case in self.report("k.mmk", "--count-only"):
            self.assertEqual(case["constants"], {"w": {"layout": "rows"}})
        [case] = self.report(self.file(ROWS), "--machine", "host")
        self.assertEqual(case["constants"]["u"], {"layout": "rows"})

    def test_cycles_are_those_of_plain_tensors(self):
        constant = self.report(self.file(LAYER), "--count-only")
        plain = self.report(self.file(LAYER.replace("const ", "")), "--count-only")
        self.assertEqual([case["clock"] for case in constant], [case["clock"] for case in plain])

    def test_bench(self):
        words = ("bench", self.file(LAYER), "--machine", "host", "--case", "few", "--repeat", "5",
                 "--seconds", "1", "--no-command", "--save", "saved.json")
        self.assertRegex(self.mmk(*words), r"\nconstant w: panels of ")
        [case] = json.loads((self.folder / "saved.json").read_text())
        self.assertRegex(case["constants"]["w"]["layout"], "^panels of ")

    def test_ir(self):
        text = self.mmk("compile", self.file(LAYER), "--machine", "host", "--emit=mmk")
        self.assertIn('#mmk.named<"w"["K", "N"] const>', text)
        text = self.mmk("compile", "k.mmk", "--machine", "host")
        self.assertIn('#mmk.named<"w"["K", "N"] const>', text)
        self.assertEqual(len(re.findall(r"\{packed\}", text)), 1)
        self.assertNotIn("packed", self.mmk("compile", self.file(ROWS), "--machine", "host"))

    def test_tree(self):
        text = self.mmk("compile", self.file(LAYER), "--emit=ast")
        self.assertIn("parameter w: const bf16[K, N]\n", text)

    def test_object_reads_rows(self):
        program = ROWS.replace("w: const f32[M, K], u: const", "w: const f32[M, K], u:")
        self.mmk("compile", self.file(program), "--machine", "host", "--emit=obj,header", "-o",
                 "rows.o")
        (self.folder / "main.c").write_text(PROGRAM)
        done = self.shell("cc -O1 main.c rows.o -o main && ./main")
        self.assertEqual((done.stdout, done.stderr), ("410 520 630\n", ""))
        # One that would be packed elsewhere.
        plain = LAYER.replace("bf16", "f32").replace("kernel layer", "kernel rows")
        plain = plain.replace("relu(x @ w + bias)", "x @ w + bias")
        self.mmk("compile", self.file(plain), "--machine", "host", "--emit=obj,header", "-o",
                 "rows.o")
        (self.folder / "main.c").write_text(
            PROGRAM.replace("u[6] = {0}", "bias[3] = {1, 1, 1}").replace(".u = u", ".bias = bias")
            .replace(".x = x, .w = w", ".x = w, .w = x"))
        done = self.shell("cc -O1 main.c rows.o -lm -o main && ./main")
        self.assertEqual((done.stdout, done.stderr), ("411 521 631\n", ""))


if __name__ == "__main__":
    main()
