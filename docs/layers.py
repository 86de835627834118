#!/usr/bin/env python3
"""The layers of the project, from what the build lets each folder link: the table and the picture of
docs/architecture.md.

    docs/layers.py            writes them
    docs/layers.py --check    fails when they are not what would be written
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "architecture.svg"
BEGIN, END = "<!-- The layers: docs/layers.py -->\n", "<!-- End of the layers -->\n"

WIDTH, BOX, GAP, ROW = 1000, 34, 10, 64


def folders():
    """folder -> the folders that its libraries and programs link, from the CMakeLists.txt files."""
    owner, links = {}, {}
    for file in sorted(ROOT.glob("*/CMakeLists.txt")) + sorted(ROOT.glob("*/*/CMakeLists.txt")):
        folder = str(file.parent.relative_to(ROOT))
        if folder.split("/")[0] in ("tests", "bench", "build", "examples"):
            continue
        text = re.sub(r"#.*", "", file.read_text())
        for kind, words in re.findall(r"(mmk_library|target_link_libraries)\(([^()]*)\)", text):
            name, *rest = words.split()
            if kind == "mmk_library":
                owner[name] = folder
                rest = rest[rest.index("LINK") + 1:] if "LINK" in rest else []
            else:
                owner.setdefault(name, folder)
            links.setdefault(owner[name], set()).update(rest)
    return {folder: {owner[name] for name in names if name in owner} - {folder}
            for folder, names in links.items()}


def levels(knows):
    """folder -> its row, counted from the folders that know nothing."""
    level = {}

    def of(folder, path=()):
        if folder in path:
            sys.exit(f"a cycle: {' -> '.join(path + (folder,))}")
        if folder not in level:
            level[folder] = 1 + max((of(below, path + (folder,)) for below in knows[folder]), default=-1)
        return level[folder]

    for folder in knows:
        of(folder)
    return level


def reach(knows, folder):
    return {folder}.union(*(reach(knows, below) for below in knows[folder]))


def direct(knows, folder):
    """What it links, without what it reaches through another one that it links."""
    return {below for below in knows[folder]
            if not any(below in reach(knows, other) for other in knows[folder] - {below})}


def picture(knows, level):
    rows = [sorted(f for f in knows if level[f] == i) for i in range(max(level.values()) + 1)]
    rows.reverse()
    place, boxes, lines = {}, [], []
    for i, row in enumerate(rows):
        width = (WIDTH - GAP * (len(row) + 1)) / len(row)
        width = min(width, 170)
        left = (WIDTH - len(row) * width - (len(row) - 1) * GAP) / 2
        for j, folder in enumerate(row):
            x, y = left + j * (width + GAP), 10 + i * ROW
            place[folder] = (x + width / 2, y)
            boxes.append(f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="4"/>'
                         f'<text x="{x + width / 2:.0f}" y="{y + 22}">{html.escape(folder)}/</text>')
    for folder in sorted(knows):
        x, y = place[folder]
        for below in sorted(direct(knows, folder)):
            u, v = place[below]
            lines.append(f'<path d="M{x:.0f} {y + BOX} C{x:.0f} {y + BOX + 24} {u:.0f} {v - 24} '
                         f'{u:.0f} {v}"/>')
    height = 20 + ROW * len(rows) - (ROW - BOX)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="14">',
        "<style>rect { fill: #eef3f8; stroke: #4a6785; } text { text-anchor: middle; fill: #1b2733; }",
        "path { fill: none; stroke: #9aa9b8; }</style>",
        f'<rect width="{WIDTH}" height="{height}" style="fill: white; stroke: none"/>',
        *lines, *boxes, "</svg>", ""])


def table(knows, level, holds):
    lines = ["| folder | holds | links |", "|---|---|---|"]
    for folder in sorted(knows, key=lambda f: (level[f], f)):
        if folder not in holds:
            sys.exit(f"docs/architecture.md does not say what {folder}/ holds")
        below = ", ".join(sorted(direct(knows, folder), key=lambda f: (level[f], f)))
        lines.append(f"| `{folder}/` | {holds[folder]} | {below} |")
    return "\n".join(lines) + "\n"


def main():
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    holds = dict(re.findall(r"^\| `([^`]+)/` \| (.*?) \|", old, re.MULTILINE))
    knows = folders()
    level = levels(knows)
    wanted = {PAGE: before + BEGIN + table(knows, level, holds) + END + after,
              PICTURE: picture(knows, level)}
    if "--check" in sys.argv[1:]:
        stale = [file.name for file, text in wanted.items() if file.read_text() != text]
        if stale:
            sys.exit(f"not what the build says: {', '.join(stale)}; docs/layers.py writes them")
    else:
        for file, text in wanted.items():
            file.write_text(text)


if __name__ == "__main__":
    main()
