"""The help pages have exactly the options that the command accepts, and their examples run."""

import re
import struct

from command import INSTRUMENTED, CommandTest, main

COMMANDS = ["run", "compile", "tune", "cache", "compare", "explain", "bench", "report", "check", "format", "import", "machines", "help"]
WIDTH = 100


def options_in(page):
    return set(re.findall(r"^ +(--[a-z-]+)", page, re.MULTILINE))


def examples_in(page):
    return [line.strip() for line in page.split("\nexamples:\n")[1].split("\n\n")[0].splitlines()]


class Help(CommandTest):
    def test_commands(self):
        self.mmk("frobnicate", exit=2)
        known = re.search(r"commands: (.*)\n", self.said).group(1)
        self.assertEqual(re.split(r", | and ", known), COMMANDS)
        page = self.mmk("help")
        self.assertEqual(re.findall(r"^  ([a-z]+)  ", page, re.MULTILINE), COMMANDS)
        self.assertEqual(page, self.mmk("--help"))
        self.assertEqual(page, self.mmk("-h"))

    def test_options(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.mmk(command, "examples/matmul.mmk", "--frobnicate", exit=2)
                accepted = re.search(r"options: (.*)\n", self.said)
                accepted = set(re.split(r", | and ", accepted.group(1)))
                page = self.mmk("help", command)
                if command == "help":
                    accepted |= {"--version"}
                    page = page.replace("mmk --", "--")
                self.assertEqual(accepted, options_in(page))
                for short in re.findall(r", (-[a-z]) ", page):
                    self.assertEqual(self.mmk(command, short, "--help"), self.mmk(command, "-h"))

    def test_every_option_takes_what_its_page_says(self):
        for command in COMMANDS:
            page = self.mmk("help", command)
            for option, value in re.findall(r"^  (--[a-z-]+)(?: ([A-Z][^ ,]*))?", page,
                                            re.MULTILINE):
                if value:
                    self.mmk(command, "examples/matmul.mmk", option, exit=2)
                    self.assertEqual(self.said,
                                     f"error: {option} needs a value: {option} {value}\n")

    def test_pages(self):
        for command in COMMANDS:
            page = self.mmk("help", command)
            self.assertEqual(page, self.mmk(command, "--help"))
            self.assertEqual(page, self.mmk(command, "words", "--behind", "-h"))
            for line in page.splitlines():
                self.assertLessEqual(len(line), WIDTH, line)
                self.assertEqual(line, line.rstrip())

    def test_examples(self):
        header = "{'descr': '<f2', 'fortran_order': False, 'shape': (64, 64), }".ljust(117) + "\n"
        (self.folder / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                                            header.encode() + bytes(2 * 64 * 64))
        # An instrumented build has no Python package.
        for command in [each for each in COMMANDS if each != "import" or not INSTRUMENTED]:
            examples = examples_in(self.mmk("help", command))
            self.assertTrue(examples)
            for example in examples:
                with self.subTest(example=example):
                    done = self.shell(example)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_version(self):
        self.assertRegex(self.mmk("--version"), r"^mmk \d+\.\d+\.\d+ \(LLVM 22\.\d+\.\d+\)\n$")


if __name__ == "__main__":
    main()
