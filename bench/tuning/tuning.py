#!/usr/bin/env python3
"""The gain of tuning the fused kernel's schedule, as the page docs/tune.md.

    tuning.py MMK                     prints the page
    tuning.py MMK --update [N]        writes it, with N random shapes for the quick search (50); 0: that
                                      part stays as it is, and so does what the page says of the host
    tuning.py MMK --quick N [SEED]    instead: how near a quick search comes to a full one, on N
                                      random shapes
    tuning.py MMK --host              instead: what a search brings on this computer's CPU
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNEL = "examples/matmul_bias_leakyrelu.mmk"
CASES = ["S1", "S2", "S3", "S4"]
WHOLE = ["tune", KERNEL] + [word for case in CASES for word in ("--case", case)]
# The schedule that users write by hand, in the readings of docs/ablation.md, the fastest first.
HAND_WRITTEN = ("tile=256x128x64,stage={},l1={},l0=2,acc=1,out=1,ub=1,store=after,order=rows,"
                "fuse=all")
READINGS = {"stages of K = 256, L1 doubled": (256, 2), "stages of K = 256, L1 single": (256, 1),
            "base tiles to L1, L1 doubled": (64, 2), "base tiles to L1, L1 single": (64, 1)}


def run(*words, **environment):
    return subprocess.run([sys.argv[1], *words], cwd=ROOT, check=True, capture_output=True,
                          text=True, env=os.environ | environment).stdout


def mmk(*words, **environment):
    return json.loads(run(*words, "--json", "-", **environment))


def hand_written(case, cores, reading):
    (counted,) = mmk("run", KERNEL, "--case", case, "--count-only", "--variant",
                     f"cores={cores}," + HAND_WRITTEN.format(*reading))
    return counted["clock"]["time_us"]


def saved(now, before):
    return f"{100 * (1 - now / before):.1f} %"


def table(head, rows):
    return ["| " + " | ".join(map(str, row)) + " |"
            for row in [head, ["---"] * len(head), *rows]] + [""]


def of_found(found):
    search = found[0]["search"]
    counted = search["counted"]
    return (f"{search['space']:.0f} points, of which {search['points']} satisfy the rules of the file "
            f"and have an order that fits their panels; {search['refused']} of these overflow a "
            f"memory, {search['bounded']} are excluded by a lower bound, and {counted} variants were "
            f"counted")


def timed_searches():
    """The search of the whole space, once more, and with one alternative more."""
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / KERNEL).read_text()
        wider = pathlib.Path(folder) / "wider.mmk"
        wider.write_text(text.replace("swizzle(3);", "swizzle(3) | swizzle(2);"))
        assert wider.read_text() != text
        results = []
        for file in (KERNEL, KERNEL, str(wider)):
            start = time.monotonic()
            found = mmk("tune", file, *WHOLE[2:], MMK_CACHE_DIR=f"{folder}/cache")
            results.append((found, time.monotonic() - start))
    return results


QUICK, ON_HOST = "## Quick and full", "## On the host"


def standing(heading):
    """A part of the page as it stands."""
    lines = (ROOT / "docs" / "tune.md").read_text().split("\n")
    start = lines.index(heading)
    end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("## ")), len(lines))
    return "\n".join(lines[start:end]).rstrip().split("\n")


def page(shapes):
    (found, first), (again, second), (wider, third) = timed_searches()
    one = {each["case"]: each for each in mmk(*WHOLE, "--set", "cores=1", "--no-cache")}
    fastest = next(iter(READINGS.values()))
    rows = []
    for each in found:
        best, default = each["best"], each["default"]
        assert best["check"]["passed"]
        hand = {cores: hand_written(each["case"], cores, fastest) for cores in (1, 20)}
        alone = one[each["case"]]["best"]["time_us"]
        rows.append([each["case"], f"{hand[1]:.2f}", f"{alone:.2f}", saved(alone, hand[1]),
                     f"{hand[20]:.2f}", f"{default['time_us']:.2f}", f"{best['time_us']:.2f}",
                     saved(best["time_us"], hand[20]), saved(best["time_us"], default["time_us"])])
    lines = [
        "# The gain of tuning", "",
        "Counted times, in microseconds, of the fused kernel (`examples/matmul_bias_leakyrelu.mmk`) on "
        "ascend910b3: with the",
        "schedule that users write by hand, with the default of the file, and with the variant that "
        "`mmk tune` finds. Each",
        "winner was run and compared with the reference. Made by `bench/tuning/tuning.py`.", ""]
    lines += table(["case", "by hand, 1 core", "tuned, 1 core", "saves", "by hand, 20 cores",
                    "default", "tuned", "saves, of by hand", "saves, of the default"], rows)
    lines += ["The published description of the hand-written schedule leaves several readings (see "
              "[ablation.md](ablation.md)). The",
              "table above has the fastest one. What tuning saves over each, at the same number of cores:",
              ""]
    rows = []
    for name, reading in READINGS.items():
        row = [name]
        for case in ("S1", "S2"):
            tuned = {1: one[case]["best"]["time_us"],
                     20: next(each for each in found if each["case"] == case)["best"]["time_us"]}
            row += [saved(tuned[cores], hand_written(case, cores, reading)) for cores in (1, 20)]
        rows.append(row)
    lines += table(["by hand", "S1, 1 core", "S1, 20 cores", "S2, 1 core", "S2, 20 cores"], rows)
    lines += ["## The search", "",
              "The space has " + of_found(found) + ".",
              f"It took {first:.0f} s with {os.cpu_count()} CPUs, including the checks of the four "
              "winners.", "",
              f"Repeated without a change: {again[0]['search']['counted']} counted, "
              f"{second:.1f} s. With one more alternative, `order = ... | swizzle(2)`:",
              f"{wider[0]['search']['counted']} counted, {third:.1f} s.", ""]
    lines += [f"- {each['case']}: `{each['best']['variant']}`" for each in found]
    if shapes:
        lines += ["", QUICK, "", *quick(shapes, 7, show=False)]
    else:
        lines += ["", *standing(QUICK)]
    lines += ["", *standing(ON_HOST)]
    lines.append("")
    return "\n".join(lines)


TOGETHER = 10  # shapes of one full search: a variant is compiled once for all of them


def kernel_at(shapes):
    """The kernel's text with these cases instead of its own."""
    lines = [line for line in (ROOT / KERNEL).read_text().splitlines()
             if not line.startswith("  case ")]
    cases = [f"  case R{i} {{ " + " ".join(f"{name} = {size};" for name, size in shape.items()) +
             " }" for i, shape in enumerate(shapes)]
    end = max(i for i, line in enumerate(lines) if line.startswith("  check "))
    return "\n".join(lines[:end] + cases + lines[end:]) + "\n"


