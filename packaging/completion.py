"""Completion of the command line in bash, zsh and fish, from the pages of `mmk help`.

    completion.py MMK FOLDER     writes FOLDER/mmk.bash, FOLDER/_mmk and FOLDER/mmk.fish
"""

import pathlib
import re
import sys

from help_pages import commands, said

# Names of a file on the command line: of its kernels, and of their cases.
NAMES = r"""sed -n 's/^ *{word} \{{1,\}}\([A-Za-z_][A-Za-z0-9_]*\).*/\1/p'"""


def machines(mmk):
    """The names that --machine takes."""
    return re.findall(r"^(\w+) ", said(mmk, "machines").split("\n", 1)[1], re.MULTILINE)


def values_of(option, known_machines):
    """What an option takes: ("words", [..]), ("file", ""), ("folder", ""), ("kernel" or "case", ""), ("any", ""),
    or ("none", "")."""
    name = option.names[0]
    if name == "--machine":
        return "words", known_machines
    if name in ("--kernel", "--case"):
        return name[2:], ""
    if option.choices:
        return "words", option.choices
    if not option.value:
        return "none", ""
    return ("folder" if option.value == "DIR" else "file" if "FILE" in option.value else "any"), ""


def first_sentence(text):
    """What a shell shows beside an option."""
    return re.split(r"[;\n]|: ", text, maxsplit=1)[0]


def bash(found, known_machines):
    cases, values = [], []
    for command in found:
        options = " ".join(name for option in command.options for name in option.names)
        words = " ".join(word for word, _ in command.words)
        cases.append(f"    {command.name}) options='{options}' words='{words}' ;;")
        for option in command.options:
            kind, given = values_of(option, known_machines)
            action = {"words": f"COMPREPLY=($(compgen -W '{' '.join(given)}' -- \"$word\"))",
                      "file": 'COMPREPLY=($(compgen -f -- "$word"))',
                      "folder": 'COMPREPLY=($(compgen -d -- "$word"))',
                      "kernel": "_mmk_names kernel", "case": "_mmk_names case", "any": "COMPREPLY=()"}.get(kind)
            if action:
                values.append(f"    {'|'.join(f'{command.name}:{name}' for name in option.names)}) {action}; return ;;")
    names = "\n".join(f"    {word}) COMPREPLY=($(compgen -W \"$({NAMES.format(word=word)} \"$file\" 2>/dev/null) "
                      f"{'all' if word == 'case' else ''}\" -- \"$word\")) ;;" for word in ("kernel", "case"))
    return f"""# bash completion of mmk: generated from `mmk help`
_mmk_names() {{
  local file
  for file in "${{COMP_WORDS[@]}}"; do [[ $file == *.mmk ]] && break; done
  case $1 in
{names}
  esac
}}

_mmk() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{' '.join(command.name for command in found)} --version --help' -- "$word"))
    return
  fi
  case $command:$before in
{chr(10).join(values)}
    help:help) COMPREPLY=($(compgen -W '{' '.join(command.name for command in found)}' -- "$word")); return ;;
  esac
  case $command in
{chr(10).join(cases)}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -X '!*.mmk' -- "$word") $(compgen -d -S / -- "$word")) ;;
  esac
}}
complete -o filenames -F _mmk mmk
"""


def zsh_quoted(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh(found, known_machines):
    functions = []
    for command in found:
        lines = []
        for option in command.options:
            kind, given = values_of(option, known_machines)
            action = {"words": f":{zsh_quoted(option.value.lower())}:({' '.join(given)})", "none": "",
                      "file": f":{zsh_quoted(option.value.lower())}:_files", "folder": ":folder:_files -/",
                      "kernel": ":kernel: _mmk_names kernel", "case": ":case: _mmk_names case",
                      "any": f":{zsh_quoted(option.value.lower())}: "}[kind]
            repeats = "*" if "repeatable" in option.text else ""
            for name in option.names:
                lines.append(f"    '{repeats}{name}[{zsh_quoted(first_sentence(option.text))}]{action}'")
        words = " ".join(word for word, _ in command.words) or " ".join(
            each.name for each in found) * (command.name == "help")
        last = f"'*:word:({words})'" if words else "'*:file:_files -g \"*.mmk\"'"
        functions.append(f"_mmk_{command.name}() {{\n  _arguments \\\n" + " \\\n".join(lines + [f"    {last}"]) + "\n}\n")
    listed = "\n".join(f"      '{command.name}:{zsh_quoted(command.summary)}'" for command in found)
    return f"""#compdef mmk
# zsh completion of mmk: generated from `mmk help`
_mmk_names() {{
  local file=${{(M)words:#*.mmk}}
  local -a names=(${{(f)"$({NAMES.format(word="$1").replace("'", '"', 2)} $file 2>/dev/null)"}})
  compadd -- $names
}}

{chr(10).join(functions)}
_mmk() {{
  if (( CURRENT == 2 )); then
    local -a commands=(
{listed}
    )
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  (( $+functions[_mmk_$words[1]] )) && _mmk_$words[1]
}}

_mmk "$@"
"""


def fish_quoted(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish(found, known_machines):
    lines = ["# fish completion of mmk: generated from `mmk help`",
             "complete -c mmk -n __fish_use_subcommand -f"]
    for command in found:
        lines.append(f"complete -c mmk -n __fish_use_subcommand -a {command.name} -d '{fish_quoted(command.summary)}'")
    for command in found:
        inside = f"complete -c mmk -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            kind, given = values_of(option, known_machines)
            action = {"words": f" -x -a '{' '.join(given)}'", "none": "", "file": " -r -F",
                      "folder": " -x -a '(__fish_complete_directories)'", "any": " -x"}.get(kind)
            if action is None:
                search = NAMES.format(word=kind).replace("'", '"').replace("\\", "\\\\")
                action = f" -x -a '({fish_quoted(NAMES.format(word=kind))} (string match -- \"*.mmk\" (commandline -opc)))'"
            names = "".join(f" -{'l' if name.startswith('--') else 's'} {name.lstrip('-')}" for name in option.names)
            lines.append(f"{inside}{names}{action} -d '{fish_quoted(first_sentence(option.text))}'")
        for word, text in command.words:
            lines.append(f"{inside} -f -a {word} -d '{fish_quoted(first_sentence(text))}'")
    return "\n".join(lines) + "\n"


def main():
    mmk, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    found, known = commands(mmk), machines(mmk)
    (folder / "mmk.bash").write_text(bash(found, known))
    (folder / "_mmk").write_text(zsh(found, known))
    (folder / "mmk.fish").write_text(fish(found, known))


if __name__ == "__main__":
    main()
