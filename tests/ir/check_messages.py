"""Whether every message of some sources is expected by some test.

check_messages.py [--unreachable TEXT] SOURCE... -- TEST...

A source or a test is a file, or a folder with all of its files.

A message is a chain emitError(...) << ... ; its texts must follow one another in one
expected-error, expected-note or CHECK line of the tests. Where a condition chooses between texts,
each must stand in some line. TEXT is of messages that hand on a failure of upstream which no input
is known to cause.
"""

import pathlib
import re
import sys


def messages(path):
    text = re.sub(r"//[^\n]*", "", open(path).read())
    for match in re.finditer(r"\b(?:emitError|emitOpError|attachNote|refuse)\(", text):
        statement = text[match.start() : text.index(";", match.start())]
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', statement)
        # Texts in a condition, like the keys of a schedule, are no part of a message.
        texts = [t for t in texts if " " in t and t.strip()]
        if texts:
            yield text.count("\n", 0, match.start()) + 1, texts, "?" in statement


def files(paths, pattern):
    for path in map(pathlib.Path, paths):
        yield from sorted(path.glob(pattern)) if path.is_dir() else [path]


def main(arguments):
    unreachable = None
    if arguments[0] == "--unreachable":
        unreachable, arguments = arguments[1], arguments[2:]
    divide = arguments.index("--")
    expected = []
    for path in files(arguments[divide + 1 :], "*.mlir"):
        expected += re.findall(r"(?:expected-\w+|CHECK|ERROR)[^\n]*", open(path).read())
    failures = 0
    for path in files(arguments[:divide], "*.cpp"):
        for line, texts, chooses in messages(path):
            if unreachable and any(unreachable in text for text in texts):
                continue
            patterns = [re.escape(text.strip()) for text in texts]
            if not chooses:
                patterns = [".*".join(patterns)]
            if not all(any(re.search(p, text) for text in expected) for p in patterns):
                print(f"{path}:{line}: no test expects this message: {' ... '.join(texts)}")
                failures += 1
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
