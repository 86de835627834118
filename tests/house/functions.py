"""No function is longer than 80 lines, unless the comment in front of it says why: `Long: REASON`.

By the layout that clang-format gives: a body begins with a line that ends in `{` and ends with the
first line that has nothing but `}` (and what may follow it) at the same indentation. Lambdas are
part of the function that they stand in. Tests are left out: they hold texts of other languages."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES = 80
NO_FUNCTION = re.compile(r"^\s*((namespace|struct|class|enum|union|if|for|while|switch|do|else|case)\b"
                         r"|.* = \[|#)")
ENDS = (";", "}", "{", ":", "{}")  # of the line before a declaration


def long_functions(text):
    """(line, lines) of each function that is too long and does not say why."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        # A signature over several lines is indented like its first.
        start = i
        while start > 0 and lines[start - 1].strip() and not lines[start - 1].endswith(ENDS):
            start -= 1
        first = next((each for each in lines[start : i + 1] if not each.lstrip().startswith("//")), "")
        indent = len(first) - len(first.lstrip())
        begins = line.endswith("{") and "(" in first and indent <= 2 and not NO_FUNCTION.match(first)
        if not begins:
            i += 1
            continue
        end = next((j for j in range(i + 1, len(lines)) if lines[j].rstrip(" ;,)") == " " * indent + "}"),
                   None)
        if end is None:
            i += 1
            continue
        if end - i - 1 > MOST_LINES and "Long: " not in "\n".join(lines[start:i]):
            yield i + 1, end - i - 1
        i = end + 1


def main():
    body = "  x();\n"
    assert list(long_functions("void f() {\n" + body * 81 + "}\n")) == [(1, 81)]
    assert not list(long_functions("void f() {\n" + body * 80 + "}\n"))
    assert not list(long_functions("// Long: a table.\nvoid f() {\n" + body * 99 + "}\n"))
    assert list(long_functions("struct S {\n  void f() {\n" + body * 81 + "  }\n};\n"))
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    found = [f"{name}:{line}: a function of {length} lines; expected at most {MOST_LINES}, or a "
             "comment in front of it with 'Long: ' and the reason"
             for name in names if (ROOT / name).exists() and not name.startswith("tests/")
             for line, length in long_functions((ROOT / name).read_text())]
    print("\n".join(found) or f"{len(names)} files without a long function")
    sys.exit(bool(found))


main()
