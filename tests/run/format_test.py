"""`mmk format` as a user runs it: what becomes of files, and exit codes."""

import os
import subprocess
import unittest

from command import ROOT, CommandTest, main

LOOSE = "kernel twice(x:f32[N])->y:f32[N]{y=2*x;}\n"
NEAT = "kernel twice(x: f32[N]) -> y: f32[N] {\n  y = 2 * x;\n}\n"
WRONG = "kernel twice(x: f32[N]) -> y: f32[N] { y = 2 x; }\n"


class Format(CommandTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_writes_files_in_place(self):
        loose, neat = self.write("loose.mmk", LOOSE), self.write("neat.mmk", NEAT)
        loose.chmod(0o640)
        os.utime(neat, (1, 1))
        self.assertEqual(self.mmk("format", loose, neat), "")
        self.assertEqual((loose.read_text(), self.said), (NEAT, ""))
        self.assertEqual(loose.stat().st_mode & 0o777, 0o640)
        self.assertEqual(neat.stat().st_mtime, 1, "a file in the style is not written")

    def test_writes_through_links(self):
        loose, link = self.write("loose.mmk", LOOSE), self.folder / "link.mmk"
        link.symlink_to(loose)
        self.mmk("format", link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(loose.read_text(), NEAT)

    def test_standard_input(self):
        self.assertEqual(self.mmk("format", "-", text=LOOSE), NEAT)
        self.assertEqual(self.mmk("format", "-", text=NEAT), NEAT)
        self.assertEqual(self.mmk("format", "-", text=LOOSE.replace("\n", "\r\n")), NEAT)

    def test_check(self):
        loose, neat = self.write("loose.mmk", LOOSE), self.write("neat.mmk", NEAT)
        self.mmk("format", "--check", neat)
        self.assertEqual(self.said, "")
        self.mmk("format", "--check", loose, neat, "-", exit=1, text=NEAT + "\n" + LOOSE)
        self.assertEqual(self.said, f"{loose}:1: not formatted from this line on\n"
                                    "<stdin>:5: not formatted from this line on\n")
        self.assertEqual(loose.read_text(), LOOSE)

    def test_a_file_with_an_error_is_left_as_it_is(self):
        self.write("wrong.mmk", WRONG)
        loose = self.write("loose.mmk", LOOSE)
        self.mmk("format", "wrong.mmk", "loose.mmk", exit=2)
        self.assertEqual(self.said, "wrong.mmk:1:46: error: expected an operator or ';', found 'x'\n"
                                    "    1 | kernel twice(x: f32[N]) -> y: f32[N] { y = 2 x; }\n"
                                    "      |                                              ^\n")
        self.assertEqual((self.folder / "wrong.mmk").read_text(), WRONG)
        self.assertEqual(loose.read_text(), NEAT)

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_folder_that_may_not_be_written(self):
        loose = self.write("loose.mmk", LOOSE)
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.mmk("format", "loose.mmk", exit=2)
        self.assertEqual(loose.read_text(), LOOSE)

    def test_a_kernel_counts_the_same(self):
        text = (ROOT / "examples" / "matmul.mmk").read_text()
        tight = subprocess.run(["tr", "-s", " \n", " "], input="\n".join(
            line for line in text.splitlines() if not line.startswith("//")), text=True,
            capture_output=True, check=True).stdout
        self.write("tight.mmk", tight)
        before = self.report("tight.mmk", "--case", "S1", "--count-only")
        self.mmk("format", "tight.mmk")
        after = self.report("tight.mmk", "--case", "S1", "--count-only")
        self.assertEqual(before[0]["clock"], after[0]["clock"])


if __name__ == "__main__":
    main()