def quick(count, seed, show=True):
    random.seed(seed)
    shapes = [{name: int(2 ** random.uniform(0 if name == "M" else 5, 12)) for name in "MNK"}
              for _ in range(count)]
    losses, shares, looked, known = [], [], 0, 0
    for start in range(0, count, TOGETHER):
        part = shapes[start:start + TOGETHER]
        with tempfile.NamedTemporaryFile("w", suffix=".mmk") as file:
            file.write(kernel_at(part))
            file.flush()
            search = ["--check", "none", "--no-cache"]
            full = mmk("tune", file.name, *search)
            for i, (shape, best) in enumerate(zip(part, full)):
                (fast,) = mmk("tune", file.name, "--case", f"R{i}", "--effort", "quick", *search)
                losses.append(fast["best"]["cycles"] / best["best"]["cycles"] - 1)
                looked, known = looked + fast["search"]["counted"], known + len(best["variants"])
                shares.append(fast["search"]["counted"] / len(best["variants"]))
                if show:
                    print(*(f"{name}={size}" for name, size in shape.items()),
                          f"{100 * losses[-1]:.2f} %", fast["search"]["counted"],
                          len(best["variants"]), flush=True)
    within = sum(loss <= 0.03 for loss in losses)
    return [f"On {count} random shapes, M from 1 to 4096, N and K from 32 to 4096, `--effort quick` "
            f"found a variant within 3 % of",
            f"the best of all in {within}; the worst was {100 * max(losses):.1f} % behind. It counted "
            f"{looked} variants; the full search, of",
            f"{TOGETHER} shapes at a time, has figures of {known}. At every shape it counted at most "
            f"{100 * max(shares):.0f} % of the full search's."]


HOST_SHAPES = ["2048 2048 2048", "4096 1024 4096", "1024 512 1024", "512 128 512", "64 64 64",
               "127 129 131", "16 4096 4096"]  # M, N, K


def host():
    """The default and the winner, compared in interleaved runs: a winner is faster or it is the
    default."""
    rows, product = [], 1
    for shape in HOST_SHAPES:
        dims = [f"{name}={size}" for name, size in zip("MNK", shape.split())]
        (found,) = mmk("tune", KERNEL, *dims, "--machine", "host", "--no-cache")
        best, default = found["best"], found["default"]
        assert best["check"]["passed"] and best["time_us"] <= default["time_us"]
        ratio = default["time_us"] / best["time_us"]
        product *= ratio
        rows.append([" ".join(dims), f"{default['time_us']:.1f}", f"{best['time_us']:.1f}",
                     f"{ratio:.2f}", "" if ratio == 1 else f"`{best['variant']}`"])
        print(*rows[-1], file=sys.stderr, flush=True)
    return table(["shape", "default, us", "tuned, us", "times as fast", "variant"], rows) + [
        f"In the geometric mean {product ** (1 / len(rows)):.2f} times as fast."]


def main():
    if sys.argv[2:3] == ["--host"]:
        return print("\n".join(host()))
    if sys.argv[2:3] == ["--quick"]:
        count, seed = (list(map(int, sys.argv[3:])) + [7])[:2]
        return print("\n".join(quick(count, seed)))
    text = page(int(sys.argv[3]) if sys.argv[3:] else 50)
    if sys.argv[2:3] == ["--update"]:
        (ROOT / "docs" / "tune.md").write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
