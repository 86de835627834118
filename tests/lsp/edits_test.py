"""Random edits: the server answers each version as a fresh one does, and never with a stale place.

    edits_test.py [EDITS [SEED]]
"""

import pathlib
import random
import sys
import unittest
import urllib.parse

from client import ROOT, Refused, ServerTest, slice_of

EDITS = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 400
SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1
FRESH_EVERY = 5  # edits between two comparisons with a fresh server
PIECES = ["let ", "kernel ", "fn ", "x", "M", "[i, j]", "(", ")", "{", "}", ";", ", ", " = ", "|", "@", "//", "/*",
          "*/", "sum[k](", "0.5", "case a { M = 1; }", "schedule {", "tile M = 64;", "require ", "\n", "\r\n", "  ",
          "ä", "𝛼", "\ufeff", "\0", "require tile.M <= 64;", "cast<f16>(", "-> y: f32[M]", ": int = 1", "."]


def units(text):
    return len(text.encode("utf-16-le")) // 2


def lines_of(text):
    """The lines of the protocol: behind \\n, \\r\\n and \\r."""
    lines, start, at = [], 0, 0
    while at < len(text):
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1:at + 2] != "\n"):
            lines.append(text[start:at + 1])
            start = at + 1
        at += 1
    return lines + [text[start:]]


class Text:
    """What an editor has: the same edits, made here."""

    def __init__(self, text, random):
        self.text, self.random = text, random

    def place(self, offset):
        before = lines_of(self.text[:offset])
        # Between \r and \n is no place; the line ends before both.
        return {"line": len(before) - 1, "character": units(before[-1])}

    def replace(self, begin, end, piece):
        while 0 < begin < len(self.text) and self.text[begin - 1:begin + 1] == "\r\n":
            begin -= 1
        while begin < end < len(self.text) and self.text[end - 1:end + 1] == "\r\n":
            end += 1
        end = max(begin, end)
        change = {"range": {"start": self.place(begin), "end": self.place(end)}, "text": piece}
        self.text = self.text[:begin] + piece + self.text[end:]
        return change

    def edit(self):
        size, draw = len(self.text), self.random
        begin = draw.randint(0, size)
        kind = draw.random()
        if kind < 0.35:
            return self.replace(begin, begin, draw.choice(PIECES))
        if kind < 0.65:
            return self.replace(begin, min(size, begin + draw.randint(1, 12)), "")
        if kind < 0.8:
            return self.replace(begin, min(size, begin + draw.randint(1, 3)), draw.choice(PIECES))
        other = draw.randint(0, size)
        return self.replace(begin, begin, self.text[other:other + draw.randint(1, 40)])


def answers(client, uri, places, broken):
    """What a server says of its text. Of a broken one only what does not depend on earlier ones; of
    counts, which come when they are ready, nothing."""
    found = {"symbols": client.of("documentSymbol", uri), "lenses": [each["range"] for each in client.of("codeLens", uri)]}
    if not broken:
        for line, character in places:
            for method in ("definition", "hover", "completion"):
                found[method, line, character] = client.at(method, (line, character), uri)
                if method == "hover" and "The default variant on" in str(found[method, line, character]):
                    del found[method, line, character]
    return found


def is_broken(client, uri):
    """Whether the text does not parse: then it cannot be formatted."""
    number = client.begin("textDocument/formatting", textDocument={"uri": uri}, options={})
    try:
        client.finish(number)
    except Refused:
        return True
    return False


class Edits(ServerTest):
    def expect_current(self, client, uri, text, places):
        """Answers are about the name at the place, as it is written now."""
        flat = "\n".join(line.rstrip("\r\n") for line in lines_of(text))
        for place in places:
            hover, definition = client.at("hover", place, uri), client.at("definition", place, uri)
            if not hover or not definition:
                continue
            name = slice_of(flat, hover["range"])
            self.assertRegex(name, r"^\w+$")
            # Of a function of the prelude, in a file of the server.
            file = urllib.parse.unquote(urllib.parse.urlsplit(definition["uri"]).path)
            defined_in = flat if definition["uri"] == uri else pathlib.Path(file).read_text()
            self.assertEqual(slice_of(defined_in, definition["range"]), name)

    def test_edits(self):
        draw = random.Random(SEED)
        sources = sorted((ROOT / "examples").rglob("*.mmk"))
        # One lowers and counts in the background meanwhile.
        client, fresh = self.client(lower=True, rest=0), self.client()
        done = broken_texts = compared = 0
        while done < EDITS:
            text = Text(draw.choice(sources).read_text(), draw)
            uri = f"file:///{done}.mmk"
            client.open(text.text, uri)
            saved = text.text
            for _ in range(min(40, EDITS - done)):
                done += 1
                if draw.random() < 0.3:  # back to what parses, as a whole text and by an edit
                    text.text = saved
                    client.change([{"text": saved}], uri)
                    messages = client.change([text.replace(0, 0, draw.choice([" ", "// c\n"]))], uri)
                else:
                    changes = [text.edit() for _ in range(draw.choice([1, 1, 1, 3]))]
                    messages = client.change(changes, uri)
                places = [tuple(text.place(draw.randint(0, len(text.text))).values()) for _ in range(4)]
                broken = is_broken(client, uri)
                broken_texts += broken
                self.expect_current(client, uri, text.text, places)
                if done % FRESH_EVERY == 0:
                    compared += 1
                    self.assertEqual(messages, fresh.open(text.text, uri), text.text)
                    self.assertEqual(answers(client, uri, places, broken), answers(fresh, uri, places, broken),
                                     text.text)
                    fresh.notify("textDocument/didClose", textDocument={"uri": uri})
            client.notify("textDocument/didClose", textDocument={"uri": uri})
        print(f"{done} edits, {broken_texts} texts that do not parse, {compared} compared")
        self.assertTrue(0 < broken_texts < done)
        self.assertEqual((client.end(), fresh.end()), (0, 0))


if __name__ == "__main__":
    unittest.main()
