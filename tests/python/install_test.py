"""`pip install ./python`, without a network: what is installed runs by itself, with its own library and command."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from package import main

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = """
import mmk, numpy
kernel = mmk.compile("kernel double(x: f32[N]) -> y: f32[N] { y = 2 * x; }", machine="ascend910b3", cache=False)
assert (kernel(numpy.ones(5, "f")) == 2).all()
print(mmk.__file__, kernel.explain(N=5).cycles == kernel.count(N=5).cycles)
"""


class InstallTest(unittest.TestCase):
    def test_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "site"
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                            "--no-deps", "--no-cache-dir", "--target", str(target), str(ROOT / "python")],
                           check=True, env={**os.environ, "CFLAGS": "-O0 -g0"})
            environment = {name: value for name, value in os.environ.items() if name != "MMK"}
            environment |= {"PYTHONPATH": str(target), "PATH": "/usr/bin"}
            done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True,
                                  cwd=folder)
            self.assertEqual((done.stdout, done.stderr), (f"{target}/mmk/__init__.py True\n", ""))
            self.assertTrue((target / "mmk/py.typed").exists())
            # Its command finds the importer beside it.
            environment = {"PATH": f"{pathlib.Path(sys.executable).parent}:/bin", "HOME": folder}
            done = subprocess.run([target / "mmk/bin/mmk", "import", ROOT / "examples/onnx/mlp.onnx"], env=environment,
                                  capture_output=True, text=True, cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    main()
