"""`mmk compile --emit=ascendc --check`: the toolkit that is found, the compiler that reads the project,
and what is said where there is none. The shim stands for the headers of a toolkit."""

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from command import EXAMPLES, CommandTest, main

SHIM = pathlib.Path(__file__).resolve().parent / "shim"


class CheckTest(CommandTest):
    def check(self, code, path=None, options=("--emit=ascendc", "-o", "out", "--check"), **variables):
        """Standard error of a check, with the folder of the test as DIR."""
        for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
            self.environment.pop(name, None)
        self.environment |= {name: str(value) for name, value in variables.items()}
        self.environment["PATH"] = os.environ["PATH"] if path is None else str(path)
        self.mmk("compile", EXAMPLES / "matmul_half.mmk", *options, exit=code)
        return self.said.replace(str(self.folder), "DIR")

    def toolkit(self, name):
        """A toolkit with the headers of the shim, below two folders."""
        home = self.folder / name
        (home / "include/api").mkdir(parents=True)
        for header in SHIM.glob("*.h"):
            shutil.copy(header, home / "include/api")
        shutil.copytree(SHIM / "acl", home / "include/acl")
        header = home / "include/api/kernel_operator.h"
        header.write_text(header.read_text().replace("#define MMK_LAUNCH", "#undef MMK_LAUNCH\n#define MMK_LAUNCH"))
        return home

    def compiler(self, name, text):
        folder = self.folder / name
        folder.mkdir(parents=True)
        compiler = folder / ("bisheng" if folder.name == "bin" else "c++")
        compiler.write_text("#!/bin/sh\n" + text)
        compiler.chmod(0o755)
        return folder

    def test_headers(self):
        home = self.toolkit("toolkit")
        folder = self.compiler("path", f'exec {shutil.which(os.environ["CXX"])} "$@" -std=c++20\n')
        self.assertEqual(self.check(0, folder, ASCEND_HOME_PATH=home), "DIR/path/c++ accepts out/main.asc\n")
        header = home / "include/api/kernel_operator.h"
        header.write_text(header.read_text().replace("InitSocState", "Other"))
        said = self.check(1, folder, ASCEND_TOOLKIT_HOME=home)
        self.assertIn("error: use of undeclared identifier 'InitSocState'", said)
        self.assertTrue(said.endswith(
            "DIR/path/c++ refuses out/main.asc: the toolkit is not the one that mmk writes for, or this is "
            "a bug in mmk\n"), said)

    def test_toolkit_compiler(self):
        home = self.toolkit("toolkit")
        self.compiler("toolkit/bin", 'echo "$@" >&2\n')
        self.assertEqual(
            self.check(0, "", ASCEND_HOME_PATH=home),
            "-std=c++17 -fsyntax-only --npu-arch=dav-2201 -xasc -IDIR/toolkit/include/api "
            "-IDIR/toolkit/include out/main.asc\nDIR/toolkit/bin/bisheng accepts out/main.asc\n")

    def test_missing(self):
        home = self.toolkit("toolkit")
        self.assertEqual(self.check(2),
                         "error: --check needs a toolkit (CANN 8.5 or later): neither ASCEND_HOME_PATH nor "
                         "ASCEND_TOOLKIT_HOME is set; its set_env.sh sets them\n")
        self.assertEqual(self.check(2, ASCEND_HOME_PATH=self.folder / "none"),
                         "error: --check: ASCEND_HOME_PATH is DIR/none, which is no folder\n")
        self.assertEqual(self.check(2, self.folder, ASCEND_HOME_PATH=home),
                         "error: --check: neither bisheng nor a C++ compiler is in PATH\n")
        (home / "include/api/kernel_operator.h").unlink()
        self.assertEqual(self.check(2, ASCEND_HOME_PATH=home),
                         "error: --check: no kernel_operator.h below DIR/toolkit\n")

    def test_other_stage(self):
        self.assertEqual(self.check(2, options=("--check",)),
                         "error: --check: of the stages, ascendc alone is checked; --emit=ascendc\n")


if __name__ == "__main__":
    main()
