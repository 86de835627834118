"""What the server answers: hover, definitions, completion, renaming, formatting, symbols, lenses."""

import pathlib
import subprocess
import time

from client import MMK, ROOT, URI, Client, Refused, ServerTest, main, place_of, slice_of

TEXT = """\
// A text with names of all kinds.
fn twice(x) = 2 * x;

kernel scores(q: f16[M, D], k: const f16[N, D], scale: f32 = 0.5, window: int = 3) -> s: f32[M, N], t: f32[P] {
  dim P = M + window;
  let raw = q @ transpose(k);
  s = twice(scale * raw);
  let row[i] = sum[j](q[i, j]);
  t[p] = pad(row, 0)[p] + max[r: 3](pad(row, 0)[p + r]);

  schedule {
    tile    M = 64, N = 128;
    buffers l1.k = 2;
    order   = rows | zigzag;
    require tile.M <= 128;
  }
  case one   { M = 1; N = 1; D = 1; }
  case large { M = 512; N = 512; D = 64; scale = 0.125; }
  check { rtol = 1e-3; }
}

kernel copied(x: f32[M]) -> y: f32[M] {
  y = relu(twice(x));
}
"""


def edited(text, edits):
    """`text` with the edits of an answer."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines) + 1)]

    def offset(place):
        return min(starts[place["line"]] + place["character"], len(text))
    for each in sorted(edits, key=lambda each: offset(each["range"]["start"]), reverse=True):
        text = text[:offset(each["range"]["start"])] + each["newText"] + text[offset(each["range"]["end"]):]
    return text


class Requests(ServerTest):
    def setUp(self):
        self.server = self.client()
        self.assertEqual(self.server.open(TEXT), [])

    def hover(self, *place):
        answer = self.server.at("hover", place_of(TEXT, *place))
        return answer and answer["contents"]["value"]

    def proposals(self, text, behind):
        """What is proposed behind a piece of a text, which need not parse."""
        self.server.change([{"text": text}])
        place = place_of(text, behind, 0, len(behind))
        return {each["label"] for each in self.server.at("completion", place)["items"]}

    def test_hover_on_names(self):
        for place, meaning in [(("q:",), "q: f16[M, D]"), (("k: const",), "k: const f16[N, D]"),
                               (("scale *",), "scale: f32 = 0.5"), (("window;",), "window: int = 3"),
                               (("raw)",), "let raw: f32[M, N]"), (("raw =",), "let raw: f32[M, N]"),
                               (("row,",), "let row: f32[M]"), (("s = t",), "s: f32[M, N]"),
                               (("i] = ",), "index i: 0 <= i < M"), (("j](",), "index j: 0 <= j < D"),
                               (("p + r",), "index p: 0 <= p < P"), (("r]);",), "index r: 0 <= r < 3"),
                               (("D]",), "dimension D"), (("P]",), "dim P = M + window"),
                               (("D = 64",), "dimension D")]:
            with self.subTest(place=place):
                self.assertEqual(self.hover(*place), f"```mmk\n{meaning}\n```\n")
        self.assertEqual(self.hover("twice(scale"), "```mmk\nfn twice(x) = 2 * x\n```\n")
        self.assertIn("fn relu(x) = max(x, 0);", self.hover("relu"))
        self.assertIn("sum[D](x)", self.hover("sum["))
        self.assertIn("transpose", self.hover("transpose"))
        self.assertEqual(self.hover("f16"), "`f16`: an element of 2 bytes")
        self.assertIsNone(self.hover("// A text", 0, 4))

    def test_hover_on_every_directive(self):
        """Each says what it does, and its legal choices."""
        body = "kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {\n  c = a @ b;\n  schedule {\n"
        names = self.proposals(body + "    ", "schedule {\n") - {"require"}
        self.assertEqual(len(names), 16)
        text = body + "".join(f"    {name} = 1;\n" for name in sorted(names)) + "  }\n}\n"
        self.server.change([{"text": text}])
        for name in names:
            with self.subTest(directive=name):
                answer = self.server.at("hover", place_of(text, f"{name} = 1"))["contents"]["value"]
                self.assertRegex(answer, rf"^\*\*{name}\*\*\n\n[A-Z].*\.\n\n(Legal: |- `)")
                if name == "order":
                    self.assertIn("- `zigzag`\n- `swizzle(n)`", answer)
                if name == "tile":
                    self.assertIn("Legal: `auto`, 1 to 65536, in steps of the cube", answer)

    def test_hover_on_a_kernel_counts_it(self):
        path = ROOT / "examples" / "matmul_bias_leakyrelu.mmk"
        text = path.read_text()
        self.server.open(text, URI + "2")
        place = place_of(text, "matmul_bias_leakyrelu(")

        def value():
            return self.server.at("hover", place, URI + "2")["contents"]["value"]
        self.assertIn("S1: is being counted", value())
        limit = time.monotonic() + 600
        while "is being counted" in value():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)
        done = subprocess.run([MMK, "run", path, "--count-only", "--case", "S1", "--set", "cores=auto"],
                              capture_output=True, text=True, check=True)
        cycles = done.stdout.splitlines()[2].split()[4]
        self.assertRegex(value(), rf"on ascend910b3:\n- S1: {cycles} cycles, [\d.]+ us, [\d.]+ MB, bound by mte2\n")

    def test_definitions(self):
        for use, definition in [(("raw)",), ("raw =",)), (("scale *",), ("scale:",)), (("twice(x)", 1), ("twice",)),
                                (("q @",), ("q:",)), (("P]",), ("P =",)), (("D = 64",), ("D]",)),
                                (("M = 64",), ("M, D]",)), (("M <= 128",), ("M, D]",)), (("k = 2",), ("k: const",)),
                                (("j]);",), ("j](",)), (("row, 0)[p +",), ("row[i]",))]:
            with self.subTest(use=use):
                answer = self.server.at("definition", place_of(TEXT, *use))
                self.assertEqual(answer["uri"], URI)
                line, character = place_of(TEXT, *definition)
                self.assertEqual(answer["range"]["start"], {"line": line, "character": character})
        for nowhere in ["transpose", "sum[", "f16", "order", "l1", "// A"]:
            self.assertIsNone(self.server.at("definition", place_of(TEXT, nowhere)))

    def test_a_function_of_the_prelude_is_defined_in_a_file_to_read(self):
        server = self.server
        file = pathlib.Path(self.cache, "prelude.mmk")
        answer = server.at("definition", place_of(TEXT, "relu"))
        self.assertEqual(answer["uri"], file.as_uri())
        text = file.read_text()
        self.assertEqual(text, (ROOT / "dsl/prelude.mmk").read_text())
        self.assertEqual(file.stat().st_mode & 0o777, 0o444)
        self.assertEqual(slice_of(text, answer["range"]), "relu")
        self.assertEqual(answer["range"]["start"], dict(zip(("line", "character"), place_of(text, "fn relu", 0, 3))))
        # The text of another version of mmk is replaced.
        file.chmod(0o644)
        file.write_text("fn relu(x) = x;\n")
        server.at("definition", place_of(TEXT, "relu"))
        self.assertEqual(file.read_text(), text)
        # An editor that opens it shows no messages: they would be those of a text without a kernel.
        server.notify("textDocument/didOpen", textDocument={"uri": answer["uri"], "languageId": "mmk", "version": 1,
                                                            "text": text})
        self.assertEqual(server.open(TEXT, URI + "3"), [])
        self.assertNotIn(answer["uri"], {each["params"].get("uri") for each in server.notifications
                                         if "params" in each})

    def test_a_function_of_the_text_comes_before_the_prelude(self):
        text = "fn relu(x) = x;\nkernel k(x: f32[N]) -> y: f32[N] { y = relu(x); }\n"
        self.server.open(text, URI + "4")
        answer = self.server.at("definition", place_of(text, "relu(x);"), URI + "4")
        self.assertEqual((answer["uri"], answer["range"]["start"]), (URI + "4", {"line": 0, "character": 3}))

    def test_hover_on_a_value_without_a_type(self):
        text = ("kernel k(a: f32[M], b: f32[N]) -> c: f32[M], d: f32[N] {\n  let own = a + b;\n  let other = own * 2;\n"
                "  let right = a * 2;\n  c = right + other;\n  d = b;\n}\n")
        [message] = self.server.open(text, URI + "5")
        for name, expected in (("own", f"let own\n```\n\nIts type is not known: {message['message']}.\n"),
                               ("other", f"let other\n```\n\nIts type is not known: {message['message']}.\n"),
                               ("right", "let right: f32[M]\n```\n")):
            with self.subTest(name=name):
                answer = self.server.at("hover", place_of(text, name), URI + "5")
                self.assertEqual(answer["contents"]["value"], "```mmk\n" + expected)

    def rename(self, place, name):
        edits = self.server.at("rename", place_of(TEXT, *place), newName=name)["changes"][URI]
        return edited(TEXT, edits)

    def test_rename(self):
        for place, name in [(("raw)",), "product"), (("D = 64",), "Depth"), (("q @",), "queries"), (("j](",), "jj"),
                            (("s = t",), "result"), (("twice(x)", 1), "doubled"), (("scores",), "attention"),
                            (("window;",), "reach"), (("P =",), "Q"), (("one ",), "tiny"), (("k = 2",), "keys")]:
            with self.subTest(place=place):
                old = self.server.at("prepareRename", place_of(TEXT, *place))["placeholder"]
                text = self.rename(place, name)
                self.assertEqual(self.server.change([{"text": text}]), [])
                # With the old name back, it is the old text: nothing else has been renamed.
                self.assertEqual(text.replace(name, old), TEXT.replace(name, old))
                self.assertGreater(text.count(name), 0)
                self.assertEqual(self.server.change([{"text": TEXT}]), [])
        self.assertIn("case one   { M = 1; N = 1; Depth = 1; }", self.rename(("D = 64",), "Depth"))
        self.assertIn("buffers l1.keys = 2", self.rename(("k = 2",), "keys"))
        self.assertIn("y = relu(doubled(x))", self.rename(("twice",), "doubled"))
        self.assertIn("kernel copied(x: f32[M])", self.rename(("M, D]",), "Rows"))

    def test_rename_refused(self):
        for place, name, why in [(("relu",), "f", "'relu' is of the language"), (("order",), "f", "'order' is of the language"),
                                 (("// A",), "f", "there is no name here"), (("raw",), "q", "'q' is the name of something else here"),
                                 (("scores",), "copied", "'copied' is the name of something else here"),
                                 (("twice",), "relu", "'relu' is the name of something else here"),
                                 (("raw",), "let", "'let' is no name"), (("raw",), "2x", "'2x' is no name"),
                                 (("D]",), "depth", "with the name 'depth': ")]:
            with self.subTest(place=place, name=name), self.assertRaisesRegex(Refused, why):
                self.rename(place, name)
        self.server.change([{"text": TEXT + "kernel"}])
        with self.assertRaisesRegex(Refused, "the text has syntax errors; names are renamed when it parses"):
            self.rename(("raw",), "product")

    def test_completion(self):
        head = TEXT[:TEXT.index("  let raw")]
        self.assertEqual(self.proposals("", ""), {"kernel", "fn"})
        self.assertEqual(self.proposals("kernel f(x: ", "x: "), {"f32", "f16", "bf16", "i8", "i32", "const", "int"})
        self.assertEqual(self.proposals("fn f(x: ", "x: "), {"int"})
        self.assertEqual(self.proposals(head, "M + window;\n"),
                         {"let", "dim", "require", "schedule", "case", "check", "s", "t"})
        names = self.proposals(TEXT, "s = twice(")
        self.assertLessEqual({"q", "k", "scale", "window", "raw", "M", "N", "D", "P", "twice", "relu", "exp", "softmax",
                              "sum", "transpose", "cast", "inf", "nan"}, names)
        self.assertFalse({"row", "s", "let", "x", "y"} & names)
        self.assertEqual(self.proposals(head + "  let a = cast<", "cast<"), {"f32", "f16", "bf16", "i8", "i32"})
        # Names of the last text that parsed.
        self.assertLessEqual({"raw", "row", "q"}, self.proposals(TEXT[:TEXT.index("  schedule")] + "  s = raw + (", "raw + ("))

    def test_completion_in_blocks(self):
        body = TEXT[:TEXT.index("    tile ")]
        proposals = self.proposals(body, "schedule {\n")
        self.assertLessEqual({"tile", "stage", "buffers", "order", "require"}, proposals)
        self.assertEqual(self.proposals(body + "tile ", "tile "), {"M", "N", "D", "P"})
        self.assertLessEqual({"l1", "l0", "acc", "ub"}, self.proposals(body + "buffers ", "buffers "))
        self.assertLessEqual({"q", "k"}, self.proposals(body + "buffers l1.", "l1."))
        self.assertLessEqual({"rows", "zigzag", "swizzle(4)"}, self.proposals(body + "order = rows | ", "rows | "))
        self.assertEqual(self.proposals(body + "cores = ", "cores = "), {"auto"})
        self.assertLessEqual({"tile", "buffers"}, self.proposals(body + "require ", "require "))
        self.assertEqual(self.proposals(body + "require tile.", "require tile."), {"M", "N", "D", "P"})
        self.assertLessEqual({"ascend910b3", "host"}, self.proposals(TEXT[:TEXT.index("{\n    tile")] + "for ", "schedule for "))
        self.assertEqual(self.proposals(TEXT[:TEXT.index("  check")] + "  check { ", "check { "),
                         {"rtol", "atol", "max_error_ratio", "rounding", "math"})
        self.assertEqual(self.proposals(TEXT[:TEXT.index("  check")] + "  check { math = ", "math = "), {"exact", "fast"})
        self.assertLessEqual({"M", "N", "D", "scale"}, self.proposals(TEXT[:TEXT.index("  check")] + "  case a { ", "case a { "))

    def test_formatting(self):
        done = subprocess.run([MMK, "format", "-"], input=TEXT, capture_output=True, text=True, check=True)
        edits = self.server.of("formatting", options={"tabSize": 2, "insertSpaces": True})
        self.assertEqual(edited(TEXT, edits), done.stdout)
        self.server.change([{"text": done.stdout}])
        self.assertEqual(self.server.of("formatting", options={}), [])
        self.server.change([{"text": TEXT + "kernel"}])
        with self.assertRaisesRegex(Refused, "the text has syntax errors; it is formatted when it parses"):
            self.server.of("formatting", options={})

    def test_symbols(self):
        def names(symbols, text):
            for each in symbols:
                self.assertEqual(slice_of(text, each["selectionRange"]), each["name"])
            return [(each["name"], slice_of(text, each["range"])[:7], names(each["children"], text)) for each in symbols]
        expected = [("twice", "fn twic", []),
                    ("scores", "kernel ", [("one", "case on", []), ("large", "case la", [])]),
                    ("copied", "kernel ", [])]
        self.assertEqual(names(self.server.of("documentSymbol"), TEXT), expected)
        broken = TEXT.replace("let raw =", "let = = (")
        self.server.change([{"text": broken}])
        self.assertEqual(names(self.server.of("documentSymbol"), broken), expected)

    def test_lenses_count(self):
        lenses = self.server.of("codeLens")
        self.assertEqual([(slice_of(TEXT, each["range"]), each["command"]["title"]) for each in lenses],
                         [("one", "count"), ("large", "count")])
        command = lenses[1]["command"]
        answer = self.server.request("workspace/executeCommand", command=command["command"],
                                     arguments=command["arguments"])
        self.assertEqual((answer["kernel"], answer["case"]), ("scores", "large"))
        self.assertGreater(answer["cycles"], 1000)
        self.assertGreater(answer["bytes"], 512 * 512 * 4)
        self.assertEqual(self.server.of("codeLens")[1]["command"]["title"], answer["summary"] + " on ascend910b3")
        self.server.change([{"text": TEXT + "\n"}])
        self.assertEqual(self.server.of("codeLens")[1]["command"]["title"], "count")
        self.server.change([{"text": TEXT + "kernel"}])
        with self.assertRaisesRegex(Refused, "the text has errors"):
            self.server.request("workspace/executeCommand", command="mmk.count", arguments=command["arguments"])
        with self.assertRaisesRegex(Refused, "unknown command; expected mmk.count"):
            self.server.request("workspace/executeCommand", command="mmk.run", arguments=[])

    def test_what_cannot_be_counted(self):
        text = TEXT.replace("kernel copied", "kernel large(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {\n  c = a @ b;\n"
                            "  schedule {\n    tile M = 1024, N = 1024;\n  }\n  case one { M = 1; N = 1; K = 1; }\n}\n\n"
                            "kernel empty(x: f32[N]) -> y: f32[N] {\n  y = x + 1;\n  case none { N = 0; }\n}\n\n"
                            "kernel copied")
        self.assertEqual(self.server.change([{"text": text}]), [])

        def count(kernel, case, uri=URI):
            self.server.request("workspace/executeCommand", command="mmk.count",
                                arguments=[{"uri": uri, "kernel": kernel, "case": case}])
        for kernel, case, uri, why in [("scares", "one", URI, "there is no kernel 'scares'"),
                                       ("scores", "two", URI, "'scores' has no case 'two'"),
                                       ("large", "one", URI, "the default variant is not legal on ascend910b3"),
                                       ("empty", "none", URI, "no kernel is launched: a dimension is 0"),
                                       ("scores", "one", "file:///other.mmk", "the text is not open")]:
            with self.subTest(why=why), self.assertRaisesRegex(Refused, why):
                count(kernel, case, uri)
        self.server.notify("workspace/didChangeConfiguration", settings={"mmk": {"machine": "host"}})
        with self.assertRaisesRegex(Refused, "host has no clock but the real one"):
            count("scores", "one")

    def test_lenses_are_shown_again(self):
        """A client that can is told when a case has been counted."""
        client = self.client(capabilities={"workspace": {"codeLens": {"refreshSupport": True}}})
        client.open(TEXT)
        command = client.of("codeLens")[0]["command"]
        for _ in range(2):
            client.request("workspace/executeCommand", command=command["command"], arguments=command["arguments"])
            message = client.next_message("workspace/codeLens/refresh")
            client.send({"id": message["id"], "result": None})
        self.assertEqual(client.end(), 0)

    def test_texts_that_are_no_programs(self):
        """Each has one message, and the server goes on."""
        for text, message in [("", "the file is empty"), ("\0", "zero byte"), ("(" * 100000, "brackets deep"),
                              ("kernel k() -> y: f32 { y = 1" + "+1" * 10000 + "; }", "more than 500 operators"),
                              (" " * (1 << 20) + "x", "at most 1048576"), ("/*", "does not end"), ("\ufeff", "empty")]:
            with self.subTest(text=text[:20]):
                messages = self.server.change([{"text": text}])
                self.assertEqual(len(messages), 1)
                self.assertIn(message, messages[0]["message"])
                self.assertIsNone(self.server.at("hover", (0, 0)))
                self.server.at("completion", (0, len(text)))
        self.assertEqual(self.server.change([{"text": TEXT}]), [])

    def test_a_text_that_is_not_open(self):
        other = "file:///other.mmk"
        for method in ["hover", "definition", "prepareRename"]:
            self.assertIsNone(self.server.at(method, (0, 0), other))
        self.assertEqual(self.server.of("documentSymbol", other), [])
        self.assertEqual(self.server.of("codeLens", other), [])
        with self.assertRaisesRegex(Refused, "expected the name of an open text, and a new one"):
            self.server.at("rename", (0, 0), other, newName="x")

    def test_options(self):
        def said(*words):
            return subprocess.run([self.server.process.args[0], *words], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
        self.assertIn("--machine NAME|FILE", said("--help").stdout)
        self.assertRegex(said("--version").stdout, r"^mmk \d")
        wrong = said("--machine", "ascend910b4x")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("ascend910b4", wrong.stderr)
        self.assertIn("expected options alone, found 'file.mmk'", said("file.mmk").stderr)
        self.assertEqual(said().returncode, 2, "the input ended without shutdown")
        self.assertEqual(self.server.end(), 0)
        machine = Client("--machine", "host")
        self.assertEqual(machine.open(TEXT), [])
        self.assertEqual(machine.end(), 0)


if __name__ == "__main__":
    main()
