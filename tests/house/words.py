"""Words that the project no longer uses, each with the folders where it must not occur and what is
written instead. A name or a sentence with one of them fails this test.

    words.py              fails with each place
    words.py --count      how often each old word occurs in all files, whatever its scope
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

TEXT = re.compile(r"\.(md|cpp|h|td|py|mmk|mlir|json|cmake|js|g4|sh|expected|txt|in)$|(^|/)(CMakeLists\.txt|dev|generate|layers)$")
GENERATED = r"docs/(passes|dialect-[a-z]+|optimization_log)\.md$"

# Where a word must not occur: a pattern of paths.
DOCS = rf"^(?!{GENERATED})(docs/|[A-Z]+\.md$|examples/)"
CPU = rf"{DOCS}|^(cpu|codegen|aicore|backend)/"
ALL = r"^(?!tests/house/words\.py)"

# (old word, what it was used for, what is written instead, where it must not occur)
WORDS = [
    (r"\bcosts? dear", "the second pass costs dear", "is expensive", ALL),
    (r"\bhouse of layers", "mmk is a house of layers", "layered", ALL),
    (r"\bmended\b|\bto mend\b", "mended, it goes to tests/hunt/found", "fixed", ALL),
    (r"CPU under(neath| us)", "the CPU underneath", "the host CPU", CPU),
    (r"\btakes? turns\b|\bturn and turn about", "contenders take turns", "run interleaved, alternate", CPU),
    (r"\b(asks?|asked|asking) for\b|\baskFor|\basksFor", "the next rows are asked for", "prefetch; request", CPU),
    (r"\b(comes?|stays?|kept) near\b", "a block that stays near", "resident in L2", CPU),
    (r"\bpast the caches\b", "stores past the caches", "non-temporal stores", CPU),
    (r"\bgo(es)? round\b", "goes round through all of them", "wraps around", CPU),
    (r"\bthin (product|row)s?\b|[tT]hin(Product|Row|Floats|Bytes)", "a thin product", "skinny GEMM, GEMV", ALL),
    (r"\bdealt\b|\bdeals? (out|to|them)\b", "tiles are dealt to cores", "distributed, mapped", DOCS),
    (r"\b[Ww]alks?\b|\bwalked\b", "the walk over the tiles", "order; tile mapping", DOCS),
    (r"\bwhat nobody\b|\bnobody (knows|has|may|looks)\b", "pages that nobody may touch", "no; name the thing", CPU),
    (r"\bwhere (it|they) lies?\b", "operands are read where they lie", "in place", CPU),
    (r"\bit pays\b|\bearns? its\b", "it pays where L1 has room", "helps, is worth", ALL),
    (r"\bwished\b", "wished copies", "requested", ALL),
    (r"\bspoil", "the spoil hook", "mutate", ALL),
    (r"\ball well\b|\ballWell\b", "0 all well", "success", ALL),
    (r"\b[Ee]ngineer('s|s)?\b", "the engineer's loop", "guided tuning", ALL),
    (r"\bJourney\b|\bTrouble\b", "struct Trouble", "TuningTrace, Bottleneck", ALL),
    (r"\busersMistake\b|\ba user's mistake\b", "a user's mistake is a message", "user error", ALL),
    (r"\b([Tt]oucher|heir|superfluous|isUsual|laterHaveLess|runAhead|wishedCopies|turnSums)\b",
     "class Toucher", "Accessor, nextWriter, skippedCodegenPasses, pipelineLoads, transposeAccumulators",
     ALL),
    (r"\b(areLastDots|tilesOfPairs|pairProduct|hasTiles|compileLater)\b", "compileLater(*f)",
     "useDotProductsForTail, amxBf16, fastBf16Dot, hasAmx, markLazy", ALL),
    (r"\b(linesApart|writeWhatDiffers|KeptOff|planAlone|isNeverSubnormal|sumsOfLanes|finishUnoptimised)\b",
     "linesApart", "falseSharingDistance, storeIfChanged, ExcludeCpu, planSingleBlock, horizontalSums",
     ALL),
    (r"\b(balanceTile|shareTile)\b", "balanceTile()", "fitProductTile, fitElementwiseTile", ALL),
    (r"works off what it owes|Somebody asks for an event", "HBM works off what it owes",
     "drains its backlog", ALL),
    (r"\b(the|a) kernel's way\b|\bthe way of a kernel\b", "write one stage of a kernel's way", "compilation, pipeline", DOCS),
]

# Public spellings that stay although they hold an old word.
PUBLIC = [
    r"MMK_MISTAKE",  # libmmk's kind of error
    r"(\.|->)walk[(<]|WalkResult",  # MLIR's
]


# What a page shows of the command is the command's to change.
CONSOLE = re.compile(r"^```console\n.*?^```$", re.MULTILINE | re.DOTALL)


def masked(text):
    return re.sub("|".join(PUBLIC), "", text)


def without_consoles(text):
    return CONSOLE.sub(lambda block: "\n" * block[0].count("\n"), text)


def files():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {name: without_consoles((ROOT / name).read_text(errors="replace")) for name in names
            if TEXT.search(name) and (ROOT / name).is_file()}


def found(texts, in_scope=True):
    """(path, line number, old word, what to write) of each occurrence."""
    places = []
    for old, _, instead, where in WORDS:
        pattern, scope = re.compile(old), re.compile(where if in_scope else ALL)
        for name, text in texts.items():
            if scope.search(name) and pattern.search(text):
                for number, line in enumerate(text.splitlines(), 1):
                    if hit := pattern.search(masked(line)):
                        places.append((name, number, hit[0], instead))
    return places


def check_itself():
    """Each pattern finds what it was made for, in each scope; and the public spellings exist."""
    for old, sample, instead, where in WORDS:
        path = next(p for p in ("docs/a.md", "codegen/a.cpp") if re.search(where, p))
        assert any(hit[3] == instead for hit in found({path: sample})), f"{old} does not find '{sample}'"


def main():
    check_itself()
    texts = files()
    if sys.argv[1:] == ["--count"]:
        for old, *_ in WORDS:
            count = sum(len(re.findall(old, masked(text))) for name, text in texts.items()
                        if re.search(ALL, name))
            print(f"{count:5}  {old}")
        return
    for public in PUBLIC:
        assert any(re.search(public, text) for name, text in texts.items() if re.search(ALL, name)), \
            f"no file has {public} any more"
    places = found(texts)
    for name, number, word, instead in places:
        print(f"{name}:{number}: '{word}' is an old word; instead: {instead}")
    sys.exit(bool(places))


if __name__ == "__main__":
    main()
