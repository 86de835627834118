"""libmmk as a user gets it: installed, found by CMake and by pkg-config, and the two example
programs run against it.

library_test.py BUILD COMPILER [FLAG...]: the flags are those of an instrumented build, whose runtime
a program that uses the library has to bring along.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from shards import ALL  # noqa: see there

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples" / "library"

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(mmk 0.1 REQUIRED)
add_executable(fused {source})
target_link_libraries(fused PRIVATE mmk::mmk)
"""


def run(*words, **environment):
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        sys.exit(f"{words} failed\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(found, expected):
    if found != expected:
        sys.exit(f"expected\n{expected}\nfound\n{found}")


def preloaded(compiler, instrument):
    """The environment in which Python, which is not instrumented, can load an instrumented library."""
    for kind, runtime in (("address", "asan"), ("thread", "tsan")):
        if any(kind in flag for flag in instrument):
            name = f"libclang_rt.{runtime}-{os.uname().machine}.so"
            library = run(compiler, f"-print-file-name={name}").strip()
            # Leaks of Python itself are not checked.
            options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
            return {"LD_PRELOAD": library, "ASAN_OPTIONS": options}
    return {}


def main():
    build, compiler, *instrument = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        prefix = root / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        libraries = next(prefix.glob("lib*/**/libmmk.so")).parent

        project = root / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.format(source=EXAMPLES / "fused.cpp"))
        run(
            "cmake",
            "-G",
            "Ninja",
            "-S",
            project,
            "-B",
            project / "build",
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DCMAKE_CXX_FLAGS={' '.join(instrument)}",
        )
        run("cmake", "--build", project / "build")
        lines = run(project / "build" / "fused").splitlines()
        expect(lines[1:], ["c[0][0] = -0.1", "c[0][0] = -50, c[0][40] = -0.1"])
        page = (SOURCE / "docs" / "library.md").read_text()
        shown = re.search(r"^fused: cores=.*", page, re.MULTILINE)[0]
        expect(re.sub(r"cores=\d+", "", lines[0]), re.sub(r"cores=\d+", "", shown))

        # The file names the prefix that the build was configured with; where it is now:
        flags = run(
            "pkg-config",
            f"--define-variable=prefix={prefix}",
            "--cflags",
            "--libs",
            "mmk",
            PKG_CONFIG_PATH=str(libraries / "pkgconfig"),
        ).split()
        run(compiler, "-std=c++17", EXAMPLES / "fused.cpp", *instrument, *flags, "-o", root / "fused")
        again = run(root / "fused", LD_LIBRARY_PATH=str(libraries)).splitlines()
        expect(again, lines)

        # valgrind checks every access of mmk's and LLVM's code, and leaks. A sanitized build is
        # checked by its sanitizer. LLVM's part is the same in every run, so only `--all` takes the time.
        if ALL and not instrument:
            watched = run("valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
                          "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
                          root / "fused", LD_LIBRARY_PATH=str(libraries)).splitlines()
            expect(watched[1:], lines[1:])

        run(compiler, "-std=c++17", EXAMPLES / "constant.cpp", *instrument, *flags, "-o",
            root / "constant")
        printed = run(root / "constant", root / "weights.packed", LD_LIBRARY_PATH=str(libraries))
        shown = re.search(r"constant weights.packed\n(.*?)```", page, re.DOTALL)[1]
        # The size depends on the vectors of this CPU.
        expect(re.sub(r"\d+ bytes", "", printed), re.sub(r"\d+ bytes", "", shown))

        environment = {"MMK_LIBRARY": str(libraries / "libmmk.so.0"), **preloaded(compiler, instrument)}
        expect(
            run(sys.executable, EXAMPLES / "fused.py", **environment),
            "equal to NumPy: True\nrefused: K is 50 in 'a' and 49 in 'b'\n",
        )


if __name__ == "__main__":
    main()
