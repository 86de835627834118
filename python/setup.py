"""Builds the module of the package; see pyproject.toml for the rest."""

import pathlib
import re
import shutil
import subprocess

from pybind11.setup_helpers import Pybind11Extension, build_ext
from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARY = ROOT / "build/lib/libmmk.so.0"
COMMAND = ROOT / "build/bin/mmk"


def version():
    return re.search(r"project\(mmk VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def installed(option):
    """Words of pkg-config about an installed libmmk."""
    try:
        return subprocess.run(["pkg-config", option, "mmk"], check=True, capture_output=True,
                              text=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f"libmmk is neither built, as {LIBRARY} (./dev build), nor installed where pkg-config "
                         "finds it (PKG_CONFIG_PATH)")


class BuildModule(build_ext):
    """Puts libmmk and the command of ../build into the package, or links the installed library."""

    def build_extensions(self):
        module = self.extensions[0]
        package = pathlib.Path(self.get_ext_fullpath(module.name)).parent
        if LIBRARY.exists():
            (package / "bin").mkdir(parents=True, exist_ok=True)
            shutil.copy(LIBRARY.resolve(), package / LIBRARY.name)
            shutil.copy(COMMAND, package / "bin/mmk")
            module.include_dirs.append(str(ROOT / "library"))
            module.extra_link_args += [str(package / LIBRARY.name), "-Wl,-rpath,$ORIGIN"]
        else:
            module.extra_compile_args += installed("--cflags")
            module.extra_link_args += installed("--libs")
        super().build_extensions()


setup(version=version(), cmdclass={"build_ext": BuildModule},
      ext_modules=[Pybind11Extension("mmk._mmk", sorted(str(each.relative_to(HERE))
                                                        for each in (HERE / "src").glob("*.cpp")), cxx_std=20)])
