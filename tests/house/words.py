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
# Where a word must not occur: a pattern of paths.
ALL = r"^(?!tests/house/words\.py$)"
BUT_CHANGELOG = r"^(?!tests/house/words\.py$|CHANGELOG\.md$)"  # which names what was renamed
CODE = r"\.(cpp|h|td|py|js)$|CMakeLists\.txt$|\.cmake$"
DOCS = r"^docs/|^[A-Z]+\.md$|^examples/"
IR = r"^(?!CHANGELOG\.md$|bench/).*\.(td|mlir|cpp|h|md)$"

# (old word, what it was used for, what is written instead, where it must not occur)
WORDS = [
    # prefetching
    (r"\b[aA]sk(s|ed|ing)?\b|\bask[A-Z]|[a-z]Asks?[A-Z]", "the next rows are asked for",
     "prefetch; request, need, test", ALL),
    (r"under way is forgotten", "what is asked for when too much is under way is forgotten",
     "prefetches are dropped when the fill buffers are full", ALL),
    # products on the CPU
    (r"\bthin (product|row)s?\b|[tT]hin(Product|Row|Floats|Bytes)", "a thin product",
     "skinny GEMM, GEMV", ALL),
    (r"\b(turnSums|areLastDots|tilesOfPairs|isUsual)\b", "turnSums(e)",
     "transposeAccumulators, useDotProductsForTail, amxBf16, isFastPath", ALL),
    (r"Multiply::(pairs|bytes)\b", "Multiply::pairs", "bf16Dot2, int8Dot4", ALL),
    (r"taken off (its|the) sums", "an i32 for each row, taken off its sums",
     "zero-point compensation", ALL),
    (r"\.(dotProduct|pairProduct|hasTiles|quick)\b|\bpairProduct\b|\bhasTiles\b|\bareTiles\b",
     "target.hasTiles", "hasVnni, fastBf16Dot, hasAmx, fastCompile", r"^(?!tests/hunt/|tests/house/words).*(" + CODE + ")"),
    (r"as fast as a product takes", "L3 is read as fast as a product takes it",
     "L3 bandwidth sustains the micro-kernel", ALL),
    (r"may be: there is room|is over in the time that", "What is small is over in the time that those loops take",
     "loop overhead dominates small problems", ALL),
    (r"\bcut (for|to) the caches\b|pass(es)? by more often", "a tile is cut for the caches",
     "cache blocking; re-streaming A", ALL),
    (r"\b(comes?|stays?|kept|is|lies?) near\b(?! enough)", "a block that stays near", "resident in L2", ALL),
    (r"\bpast the caches\b|PastTheCaches", "stores past the caches", "non-temporal stores", ALL),
    (r"\bwhere (it|they) lies?\b", "operands are read where they lie", "in place", ALL),
    (r"\b(isNeverSubnormal|sumsOfLanes)\b", "sumsOfLanes(v)", "isDenormalFree, horizontalSums", ALL),
    # lazy code
    (r"\bcompileLater\b|call in the place of functions|\bwhat counts and calls\b", "compileLater(*f)",
     "markLazy; trampolines; driver module, kernel module", ALL),
    (r"\bsuperfluous\b", "superfluous passes", "skippedCodegenPasses", ALL),
    (r"\bthe reading of a kernel\b", "the reading of a kernel that computes",
     "functional lowering to LLVM IR", ALL),
    # the clock, plans and threads
    (r"no clock comes below", "a time that no clock comes below", "lower bound on the time", ALL),
    (r"\b(laterHaveLess|planAlone|linesApart|writeWhatDiffers|KeptOff)\b", "linesApart",
     "laterBlocksIdleIfSecondIs, planSingleBlock, falseSharingDistance, storeIfChanged, ExcludeCpu", ALL),
    (r"works off what it owes", "HBM works off what it owes", "drains its backlog", ALL),
    (r"\b(the|a) kernel's way\b|\bthe way of a kernel\b", "write one stage of a kernel's way",
     "the lowering pipeline, compilation", ALL),
    (r"\bspoil", "the spoil hook", "mutate", ALL),
    # flags, copies and tiles
    (r"\b([Tt]oucher|heir)\b", "class Toucher", "Accessor, nextWriter", ALL),
    (r"\b(wishedCopies|runAhead)\b|\bwished\b", "wished copies", "requestedCopies, pipelineLoads", ALL),
    (r"\b(balanceTile|shareTile)\b|no more rounds", "balanceTile()",
     "fitProductTile, fitElementwiseTile; until the wave count would grow", ALL),
    (r"Somebody asks for an event", "Somebody asks for an event when it must have happened",
     "observed: required to happen before a later access", ALL),
    (r"[mM]mk\.(nest|walk|share|deal)\b|\bNestOp\b|\bdealt\b|\bdeals? (out|to|them)\b",
     "tiles are dealt to cores", "mmk.fusion_group, tile_coords, tile_count, mapping; distributed",
     BUT_CHANGELOG),
    (r"\b[Ww]alk(s|ed|er|ing)?\b|\bWalk[A-Z]|[a-z]Walk\b", "the walk over the tiles",
     "order; tile mapping; explore, interpret, visit", BUT_CHANGELOG),
    (r"\bSpread(Attr)?\b|life of one filling|ragged edge cut|aicore\.(open|close|stage)\b",
     "aicore.open %acc", "Broadcast; buffer generation; clipped; producer_acquire, load_l0", IR),
    (r"\bparts? of (a|the|one) (split )?reduction|\bsplit into parts\b", "parts of a reduction",
     "splits (K splits); a part is half of an accumulator", ALL),
    # tuning and the command
    (r"\b[Ee]ngineer('s|s)?\b|\bJourney\b|\bTrouble\b", "the engineer's loop",
     "guided tuning; TuningTrace, Bottleneck", ALL),
    (r"\ball well\b|\ballWell\b|\bwhen all is well\b", "0 all well", "success", ALL),
    (r"\busersMistake\b|\b[Uu]ser'?s?'? [Mm]istake\b", "a user's mistake is a message", "user error", ALL),
    # everywhere
    (r"\bcosts? dear", "the second pass costs dear", "is expensive", ALL),
    (r"\bhouse of layers|folders of the house", "mmk is a house of layers", "layered", ALL),
    (r"\bmended\b|\bto mend\b", "mended, it goes to tests/hunt/found", "fixed", ALL),
    (r"CPU under(neath| us)|than the one underneath", "the CPU underneath", "the host CPU", ALL),
    (r"\b(take|takes|took|taking) turns?\b|\bturn and turn about\b", "contenders take turns",
     "run interleaved, alternate", ALL),
    (r"\b(go(es)?|went|going) round\b|\bthe other way round\b", "slots go round",
     "wraps around; reversed, transposed", ALL),
    (r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ee]verybody|[Aa]nybody|[Ss]omeone|[Aa]nyone)\b|\b[Nn]o one\b",
     "pages that nobody may touch", "name the thing", ALL),
    (r"\bit pays\b|\bearns? (its|the|their|packing)\b", "it pays where L1 has room", "helps, is worth", ALL),
    (r"\b(stands?|stood) behind\b|\bas ever\b", "what stands behind a product", "follows; unchanged", ALL),
]

# Public spellings that stay although they hold an old word.
PUBLIC = [
    r"MMK_MISTAKE",  # libmmk's kind of error
    r"(\.|->)walk[(<]|WalkResult",  # MLIR's
]

# Words that have another meaning in the review of the names but stay, as users write them: the
# directives `stage`, `order`, `grid` and `buffers`, the options --guided, --quick and --effort, the words
# `rows` and `swizzle`, the fields of JSON reports, and the spellings of LLVM and MLIR. No pattern
# above finds them.


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
        path = next(p for p in ("docs/a.md", "codegen/a.cpp", "ir/a.td") if re.search(where, p))
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
