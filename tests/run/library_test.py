"""libmmk as a user gets it: installed, found by CMake and by pkg-config, and the two example
programs run against it."""

import os
import pathlib
import subprocess
import sys
import tempfile

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


def main():
    build, compiler = sys.argv[1:]
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
            "-S",
            project,
            "-B",
            project / "build",
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}",
        )
        run("cmake", "--build", project / "build")
        lines = run(project / "build" / "fused").splitlines()
        expect(lines[1:], ["c[0][0] = -0.1", "c[0][0] = -50, c[0][40] = -0.1"])

        # The file names the prefix that the build was configured with; where it is now:
        flags = run(
            "pkg-config",
            f"--define-variable=prefix={prefix}",
            "--cflags",
            "--libs",
            "mmk",
            PKG_CONFIG_PATH=str(libraries / "pkgconfig"),
        ).split()
        run(compiler, "-std=c++17", EXAMPLES / "fused.cpp", *flags, "-o", root / "fused")
        again = run(root / "fused", LD_LIBRARY_PATH=str(libraries)).splitlines()
        expect(again, lines)

        expect(
            run(sys.executable, EXAMPLES / "fused.py", MMK_LIBRARY=str(libraries / "libmmk.so.0")),
            "equal to NumPy: True\nrefused: K is 50 in 'a' and 49 in 'b'\n",
        )


if __name__ == "__main__":
    main()
