"""Every relative link in the hand-written pages leads to a file, and its anchor to a heading of it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`")  # `sum[N](x)` is no link, but [`x`](page.md) is


def anchors(text):
    """The anchors of the headings, as the usual viewers of Markdown make them."""
    titles = re.findall(r"^#+ (.*)$", CODE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page, text):
    found = []
    for link in LINK.findall(SPAN.sub("code", CODE.sub("", text))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page if not path else (page.parent / path).resolve()
        if not target.exists():
            found.append(f"{page.name}: {link}: there is no such file")
        elif anchor and anchor not in anchors(text if target == page else target.read_text()):
            found.append(f"{page.name}: {link}: there is no such heading")
    return found


def main():
    page = ROOT / "README.md"
    assert broken(page, "[a](missing.md)") and broken(page, "[a](#missing)\n# There\n")
    assert not broken(page, "[a](README.md) [b](#two-words)\n## Two words\n`sum[N](x)`")
    assert broken(page, "[`a`](missing.md)")
    pages = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
    found = [fault for page in pages for fault in broken(page, page.read_text())]
    print("\n".join(found) or f"the links of {len(pages)} pages lead somewhere")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
