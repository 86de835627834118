#!/usr/bin/env python3
"""The published ladders of the 950PR beside the clock of ascend950pr: attention from the form through global
memory to the direct one, a product with GELU, a softmax in registers.

    ascend950.py MMK [--write] [TABLE ..]

--write puts the tables, all or those named, into docs/ascend950.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from counted import count, write_tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/ascend950.md"
MARK = "<!-- {}: bench/ascend950/ascend950.py --write -->"
MACHINE = "ascend950pr"
PEAK = 32 * 1650e6 * 2 * 4096  # operations a second of bf16 and f16

ATTENTION = """kernel k(q: bf16[M, D], k: bf16[N, D], v: bf16[N, D], scale: f32 = 0.08838834764831845) -> o: bf16[M, D] {
  let s[i, j] = scale * sum[d](q[i, d] * k[j, d]);
  o[i, d] = cast<bf16>(sum[j](cast<bf16>(softmax[j](s[i, j])) * v[j, d]));
}"""
PRODUCT = """kernel k(a: f16[M, K], b: f16[N, K]) -> c: f32[M, N] {
  c[i, j] = sum[k](a[i, k] * b[j, k]);
}"""
GELU = "{x} / (1 + exp(-1.595769 * ({x} + 0.044715 * {x} * {x} * {x})))"
PRODUCT_GELU = f"""kernel k(a: f16[M, K], b: f16[N, K]) -> c: f32[M, N] {{
  let x[i, j] = sum[k](a[i, k] * b[j, k]);
  c[i, j] = {GELU.format(x="x[i, j]")};
}}"""
ELEMENTWISE_GELU = f"kernel k(a: f32[M, N]) -> c: f32[M, N] {{ c[i, j] = {GELU.format(x='a[i, j]')}; }}"
SOFTMAX = "kernel k(x: f32[M, N]) -> y: f32[M, N] { y[i, j] = softmax[j](x[i, j]); }"

# One head of 128, 131072 queries and keys, bf16, 32 cores at 1650 MHz (CS, flash_attn_lite_story): what each
# version adds, the time in us, and the directives here.
LADDER = [
    ("v0", "everything through global memory", 269403,
     {"through": "global", "preload": "0", "buffers.l1": "1", "buffers.l0": "1", "buffers.acc": "1",
      "buffers.ub": "1", "buffers.out": "1"}),
    ("v1", "products from L0C to UB", 139645, {"through": "products"}),
    ("v2", "weights from UB to L1", 113837, {"through": "direct"}),
    ("v3", "two slots between cube and vector cores", 75414,
     {"preload": "1", "buffers.ub": "2", "buffers.l1.k": "2", "buffers.l1.v": "2"}),
    ("v4", "two copies in L0A, L0B and L0C", 51068, {"buffers.l0": "2", "buffers.acc": "2"}),
    ("v5", "two copies of queries", 46975, {"buffers.l1.q": "2"}),
    ("v8, functions apart", "four parts under way", 29511, {"preload": "3", "buffers.acc": "4"}),
    ("v8", "loops of the vector unit in one function", 21264, {}),
]
# Each loop of the vector unit as a function of its own, as in all versions but the last.
APART = ["vector_function.startup_cycles=0", "vector_function.drain_cycles=35"]
TILES = ["fuse=products", "tile.M=128", "tile.N=128", "tile.D=128", "stage.D=128", "skew=none", "order=rows"]


def ladder(mmk):
    length = 131072
    lines = ["| version | adds | published, us | of the cube | step | mmk, us | of the cube | step | variant |",
             "|---|---|---|---|---|---|---|---|---|"]
    operations = 4 * length * length * 128
    chosen, before = {}, None
    for name, adds, published, changes in LADDER:
        chosen |= changes
        clock, variant = count(mmk, ATTENTION, {"M": length, "N": length, "D": 128},
                               TILES + [f"{key}={word}" for key, word in chosen.items()], machine=MACHINE,
                               figures=[] if name == "v8" else APART)
        us = clock["time_us"]
        step = [f"{old / new:.2f}" for old, new in zip(before, (published, us))] if before else ["", ""]
        before = (published, us)
        lines.append(f"| {name} | {adds} | {published} | {operations / PEAK / published * 1e6:.3f} | {step[0]} | "
                     f"{us:.0f} | {operations / PEAK / us * 1e6:.3f} | {step[1]} | `{variant}` |")
    clock, variant = count(mmk, ATTENTION, {"M": length, "N": length, "D": 128}, machine=MACHINE)
    us = clock["time_us"]
    lines.append(f"|  | what mmk chooses |  |  |  | {us:.0f} | {operations / PEAK / us * 1e6:.3f} | "
                 f"{before[1] / us:.2f} | `{variant}` |")
    return "\n".join(lines)


# 8192 cubed, f16 to f32, B transposed (ADK, matmul_gelu_high_performance and gelu_high_performance).
def product(mmk):
    cube = {"M": 8192, "N": 8192, "K": 8192}
    rows = [("GELU alone", 348.868, ELEMENTWISE_GELU, {"M": 8192, "N": 8192}, []),
            ("the product alone", 2601.311, PRODUCT, cube, []),
            ("both, through global memory", 2606.91, PRODUCT_GELU, cube, ["through=global"]),
            ("both, from L0C to UB", 2573.584, PRODUCT_GELU, cube, ["through=direct"])]
    lines = ["| kernel | published, us | mmk, us | published / mmk | variant |", "|---|---|---|---|---|"]
    for name, published, text, dims, choices in rows:
        clock, variant = count(mmk, text, dims, choices, machine=MACHINE)
        us = clock["time_us"]
        lines.append(f"| {name} | {published:.1f} | {us:.1f} | {published / us:.2f} | `{variant}` |")
    return "\n".join(lines)


# 128 x 128 of f32 on one vector core, in cycles, as published for both forms.
def softmax(mmk):
    lines = ["| form | published, cycles | mmk, cycles of the vector unit | variant |", "|---|---|---|---|"]
    for form, published, machine in (("instructions on UB", 44113, "ascend910b3"), ("in registers", 1785, MACHINE)):
        clock, variant = count(mmk, SOFTMAX, {"M": 128, "N": 128}, ["cores=1"], machine=machine,
                               figures=["vector_cores_per_cube=1"])
        cycles = clock["pipes"]["vector"]["busy_us"] * clock["cycles"] / clock["time_us"]
        lines.append(f"| {form} | {published} | {cycles:.0f} | `{variant}` |")
    return "\n".join(lines)


if __name__ == "__main__":
    write_tables(PAGE, MARK, {"Attention": ladder, "Product": product, "Softmax": softmax})
