"""`mpirun mmk tune`: the answer and the memory of one process, also when a rank is killed."""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

from command import MMK, main
from tune_test import KERNEL, TuneTest

RANKS = 4
MPIRUN = ["mpirun", "--oversubscribe", "-n", str(RANKS)] + (
    ["--allow-run-as-root"] if os.geteuid() == 0 else [])
WORDS = ["tune", "k.mmk", "--sweep", "tile.N=32,48,64,80,96,112,128", "--objective", "pareto",
         "--threads", "1"]


def children(process):
    """The ranks that an mpirun has started, by their numbers."""
    found = {}
    for path in pathlib.Path("/proc").iterdir():
        try:
            if path.name.isdigit() and int(
                    (path / "stat").read_text().rsplit(")", 1)[1].split()[1]) == process.pid:
                for word in (path / "environ").read_text().split("\0"):
                    if word.startswith("OMPI_COMM_WORLD_RANK="):
                        found[int(word.split("=")[1])] = int(path.name)
        except (OSError, ValueError):
            pass
    return found


class Mpi(TuneTest):
    def rows(self, cache):
        with sqlite3.connect(self.folder / cache / "tune" / "memory.sqlite") as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            return set(database.execute(
                "SELECT s.dims, v.name, m.cycles, m.traffic, m.busy, m.memory, m.least "
                "FROM measure m JOIN shape s ON s.id = m.shape JOIN variant v ON v.id = m.variant"))

    def start(self, *options):
        # Memory that OpenMPI never frees would count as leaked.
        self.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        return subprocess.Popen([*MPIRUN, *options, MMK, *WORDS], cwd=self.folder,
                                env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def alone(self):
        """The output of one process, and the contents of its store."""
        self.environment["MMK_CACHE_DIR"] = str(self.folder / "alone")
        return self.mmk(*WORDS), self.rows("alone")

    def ranks_at_work(self, process):
        """The processes, once they are: the memory is there when the search has begun."""
        while len(ranks := children(process)) < RANKS:
            time.sleep(0.01)
        while not (self.folder / "cache" / "tune" / "memory.sqlite").exists():
            time.sleep(0.01)
        return ranks

    def outcome(self, process):
        """Its output. On a busy computer mpirun now and then does not see that the last of its
        processes has ended, after one was killed; they are what is tested here."""
        for _ in range(60):
            try:
                return process.communicate(timeout=2)
            except subprocess.TimeoutExpired:
                if not children(process):
                    process.kill()
        self.fail("the ranks have not ended after two minutes")

    def test_the_answer_of_one_process(self):
        process = self.start()
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual((output, self.rows("cache")), self.alone())

    def test_a_rank_that_dies_costs_its_share_only(self):
        process = self.start("--enable-recovery")
        os.kill(self.ranks_at_work(process)[2], signal.SIGKILL)
        output, errors = self.outcome(process)
        self.assertIn("counted", output, errors)
        self.assertEqual((output, self.rows("cache")), self.alone())

    def test_nothing_is_lost_when_mpirun_ends_them_all(self):
        process = self.start()
        os.kill(self.ranks_at_work(process)[1], signal.SIGKILL)
        self.outcome(process)
        kept = self.rows("cache")
        again = self.mmk(*WORDS)
        known = self.rows("cache")
        output, rows = self.alone()
        self.assertLessEqual(kept, known)
        # Of variants that differ only by cores without work, or by the order of single tiles, the
        # one that was measured first represents all.
        self.assertEqual({row[:1] + row[2:] for row in known}, {row[:1] + row[2:] for row in rows})
        self.assertEqual(again.splitlines()[:-1], output.splitlines()[:-1])

    def test_without_the_module_it_says_so(self):
        folder = self.folder / "bin"
        folder.mkdir()
        shutil.copy(MMK, folder / "mmk")
        self.environment["OMPI_COMM_WORLD_SIZE"] = "4"
        done = subprocess.run([folder / "mmk", "tune", "k.mmk"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "error: mpirun has started 4 processes of mmk tune, but this mmk was built without MPI: "
            f"{folder.resolve()}/mmk-mpi.so: cannot open shared object file: No such file or "
            "directory\n")

    def test_a_guided_search_is_of_one_process(self):
        done = subprocess.run([*MPIRUN, MMK, "tune", "k.mmk", "--guided", "--case", "small"],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error: --guided counts too little to be shared: run it without mpirun\n",
                      done.stderr)


del TuneTest  # its own tests run in their own file
if __name__ == "__main__":
    main()
