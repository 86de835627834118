"""What the tests rely on: a command of the process that stays has a folder, an environment and streams of its own."""

import os
import signal

from command import MMK, RESIDENT, CommandTest, main

TEXT = "kernel k(x: f32[N]) -> y: f32[N] { y = 2 * x; case a { N = 8; } }\n"


class ResidentTest(CommandTest):
    def test_folder_and_streams(self):
        for name in "one", "two":
            folder = self.folder / name
            folder.mkdir()
            (folder / f"{name}.mmk").write_text(TEXT)
            done = RESIDENT.run([MMK, "run", f"{name}.mmk", "--json", "-"], cwd=folder, env=self.environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('"kernel": "k"', done.stdout)
        done = RESIDENT.run([MMK, "check", "one.mmk"], cwd=self.folder / "two", env=self.environment)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("error: cannot read one.mmk"), done.stderr)
        self.mmk("check", "-", text=TEXT)
        self.mmk("check", "-", text="", exit=2)

    def test_environment(self):
        (self.folder / "k.mmk").write_text(TEXT)
        for name in "first", "second":
            cache = self.folder / name
            RESIDENT.run([MMK, "run", "k.mmk"], cwd=self.folder, env=dict(self.environment, MMK_CACHE_DIR=str(cache)))
            self.assertTrue(list(cache.iterdir()), name)

    def test_a_process_that_ended_is_replaced(self):
        self.mmk("--version")
        before = RESIDENT.process
        os.kill(before.pid, signal.SIGKILL)
        before.wait()
        self.mmk("--version", exit=-signal.SIGKILL)
        self.mmk("--version")
        self.assertNotEqual(RESIDENT.process.pid, before.pid)

    def test_arguments(self):
        for word in "two words", "", "ä", "a'quote":
            self.mmk("check", word, exit=2)
            self.assertIn(word or "file", self.said)


if __name__ == "__main__":
    main()
