"""Every command shown in docs/cli.md runs, and gives what is shown below it.

In its blocks marked `console`, a line `$ ...` is a command and the lines below it are all it
writes; a last line `...` leaves the rest out. Numbers may differ: times are of another computer, and
the clock may have been fitted since. MMK_UPDATE=1 in the environment rewrites what is shown.
"""

import os
import re

from command import ROOT, CommandTest, main

PAGE = ROOT / "docs" / "cli.md"


def shape_of(text):
    """The text without what may differ: the computer, numbers, and the spaces that line them up."""
    text = re.sub(r'"(cpu|features)": "[^"]*"', "", text)
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d+(\.\d+)?(e[+-]\d+)?", "#", text)).strip()


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
            given = self.output_of(first[2:])
            if shown.endswith("...\n"):
                given = "".join(line + "\n" for line in given.splitlines()[:shown.count("\n") - 1])
                given += "...\n"
            with self.subTest(command=first):
                if not os.environ.get("MMK_UPDATE"):
                    self.assertEqual(shape_of(given), shape_of(shown))
            fresh += f"{first}\n{given}"
        return fresh

    def test_page(self):
        parts = re.split(r"(^```console\n|^```\n)", PAGE.read_text(), flags=re.MULTILINE)
        blocks = [i + 1 for i, part in enumerate(parts) if part == "```console\n"]
        self.assertTrue(blocks)
        for i in blocks:
            parts[i] = self.check_block(parts[i])
        if os.environ.get("MMK_UPDATE"):
            PAGE.write_text("".join(parts))


if __name__ == "__main__":
    main()
