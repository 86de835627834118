"""Every wrong program of tests/errors has the same messages, notes and places as on the command line."""

import re
import subprocess

from client import MMK, ROOT, URI, ServerTest, main

FOLDER = ROOT / "tests" / "errors"
LINE = re.compile(r"^(?:([^\s:]+):(\d+):(\d+): )?(error|warning|remark|note): (.*)$")
SEVERITIES = {1: "error", 2: "warning", 3: "remark"}


def printed(text, name):
    """[(place, severity, message, [(place, note)])] of what the command prints; a place is a line and a
    column, from 1, or None."""
    found = []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        path, row, column, severity, message = match.groups()
        place = (int(row), int(column)) if path == name else None
        if severity != "note":
            found.append((place, severity, message, []))
        elif place or not path:
            found[-1][3].append((place, message))
        else:
            found[-1][3].append((None, f"{path}:{row}:{column}: {message}"))
    return found


def column_of(lines, place):
    """The column in characters, from 1, of a place in UTF-16 units."""
    units = lines[place["line"]].encode("utf-16-le")[:2 * place["character"]]
    return place["line"] + 1, len(units.decode("utf-16-le")) + 1


def published(messages, text):
    lines = re.split(r"\r\n|\r|\n", text)
    found = []
    for each in messages:
        message, *notes = each["message"].split("\n")
        related = [(column_of(lines, note["location"]["range"]["start"]), note["message"])
                   for note in each["relatedInformation"]]
        related += [(None, note.removeprefix("note: ")) for note in notes]
        found.append((column_of(lines, each["range"]["start"]), SEVERITIES[each["severity"]], message,
                      related))
    return found


def sortable(messages):
    return sorted((place or (1, 1), severity, message, sorted(notes, key=repr))
                  for place, severity, message, notes in messages)


class Messages(ServerTest):
    def test_every_wrong_program(self):
        client = self.client()
        compared = 0
        for path in sorted(FOLDER.glob("*.mmk")):
            expected = path.with_suffix(".expected").read_text()
            try:
                text = path.read_bytes().decode()
            except UnicodeDecodeError:
                continue  # no editor can send it: JSON is UTF-8
            with self.subTest(program=path.name):
                uri = f"file:///errors/{path.name}"
                messages = client.open(text, uri)
                wanted = sortable(printed(expected, path.name))
                got = sortable(published(messages, text))
                if "more error" in expected:  # the command prints the first 20
                    self.assertGreater(len(got), len(wanted))
                    got = got[:len(wanted)]
                self.assertEqual(got, wanted)
                compared += 1
        self.assertGreater(compared, 370)
        self.assertEqual(client.end(), 0)

    def test_messages_of_the_machine(self):
        """What the passes find, for the default variant, as `mmk check` prints it."""
        text = (ROOT / "examples" / "matmul_bias_leakyrelu.mmk").read_text()
        text = text.replace("buffers l1 = 2 | 1", "buffers l1 = 4 | 1")
        done = subprocess.run([MMK, "check", "-"], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        client = self.client(lower=True)
        self.assertEqual(client.open(text), [])
        messages = published(client.messages(), text)
        wanted = [(place, severity, message,
                   [(at, re.sub(r" \(--set .*\)$", "", note)) for at, note in notes])
                  for place, severity, message, notes in printed(done.stderr, "<stdin>")]
        self.assertEqual(sortable(messages), sortable(wanted))

    def test_a_machine_of_the_settings(self):
        text = (ROOT / "examples" / "matmul_bias_leakyrelu.mmk").read_text()
        text = text.replace("vector | table", "table | vector")
        client = self.client(lower=True, machine="ascend310p3")
        self.assertEqual(client.open(text), [])
        self.assertIn("which ascend310p3 has not", client.messages()[0]["message"])
        client.notify("workspace/didChangeConfiguration", settings={"mmk": {"machine": "ascend910b2"}})
        self.assertEqual([client.messages(), client.messages()], [[], []])
        client.notify("workspace/didChangeConfiguration", settings={"mmk": {"machine": "ascend"}})
        self.assertIn("ascend", client.next("window/showMessage")["message"])

    def test_closed_texts_have_none(self):
        client = self.client()
        self.assertNotEqual(client.open("kernel"), [])
        client.notify("textDocument/didClose", textDocument={"uri": URI})
        self.assertEqual(client.next("textDocument/publishDiagnostics")["diagnostics"], [])


if __name__ == "__main__":
    main()
