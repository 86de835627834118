"""The table of `./dev check`, tests/belongs.txt, has every folder of the compiler and names tests that exist.

  belongs.py CTEST BUILD
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from belongs import pattern, table, tests_of, units  # noqa: see there

FOLDERS = set(re.findall(r"^([a-z]+):", (ROOT / "layers").read_text(), re.MULTILINE)) | {
    "bench", "docs", "editors", "examples", "packaging"}


def main():
    listed = subprocess.run([sys.argv[1], "--test-dir", sys.argv[2], "-N"], check=True, capture_output=True, text=True)
    names = re.findall(r"Test +#\d+: (\S+)", listed.stdout)
    mistakes = [f"belongs.txt has no line for {folder}/" for folder in sorted(FOLDERS - table().keys())]
    mistakes += [f"belongs.txt has a line for {folder}/, which is no folder of the compiler"
                 for folder in sorted(table().keys() - FOLDERS - {"every"})]
    for folder, tests in table().items():
        for test in tests:
            if not any(re.match(pattern([test]), name) for name in names):
                mistakes.append(f"belongs.txt, {folder}: no test has a name that begins with {test}")
    # A file of a test leads to that test.
    for path, test in (("tests/run/rows_test.py", "run/rows"), ("tests/ascendc/ascendc_test.py", "ascendc"),
                       ("tests/errors/twin_kernels.mmk", "cli/wrong_programs"), ("tests/hunt/main.cpp", "hunt/"),
                       ("tests/unit/sync/watch_test.cpp", "unit/sync_test"), ("tests/python/torch_test.py", "python/torch")):
        if test not in tests_of([path]) or not (ROOT / path).exists():
            mistakes.append(f"{path} does not lead to {test}: {tests_of([path])}")
    if len(units()) < 30:
        mistakes.append("tests/unit/CMakeLists.txt is not read")
    print("\n".join(mistakes))
    return bool(mistakes)


sys.exit(main())
