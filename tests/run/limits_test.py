"""Limits of the computer and of mmk: memory, disks, folders, signals. A request that cannot be
met is reported; nothing is half written."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time
import unittest

from command import ALL, EXAMPLES, INSTRUMENTED, MMK, CommandTest, main

SMALL = "kernel f(x: f32[N]) -> y: f32[N] { y = x + x; case tiny { N = 8; } }\n"
FUSED = EXAMPLES / "matmul_bias_leakyrelu.mmk"


class Limits(CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "small.mmk").write_text(SMALL)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    # --- sizes

    def test_thousands_of_kernels(self):
        count = 10000 if ALL else 2000
        text = "".join(f"kernel k{i}(x: f32[N]) -> y: f32[N] {{ y = x + {i}; case c {{ N = 8; }} }}\n"
                       for i in range(count))
        (self.folder / "many.mmk").write_text(text)
        self.assertTrue(self.mmk("check", "many.mmk").startswith(f"ok: {count} kernels"))
        self.assertIn("ok", self.mmk("run", "many.mmk", "--kernel", f"k{count - 1}"))
        self.mmk("run", "many.mmk", exit=2)
        self.assertLess(len(self.said), 1000)
        self.assertIn(f"many.mmk has {count} kernels; choose one with --kernel:", self.said)

    def test_the_largest_dimensions(self):
        largest = 2**31 - 1
        self.new_process()
        self.assertIn(f"N={largest}", self.mmk("run", "small.mmk", f"N={largest}", "--count-only"))
        self.mmk("run", FUSED, f"M={largest}", f"N={largest}", "K=1", exit=2)
        self.assertEqual(self.said, f"error: c: a tensor f32[{largest}, {largest}] is larger than any "
                                    "memory: its bytes do not fit in 63 bits\n")
        self.mmk("run", FUSED, f"M={largest}", "N=1000000", "K=1", exit=2)
        self.assertRegex(self.said, r"^error: this case needs .* PiB of memory, but .* are free\n")
        self.mmk("run", "small.mmk", f"N={largest + 1}", exit=2)
        self.assertIn(f"the dimension N is an integer from 0 to {largest}", self.said)

    def test_a_name_that_no_file_can_have(self):
        name = "x" * 300 + ".mmk"
        self.mmk("run", name, exit=2)
        self.assertEqual(self.said, f"error: cannot read {name}: File name too long\n")
        self.mmk("compile", "small.mmk", "-o", name, exit=2)
        self.assertEqual(self.said, f"error: cannot write {name}: File name too long\n")

    # --- memory

    def test_max_memory(self):
        large = ["run", FUSED, "M=8192", "N=8192", "K=512"]
        self.mmk(*large, "--max-memory", "512MiB", exit=2)
        self.assertTrue(self.said.startswith(
            "error: this case needs 1.0 GiB of memory, but --max-memory allows 512.0 MiB\n"
            "note: a: f16[8192, 512], 8.0 MiB\n"), self.said)
        self.assertIn("ok", self.mmk("run", "small.mmk", "--max-memory", "512MiB"))
        self.assertIn("ok", self.mmk("run", "small.mmk", "--max-memory", str(1 << 30)))
        for wrong in ["", "1GB", "-1GiB", "nan", "1MiB", "GiB", "1e999"]:
            self.mmk("run", "small.mmk", "--max-memory", wrong, exit=2)
            self.assertEqual(self.said, "error: --max-memory is a size from 256MiB on, in bytes, KiB, "
                                        f"MiB, GiB or TiB, such as 2GiB; found '{wrong}'\n")

    def test_a_npy_file_of_another_shape_takes_no_memory(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824,), }"
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        with open(self.folder / "x.npy", "wb") as file:
            file.write(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header)
            file.truncate(file.tell() + 4 * 1073741824)  # sparse: 4 GiB that the disk does not have
        self.mmk("run", "small.mmk", "N=8", "--input", "x=x.npy", "--max-memory", "512MiB", exit=2)
        self.assertEqual(self.said, "error: x.npy: expected f32[8], found f32[1073741824]\n")

    @unittest.skipIf(INSTRUMENTED, "sanitizers reserve more addresses than the limit")
    def test_out_of_memory_anywhere(self):
        """From hardly enough to start to enough for all: an answer, never a signal or a bug."""
        answers = set()
        # Large pages take so much at the start that nothing may be left to throw std::bad_alloc with.
        self.environment.pop("GLIBC_TUNABLES", None)

        def attempt(kibibytes, *words):
            def limited():
                resource.setrlimit(resource.RLIMIT_AS, (kibibytes << 10, kibibytes << 10))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

            return subprocess.run([MMK, *words], cwd=self.folder, env=self.environment,
                                  capture_output=True, text=True, timeout=300, preexec_fn=limited)

        # Where the libraries can start, and hardly more.
        least, enough = 1 << 10, 4 << 20
        while enough - least > 256:
            middle = (least + enough) // 2
            if attempt(middle, "--version").returncode != 0:
                least = middle
            else:
                enough = middle
        for kibibytes in [*range(enough, enough + 8192, 96), 4 << 20]:
            done = attempt(kibibytes, "run", "small.mmk", "--no-cache", "--json", "r.json",
                           "--threads", "2")
            self.assertIn(done.returncode, (0, 2), f"{kibibytes} KiB: {done.stderr}")
            if done.returncode == 2:
                self.assertIn(done.stderr, ("error: out of memory\n",
                                            "error: not enough memory for the emulated cores\n"))
                self.assertNotIn("r.json", self.files())
            else:
                json.loads((self.folder / "r.json").read_text())
                (self.folder / "r.json").unlink()
            self.assertEqual(self.files(), ["examples", "small.mmk"])
            answers.add(done.stderr)
        self.assertIn("error: out of memory\n", answers)
        self.assertIn("", answers)

    # --- disks and folders

    def on_a_disk(self, size, body):
        """`body` in a folder on a disk of that size; nothing where mounting is not permitted."""
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                          capture_output=True).returncode != 0:
            self.skipTest("may not mount a disk")
        try:
            body(disk)
        finally:
            subprocess.run(["umount", "-l", disk], check=True)

    def test_a_full_disk(self):
        def body(disk):
            for words in [["compile", FUSED, "-o", disk / "f.mlir"],
                          ["compile", FUSED, "--emit", "obj", "-o", disk / "f.o"],
                          ["run", "small.mmk", "N=10000", "--output", f"y={disk}/y.npy"],
                          ["run", FUSED, "--case", "thin", "--json", disk / "r.json", "--profile",
                           disk / "profile"]]:
                self.mmk(*words, exit=2)
                self.assertRegex(self.said, r"^error: .*No space left on device\n$", words)
                left = [path for path in disk.rglob("*") if path.is_file()]
                self.assertEqual([path.name for path in left if "%" in path.name or
                                  path.suffix not in (".csv", ".json", ".html")], [], words)
                for path in left:
                    path.unlink()

        self.on_a_disk("4k", body)

    def test_a_cache_on_a_full_disk(self):
        def body(disk):
            self.environment["MMK_CACHE_DIR"] = str(disk / "cache")
            self.assertIn("ok", self.mmk("run", FUSED, "--case", "thin"))
            self.assertEqual(list(disk.rglob("*.tmp")), [])
            self.mmk("tune", FUSED, "--case", "thin", "--effort", "quick", exit=None)
            self.assertIn(self.code, (0, 2))
            self.assertRegex(self.said, r"^warning: (not all of this|nothing) is remembered: ")

        self.on_a_disk("8k", body)

    def test_a_cache_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        for cache in ["/proc/mmk", str(self.folder / "file" / "cache"), "/dev/null"]:
            self.environment["MMK_CACHE_DIR"] = cache
            self.assertIn("ok", self.mmk("run", "small.mmk"))

    def test_no_home(self):
        for name in ["HOME", "XDG_CACHE_HOME", "MMK_CACHE_DIR"]:
            self.environment.pop(name, None)
        self.assertIn("ok", self.mmk("run", "small.mmk"))
        self.mmk("cache", "list", exit=2)
        self.assertIn("set MMK_CACHE_DIR", self.said)

    def test_input_that_is_only_read(self):
        def body(disk):
            (disk / "small.mmk").write_text(SMALL)
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            self.assertIn("ok", self.mmk("run", disk / "small.mmk"))
            self.mmk("compile", disk / "small.mmk", "-o", disk / "f.mlir", exit=2)
            self.assertEqual(self.said, f"error: cannot write {disk}/f.mlir: Read-only file system\n")

        self.on_a_disk("64k", body)

    def test_a_damaged_object_is_made_anew(self):
        self.new_process()
        self.mmk("run", "small.mmk")
        # The program of a variant, and the functions that compute, which variants share.
        objects = sorted((self.folder / "cache").glob("*.o"))
        self.assertEqual(len(objects), 2)
        self.assertTrue(self.report("small.mmk")[0]["host"]["cached"])
        for path in objects:
            whole = path.read_bytes()
            for damaged in [b"", whole[:-1], whole[:100] + bytes([whole[100] ^ 1]) + whole[101:]]:
                path.write_bytes(damaged)
                self.new_process()
                self.assertFalse(self.report("small.mmk")[0]["host"]["cached"])
                self.assertEqual(path.read_bytes(), whole)

    # --- signals

    def test_control_c_at_any_moment(self):
        words = ["run", "small.mmk", "N=100000", "--repeat", "3", "--json", "r.json", "--output",
                 "y=y.npy"]
        self.mmk(*words)
        sizes = {name: (self.folder / name).stat().st_size for name in ("y.npy",)}
        begin = time.monotonic()
        self.mmk(*words)
        whole = time.monotonic() - begin
        for part in range(20):
            for name in ("r.json", "y.npy"):
                (self.folder / name).unlink(missing_ok=True)
            process = subprocess.Popen([MMK, *words], cwd=self.folder, env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(whole * part / 18)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            output = process.communicate(timeout=300)[1].decode()
            self.assertIn(process.returncode, (0, -signal.SIGINT), output)
            self.assertEqual(output, "")
            left = [name for name in self.files() if name not in ("examples", "small.mmk", "cache")]
            self.assertLessEqual(set(left), {"r.json", "y.npy"})
            if "r.json" in left:
                json.loads((self.folder / "r.json").read_text())
            if "y.npy" in left:
                self.assertEqual((self.folder / "y.npy").stat().st_size, sizes["y.npy"])


if __name__ == "__main__":
    main()
