"""Cycles of every case of every example, to the digit: expected/KERNEL.txt has those of the default variant
on every emulated machine, and on one machine of each kind of chip those of other variants. A difference is
a change of the clock, of a pass or of an example, and has to be explained.

  cycles.py MMK    compares, and prints the lines that differ

Each kernel is run with its default on one machine of each kind, and on one of the others, which differ from
these in figures only; with each other variant on one machine, another one than with the variant before.
With MMK_ALL in the environment (`./dev test --all`) it runs all. With MMK_UPDATE it rewrites expected/
(`./dev goldens cycles`, which ends with the summary of change.py).
"""

import difflib
import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from resident import Resident  # noqa: see there
from shards import ALL, mine  # noqa: see there

EXAMPLES = HERE.parents[1] / "examples"
# Each covers a part of the lowering that defaults do not. For a kernel without such a choice, or a
# machine on which it is not legal, the table holds the message.
VARIANTS = ["fuse=none", "store=after", "store=overlapped", "skew=stages", "bias=table",
            "buffers.l1=1", "buffers.l0=1,buffers.out=1", "cores=3", "order=columns", "grid.K=2",
            "grid.M=2,grid.N=2", "tile.M=64", "keep=A(2048),order=rows",
            "keep=B(2048),order=columns"]
# One of each kind of chip.
WHOLE = ["ascend910b3", "ascend310p3", "ascend950pr"]
# These have no schedule, and choosing one takes seconds; two machines have the two kinds of chip.
CHOSEN, MACHINES_OF_CHOSEN = ["attention", "convolution"], ["ascend910b3", "ascend310p3"]


def rows_of(machines):
    """Of each kernel: the file, and pairs of a machine and a variant, with whether all runs count it."""
    for number, file in enumerate(sorted(EXAMPLES.glob("*.mmk"))):
        rows = []
        others = [machine for machine in machines if machine not in WHOLE]
        for machine in machines:
            rows.append((machine, "", machine in WHOLE or machine == others[number % len(others)]))
            if machine in WHOLE:
                rows += [(machine, variant, (number + at) % len(WHOLE) == WHOLE.index(machine))
                         for at, variant in enumerate(VARIANTS)]
        yield file.stem, file, rows
    for folder in CHOSEN:
        for file in sorted((EXAMPLES / folder).glob("*.mmk")):
            for kernel in re.findall(r"^kernel (\w+)", file.read_text(), re.M):
                yield kernel, file, [(machine, "", True) for machine in MACHINES_OF_CHOSEN]


def main():
    mmk, update = Resident(sys.argv[1]), os.environ.get("MMK_UPDATE")
    compared, differences = 0, []
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, MMK_CACHE_DIR=cache)

        def run(*words):
            return mmk.run(["mmk", *words], cwd=HERE, env=environment)

        def lines_of(file, kernel, machine, variant):
            done = run("run", str(file), "--kernel", kernel, "--count-only", "--machine", machine,
                       *(["--set", variant] if variant else []), "--json", "-")
            where = f"{machine} {variant or 'default'}"
            if done.returncode == 2:
                return [f"{where}: refused\n"]
            if done.returncode != 0:
                sys.exit(f"{kernel} {where}: exit {done.returncode}\n{done.stderr}")
            return [f"{where} {case['case']}: {case['clock']['cycles']} cycles on {case['clock']['cores']} cores\n"
                    for case in json.loads(done.stdout)]

        machines = [machine["machine"] for machine in json.loads(run("machines", "--json", "-").stdout)
                    if machine["figures"]["kind"]["value"] == "emulated"]
        for kernel, file, rows in mine(list(rows_of(machines))):
            path = HERE / "expected" / f"{kernel}.txt"
            known = path.read_text().splitlines(True) if path.exists() else []
            if not (update or ALL):
                rows = [row for row in rows if row[2]]
                begins = tuple(f"{machine} {variant or 'default'}{end}" for machine, variant, _ in rows for end in ": ")
                known = [line for line in known if line.startswith(begins)]
            found = [line for machine, variant, _ in rows for line in lines_of(file, kernel, machine, variant)]
            if update:
                path.parent.mkdir(exist_ok=True)
                path.write_text("".join(found))
            compared += len(found)
            differences += difflib.unified_diff(known, found, f"expected/{kernel}.txt", "counted", n=0)
    if not update and differences:
        sys.stdout.writelines(differences)
        sys.exit("cycles differ; ./dev goldens cycles rewrites tests/cycles/expected/")
    print(f"{compared} lines")


main()
