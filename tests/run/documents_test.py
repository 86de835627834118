"""Every command shown in docs/cli.md runs, and gives what is shown below it.

In its blocks marked `console`, a line `$ ...` is a command and the lines below it are all it
writes; a last line `...` leaves the rest out. What the compiler and the clock determine (cycles,
bytes, counts, the text) has to agree to the digit; only what is measured on this computer may
differ. `./dev goldens run/documents` rewrites what is shown.
"""

import os
import re

from command import ROOT, CommandTest, main

PAGE = ROOT / "docs" / "cli.md"
LANGUAGE = ROOT / "docs" / "language.md"
HALF_PORT = ["--machine-set", "links.gm_l1.bytes_per_cycle=*0.5"]
LARGE_TILES = [word for choice in ("tile.M=128", "tile.N=256", "tile.K=64", "stage.K=256",
                                   "order=swizzle(4)", "keep=none") for word in ("--set", choice)]
# The cycles that docs/language.md states, each with its run: a kernel of the page, or an example.
CYCLES = [
    (9090, "examples/matmul_small.mmk", ["--case", "cube"]),
    (17069, "examples/matmul_small.mmk", ["--case", "cube", "--set", "tile.M=128", "--set", "tile.N=256"]),
    (69569, "deep", []),
    (240096, "deep", ["--set", "grid.K=1"]),
    (217285, "rows", HALF_PORT),
    (236579, "rows", HALF_PORT + LARGE_TILES),
    (191429, "examples/matmul_bias_leakyrelu.mmk", ["--case", "S1", "--set", "bias=table"]),
    (191055, "examples/matmul_bias_leakyrelu.mmk", ["--case", "S1"]),
]
COMMANDS = ["run", "compile", "tune", "cache", "compare", "explain", "bench", "report", "check", "format", "import", "machines", "help"]
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[+-]\d+)?")


def is_measured(command):
    """Whether all figures of a command are of this computer."""
    return "--machine host" in command or (command.startswith("mmk bench") and "--count-only" not in command)


def comparable(command, text):
    """The lines of an output, with a # for each figure that is measured on this computer."""
    lines = []
    timed = False
    for line in text.splitlines():
        if is_measured(command) or line.startswith("host  "):  # the row of mmk machines
            line = re.sub(r" +", " ", NUMBER.sub("#", line))
        elif timed and line[0] != " " and re.search(r"  [\d.e-]+ +[\d.e-]+$", line):
            line = re.sub(r" +[\d.e-]+ +[\d.e-]+$", "  #  #", line)
        else:
            timed = bool(re.search(r"  host ms  GFLOP/s$", line))
            line = re.sub(r" +host ms  GFLOP/s$", "  host ms  GFLOP/s", line)
        lines.append(line)
    return lines


class Documents(CommandTest):
    def output_of(self, command):
        done = self.shell(command)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        return done.stdout + done.stderr

    def check_block(self, block):
        """Runs the commands of a block; returns it as it should be."""
        fresh = ""
        for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
            first, _, shown = part.partition("\n")
            command = first[2:]
            given = self.output_of(command)
            if shown.endswith("...\n"):
                given = "".join(line + "\n" for line in given.splitlines()[:shown.count("\n") - 1])
                given += "...\n"
            same = comparable(command, given) == comparable(command, shown)
            if not same and not os.environ.get("MMK_UPDATE"):
                with self.subTest(command=first):
                    self.assertEqual(comparable(command, given), comparable(command, shown))
            fresh += f"{first}\n{shown if same else given}"
        return fresh

    def test_page(self):
        parts = re.split(r"(^```console\n|^```\n)", PAGE.read_text(), flags=re.MULTILINE)
        blocks = [i + 1 for i, part in enumerate(parts) if part == "```console\n"]
        self.assertTrue(blocks)
        for i in blocks:
            parts[i] = self.check_block(parts[i])
        if os.environ.get("MMK_UPDATE"):
            PAGE.write_text("".join(parts))

    def test_cycles_of_the_language_page(self):
        page = LANGUAGE.read_text()
        for cycles, kernel, words in CYCLES:
            with self.subTest(kernel=kernel, words=words):
                file = kernel
                if not kernel.endswith(".mmk"):
                    file = f"{kernel}.mmk"
                    block = re.search(rf"^```mmk\n(kernel {kernel}\(.*?)^```", page, re.MULTILINE | re.DOTALL)
                    (self.folder / file).write_text(block[1])
                (report,) = self.report(file, "--count-only", *words)
                self.assertEqual(report["clock"]["cycles"], cycles)
                self.assertIn(str(cycles), page)

    def test_options(self):
        """The page has every option of every command."""
        page = PAGE.read_text()
        for command in COMMANDS:
            for option in re.findall(r"^ +(--[a-z-]+)", self.mmk("help", command), re.MULTILINE):
                with self.subTest(command=command, option=option):
                    self.assertRegex(page, f"`(mmk )?[^`]*{option}\\b")


if __name__ == "__main__":
    main()
