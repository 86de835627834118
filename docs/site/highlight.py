"""Code in HTML. Programs of mmk are coloured by the grammar of the editors (editors/mmk.tmLanguage.json), all else
by Pygments."""

import html
import json
import pathlib
import re

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAMMAR = json.loads((ROOT / "editors/mmk.tmLanguage.json").read_text())


class Grammar:
    """The part of TextMate grammars that this one uses: match, begin and end, captures, include."""

    def __init__(self, grammar):
        self.repository = grammar["repository"]
        self.patterns = grammar["patterns"]

    def rules(self, patterns):
        """All patterns, with those that are included."""
        for pattern in patterns:
            if "include" in pattern:
                included = self.repository[pattern["include"][1:]]
                yield from self.rules([included] if "match" in included or "begin" in included
                                      else included["patterns"])
            else:
                yield pattern

    def next_match(self, rules, text, at):
        """The first match from a place on, with its rule; the earlier rule where two begin there."""
        best = None
        for rule in rules:
            found = re.compile(rule.get("match") or rule["begin"], re.MULTILINE).search(text, at)
            if found and (best is None or found.start() < best[0].start()):
                best = found, rule
        return best

    def captured(self, found, captures, name):
        """The spans of a match: its groups have names of their own."""
        at, end = found.span()
        for number in sorted(map(int, captures)):
            start, stop = found.span(number)
            if start < at or start == stop:
                continue
            yield found.string[at:start], name
            yield found.string[start:stop], captures[str(number)]["name"]
            at = stop
        yield found.string[at:end], name

    def spans(self, text, patterns=None, at=0, end=None):
        """(text, name) for each piece up to what matches `end`; returns the place behind that."""
        rules = list(self.rules(self.patterns if patterns is None else patterns))
        closing = re.compile(end, re.MULTILINE) if end else None
        while True:
            found, closed = self.next_match(rules, text, at), closing.search(text, at) if closing else None
            if closed and (not found or closed.start() <= found[0].start()):
                yield text[at:closed.end()], ""
                return closed.end()
            if not found:
                yield text[at:], ""
                return len(text)
            match, rule = found
            yield text[at:match.start()], ""
            at = match.end()
            if "match" in rule:
                yield from self.captured(match, rule.get("captures", {}), rule.get("name", ""))
                at += match.start() == match.end()
                continue
            if "patterns" in rule:
                yield from self.captured(match, rule.get("beginCaptures", {}), "")
                at = yield from self.spans(text, rule["patterns"], at, rule["end"])
                continue
            closed = re.compile(rule["end"], re.MULTILINE).search(text, at)
            at = closed.end() if closed else len(text)
            yield text[match.start():at], rule.get("name", "")


MMK = Grammar(GRAMMAR)


def mmk(text):
    """The class of a piece is the first word of its name in the grammar, and the second: `keyword control`."""
    out = []
    for piece, name in MMK.spans(text):
        piece = html.escape(piece, quote=False)
        out.append(f'<span class="{" ".join(name.split(".")[:2])}">{piece}</span>' if name and piece else piece)
    return "".join(out)


def code(text, language="", path=None):
    """The element of a block of code, in a language, or in that of a file."""
    if language == "mmk" or (path and path.suffix == ".mmk"):
        return f'<pre class="code"><code>{mmk(text)}</code></pre>'
    try:
        lexer = get_lexer_for_filename(path.name) if path else get_lexer_by_name(language)
    except ClassNotFound:
        return f'<pre class="code"><code>{html.escape(text, quote=False)}</code></pre>'
    inside = pygments.highlight(text, lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="code"><code>{inside}</code></pre>'


def style():
    """The rules of Pygments, for light and dark pages."""
    return (HtmlFormatter(style="default").get_style_defs(".code") + "\n@media (prefers-color-scheme: dark) {\n" +
            HtmlFormatter(style="monokai").get_style_defs(".code") + "\n}\n")
