"""The table `layers` holds: folders are listed lowest first, no file includes from a folder that its
own may not know, there is no cycle, and no folder has grown beyond a size to find one's way in.

The compiler holds the first for libraries, by their include folders; this says it for every header,
and for what the compiler does not see."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_SOURCES = 30  # .cpp files of one folder
INCLUDE = re.compile(r'^\s*#\s*include "([a-z]+)/', re.MULTILINE)


def read_table(text):
    """{folder: [folders that it names]}, in the order of the table."""
    table, backends = {}, []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            folder, known = line.split(":")
            words = known.split()
            if words and words[-1].startswith("("):  # a back end and its kind of machine
                words.pop()
                backends.append(folder)
            table[folder] = [named for word in words
                             for named in (backends if word == "backends" else [word])]
    return table


def faults(table, sources):
    """What is wrong with `sources`, {path: text}, by the table."""
    found, may_know = [], {}
    for folder, named in table.items():
        for lower in named:
            if lower not in may_know:
                found.append(f"layers: {folder} names {lower}, which is not listed before it")
        may_know[folder] = {folder}.union(*(may_know.get(lower, {lower}) for lower in named))
    counts = {}
    for path, text in sources.items():
        folder = path.split("/")[0]
        if path.endswith(".cpp"):
            parent = path.rpartition("/")[0]
            counts[parent] = counts.get(parent, 0) + 1
        if folder not in table:
            continue
        for included in INCLUDE.findall(text):
            if included in table and included not in may_know[folder]:
                found.append(f"{path}: includes from {included}, which {folder} may not know")
            elif included in ("tests", "bench"):
                found.append(f"{path}: includes from {included}")
    found += [f"{folder}: {count} sources; expected at most {MOST_SOURCES}"
              for folder, count in counts.items() if count > MOST_SOURCES]
    return found


def tracked():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    return {name: (ROOT / name).read_text() for name in names if (ROOT / name).exists()}


def check_itself():
    """The test can fail: each fault that it looks for, made."""
    assert read_table("low:\nend: low (kind)\ntop: backends\n") == {
        "low": [], "end": ["low"], "top": ["end"]}
    table = {"low": [], "high": ["low"]}
    assert faults(table, {"high/a.cpp": '#include "low/b.h"'}) == []
    assert faults(table, {"low/a.h": '#include "high/b.h"'})
    assert faults({"low": ["high"], "high": ["low"]}, {})
    assert faults(table, {f"low/{i}.cpp": "" for i in range(MOST_SOURCES + 1)})


if __name__ == "__main__":
    check_itself()
    table = read_table((ROOT / "layers").read_text())
    folders = {path.split("/")[0] for path in tracked() if "/" in path} - {"tests", "bench", "examples"}
    found = [f"{folder}: is not in the table 'layers'" for folder in sorted(folders - set(table))]
    found += faults(table, tracked())
    print("\n".join(found) or f"{len(table)} folders as the table says")
    sys.exit(bool(found))
