"""What a change does to the cycles of the examples: tests/cycles/expected/ as it is beside the last commit.

  change.py [COMMIT]    the summary: the geometric mean, the best and the worst, by kind of kernel
"""

import math
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KINDS = ("products", "rows", "elementwise", "attention", "convolution")


def kind_of(kernel):
    for folder in ("attention", "convolution"):
        for file in (ROOT / "examples" / folder).glob("*.mmk"):
            if re.search(rf"^kernel {kernel}\b", file.read_text(), re.M):
                return folder
    text = re.sub(r"//.*", "", (ROOT / "examples" / f"{kernel}.mmk").read_text())
    if re.search(r"@|sum\[[^]]*\]\([^;]*\*", text):
        return "products"
    return "rows" if re.search(r"softmax|norm|(sum|mean|max|min|prod|argmax|logsumexp|cumsum)\[", text) else "elementwise"


def cycles_of(text):
    return {found[1]: int(found[2]) for found in re.finditer(r"^(.*): (\d+) cycles", text, re.M)}


def main():
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    ratios = {}  # by kind: the ratio of a line, and its name
    gone = new = 0
    for path in sorted((HERE / "expected").glob("*.txt")):
        before = subprocess.run(["git", "show", f"{commit}:./{path.name}"], cwd=path.parent, capture_output=True, text=True)
        old, now = cycles_of(before.stdout if before.returncode == 0 else ""), cycles_of(path.read_text())
        gone, new = gone + len(old.keys() - now.keys()), new + len(now.keys() - old.keys())
        ratios.setdefault(kind_of(path.stem), []).extend(
            (now[line] / old[line], f"{path.stem} {line}") for line in now if line in old)
    changed = sum(ratio != 1 for all_ in ratios.values() for ratio, _ in all_)
    if not changed and not gone and not new:
        return
    print(f"cycles beside {commit}: {changed} lines changed, {new} new, {gone} gone")
    print(f"{'kind':<12} {'lines':>6} {'changed':>8} {'mean':>7}  best and worst")
    for kind in KINDS:
        if kind in ratios and (all_ := ratios[kind]):
            mean = math.exp(sum(math.log(ratio) for ratio, _ in all_) / len(all_))
            (best, where), (worst, elsewhere) = min(all_), max(all_)
            moved = sum(ratio != 1 for ratio, _ in all_)
            print(f"{kind:<12} {len(all_):6} {moved:8} {mean:7.3f}" +
                  (f"  {best:.3f} {where}; {worst:.3f} {elsewhere}" if moved else ""))


main()
