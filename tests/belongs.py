"""The tests that belong to some files, as a pattern for ctest -R: the table belongs.txt, and for a file of
a test this test.

  belongs.py PATH..
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def table():
    lines = (line.partition("#")[0].split() for line in (HERE / "belongs.txt").read_text().splitlines())
    return {words[0].removesuffix(":"): words[1:] for words in lines if words}


def units():
    """The sources of each unit test, from the folder that declares them."""
    declared = re.findall(r"^mmk_unit_test\((\w+)(.*?)\n  LINK", (HERE / "unit/CMakeLists.txt").read_text(), re.M | re.S)
    return {name: set(re.findall(r"[\w/.]+\.cpp", sources)) for name, sources in declared}


def tests_of_test(path):
    """Of a file below tests/."""
    folder, _, rest = path.partition("/")
    if folder == "unit":
        found = [f"unit/{name}" for name, sources in units().items() if rest in sources]
        return found or ["unit/"]  # a header of several
    if folder == "errors":
        return ["cli/wrong_programs", "unit/frontend_test"]
    if folder == "format":
        return ["unit/format_test", "run/format"]
    if named := re.fullmatch(r"(\w+)_test\.\w+", rest):
        return [f"{folder}/{named[1]}" if folder != "ascendc" else named[1]]
    return [folder + ("/" if any((HERE / folder).glob("*_test.py")) and folder != "ascendc" else "")]


def tests_of(paths):
    known = table()
    found = dict.fromkeys(known["every"])
    for path in paths:
        folder, _, rest = str(path).partition("/")
        found |= dict.fromkeys(tests_of_test(rest) if folder == "tests" and "/" in rest else known.get(folder, []))
    return list(found)


def pattern(tests):
    """Of few groups, as ctest takes at most nine. "run/rows" are all shards of it; "run/" all tests of the folder."""
    return "^(" + "|".join(test + ".*" if test.endswith("/") else test for test in tests) + ")(/|$)"


if __name__ == "__main__":
    print(pattern(tests_of(sys.argv[1:])))
