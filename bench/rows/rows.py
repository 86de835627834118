#!/usr/bin/env python3
"""Row kernels without a schedule on the clock of ascend910b2, beside the times of the vendor's
operators on that chip; few long rows, whole and in parts; and reductions behind a product, on its tile
and as a pass of their own.

    rows.py MMK [--write]

--write puts the tables into docs/rows.md.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from counted import END, count

PAGE = Path(__file__).resolve().parents[2] / "docs/rows.md"
BEGIN = "<!-- The table: bench/rows/rows.py --write -->"
FEW = "<!-- Few rows: bench/rows/rows.py --write -->"
BEHIND = "<!-- Behind a product: bench/rows/rows.py --write -->"
BYTES = {"f32": 4, "f16": 2, "bf16": 2}

SOFTMAX = "kernel k(x: {t}[M, N]) -> y: {t}[M, N] {{ y = softmax[N](x); }}"
RMS_NORM = """kernel k(x: {t}[M, N], w: {t}[N]) -> y: {t}[M, N] {{
  y = rms_norm[N](x, w, 0.00001);
}}"""
SWIGLU = "kernel k(g: {t}[M, N], u: {t}[M, N]) -> y: {t}[M, N] {{ y = silu(g) * u; }}"
GELU = "kernel k(x: {t}[M, N]) -> y: {t}[M, N] {{ y = gelu(x); check {{ math = fast; }} }}"
QUANTIZE = """kernel k(x: {t}[M, N]) -> q: i8[M, N], s: f32[M] {{
  let top = max(max[N](abs(x)), 0.00000001);
  q = cast<i8>(x * (127 / top));
  s = top / 127;
}}"""

# Kernel, its name, tensors of M x N elements with the bytes of the others, type, M, N, and the time
# that was published, in us: cann-bench on a 910B2, the operator alone, on the same buffers again and
# again, so that small ones are partly in L2.
ROWS = [
    (SOFTMAX, "softmax", lambda b: 2 * b, "f32", 2048, 2048, 37.98),
    (SOFTMAX, "softmax", lambda b: 2 * b, "bf16", 4096, 4096, 91.76),
    (SOFTMAX, "softmax", lambda b: 2 * b, "f16", 1023, 2047, 20.04),
    (SOFTMAX, "softmax", lambda b: 2 * b, "f16", 1009, 1021, 14.20),
    (SOFTMAX, "softmax", lambda b: 2 * b, "bf16", 3003, 1013, 30.46),
    (SOFTMAX, "softmax", lambda b: 2 * b, "bf16", 1022, 2049, 20.12),
    (SOFTMAX, "softmax", lambda b: 2 * b, "f32", 16, 16384, 8.16),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f16", 4096, 768, 21.16),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f32", 4096, 1024, 31.90),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "bf16", 4096, 2048, 64.60),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f32", 4096, 8192, 145.76),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f16", 4221, 1023, 26.58),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f32", 231, 4096, 11.10),
    (RMS_NORM, "RMS norm", lambda b: 2 * b, "f16", 1020, 4096, 24.34),
    (SWIGLU, "SwiGLU", lambda b: 3 * b, "f16", 1024, 1024, 15.44),
    (SWIGLU, "SwiGLU", lambda b: 3 * b, "f32", 2048, 2048, 35.86),
    (SWIGLU, "SwiGLU", lambda b: 3 * b, "f16", 8192, 8192, 288.77),
    (GELU, "gelu, `math = fast`", lambda b: 2 * b, "f16", 1024, 1024, 6.78),
    (GELU, "gelu, `math = fast`", lambda b: 2 * b, "f32", 2048, 2048, 17.30),
    (GELU, "gelu, `math = fast`", lambda b: 2 * b, "bf16", 4096, 4096, 62.32),
    (QUANTIZE, "quantise rows to i8", lambda b: b + 1, "f16", 1024, 1024, 11.64),
    (QUANTIZE, "quantise rows to i8", lambda b: b + 1, "f16", 8192, 8192, 175.04),
]


LINEAR = """kernel k(x: f16[M, K], w: f16[K, N], b: f32[N], g: f32[N]) -> y: f16[M, N] {
  y = cast<f16>(rms_norm[N](x @ w + b, g, 0.000001));
}"""
WEIGHTS = """kernel k(q: f16[B, M, K], k: f16[B, N, K]) -> p: f16[B, M, N] {
  p = cast<f16>(softmax[N](0.125 * (q @ transpose(k))));
}"""
LOGITS = """kernel k(x: bf16[M, K], w: bf16[K, N]) -> y: i32[M], l: f32[M] {
  let z = x @ w;
  y = argmax[N](z);
  l = logsumexp[N](z);
}"""
PRODUCTS = [
    (LINEAR, "product + bias, RMS norm", {"M": 8192, "K": 512, "N": 512}),
    (LINEAR, "product + bias, RMS norm", {"M": 4096, "K": 4096, "N": 256}),
    (LINEAR, "product + bias, RMS norm", {"M": 16384, "K": 128, "N": 128}),
    (WEIGHTS, "scaled product, softmax", {"B": 48, "M": 197, "K": 64, "N": 197}),
    (WEIGHTS, "scaled product, softmax", {"B": 32, "M": 512, "K": 64, "N": 512}),
    (LOGITS, "product, argmax and logsumexp", {"M": 8192, "K": 1024, "N": 100}),
]


TOTAL = "kernel k(x: f32[M, N]) -> s: f32 { s = sum[M, N](x); }"
COLUMNS = "kernel k(x: f32[M, N]) -> s: f32[N] { s = sum[M](x); }"
# Groups of 16 channels of 128 x 128 pixels.
GROUP_NORM = """kernel k(x: f16[B, G, C, H, W], weight: f32[G, C, 1, 1], bias: f32[G, C, 1, 1])
    -> y: f16[B, G, C, H, W] {{
  let centred = x - mean[C, H, W](x);
  y = {f}(centred / sqrt(mean[C, H, W](square(centred)) + 0.00001) * weight + bias);
}}"""
GROUPS = {"B": 4, "G": 4, "C": 16, "H": 128, "W": 128}
# With the bytes of an element of all tensors, and the dimensions that are reduced.
FEW_ROWS = [
    (TOTAL, "sum of all", {"M": 4096, "N": 4096}, 4, ["M", "N"]),
    (COLUMNS, "sums of columns", {"M": 65536, "N": 64}, 4, ["M"]),
    (SOFTMAX.format(t="f32"), "softmax", {"M": 4, "N": 1000000}, 8, ["N"]),
    (SOFTMAX.format(t="f32"), "softmax", {"M": 16, "N": 4194304}, 8, ["N"]),
    (GROUP_NORM.format(f=""), "group norm, f16", GROUPS, 4, ["C", "H", "W"]),
    (GROUP_NORM.format(f="silu"), "group norm and silu, f16", GROUPS, 4, ["C", "H", "W"]),
]


def few_rows(mmk):
    lines = ["| kernel | dimensions | `grid` = 1, us | chosen, us | times as fast | GB/s of its tensors | bound "
             "| variant |", "|---|---|---|---|---|---|---|---|"]
    for text, name, dims, bytes_of_element, reduced in FEW_ROWS:
        before = count(mmk, text, dims, [f"grid.{dim}=1" for dim in reduced])[0]["time_us"]
        clock, variant = count(mmk, text, dims)
        us = clock["time_us"]
        shape = " x ".join(str(extent) for extent in dims.values())
        lines.append(f"| {name} | {shape} | {before:.2f} | {us:.2f} | {before / us:.2f} | "
                     f"{bytes_of_element * math.prod(dims.values()) / us / 1000:.0f} | {clock['bound']} | "
                     f"`{variant}` |")
    return "\n".join(lines)


def products(mmk):
    lines = ["| kernel | dimensions | `fuse = all`, us | chosen, us | times as fast | variant |",
             "|---|---|---|---|---|---|"]
    for text, name, dims in PRODUCTS:
        before = count(mmk, text, dims, ["fuse=all"])[0]["time_us"]
        clock, variant = count(mmk, text, dims)
        shape = ", ".join(f"{dim} = {extent}" for dim, extent in dims.items())
        lines.append(f"| {name} | {shape} | {before:.2f} | {clock['time_us']:.2f} | "
                     f"{before / clock['time_us']:.2f} | `{variant}` |")
    return "\n".join(lines)


def rows(mmk):
    lines = ["| kernel | type | M x N | mmk, us | operator, us | operator / mmk | GB/s of its tensors "
             "| bound | variant |", "|---|---|---|---|---|---|---|---|---|"]
    for text, name, width, element, m, n, published in ROWS:
        clock, variant = count(mmk, text.format(t=element), {"M": m, "N": n})
        us = clock["time_us"]
        rate = width(BYTES[element]) * m * n / us / 1000
        lines.append(f"| {name} | {element} | {m} x {n} | {us:.2f} | {published:.2f} | "
                     f"{published / us:.2f} | {rate:.0f} | {clock['bound']} | `{variant}` |")
    return "\n".join(lines)


def main():
    tables = {BEGIN: rows(sys.argv[1]), FEW: few_rows(sys.argv[1]), BEHIND: products(sys.argv[1])}
    if "--write" not in sys.argv:
        return print("\n\n".join(tables.values()))
    page = PAGE.read_text()
    for begin, table in tables.items():
        start = page.index(begin) + len(begin)
        page = f"{page[:start]}\n{table}\n{page[page.index(END, start):]}"
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
