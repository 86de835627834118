"""What bash, zsh and fish complete on a computer that has the package: commands, options, their words, and the
names of a file's kernels and cases."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRODUCT = "examples/matmul_bias_leakyrelu.mmk"
LINES = {
    "mmk tu": {"tune"},
    "mmk run --count": {"--count-only"},
    "mmk compile --emit as": {"asm", "ast", "ascendc"},
    "mmk run --machine ascend910b": {"ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4"},
    "mmk cache ex": {"export"},
    f"mmk run {PRODUCT} --case S": {"S1", "S2", "S3", "S4"},
    "mmk run examples/einsum.mmk --kernel e": {"einsum"},
}
BASH = """source /usr/share/bash-completion/completions/mmk
COMP_WORDS=({words} "{last}"); COMP_CWORD={number}; _mmk; printf '%s\\n' "${{COMPREPLY[@]}}" """
ZSH = """zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z 'autoload -Uz compinit; compinit -u; PS1=; zstyle ":completion:*" list-prompt ""; LISTMAX=0; stty cols 200
zstyle ":completion:*" verbose no; compadd() {{ [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\\ * ]] && {{ builtin compadd "$@"; return }}
local -a found; builtin compadd -O found "$@"; print -rl -- "<"$^found">"; }}; echo rea""dy'
while zpty -r z line; do [[ $line == *ready* ]] && break; done
zpty -w -n z $'{line}\\t'; sleep 1; while zpty -r -t z line; do print -r -- $line; done; zpty -d z"""


def shell(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60).stdout


class Completion(unittest.TestCase):
    def check(self, complete):
        for line, expected in LINES.items():
            with self.subTest(line=line):
                self.assertEqual(set(complete(line)) & expected, expected)

    def test_bash(self):
        def complete(line):
            *words, last = line.split(" ")
            return shell("bash", "-c", BASH.format(words=" ".join(words), last=last, number=len(words))).split("\n")

        self.check(complete)

    def test_fish(self):
        self.check(lambda line: [each.split("\t")[0] for each in shell("fish", "-c", f"complete -C '{line}'").split("\n")])

    def test_zsh(self):
        self.check(lambda line: re.findall(r"<(.*?)>", shell("zsh", "-f", "-c", ZSH.format(line=line))))


if __name__ == "__main__":
    unittest.main()
