"""The calls and fields of the interface: those that a project has, those that the tables of docs/ascendc.md list, and
the ranges of the shim's fields."""

import functools
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "ascendc.md"
CHIPS = ("2201", "3510")
LIMITS = {"shim::most8": 2 ** 8 - 1, "shim::most16": 2 ** 16 - 1,
          "shim::most32": 2 ** 32 - 1, "shim::most40": 2 ** 40 - 1}
# What looks like a call and is none of the interface.
OF_LANGUAGE = {"for", "if", "while", "return", "sizeof", "static_cast", "reinterpret_cast", "constexpr", "defined",
               "__builtin_inff", "int64_t"}
# Members that are structures themselves.
NESTED = {"FixpipeParamsArch3510::params": "Nz2NdParams"}


def device_code(project):
    """What runs on the device, without comments and strings."""
    text = "\n".join(path.read_text() for path in sorted(project.glob("*.h")))
    text = re.sub(r"inline void \w+_launch\(.*?\n}\n", "", text, flags=re.S)
    return re.sub(r'//[^\n]*|"[^"\n]*"|#define MMK_LAUNCH.*', "", text)


def used(project):
    """The calls of a project, "Mmad" and "Reg::Add", the fields that it sets, "MmadParams::m", and the structures
    whose constructor sets them all."""
    text = device_code(project)
    alias = dict(re.findall(r"using (\w+) = (\w+Param\w*)", text))
    defined = re.findall(r"^#define (\w+)|^(?:struct|using) (\w+)|\bvoid (\w+)\(|^(?!\s)[^;{}()=\n]*?\b(\w+)\(",
                         text, re.M)
    own = {name for names in defined for name in names} | OF_LANGUAGE
    found = set()
    for function in re.split(r"\n}", text):  # or a structure with several
        variables = [(alias.get(kind, kind), name) for kind, name in
                     re.findall(r"\b(\w+Param\w*)(?:<[^;()]*?>)? (\w+)[;( ]", function)]
        known = own | {name for _, name in variables} | set(re.findall(r"\binline [^;{}()=]*?\b(\w+)\(", function))
        found |= {name for name in re.findall(r"(?<![\w:])((?:Reg::)?[A-Za-z_]\w*)(?:<[^;{}()]*>)?\(", function)
                  if name not in known and not name.startswith("MMK_")}
        for kind, name in variables:
            if re.search(rf"\b{name}\(", function):
                found.add(kind)
            for field, inner in re.findall(rf"(?<![\w.]){name}\.(\w+)(?:\.(\w+)|\[\d\])? =", function):
                found.add(f"{NESTED[f'{kind}::{field}']}::{inner}" if inner else f"{kind}::{field}")
    return found


@functools.cache
def rows(heading):
    """The cells of each row of the table below a heading of the page."""
    section = PAGE.read_text().split(f"\n### {heading}\n")[1].split("\n##")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def listed_calls(chip):
    """Those that this chip has."""
    return {name for names, chips, *_ in rows("Calls") if chip in chips or chips == "both"
            for name in re.findall("`([^`]+)`", names)}


def listed_fields(chip):
    """The range of each field that this chip has, as the page has it."""
    column = 1 + CHIPS.index(chip)
    return {name: row[column] for row in rows("Fields") if row[column] != "none"
            for name in re.findall("`([^`]+)`", row[0])}


def unlisted(project, chip):
    """What a project uses that the tables do not have for this chip."""
    fields = listed_fields(chip)
    known = listed_calls(chip) | set(fields) | {name.split("::")[0] for name in fields}
    return used(project) - known


def range_of(text):
    """The range of a cell, "0 to 2^32 - 1" or "0"."""
    numbers = [eval(number.replace("^", "**"), {}) for number in text.split(" to ")]
    return numbers[0], numbers[-1]


def shim_ranges(chip):
    """The least and the greatest number of each field of the shim."""
    text = subprocess.run([os.environ["CXX"], "-std=c++20", "-E", "-P", f"-D__NPU_ARCH__={chip}", "-x", "c++",
                           HERE / "shim" / "kernel_operator.h"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r'Field<\s*[\w:]+,\s*([^,]+),\s*([^,]+),\s*"([\w:]+)">', text)
    return {name: (number(least), number(most)) for least, most, name in found}


def number(text):
    return LIMITS[text] if text in LIMITS else eval(text, {})
