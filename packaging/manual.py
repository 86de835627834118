"""The manual in section 1, from the pages of `mmk help`: mmk.1.gz, and mmk-COMMAND.1.gz for each
command; and of mmk-lsp, which is beside mmk.

    manual.py MMK FOLDER
"""

import gzip
import pathlib
import re
import sys

from help_pages import HEADING, Command, commands, read_options, said

ITEM = re.compile(r"^(\S+) {2,}(\S.*)$")


def escaped(text):
    """For troff, where a backslash, a hyphen and a dot or quote at the start of a line mean more."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def title(name, version):
    return f'.TH {name.upper()} 1 "" "mmk {version}" "User Commands"\n'


def option_text(option):
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
    value = f" \\fI{escaped(option.value)}\\fR" if option.value else ""
    lines = []
    for line in option.text.split("\n"):
        item = ITEM.match(line)
        lines.append(f".br\n\\fB{escaped(item[1])}\\fR  {escaped(item[2])}" if item else escaped(line))
    return f".TP\n{names}{value}\n" + "\n".join(lines) + "\n"


def verbatim(lines):
    return ".nf\n" + "".join(escaped(line) + "\n" for line in lines) + ".fi\n"


def sections(page):
    """[(heading, lines)] of a page; the first has none."""
    found = [("", [])]
    for line in page.splitlines():
        heading = HEADING.match(line)
        if heading:
            found.append((heading[1], []))
        else:
            found[-1][1].append(line)
    return found


def body_of(heading, lines):
    """A section in troff: paragraphs, options, and what is indented as it is."""
    text = ""
    for block in "\n".join(lines).strip("\n").split("\n\n"):
        options, words = read_options(block)
        if heading != "examples" and options:
            text += "".join(option_text(option) for option in options)
        elif heading != "examples" and words:
            text += "".join(f".TP\n\\fB{escaped(word)}\\fR\n{escaped(said_of)}\n" for word, said_of in words)
        elif block.startswith("  "):
            text += verbatim(block.split("\n"))
        elif block:
            text += f".PP\n{escaped(block)}\n"
    return text


def page_of(command, version):
    name = f"mmk-{command.name}"
    usage, _, rest = command.page.partition("\n\n")
    text = title(name, version) + f".SH NAME\n{escaped(name)} \\- {escaped(command.summary)}\n"
    text += ".SH SYNOPSIS\n" + verbatim(usage.split("\n"))
    for heading, lines in sections(rest):
        text += f".SH {escaped(heading.upper() or 'DESCRIPTION')}\n" + body_of(heading, lines)
    return text + ".SH SEE ALSO\n.BR mmk (1)\n"


def overview(mmk, all_commands, version):
    page = said(mmk, "help")
    what = page.split("\n\n", 1)[0].replace("\n", " ")
    text = title("mmk", version) + ".SH NAME\nmmk \\- compiler of fused kernels for AI cores and CPUs\n"
    text += ".SH SYNOPSIS\n\\fBmmk\\fR \\fICOMMAND\\fR ...\n"
    text += f".SH DESCRIPTION\n{escaped(what)}.\n.SH COMMANDS\n"
    for command in all_commands:
        text += f".TP\n\\fB{command.name}\\fR\n{escaped(command.summary)}\n"
    codes = re.search(r"^exit codes: (.*)$", page, re.MULTILINE)[1]
    text += f".SH EXIT STATUS\n{escaped(codes)}\n.SH EXAMPLES\n"
    text += verbatim(page.split("examples:\n", 1)[1].split("\n\n", 1)[0].split("\n"))
    others = [f".BR mmk\\-{command.name} (1)" for command in all_commands if command.name != "help"]
    return text + ".SH SEE ALSO\n" + ",\n".join(others) + "\n"


def write(folder, name, text):
    (folder / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def main():
    mmk, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    version = said(mmk, "--version").split()[1]
    folder.mkdir(parents=True, exist_ok=True)
    found = commands(mmk)
    write(folder, "mmk", overview(mmk, found, version))
    for command in found:
        if command.name != "help":
            write(folder, f"mmk-{command.name}", page_of(command, version))
    server = pathlib.Path(mmk).with_name("mmk-lsp")
    write(folder, server.name, page_of(Command("lsp", "the language server of .mmk texts", said(server, "--help")), version))


if __name__ == "__main__":
    main()
