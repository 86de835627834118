"""The code that the pages quote is in the files that they name.

Behind `<!-- quoted: PATH -->` stands a block; its lines have to be in that file, in order and without
gaps but for a line `...`. Indentation does not count.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUOTE = re.compile(r"^<!-- quoted: (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def is_quoted(block, text):
    """Whether the parts of the block between `...` are in the text, in order."""
    lines = [line.strip() for line in text.splitlines()]
    start = 0
    for part in re.split(r"^\s*\.\.\.\n", block, flags=re.MULTILINE):
        wanted = [line.strip() for line in part.splitlines()]
        places = [i for i in range(start, len(lines)) if lines[i:i + len(wanted)] == wanted]
        if not places:
            return False
        start = places[0] + len(wanted)
    return True


def check_itself():
    assert is_quoted("a\n...\nc\n", "a\nb\n  c\n")
    assert not is_quoted("a\nc\n", "a\nb\nc\n")
    assert not is_quoted("c\n...\na\n", "a\nb\nc\n")


def main():
    check_itself()
    wrong, count = [], 0
    for page in sorted((ROOT / "docs").glob("*.md")):
        for path, block in QUOTE.findall(page.read_text()):
            count += 1
            file = ROOT / path
            if not file.exists() or not is_quoted(block, file.read_text()):
                wrong.append(f"docs/{page.name} quotes {path}, which does not have:\n{block}")
    print("\n".join(wrong) or f"{count} quoted blocks are in their files")
    sys.exit(bool(wrong) or count == 0)


if __name__ == "__main__":
    main()
