"""A back end is named by its own folder and by the table `layers` alone: everything else knows the
interface of backend/, and tests for no kind of machine."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = [(kind, folder) for folder, kind in
         re.findall(r"^(\w+):.*\((\w+)\)$", (ROOT / "layers").read_text(), re.M)]
# Where a kind may be named: the descriptions, and tests of what one machine does.
FREE = ("machines/", "tests/", "bench/")
# What is assumed where nothing says otherwise: textual IR without a machine, and `mmk-pipeline`.
DEFAULT = "MachineKind::emulated"


def faults(sources):
    """What is wrong with `sources`, {path: text}."""
    found = []
    for path, text in sources.items():
        if path.startswith(FREE):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for kind, folder in KINDS:
                if path.startswith(folder + "/"):
                    continue
                if re.search(rf"\bMachineKind::{kind}\b", line) and DEFAULT not in line:
                    found.append(f"{path}:{number}: names the kind {kind}")
                if re.search(rf"\bTopology::{kind}\b|\b{folder}Backend\(", line):
                    found.append(f"{path}:{number}: names the back end {folder}")
                if re.search(rf'#include "{folder}/', line):
                    found.append(f"{path}:{number}: includes from the back end {folder}")
    return found


def check_itself():
    assert len(KINDS) >= 2
    for kind, folder in KINDS:
        if DEFAULT != f"MachineKind::{kind}":
            assert faults({"driver/a.cpp": f"if (kind == MachineKind::{kind})"})
        assert faults({"driver/a.cpp": f'#include "{folder}/b.h"'})
        assert faults({"tune/a.cpp": f"return {folder}Backend();"})
        assert not faults({f"{folder}/a.cpp": f"MachineKind::{kind}"})


if __name__ == "__main__":
    check_itself()
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    wrong = faults({name: (ROOT / name).read_text() for name in names if (ROOT / name).exists()})
    print("\n".join(wrong) or f"no folder names a back end: {', '.join(folder for _, folder in KINDS)}")
    sys.exit(bool(wrong))
