"""Cycles of every case of every example on every emulated machine, for the default variant and on some
machines for others: a table to compare with what it was (expected.txt). A difference is a change of the
clock, of a pass or of an example, and has to be explained.

  cycles.py MMK    compare; print the lines that differ. With MMK_UPDATE in the environment it
                   rewrites expected.txt.
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
# Each covers a part of the lowering that defaults do not. For a kernel without such a choice, or a
# machine on which it is not legal, the table holds the message.
VARIANTS = ["", "fuse=none", "store=after", "store=overlapped", "skew=stages", "bias=table",
            "buffers.l1=1", "buffers.l0=1,buffers.out=1", "cores=3", "order=columns", "grid.K=2",
            "grid.M=2,grid.N=2", "tile.M=64", "keep=A(2048),order=rows",
            "keep=B(2048),order=columns"]
# One of each kind of chip; the others differ from these in figures only, and count the default variant.
WHOLE = ["ascend910b3", "ascend310p3", "ascend950pr"]
# These have no schedule, and choosing one takes seconds; two machines have the two kinds of chip.
CHOSEN, MACHINES_OF_CHOSEN = ["attention", "convolution"], ["ascend910b3", "ascend310p3"]


def main():
    mmk, update = sys.argv[1], os.environ.get("MMK_UPDATE")
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, MMK_CACHE_DIR=cache)

        def run(*words):
            return subprocess.run([mmk, *words], env=environment, capture_output=True, text=True)

        machines = [machine["machine"] for machine in json.loads(run("machines", "--json", "-").stdout)
                    if machine["figures"]["kind"]["value"] == "emulated"]
        lines = []
        rows = [(file, file.stem, machine, variant) for file in sorted(EXAMPLES.glob("*.mmk"))
                for machine in machines for variant in VARIANTS if machine in WHOLE or not variant]
        rows += [(file, kernel, machine, "")
                 for folder in CHOSEN for file in sorted((EXAMPLES / folder).glob("*.mmk"))
                 for kernel in re.findall(r"^kernel (\w+)", file.read_text(), re.M)
                 for machine in MACHINES_OF_CHOSEN]
        for file, kernel, machine, variant in rows:
            words = ["--set", variant] if variant else []
            done = run("run", str(file), "--kernel", kernel, "--count-only", "--machine", machine,
                       *words, "--json", "-")
            where = f"{kernel} {machine} {variant or 'default'}"
            if done.returncode not in (0, 2):
                sys.exit(f"{where}: exit {done.returncode}\n{done.stderr}")
            if done.returncode == 2:
                lines.append(f"{where}: refused")
                continue
            for case in json.loads(done.stdout):
                clock = case["clock"]
                lines.append(f"{where} {case['case']}: {clock['cycles']} cycles on "
                             f"{clock['cores']} cores")
    text = "".join(line + "\n" for line in lines)
    expected = HERE / "expected.txt"
    if update:
        expected.write_text(text)
        return
    known = expected.read_text() if expected.exists() else ""
    if text != known:
        sys.stdout.writelines(difflib.unified_diff(known.splitlines(True), text.splitlines(True),
                                                   "expected.txt", "counted", n=0))
        sys.exit("cycles differ; ./dev goldens cycles rewrites tests/cycles/expected.txt")
    print(f"{len(lines)} lines as expected")


main()
