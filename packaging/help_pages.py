"""What `mmk help` says of each command, as the manual and the completions of shells take it."""

import dataclasses
import re
import subprocess
import tempfile

HEADING = re.compile(r"^(\S.*):$")
OPTION = re.compile(r"^  (--?\S.*?)(?:  +(\S.*))?$")
ENTRY_LINES = re.compile(r"^  (\S+) {2,}(\S.*)$", re.MULTILINE)
ITEM = re.compile(r"\S+ {2,}\S")
ENTRY = re.compile(r"^  (\S+) {2,}(\S.*)$")


@dataclasses.dataclass
class Option:
    names: list      # "--help", "-h"
    value: str       # what follows it, "NAME|FILE"; "" for none
    text: str
    group: str       # the heading above it, "data"
    choices: list = dataclasses.field(default_factory=list)  # all that it takes, where these are words


@dataclasses.dataclass
class Command:
    name: str
    summary: str
    page: str        # the whole text
    options: list = dataclasses.field(default_factory=list)
    words: list = dataclasses.field(default_factory=list)  # `mmk cache list`: (word, text)


def said(mmk, *words):
    return subprocess.run([mmk, *words], check=True, capture_output=True, text=True).stdout


def split_option(head):
    """"--help, -h" or "--case NAME" -> names, value, and the text behind a long value."""
    names, value, text = [], "", ""
    for part in head.split(", "):
        name, *rest = part.split(" ", 2)
        if name.startswith("-"):
            names.append(name)
            value, text = (rest + ["", ""])[:2] if rest else (value, text)
    return names, value, text


def read_options(page):
    """The options, and the entries of lists that are no options, in the order of the page."""
    options, words, group, last = [], [], "options", None
    for line in page.splitlines():
        if heading := HEADING.match(line):
            group, last = heading[1], None
        elif group == "examples" or not line.strip():
            last = None
        elif found := OPTION.match(line):
            names, value, text = split_option(found[1])
            last = Option(names, value, text or found[2] or "", group)
            options.append(last)
        elif found := ENTRY.match(line):
            last = [found[1], found[2]]
            words.append(last)
        elif last is not None and line.startswith("    "):
            if isinstance(last, Option):
                # An entry of a list stands on a line of its own.
                start = "\n" if ITEM.match(line.strip()) else " "
                last.text = f"{last.text}{start}{line.strip()}".strip()
            else:
                last[1] += f" {line.strip()}"
    return options, words


def choices_of(mmk, command, option):
    """As the message about another value lists them: "--data is uniform, integers or normal, found '?'"."""
    if not option.value or "FILE" in option.value or option.value == "DIR":
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".mmk") as file:
        file.write("kernel k(x: f32[N]) -> y: f32[N] { y = x; }\n")
        file.flush()
        tried = subprocess.run([mmk, command, file.name, option.names[0], "?"], capture_output=True, text=True,
                               stdin=subprocess.DEVNULL)
    listed = re.search(rf"{re.escape(option.names[0])} is ((?:[\w-]+, )*[\w-]+ or [\w-]+), found '\?'", tried.stderr)
    return re.split(r", | or ", listed[1]) if listed else []


def commands(mmk):
    """All commands of `mmk help`, in its order."""
    overview = said(mmk, "help")
    found = []
    for name, summary in ENTRY_LINES.findall(overview.split("usage:", 1)[1].split("\n\n  mmk ", 1)[0]):
        page = said(mmk, "help", name) if name != "help" else overview
        command = Command(name, summary, page)
        if name != "help":
            command.options, command.words = read_options(page)
            for option in command.options:
                option.choices = choices_of(mmk, name, option)
        found.append(command)
    return found
