#!/usr/bin/env python3
"""What a search of the fused kernel's schedule brings, as the page docs/tune.md.

    tuning.py MMK             prints the page
    tuning.py MMK --update    writes it
    tuning.py MMK --quick N   instead: how near a quick search comes to a full one, on N random shapes
"""

import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNEL = "examples/matmul_bias_leakyrelu.mmk"
CASES = ["S1", "S2", "S3", "S4"]
# The schedule that users write by hand, on every core and on one; see docs/ablation.md.
HAND_WRITTEN = ("tile=256x128x64,stage=256,l1=2,l0=2,acc=1,out=1,ub=1,store=after,order=rows,"
                "epilogue=fused")


def mmk(*words):
    return json.loads(subprocess.run([sys.argv[1], *words, "--json", "-"], cwd=ROOT, check=True,
                                     capture_output=True, text=True).stdout)


def hand_written(case, cores):
    (run,) = mmk("run", KERNEL, "--case", case, "--count-only", "--variant",
                 f"cores={cores},{HAND_WRITTEN}")
    return run["clock"]["time_us"]


def page():
    words = [word for case in CASES for word in ("--case", case)]
    found = mmk("tune", KERNEL, *words, "--no-cache")
    lines = ["# What a search brings", "",
             "The fused kernel (`examples/matmul_bias_leakyrelu.mmk`) on ascend910b3: the times, in "
             "microseconds, that the", "clock counts for the schedule that users write by hand, for "
             "the default of the file, and for the variant that", "`mmk tune` finds. Each winner was "
             "run and compared with the reference. Made by `bench/tuning/tuning.py`.", "",
             "| case | hand-written, 1 core | hand-written, 20 cores | default | tuned | saves, of "
             "20 cores by hand | counted |", "|---|---|---|---|---|---|---|"]
    for each in found:
        best, default = each["best"], each["default"]
        assert best["check"]["passed"]
        one, all_cores = (hand_written(each["case"], cores) for cores in (1, 20))
        counted = len(each["variants"])
        lines.append(f"| {each['case']} | {one:.2f} | {all_cores:.2f} | {default['time_us']:.2f} | "
                     f"{best['time_us']:.2f} | {100 * (1 - best['time_us'] / all_cores):.1f} % | "
                     f"{counted} |")
    lines += ["", f"The space has {found[0]['search']['space']:.0f} points, legal or not.", ""]
    lines += [f"- {each['case']}: `{each['best']['variant']}`" for each in found]
    return "\n".join(lines) + "\n"


def quick(count):
    random.seed(7)
    worst = within = 0
    evaluations = []
    for _ in range(count):
        dims = [f"{name}={int(2 ** random.uniform(0 if name == 'M' else 5, 12))}" for name in "MNK"]
        (fast,), (full,) = (mmk("tune", KERNEL, *dims, "--effort", effort, "--check", "none",
                                "--no-cache") for effort in ("quick", "full"))
        loss = fast["best"]["cycles"] / full["best"]["cycles"] - 1
        looked = [each["search"]["counted"] + each["search"]["refused"] for each in (fast, full)]
        evaluations.append(looked)
        worst, within = max(worst, loss), within + (loss <= 0.03)
        print(*dims, f"{100 * loss:.2f} %", *looked, flush=True)
    totals = [sum(each) for each in zip(*evaluations)]
    print(f"{within} of {count} within 3 %, the worst {100 * worst:.2f} %; "
          f"{100 * totals[0] / totals[1]:.1f} % of the evaluations")


def main():
    if sys.argv[2:3] == ["--quick"]:
        return quick(int(sys.argv[3]))
    text = page()
    if sys.argv[2:3] == ["--update"]:
        (ROOT / "docs" / "tune.md").write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
