"""The set-ups in editors/: what is packed for VS Code, and Neovim and Emacs with the server, without a screen."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
sys.path.insert(0, str(ROOT / "tests" / "lsp"))
from client import LSP, Client  # noqa: E402

LONGEST = 300  # seconds; an editor that takes longer hangs
TEXT = """\
kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let raw = a @ b;
  c = rleu(raw);
  schedule {
    tile M = 64;
  }
  case one { M = 1;   N = 1; K = 1; }
}
"""
WRONG = "unknown function 'rleu' (did you mean 'relu'?)"


def words_of_the_language():
    """{kind: words} from the server: what it completes, and the keywords of the grammar."""
    client = Client()
    client.open("kernel k(x: ")
    kinds = {}
    for each in client.at("completion", (0, 12))["items"]:
        kinds.setdefault(each["kind"], set()).add(each["label"])
    type_parameter = 25
    types = kinds[type_parameter] | {"int"}
    client.change([{"text": "kernel k() -> y: f32 {\n  schedule {\n"}])
    directives = {each["label"] for each in client.at("completion", (2, 0))["items"]} - {"require"}
    client.change([{"text": "kernel k() -> y: f32 {\n  check {\n"}])
    checks = {each["label"] for each in client.at("completion", (2, 0))["items"]}
    client.end()
    grammar = (ROOT / "dsl" / "Mmk.g4").read_text()
    keywords = set(re.findall(r"^[A-Z_]+ : '([a-z]+)' ;", grammar, re.MULTILINE))
    return {"types": types, "directives": directives, "checks": checks, "keywords": keywords}


class Editors(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.text = self.folder / "text.mmk"
        self.text.write_text(TEXT)
        self.environment = dict(os.environ, MMK_TEXT=str(self.text), HOME=str(self.folder), LC_ALL="C.UTF-8",
                                PATH=f"{LSP.parent}:{os.environ['PATH']}")

    def run_editor(self, *words):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, timeout=LONGEST, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_the_package_of_vscode(self):
        packages = self.folder / "node_modules"
        (packages / "vscode-languageclient").mkdir(parents=True)
        (packages / "vscode-languageclient" / "node.js").write_text("// the client\n")
        outputs = [self.folder / "one.vsix", self.folder / "two.vsix"]
        for output in outputs:
            self.run_editor(EDITORS / "package", "--packages", packages, "--output", output)
        self.assertEqual(*[output.read_bytes() for output in outputs], "the same sources make the same bytes")
        with zipfile.ZipFile(outputs[0]) as archive:
            self.assertIsNone(archive.testzip())
            files = {name: archive.read(name) for name in archive.namelist()}
        self.assertEqual(set(files), {
            "[Content_Types].xml", "extension.vsixmanifest", "extension/package.json", "extension/extension.js",
            "extension/language-configuration.json", "extension/mmk.tmLanguage.json", "extension/README.md",
            "extension/LICENSE.txt", "extension/node_modules/vscode-languageclient/node.js"})
        types = xml.etree.ElementTree.fromstring(files["[Content_Types].xml"])
        known = {each.get("Extension") for each in types}
        self.assertEqual({pathlib.PurePath(name).suffix for name in files} - known - {".xml"}, set())
        manifest = xml.etree.ElementTree.fromstring(files["extension.vsixmanifest"])
        for asset in manifest.iter("{http://schemas.microsoft.com/developer/vsx-schema/2011}Asset"):
            self.assertIn(asset.get("Path"), files)
        package = json.loads(files["extension/package.json"])
        version = re.search(r"project\(mmk VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(package["version"], version)
        contributed = package["contributes"]
        for path in [package["main"], contributed["grammars"][0]["path"], contributed["languages"][0]["configuration"]]:
            self.assertIn("extension/" + path.removeprefix("./"), files)
        self.assertEqual(json.loads(files["extension/mmk.tmLanguage.json"])["scopeName"],
                         contributed["grammars"][0]["scopeName"])
        # What it requires is in the list of what is packed.
        lock = json.loads((EDITORS / "vscode" / "package-lock.json").read_text())["packages"]
        self.assertEqual(lock[""]["dependencies"], package["dependencies"])
        self.assertIn("node_modules/vscode-languageclient", lock)

    def test_the_extension_of_vscode(self):
        done = self.run_editor("node", ROOT / "tests" / "editors" / "vscode.js", EDITORS / "vscode" / "extension.js")
        self.assertEqual(json.loads(done.stdout), {
            "command": "/opt/mmk-lsp", "documentSelector": [{"language": "mmk"}],
            "initializationOptions": {"machine": "ascend310p3", "lower": False},
            "sent": {"method": "workspace/didChangeConfiguration",
                     "parameters": {"settings": {"mmk": {"machine": "host", "lower": False}}}},
            "shown": "k one: 12 cycles (cores=1)", "passed": True, "started": True, "stopped": True, "kept": 1})

    def test_words(self):
        """Each highlighter knows the words of the language, and no others."""
        words = words_of_the_language()
        self.assertEqual(len(words["directives"]), 16)
        grammar = json.loads((EDITORS / "mmk.tmLanguage.json").read_text())["repository"]

        def listed(patterns):
            return {word for each in patterns for group in re.findall(r"\\b\(?([a-z_|\d]+)\)?\\b", each.get("match", ""))
                    for word in group.split("|")}
        self.assertEqual(listed(grammar["schedule"]["patterns"]), words["directives"] | {"require"})
        self.assertEqual(listed(grammar["check"]["patterns"]), words["checks"] | {"exact", "fast"})
        self.assertEqual(listed(grammar["words"]["patterns"]), words["keywords"] | words["types"] | {"const"})
        for pattern in re.findall(r'"(?:match|begin|end)": ("(?:[^"\\]|\\.)*")', (EDITORS / "mmk.tmLanguage.json").read_text()):
            re.compile(json.loads(pattern))

        vim = (EDITORS / "vim" / "syntax" / "mmk.vim").read_text()

        def of_vim(group):
            lines = re.findall(rf"^syntax keyword {group} (?:contained )?(.*)$", vim, re.MULTILINE)
            return set(" ".join(lines).split())
        self.assertEqual(of_vim("mmkKeyword") | of_vim("mmkNumber") | {"schedule", "check"},
                         words["keywords"] | {"dim", "const"})
        self.assertEqual(of_vim("mmkType"), words["types"])
        self.assertEqual(of_vim("mmkDirective"), words["directives"])
        self.assertEqual(of_vim("mmkCheck"), words["checks"])

        emacs = (EDITORS / "emacs" / "mmk-mode.el").read_text()

        def of_emacs(name):
            return set(re.findall(r'"(\w+)"', re.search(rf"\(defconst {name}\s*'\((.*?)\)\)", emacs, re.DOTALL)[1]))
        self.assertEqual(of_emacs("mmk-keywords") | {"inf", "nan"}, words["keywords"] | {"dim", "const"})
        self.assertEqual(of_emacs("mmk-types"), words["types"])
        self.assertEqual(of_emacs("mmk-directives"), words["directives"])
        self.assertEqual(of_emacs("mmk-check-keys"), words["checks"])

    def test_neovim(self):
        done = self.run_editor("nvim", "--headless", "-u", "NONE", "-i", "NONE", "--cmd", f"set rtp^={EDITORS}/vim",
                               "--cmd", "filetype plugin indent on", "--cmd", "syntax on",
                               "-c", f"luafile {ROOT}/tests/editors/neovim.lua")
        said = json.loads(done.stdout)
        self.assertEqual(said, {
            "filetype": "mmk", "published": True, "messages": [[3, 7, WRONG]], "clean": True,
            "hover": "```mmk\nlet raw: f32[M, N]\n```\n", "definition": {"line": 1, "character": 6},
            "text": TEXT.replace("rleu", "relu").replace("1;   N", "1; N").splitlines(),
            "syntax": {"kernel": "mmkKeyword", "f16": "mmkType", "tile": "mmkDirective", "case": "mmkKeyword",
                       "relu": "mmkFunction"}})

    def test_emacs(self):
        self.text.write_text(re.sub("(?m)^ +", "", TEXT))
        done = self.run_editor("emacs", "--batch", "--eval", "(package-initialize)", "-L", EDITORS / "emacs",
                               "-l", ROOT / "tests" / "editors" / "emacs.el")
        said = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(said["mode"], "mmk-mode")
        self.assertEqual(said["indented"], TEXT)
        self.assertEqual(said["faces"], [f"font-lock-{name}-face" for name in
                                         ["keyword", "type", "variable-name", "constant", "function-name"]])
        self.assertEqual([[line, text.removeprefix("mmk: ")] for line, text in said["messages"]], [[3, WRONG]])
        self.assertEqual(said["hover"], "```mmk\nb: f16[K, N]\n```\n")

    def test_emacs_compiles_the_mode(self):
        self.run_editor("emacs", "--batch", "--eval", "(setq byte-compile-error-on-warn t "
                        f"byte-compile-dest-file-function (lambda (_) \"{self.folder}/mmk-mode.elc\"))",
                        "-f", "batch-byte-compile", EDITORS / "emacs" / "mmk-mode.el")


if __name__ == "__main__":
    unittest.main()
