#!/usr/bin/env python3
"""Every message that the project can print stands in some test.

every_message.py

A message is a string of three words or more that the sources hand to something that reports a
mistake, a fault or a warning. What stands between its braces can be anything; the rest has to be
found, in this order and close together, in what the tests expect: in the files of tests/, or in the
pages of docs/ that tests hold. Messages that no input is known to cause are listed in
unprovoked.txt, each with its reason; one that a test expects after all is a mistake there.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = re.findall(r"^([a-z]+):", (ROOT / "layers").read_text(), re.MULTILINE)
HELP_PAGES = ROOT / "cli/help_pages.cpp"  # no messages; run/help compares them with the commands
UNPROVOKED = pathlib.Path(__file__).with_name("unprovoked.txt")
STRING = r'"(?:[^"\\\n]|\\.)*"'
REPORTS = re.compile(r"\b(\w*[Ee]rror|warning|\w*[Mm]istake|Bug|bug|\w*[Ff]ault|fail|refuse\w*|refusal|"
                     r"problem|message|reason|attachNote|note)\b")
# The largest distance of two pieces of one text: a brace holds a name or a list.
GAP = r".{0,300}?"


def files(*folders):
    # New files that are not yet committed count, too.
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                             *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\n") if name]


def flat(text):
    return re.sub(r"\s+", " ", text)


def expectations():
    for path in files("tests", "docs"):
        if path.is_file() and path.suffix not in (".png", ".svg") and path != UNPROVOKED:
            text = path.read_text(errors="replace")
            text = re.sub(r'"\s*\n?\s*f?"', "", text)  # texts in several strings
            yield flat(re.sub(r"\\([\"'\[\]().*+?|])", r"\1", text).replace("\\n", " "))


def texts(path):
    """The texts of a source with their lines; strings in a row are one text."""
    source = re.sub(rf'{STRING}|R"\((?:.|\n)*?\)"|//[^\n]*',
                    lambda m: "" if m.group().startswith("//") else m.group(), path.read_text())
    for match in re.finditer(rf"{STRING}(?:\s*{STRING})*", source):
        text = "".join(part[1:-1] for part in re.findall(STRING, match.group()))
        text = re.sub(r'\\(["\'\\])', r"\1", text.replace("\\n", " "))
        words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\{[^{}]*\}", "", text))
        statement = re.split(r"[;{}]\s", source[max(0, match.start() - 600) : match.start()])[-1]
        if len(text.split()) >= 3 and len(words) >= 2 and REPORTS.search(statement):
            yield source.count("\n", 0, match.start()) + 1, flat(text)


def pattern(text):
    text = text.strip().replace("{{", "\1").replace("}}", "\2")
    pieces = [re.escape(piece.replace("\1", "{").replace("\2", "}"))
              for piece in re.split(r"\{[^{}]*\}|%\d?[ds]", text)]
    return GAP.join(piece for piece in pieces if piece.strip("\\ "))


def main():
    expected = "\n".join(expectations())
    reasons = dict(line.split(" # ", 1) for line in UNPROVOKED.read_text().splitlines()
                   if line and not line.startswith("#"))
    found, failures = set(), 0

    def complain(message):
        nonlocal failures
        failures += 1
        print(message)

    count = 0
    for path in files(*FOLDERS):
        if path.suffix not in (".cpp", ".h") or not path.is_file() or path == HELP_PAGES:
            continue
        for line, text in texts(path):
            count += 1
            provoked = re.search(pattern(text), expected) is not None
            where = f"{path.relative_to(ROOT)}:{line}"
            if text.strip() in reasons:
                found.add(text.strip())
                if provoked:
                    complain(f"{where}: a test expects this text; take it off unprovoked.txt: {text}")
            elif not provoked:
                complain(f"{where}: no test expects this text: {text}")
    for text in sorted(reasons.keys() - found):
        complain(f"unprovoked.txt: no source has this text: {text}")
    print(f"{count} texts, {len(reasons)} of them without a test by name")
    return 1 if failures else 0


sys.exit(main())
