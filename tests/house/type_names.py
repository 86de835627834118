"""Two types of the project have the same full name nowhere. The linker takes one of two inline functions
of one name, so that a program with two types of one name calls a function of the wrong one, and no tool
says so. Types in anonymous namespaces are free, and so are types within types."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMESPACE = re.compile(r"^(?:inline )?namespace(?P<name> [\w:]+)? \{$")
END = re.compile(r"^\} // namespace")
# A definition has its brace or its bases; a declaration ends in a semicolon.
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum) (?P<name>\w+)(?: final)?(?: :.*|(?:::\w+)* \{.*)?$")


def types(text):
    """The full names of the types that `text` defines outside of anonymous namespaces."""
    spaces = []
    for line in text.splitlines():
        if match := NAMESPACE.match(line):
            spaces.append((match["name"] or "").strip())
        elif END.match(line) and spaces:
            spaces.pop()
        elif (match := TYPE.match(line)) and "" not in spaces and f"{match['name']}::" not in line:
            yield "::".join([*spaces, match["name"]])


def repeated(sources):
    """The names that several of `sources`, {path: text}, define, with their paths."""
    places = collections.defaultdict(list)
    for path, text in sources.items():
        for name in types(text):
            places[name].append(path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def check_itself():
    named, anonymous = "namespace mmk {\n%s\n} // namespace mmk\n", "namespace {\n%s\n} // namespace\n"
    for one in ("struct A {", "class A final : public B {", "enum class A : int { a };", "struct A\n    : B {"):
        assert repeated({"a.h": named % one, "b.h": named % "struct A {"}), one
    for other in ("struct A;", "struct A::B {", anonymous % "struct A {", "struct C {", "  struct A {"):
        assert not repeated({"a.h": named % "struct A {", "b.h": named % other}), other


if __name__ == "__main__":
    check_itself()
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    # Each program of tests and benches is linked alone.
    found = repeated({name: (ROOT / name).read_text() for name in names
                      if (ROOT / name).exists() and not name.startswith(("tests/", "bench/"))})
    for name, paths in sorted(found.items()):
        print(f"{name} is defined in {' and in '.join(paths)}")
    print(f"{len(found)} types have the name of another one")
    sys.exit(bool(found))
