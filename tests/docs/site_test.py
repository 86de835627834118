"""The site of the documentation: every page is there, every link and anchor leads somewhere, programs are coloured,
and blocks of code say what the pages say.

    site_test.py FOLDER     makes the site there
"""

import html
import html.parser
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\w*[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Page(html.parser.HTMLParser):
    """The links, the anchors, and the text of the blocks of code of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.blocks, self.inside = [], set(), [], False
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        if tag == "pre" and attributes.get("class") == "code":
            self.inside = True
            self.blocks.append("")

    def handle_endtag(self, tag):
        if tag == "pre":
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.blocks[-1] += data


def check(folder):
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    reached, waiting = set(), [folder / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for link in pages[path].links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            to = (path.parent / target).resolve() if target else path
            assert to.exists(), f"{path.name}: {link} leads to nothing"
            if to.suffix == ".html":
                assert not anchor or anchor in pages[to].anchors, f"{path.name}: {link}: no such heading"
                waiting.append(to)
    assert reached == set(pages), f"not reached: {set(pages) - reached}"
    for source in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        name = "index.html" if source.name == "README.md" and source.parent == ROOT else source.relative_to(
            ROOT).with_suffix(".html")
        said = [block.rstrip("\n") for block in BLOCK.findall(source.read_text())]
        shown = [block.rstrip("\n") for block in pages[folder / name].blocks]
        assert said == shown, f"{source.name}: other code than in the page"
    example = (folder / "examples/matmul_bias_leakyrelu.mmk.html").read_text()
    for piece in ('<span class="storage type">kernel</span>', '<span class="keyword control">schedule</span>'):
        assert piece in example, f"{piece} is not in the example"
    print(f"{len(pages)} pages, all reached")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    subprocess.run([sys.executable, ROOT / "docs/site/make.py", folder], check=True)
    check(folder)


if __name__ == "__main__":
    main()
