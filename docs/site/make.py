#!/usr/bin/env python3
"""The documentation as a site: every page of Markdown, and the files that the pages lead to, as HTML.

    make.py FOLDER

The navigation is the list under "Documentation" in the README: a page that is not there is an error.
"""

import html
import os
import pathlib
import re
import shutil
import sys

import markdown
from markdown.extensions.tables import TableExtension
from markdown.extensions.toc import TocExtension
from markdown.preprocessors import Preprocessor

import highlight

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURES = {".png", ".svg"}
GROUP = re.compile(r"^### (.*)$")
LISTED = re.compile(r"\[([^\]]*\.md)\]\(([^)]*\.md)\)")


def slug(title, separator):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


class Blocks(Preprocessor):
    """Puts the HTML of a block of code in its place, before the rest of the text is read."""

    def run(self, lines):
        def stored(block):
            return self.md.htmlStash.store(highlight.code(block[2], block[1]))

        return FENCE.sub(stored, "\n".join(lines)).split("\n")


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
        self.files = set()  # that pages lead to
        self.groups = self.read_groups()

    def read_groups(self):
        """[(heading, [page])] of the README's documentation."""
        part = (ROOT / "README.md").read_text().split("\n## Documentation\n", 1)[1].split("\n## ", 1)[0]
        groups = []
        for line in part.splitlines():
            if heading := GROUP.match(line):
                groups.append((heading[1], []))
            for _, link in LISTED.findall(line):
                groups[-1][1].append((ROOT / link).resolve())
        listed = {page for _, pages in groups for page in pages}
        missing = [page.name for page in self.pages if page not in listed and page.name != "README.md"]
        if missing:
            sys.exit(f"README.md does not list {', '.join(missing)} under Documentation")
        return groups

    def output_of(self, source):
        """The file of the site for one of the repository."""
        inside = source.relative_to(ROOT)
        if source == ROOT / "README.md":
            return self.folder / "index.html"
        if source.suffix == ".md":
            return self.folder / inside.with_suffix(".html")
        return self.folder / (inside if source.suffix in PICTURES else f"{inside}.html")

    def title_of(self, page):
        found = re.search(r"^# (.*)$", page.read_text(), re.MULTILINE)
        return found[1].replace("`", "") if found else page.stem

    def link(self, page, target):
        """Where a link of a page leads in the site."""
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return target
        source = (page.parent / path).resolve()
        if not source.is_relative_to(ROOT) or not source.exists():
            sys.exit(f"{page.name}: {target} leads to nothing")
        if source.is_dir():
            source = source / "README.md" if (source / "README.md").exists() else source
        if source not in self.pages:
            self.files.add(source)
        return os.path.relpath(self.output_of(source), self.output_of(page).parent) + mark + anchor

    def navigation(self, page):
        here = self.output_of(page).parent
        out = []
        for heading, pages in self.groups:
            out.append(f"<h2>{html.escape(heading)}</h2><ul>")
            for each in pages:
                current = ' aria-current="page"' if each == page else ""
                path = os.path.relpath(self.output_of(each), here)
                out.append(f'<li><a href="{path}"{current}>{html.escape(self.title_of(each))}</a></li>')
            out.append("</ul>")
        return "\n".join(out)

    def write(self, page, title, body):
        out = self.output_of(page)
        out.parent.mkdir(parents=True, exist_ok=True)
        home = os.path.relpath(self.folder, out.parent)
        out.write_text(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}{"" if title == "mmk" else " - mmk"}</title>
<link rel="stylesheet" href="{home}/style.css">
</head>
<body>
<nav><a class="home" href="{home}/index.html">mmk</a>
{self.navigation(page)}
</nav>
<main>
{body}
</main>
</body>
</html>
""")

    def write_page(self, page):
        reader = markdown.Markdown(extensions=[TableExtension(), TocExtension(slugify=slug)])
        # Behind the one that takes away the marks of stored pieces, before the one that reads HTML.
        reader.preprocessors.register(Blocks(reader), "blocks", 25)
        body = reader.convert(page.read_text())
        body = re.sub(r'\b(href|src)="([^"]*)"', lambda m: f'{m[1]}="{self.link(page, html.unescape(m[2]))}"', body)
        self.write(page, self.title_of(page), body.replace("<table>", '<div class="table"><table>')
                   .replace("</table>", "</table></div>"))

    def write_file(self, source):
        out = self.output_of(source)
        if source.suffix in PICTURES:
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, out)
            return
        name = str(source.relative_to(ROOT))
        if source.is_dir():
            inside = [each for each in sorted(source.iterdir()) if each.is_file()]
            self.files.update(inside)
            body = "<ul>" + "".join(f'<li><a href="{os.path.relpath(self.output_of(each), out.parent)}">{each.name}</a></li>'
                                    for each in inside) + "</ul>"
        else:
            body = highlight.code(source.read_text(), path=source)
        self.write(source, name, f"<h1>{html.escape(name)}</h1>\n{body}")

    def make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for page in self.pages:
            self.write_page(page)
        written = set()
        while self.files - written:
            for source in sorted(self.files - written):
                self.write_file(source)
                written.add(source)
        (self.folder / "style.css").write_text((HERE / "style.css").read_text() + highlight.style())
        print(f"{len(self.pages)} pages and {len(written)} files: {self.folder / 'index.html'}")


if __name__ == "__main__":
    Site(pathlib.Path(sys.argv[1]).resolve()).make()
