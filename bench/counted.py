"""What the tables of counted kernels share: the clock's report of a kernel, and the page that takes tables."""

import json
import subprocess
import sys
import tempfile

END = "<!-- End of the table -->"


def count(mmk, text, dims, choices=(), kernel=None, machine="ascend910b2", figures=()):
    """The clock's report on a machine, with some figures set, and the variant."""
    with tempfile.NamedTemporaryFile("w", suffix=".mmk") as file:
        file.write(text + "\n")
        file.flush()
        words = [word for choice in choices for word in ("--set", choice)]
        words += ["--kernel", kernel] if kernel else []
        words += [word for figure in figures for word in ("--machine-set", figure)]
        done = subprocess.run([mmk, "run", file.name, *[f"{name}={extent}" for name, extent in dims.items()],
                               "--machine", machine, "--count-only", "--no-cache", "--json", "-",
                               *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{choices}: {done.stderr}")
    report = json.loads(done.stdout)[0]
    return report["clock"], report["variant"]


def write_tables(page, mark, tables):
    """Prints the tables, {name: function of the command}, all or those named by arguments behind the command;
    with --write it puts them behind their marks in the page."""
    text = page.read_text()
    only = [word for word in sys.argv[2:] if word != "--write"]
    for name, make in tables.items():
        if only and name not in only:
            continue
        table = make(sys.argv[1])
        print(f"{table}\n")
        begin = mark.format(name)
        before, rest = text.split(begin, 1)
        text = f"{before}{begin}\n{table}\n{END}{rest.split(END, 1)[1]}"
    if "--write" in sys.argv[2:]:
        page.write_text(text)
