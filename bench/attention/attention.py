#!/usr/bin/env python3
"""Attention on the clock of ascend910b2: from passes over global memory to one loop, step by step, and
beside published times.

    attention.py MMK [--write] [TABLE ..]

--write puts the tables, all or those named, into docs/attention.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from counted import count, write_tables

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/attention.md"
MARK = "<!-- {}: bench/attention/attention.py --write -->"

ATTENTION = """kernel k(q: {t}[B, H, M, D], k: {t}[B, G, N, D], v: {t}[B, G, N, D], group: int = {group},
         scale: f32 = 0.08838834764831845) -> o: {t}[B, H, M, D] {{
  require H == G * group;
  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h / group, j, d]);
  o[b, h, i, d] = sum[j{cond}](cast<{t}>(softmax[j{cond}](s[b, h, i, j])) * v[b, h / group, j, d]);
}}"""
CAUSAL = " | j <= i + N - M"

# The steps at 8192 queries and keys, one head of 128: what is set, and what it changes.
TILES = ["tile.M=128", "tile.D=128", "stage.D=128"]
FUSED = ["fuse=products", *TILES]
STEPS = [
    ("each operation a pass over global memory", ["fuse=none"]),
    ("elementwise work in the passes of products and reductions", ["fuse=all"]),
    ("one loop, without parts ahead of each other's results", [*FUSED, "tile.N=128", "preload=1", "buffers.ub=1", "buffers.out=1", "buffers.l1=1"]),
    ("two copies of buffers", [*FUSED, "tile.N=128", "preload=1"]),
    ("parts of 256 columns", [*FUSED, "tile.N=256", "preload=1", "buffers.acc=2"]),
    ("two parts ahead", [*FUSED, "tile.N=256", "preload=2", "buffers.acc=2"]),
    ("what mmk chooses", []),
]

# Queries and keys of one head of 128, f16, and the times of pto-isa's kernel and of torch_npu's on a
# 910B2, in us.
PUBLISHED = [
    (1024, 20.96, 58.46),
    (2048, 32.46, 70.80),
    (8192, 292.6, 353.2),
    (32768, 3262.7, 3646.2),
]

# Type, batch, heads, heads of keys, queries, keys, condition, published time in us (cann-bench, 910B2).
ROWS = [
    ("f16", 4, 32, 32, 1024, 1024, CAUSAL, "causal, 32 heads", 432.83),
    ("bf16", 4, 64, 8, 512, 512, "", "grouped, 64 heads on 8", 257.79),
    ("bf16", 4, 128, 8, 512, 512, "", "grouped, 128 heads on 8", 685.3),
    ("f16", 60, 32, 32, 1, 512, "", "decode, 32 heads", 494.09),
]


# Heads, length, and the part of the names of kernels that says the condition.
GRADIENTS = [(1, 2048, ""), (1, 8192, ""), (8, 2048, ""), (8, 8192, ""), (8, 8192, "_causal")]


def dims_of(batch, heads, groups, queries, keys):
    return {"B": batch, "H": heads, "G": groups, "M": queries, "N": keys, "D": 128}


def steps(mmk):
    text = ATTENTION.format(t="f16", group=1, cond="")
    lines = ["| step | time, us | cycles | bytes of global memory | variant |", "|---|---|---|---|---|"]
    for name, choices in STEPS:
        clock, variant = count(mmk, text, dims_of(1, 1, 1, 8192, 8192), choices)
        lines.append(f"| {name} | {clock['time_us']:.1f} | {clock['cycles']} | "
                     f"{clock['global_bytes'] / 1e6:.1f} MB | `{variant}` |")
    return "\n".join(lines)


def published(mmk):
    text = ATTENTION.format(t="f16", group=1, cond="")
    lines = ["| queries and keys | mmk, us | mmk, as hand-written, us | hand-written, us | torch_npu, us | "
             "hand-written / mmk as hand-written | torch_npu / mmk | part of the cube's peak | variant |",
             "|---|---|---|---|---|---|---|---|---|"]
    for length, hand, library in PUBLISHED:
        dims = dims_of(1, 1, 1, length, length)
        clock, variant = count(mmk, text, dims)
        us = clock["time_us"]
        own = count(mmk, text, dims, figures=["mixed_task.as=hand_written"])[0]["time_us"]
        peak = 4 * length * length * 128 / (us * 1e-6) / (24 * 1.8e9 * 2 * 4096)
        lines.append(f"| {length} | {us:.1f} | {own:.1f} | {hand} | {library} | {hand / own:.2f} | "
                     f"{library / us:.2f} | {peak:.2f} | `{variant}` |")
    return "\n".join(lines)


def rows(mmk):
    lines = ["| form | type | batch | queries x keys | mmk, us | operator, us | operator / mmk | bytes of global memory |",
             "|---|---|---|---|---|---|---|---|"]
    for element, batch, heads, groups, queries, keys, cond, name, operator in ROWS:
        text = ATTENTION.format(t=element, group=heads // groups, cond=cond)
        clock, _ = count(mmk, text, dims_of(batch, heads, groups, queries, keys))
        us = clock["time_us"]
        lines.append(f"| {name} | {element} | {batch} | {queries} x {keys} | {us:.1f} | {operator} | "
                     f"{operator / us:.2f} | {clock['global_bytes'] / 1e6:.1f} MB |")
    return "\n".join(lines)


def conditions(mmk):
    lines = ["| queries and keys | full, us | causal, us | causal / full |", "|---|---|---|---|"]
    for length in (2048, 8192):
        us = [count(mmk, ATTENTION.format(t="f16", group=1, cond=cond),
                    dims_of(1, 8, 8, length, length))[0]["time_us"] for cond in ("", CAUSAL)]
        lines.append(f"| {length} | {us[0]:.1f} | {us[1]:.1f} | {us[1] / us[0]:.2f} |")
    return "\n".join(lines)


def gradients(mmk):
    text = (ROOT / "examples/attention/attention_backward.mmk").read_text()
    lines = ["| heads | queries and keys | form | attention, us | delta, us | dq, us | dk and dv, us | gradients / attention | variants of dq, and of dk and dv |",
             "|---|---|---|---|---|---|---|---|---|"]
    for heads, length, suffix in GRADIENTS:
        rows_ = {"B": 1, "H": heads, "M": length, "D": 128}
        condition = CAUSAL if suffix else ""
        us = [count(mmk, ATTENTION.format(t="f16", group=1, cond=condition),
                    dims_of(1, heads, heads, length, length))[0]["time_us"],
              count(mmk, text, rows_, kernel="delta")[0]["time_us"]]
        variants = []
        for kernel in ("dq", "dkv"):
            clock, variant = count(mmk, text, {**rows_, "N": length}, kernel=kernel + suffix)
            us.append(clock["time_us"])
            variants.append(f"`{variant}`")
        lines.append(f"| {heads} | {length} | {'causal' if suffix else 'full'} | " +
                     " | ".join(f"{each:.1f}" for each in us) +
                     f" | {sum(us[1:]) / us[0]:.2f} | {', '.join(variants)} |")
    return "\n".join(lines)


def passes_of_gradients(mmk):
    text = (ROOT / "examples/attention/attention_backward.mmk").read_text()
    dims = {"B": 1, "H": 1, "M": 8192, "N": 8192, "D": 128}
    lines = ["| kernel | passes, us | one loop, us | passes / one loop | bytes of passes | bytes of one loop |",
             "|---|---|---|---|---|---|"]
    for kernel, name in (("dq", "dq"), ("dkv", "dk and dv")):
        (passes, _), (loop, _) = (count(mmk, text, dims, [f"fuse={fuse}"], kernel)
                                  for fuse in ("all", "products"))
        lines.append(f"| {name} | {passes['time_us']:.1f} | {loop['time_us']:.1f} | "
                     f"{passes['time_us'] / loop['time_us']:.2f} | {passes['global_bytes'] / 1e6:.1f} MB | "
                     f"{loop['global_bytes'] / 1e6:.1f} MB |")
    return "\n".join(lines)


def decode(mmk):
    lines = ["| heads | keys | keys whole, us | keys divided, us | whole / divided | keys and values, GB/s | of 1.5 TB/s | variant |",
             "|---|---|---|---|---|---|---|---|"]
    for heads, groups, form in ((8, 8, "8 on 8"), (8, 2, "8 on 2")):
        text = ATTENTION.format(t="f16", group=heads // groups, cond="")
        for keys in (8192, 32768, 131072):
            dims = dims_of(1, heads, groups, 1, keys)
            whole = count(mmk, text, dims, ["grid.N=1"])[0]["time_us"]
            clock, variant = count(mmk, text, dims)
            us = clock["time_us"]
            rate = 2 * groups * keys * 128 * 2 / us / 1e3
            lines.append(f"| {form} | {keys} | {whole:.1f} | {us:.1f} | {whole / us:.2f} | {rate:.0f} | "
                         f"{rate / 1500:.2f} | `{variant}` |")
    return "\n".join(lines)


def main():
    tables = {"Steps": steps, "Published": published, "Forms": rows, "Causal": conditions,
              "Decode": decode, "Gradients": gradients, "Passes": passes_of_gradients}
    write_tables(PAGE, MARK, tables)


if __name__ == "__main__":
    main()
