#!/usr/bin/env python3
"""The layers of the project, from the table `layers` that the build obeys: the table and the picture
of docs/architecture.md.

    docs/layers-picture.py            writes them
    docs/layers-picture.py --check    fails when they are not what would be written; with MMK_UPDATE in
                                      the environment it writes them

What a folder holds is written by hand, in its row of the table.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "layers.svg"
BEGIN, END = "<!-- The layers: docs/layers-picture.py -->\n", "<!-- End of the layers -->\n"

WIDTH, BOX, HEIGHT, ROW = 900, 110, 30, 60


def folders():
    """folder -> the folders that it may include directly."""
    lines = re.sub(r"#.*", "", (ROOT / "layers").read_text()).split("\n")
    table = {folder.strip(): below.split()
             for folder, colon, below in (line.partition(":") for line in lines) if colon}
    # A word in brackets is the kind of machine of a back end.
    backends = [folder for folder, words in table.items() if any(word[0] == "(" for word in words)]
    return {folder: {named for word in words if word[0] != "("
                     for named in (backends if word == "backends" else [word])}
            for folder, words in table.items()}


def levels(below):
    """folder -> its row: one above the highest folder that it includes."""
    level = {}

    def of(folder, path=()):
        if folder in path:
            sys.exit(f"layers: a cycle: {' -> '.join(path + (folder,))}")
        if folder not in level:
            level[folder] = 1 + max((of(other, path + (folder,)) for other in below[folder]), default=-1)
        return level[folder]

    for folder in below:
        of(folder)
    return level


def rows_of(below, level):
    """The folders row by row, the lowest first, each near the middle of what it is connected to."""
    rows = [sorted(f for f in below if level[f] == i) for i in range(max(level.values()) + 1)]
    above = {f: {g for g in below if f in below[g]} for f in below}
    at = {f: (i + 1) / (len(row) + 1) for row in rows for i, f in enumerate(row)}
    for _ in range(20):
        for row in rows:
            row.sort(key=lambda f: sum(at[g] for g in sorted(below[f] | above[f])) /
                     max(1, len(below[f] | above[f])))
            at.update((f, (i + 1) / (len(row) + 1)) for i, f in enumerate(row))
    return rows


def picture(below, level):
    rows = rows_of(below, level)[::-1]
    place, boxes, lines = {}, [], []
    for i, row in enumerate(rows):
        for j, folder in enumerate(row):
            x, y = WIDTH * (j + 1) / (len(row) + 1), 10 + i * ROW
            place[folder] = (x, y)
            boxes.append(f'<rect x="{x - BOX / 2:.0f}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="4"/>'
                         f'<text x="{x:.0f}" y="{y + 20}">{folder}/</text>')
    for folder in below:
        x, y = place[folder]
        for other in sorted(below[folder]):
            u, v = place[other]
            lines.append(f'<path d="M{x:.0f} {y + HEIGHT} C{x:.0f} {y + ROW} {u:.0f} {v - ROW / 2:.0f} '
                         f'{u:.0f} {v}"/>')
    height = 20 + ROW * (len(rows) - 1) + HEIGHT
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14">',
        "<style>rect { fill: #eef3f8; stroke: #4a6785; } text { text-anchor: middle; fill: #1b2733; }",
        "path { fill: none; stroke: #8796a5; }</style>",
        f'<rect width="{WIDTH}" height="{height}" style="fill: white; stroke: none"/>',
        *lines, *boxes, "</svg>", ""])


def table(below, holds):
    lines = ["| folder | holds | may include directly |", "|---|---|---|"]
    for folder, others in below.items():
        if folder not in holds:
            sys.exit(f"docs/architecture.md does not say what {folder}/ holds: add a row")
        lines.append(f"| `{folder}/` | {holds[folder]} | {', '.join(sorted(others))} |")
    return "\n".join(lines) + "\n"


def main():
    before, rest = PAGE.read_text().split(BEGIN)
    old, after = rest.split(END)
    holds = dict(re.findall(r"^\| `([^`]+)/` \| (.*?) \|", old, re.MULTILINE))
    below = folders()
    wanted = {PAGE: before + BEGIN + table(below, holds) + END + after,
              PICTURE: picture(below, levels(below))}
    if sys.argv[1:] != ["--check"] or os.environ.get("MMK_UPDATE"):
        for file, text in wanted.items():
            file.write_text(text)
        return
    stale = [file.name for file, text in wanted.items() if not file.exists() or file.read_text() != text]
    if stale:
        sys.exit(f"{' and '.join(stale)} differ from the table layers; ./dev goldens docs/layers writes them")


if __name__ == "__main__":
    main()
