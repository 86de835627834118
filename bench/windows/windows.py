#!/usr/bin/env python3
"""Convolutions on the clock of ascend910b2: windows that the cube core loads beside a matrix of them,
published times, one kernel beside three, and poolings.

    windows.py MMK [--write] [TABLE ..]

--write puts the tables, all or those named, into docs/convolution.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from counted import count, write_tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/convolution.md"
MARK = "<!-- {}: bench/windows/windows.py --write -->"

DIMS = """  dim P = (H + 2*padding - dilation*(R - 1) - 1) / stride + 1;
  dim Q = (W + 2*padding - dilation*(S - 1) - 1) / stride + 1;
"""
NUMBERS = "stride: int = {stride}, padding: int = {padding}, dilation: int = {dilation}"
FIRST = ("kernel k(x: {t}[B, C, H, W], w: {t}[O, C, R, S], " + NUMBERS + ") -> y: {t}[B, O, P, Q] {{\n" + DIMS +
         "  y = conv2d(x, w, stride, padding, dilation);\n}}")
LAST = ("kernel k(x: {t}[B, H, W, C], w: {t}[R, S, C, O], " + NUMBERS + ") -> y: {t}[B, P, Q, O] {{\n" + DIMS +
        "  y = conv2d_nhwc(x, w, stride, padding, dilation);\n}}")
FUSED = """kernel k(x: f16[B, H, W, C], w: f16[R, S, C, O], bias: f32[O]) -> y: f16[B, P, Q, O] {
  dim P = H + 3 - R;
  dim Q = W + 3 - S;
  y[n, p, q, o] = relu(conv2d_nhwc(x, w, 1, 1, 1)[n, p, q, o] + bias[o]);
}"""
PLAIN = FUSED.replace("relu(", "(").replace(" + bias[o]", "").replace(", bias: f32[O]", "")
PARTS = [PLAIN.replace("-> y: f16", "-> y: f32"),
         "kernel k(x: f32[B, H, W, O], bias: f32[O]) -> y: f32[B, H, W, O] { y[n, p, q, o] = x[n, p, q, o] + bias[o]; }",
         "kernel k(x: f32[B, H, W, O]) -> y: f16[B, H, W, O] { y = relu(x); }"]

# A convolution with bias and ReLU, and the largest of each 2 x 2 of its results.
POOLED_FIRST = """kernel k(x: f16[B, C, H, W], w: f16[O, C, R, S], bias: f32[O]) -> y: f16[B, O, P, Q] {
  dim P = H / 2;
  dim Q = W / 2;
  let z[n, o, h: H, v: W] = relu(sum[c, r, s](pad(x, 0)[n, c, h + r - 1, v + s - 1] * w[o, c, r, s]) + bias[o]);
  y[n, o, p, q] = max[i: 2, j: 2](z[n, o, 2*p + i, 2*q + j]);
}"""
POOLED_LAST = """kernel k(x: f16[B, H, W, C], w: f16[R, S, C, O], bias: f32[O]) -> y: f16[B, P, Q, O] {
  dim P = H / 2;
  dim Q = W / 2;
  let z[n, h: H, v: W, o] = relu(sum[r, s, c](pad(x, 0)[n, h + r - 1, v + s - 1, c] * w[r, s, c, o]) + bias[o]);
  y[n, p, q, o] = max[i: 2, j: 2](z[n, 2*p + i, 2*q + j, o]);
}"""

# Type, batch, channels, height and width, results, taps, stride, padding, dilation, and the published time
# in us of the operator on a 910B2 (cann-bench). Padding leaves the size of the image.
ROWS = [
    ("bf16", 2, 256, 128, 256, 5, 1, 2, 1, 426.35),
    ("bf16", 2, 255, 127, 255, 3, 1, 3, 3, 277.57),
    ("f16", 5, 97, 43, 97, 3, 1, 2, 2, 39.60),
    ("f32", 4, 1024, 32, 1024, 3, 1, 2, 2, 1081.96),
    ("f32", 2, 127, 127, 127, 3, 1, 2, 2, 129.28),
]
# Layers of ResNet-50, without a published time.
LAYERS = [
    ("f16", 16, 64, 56, 64, 3, 1, 1, 1),
    ("f16", 16, 128, 56, 128, 3, 2, 1, 1),
    ("f16", 16, 128, 28, 128, 3, 1, 1, 1),
    ("f16", 16, 256, 14, 256, 3, 1, 1, 1),
    ("f16", 16, 512, 7, 512, 3, 1, 1, 1),
    ("f16", 16, 3, 224, 64, 7, 2, 3, 1),
]
# Multiply-accumulates a cycle of 24 cores, by type.
PEAK = {"f16": 24 * 4096, "bf16": 24 * 4096, "f32": 24 * 1024}


def form_of(mmk, text, dims, channels):
    """The times of the matrix and of the best number of channels, in us."""
    unfolded = count(mmk, text, dims, ["window=unfolded"])[0]["time_us"]
    direct = []
    for each in channels:
        try:
            direct.append(count(mmk, text, dims, [f"window=direct({each})"])[0]["time_us"])
        except SystemExit:
            pass  # does not fit
    return unfolded, min(direct, default=float("inf"))


def line(mmk, text, row):
    element, batch, channels, size, results, taps, stride, padding, dilation = row[:9]
    text = text.format(t=element, stride=stride, padding=padding, dilation=dilation)
    out = (size + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
    dims = {"B": batch, "C": channels, "H": size, "W": size, "O": results, "R": taps, "S": taps}
    unfolded, direct = form_of(mmk, text, dims, (8, 16, 32) if element == "f32" else (16, 32, 64))
    clock, variant = count(mmk, text, dims)
    us = clock["time_us"]
    work = batch * channels * results * taps * taps * out * out
    peak = work / (us * 1e-6 * 1.8e9 * PEAK[element])
    name = f"{batch}x{channels}x{size}x{size} -> {results}, {taps}x{taps}"
    name += f" stride {stride}" * (stride > 1) + f" dilation {dilation}" * (dilation > 1)
    return name, element, unfolded, direct, us, peak, variant


def forms(mmk):
    lines = ["| channels | convolution | type | unfolded, us | direct, us | unfolded / direct | chosen, us | part of the cube's peak |",
             "|---|---|---|---|---|---|---|---|"]
    for row in [*ROWS, *LAYERS]:
        for order, text in (("first", FIRST), ("last", LAST)):
            name, element, unfolded, direct, us, peak, _ = line(mmk, text, row)
            lines.append(f"| {order} | {name} | {element} | {unfolded:.1f} | {direct:.1f} | "
                         f"{unfolded / direct:.2f} | {us:.1f} | {peak:.2f} |")
    return "\n".join(lines)


def published(mmk):
    lines = ["| convolution | type | mmk, us | published, us | published / mmk | part of the cube's peak | variant |",
             "|---|---|---|---|---|---|---|"]
    for row in ROWS:
        name, element, _, _, us, peak, variant = line(mmk, FIRST, row)
        lines.append(f"| {name} | {element} | {us:.1f} | {row[9]} | {row[9] / us:.2f} | {peak:.2f} | `{variant}` |")
    return "\n".join(lines)


def fused(mmk):
    lines = ["| layer | one kernel, us | three, us | bytes of one kernel | bytes of three | fewer bytes | convolution alone, us |",
             "|---|---|---|---|---|---|---|"]
    for batch, channels, size in ((16, 64, 56), (16, 128, 28), (16, 256, 14)):
        dims = {"B": batch, "C": channels, "H": size, "W": size, "O": channels, "R": 3, "S": 3}
        rows = {"B": batch, "O": channels, "H": size, "W": size}
        one = count(mmk, FUSED, dims)[0]
        three = [count(mmk, text, rows if number else dims)[0] for number, text in enumerate(PARTS)]
        plain = count(mmk, PLAIN, dims)[0]
        us, bytes_ = (sum(each[key] for each in three) for key in ("time_us", "global_bytes"))
        lines.append(f"| {batch}x{channels}x{size}x{size}, 3x3 | {one['time_us']:.1f} | {us:.1f} | "
                     f"{one['global_bytes'] / 1e6:.1f} MB | {bytes_ / 1e6:.1f} MB | "
                     f"{1 - one['global_bytes'] / bytes_:.0%} | {plain['time_us']:.1f} |")
    return "\n".join(lines)


def pooled(mmk):
    lines = ["| channels | layer | all at once, us | apart, us | apart / at once | bytes at once | bytes apart | chosen |",
             "|---|---|---|---|---|---|---|---|"]
    for batch, channels, size in ((4, 64, 112), (4, 128, 112), (4, 256, 56), (4, 512, 28), (1, 64, 32)):
        dims = {"B": batch, "C": channels, "H": size, "W": size, "O": channels, "R": 3, "S": 3}
        for order, text in (("first", POOLED_FIRST), ("last", POOLED_LAST)):
            at_once, apart = (count(mmk, text, dims, [f"fuse={word}"] + more)[0]
                              for word, more in (("windows", ["window=direct(64)"]), ("all", [])))
            variant = count(mmk, text, dims)[1]
            chosen = "at once" if "fuse=windows" in variant else "apart"
            lines.append(f"| {order} | {batch}x{channels}x{size}x{size}, 3x3 | {at_once['time_us']:.1f} | "
                         f"{apart['time_us']:.1f} | {apart['time_us'] / at_once['time_us']:.2f} | "
                         f"{at_once['global_bytes'] / 1e6:.1f} MB | {apart['global_bytes'] / 1e6:.1f} MB | {chosen} |")
    return "\n".join(lines)


def main():
    write_tables(PAGE, MARK, {"Published": published, "Forms": forms, "Fused": fused, "Pooled": pooled})


if __name__ == "__main__":
    main()
