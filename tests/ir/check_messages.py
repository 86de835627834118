"""Whether every message of some sources is expected by some test.

check_messages.py SOURCE... -- TEST...

A message is a chain emitError(...) << ... ; its texts must follow one another in one
expected-error, expected-note or CHECK line of the tests.
"""

import re
import sys


def messages(path):
    text = re.sub(r"//[^\n]*", "", open(path).read())
    for match in re.finditer(r"\b(?:emitError|emitOpError|attachNote|refuse)\(", text):
        statement = text[match.start() : text.index(";", match.start())]
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', statement)
        # Texts that stand in a condition, like the keys of a schedule, are no part of a message.
        texts = [t for t in texts if " " in t and t.strip()]
        if texts:
            yield text.count("\n", 0, match.start()) + 1, texts


def main(arguments):
    divide = arguments.index("--")
    expected = []
    for path in arguments[divide + 1 :]:
        expected += re.findall(r"(?:expected-\w+|CHECK|ERROR)[^\n]*", open(path).read())
    failures = 0
    for path in arguments[:divide]:
        for line, texts in messages(path):
            pattern = re.compile(".*".join(re.escape(text.strip()) for text in texts))
            if not any(pattern.search(text) for text in expected):
                print(f"{path}:{line}: no test expects this message: {' ... '.join(texts)}")
                failures += 1
    return 1 if failures else 0


sys.exit(main(sys.argv[1:]))
