#include "cli/help_pages.h"

#include "llvm/Config/llvm-config.h"

#include <fmt/format.h>

namespace mmk::driver {

// The options for the program, the machine and the variant, which most commands share.
#define TARGET_OPTIONS                                                                             \
  "  --kernel NAME              the kernel, when the file has several\n"                           \
  "  --machine NAME|FILE        a machine (see mmk machines), or the .json file of your own;\n"    \
  "                             default: ascend910b3; host is the CPU of this computer\n"          \
  "  --machine-set PATH=VALUE   changes one figure of the machine; *0.7 scales it; repeatable\n"   \
  "  --set DIRECTIVE=VALUE      fixes a choice of the schedule, also to a legal value that it\n"   \
  "                             does not list: tile.M=64, fuse=none; repeatable\n"                 \
  "  --variant NAME             fixes all of them, by the name that a report has printed\n"        \
  "  --max-memory SIZE          the most memory to use, such as 2GiB; default: what is free\n"

#define HELP_OPTION "  --help, -h                 this page\n"

// For the commands that work on cases, or use threads.
#define CASE_OPTION                                                                                \
  "  --case NAME                a case of the kernel; repeatable; all of them: --case all\n"
#define THREADS_OPTION "  --threads N                threads of this computer; default: every CPU\n"

const std::string_view overviewPage =
    R"(mmk compiles one-page kernels (.mmk files) for an emulated AI core or for this computer,
runs them, checks every result and reports the time on the AI core

usage: mmk COMMAND ...

  run       compile a kernel, run it, compare it with the reference, report
  compile   write a kernel as syntax tree, IR, LLVM IR, assembly or object
  tune      search the variants of a kernel and remember the best
  cache     list, export, import or delete what tuning remembers
  compare   two variants, machines or saved runs side by side
  explain   where the time of a kernel goes, and which changes would help
  bench     measure wall-clock time, and compare with an earlier measurement
  report    one document about a kernel, from what was kept and counted
  check     report every error of a file, and whether its kernels fit the machine
  format    write files in the one style of the language
  import    write the kernels of an ONNX model, and a program that runs it
  machines  the machines, their figures and the source of each figure
  help      this page, or the page of a command: mmk help run

  mmk --version              the versions of mmk and of LLVM
  mmk --help                 this page

examples:
  mmk run examples/matmul_bias_leakyrelu.mmk
  mmk run examples/matmul_bias_leakyrelu.mmk M=1000 N=513 K=301 --machine host
  mmk check examples/matmul_bias_leakyrelu.mmk

exit codes: 0 success; 1 a result is wrong; 2 a user error, with a message; 3 a bug in mmk
)";

const std::string_view runPage =
    R"(mmk run FILE [ARG=VALUE ...] [OPTION ...]

Compiles a kernel, runs it on the machine, compares every result with the reference (the kernel's
body as written, evaluated without any schedule) and reports: the check, the time on the emulated
AI core, the time on this computer. FILE may be -, standard input.

ARG=VALUE binds a dimension or a scalar of the kernel and overrides the case: M=1000 alpha=0.1.
Without --case and without dimensions, every case of the file is run.

Without --set and --variant a case runs as the best variant that mmk tune has found for its
dimensions and checked. At dimensions that were not tuned, mmk chooses what the schedule leaves
open: a closed form ranks variants, and the clock counts the best few and the best variants of the
nearest tuned dimensions. The report says so in one line.

what to run:
)" TARGET_OPTIONS CASE_OPTION
    R"(
data:
  --input NAME=FILE.npy      reads a tensor, and with it the dimensions that nothing else binds;
                             all others are made from the seed; repeatable
  --output NAME=FILE.npy     writes a result, also one that fails its check; repeatable
  --seed N                   other data; default: 1
  --data KIND                uniform (the default), integers, normal, or special, which has NaN,
                             infinities, -0 and subnormal numbers

how:
  --warmup N                 untimed runs before the timed ones; default: 0
  --repeat N                 timed runs; default: 1
)" THREADS_OPTION
    R"(  --no-check                 no reference, no comparison
  --watch                    checks every access and every flag of the run: bounds, unwritten
                             bytes, hazards that no flag orders, deadlock; takes longer
  --count-only               the time on the AI core only: no data, no machine code
  --no-cache                 neither reads nor keeps compiled code, and ignores tuned variants
  --timing                   also the time of each step of the compiler and of each pass
  --profile DIR              also writes a profile: report.html, for a browser; op_summary.csv, a
                             row for each case; trace.json, for Perfetto; summary.json, with the
                             critical path
  --json FILE                the report as JSON; - is standard output, without the text
)" HELP_OPTION
    R"(
Compiled code is kept in $MMK_CACHE_DIR, else in $XDG_CACHE_HOME/mmk, else in ~/.cache/mmk.

examples:
  mmk run examples/matmul_bias_leakyrelu.mmk --case S4
  mmk run examples/matmul_bias_leakyrelu.mmk M=100 N=200 K=300 alpha=0.1 --set tile.M=64
  mmk run examples/matmul.mmk M=64 N=64 K=64 --input a=a.npy --output c=c.npy
  mmk run examples/matmul_bias_leakyrelu.mmk --case S1 --count-only --json -
)";

const std::string_view compilePage =
    R"(mmk compile FILE [ARG=VALUE ...] [OPTION ...]

Compiles a kernel up to one step and writes the result. FILE may be -, standard input.

With dimensions or a case, what the schedule leaves open is chosen for them, as by mmk run; without,
the variant is the default of the machine, whose tiles fit the shape when the kernel runs.

what to compile:
)" TARGET_OPTIONS CASE_OPTION
    R"(
what to write:
  --emit STAGE               ast     the syntax tree of the whole file
                             mmk     the kernel with the choices of one variant
                             tiled   its tiles, still on tensors
                             aicore  the AI core's program: transfers, buffers, flags (default)
                             memory  the map of its on-chip memories: offsets and live ranges
                             llvm    LLVM IR for this computer
                             asm     its assembly
                             obj     a relocatable object; needs a file
                             header  a C header with a function that runs that object
                             obj,header  both, of one variant: FILE.o, and FILE.h beside it
                             ascendc a project in Ascend C for an NPU; needs a folder
  --output FILE, -o FILE     the file, or the folder, to write; default: standard output
  --json FILE                with --emit=memory, the map as JSON; - is standard output
  --check                    with --emit=ascendc, also compiles the project without code, by the
                             toolkit of ASCEND_HOME_PATH
  --timing                   also the time of each step and each pass, to standard error
  --print-after PASS         also prints the IR after a pass, to standard error; all: after each
)" HELP_OPTION
    R"(
examples:
  mmk compile examples/matmul.mmk --set tile.M=64
  mmk compile examples/matmul.mmk --emit=asm -o matmul.s
  mmk compile examples/matmul.mmk --emit=memory
  mmk compile examples/matmul.mmk --case S1 --emit=ascendc -o matmul
  mmk compile examples/matmul.mmk --print-after aicore-insert-transfers
)";

const std::string_view tunePage =
    R"(mmk tune FILE [ARG=VALUE ...] [OPTION ...]

Searches the variants of a kernel: all alternatives of its schedule that its rules and the machine
allow, at each case. On the emulated AI core a variant is compiled and counted, which takes
milliseconds and no data; on the host the promising ones are timed. The winner of each case is run
and compared with the reference. The figures are remembered: nothing is counted twice, and mmk run
uses the best known variant. FILE may be -, standard input.

ARG=VALUE binds a dimension or a scalar of the kernel and overrides the case: M=1000.
Without --case and without dimensions, the kernel is tuned for every case of the file.

what to search:
)" TARGET_OPTIONS CASE_OPTION
    R"(  --sweep DIRECTIVE[=VALUES] instead of the alternatives that the schedule lists for a directive,
                             these values: tile.M=32,96; without values, all sensible ones;
                             repeatable
  --explore                  all sensible values of every directive

how to search:
  --guided                   no search: each round finds the bottleneck of the variant, counts the
                             changes of one directive, applies the one that saves most, compares
                             the results with the reference, and keeps or drops it. The log is
                             optimization_log.md, in the folder of --report. It starts from the
                             variant of --variant and keeps what --set fixes
  --rounds N                 rounds of --guided, at most; default: 5
  --effort LEVEL             full (the default): the whole space, without the variants that a lower
                             bound excludes; quick: a search of few variants; random: variants
                             drawn at random, of a kernel without a schedule and with --explore of
                             everything that may be legal; none: the default variant only
  --budget N                 variants to count for each case, or seconds: 30s; default: no limit,
                             or 1500 of a space beyond four million; quick: 400; random: 20000,
                             of which those are counted that a lower bound leaves open
  --seed N                   another search; default: 1
  --objective GOALS          what to minimise: time (the default), memory on the chip, traffic to
                             global memory; several with weights: time=1,memory=0.2; or pareto: all
                             that no other dominates
  --check WHICH              which variants are run and compared: winner (the default), all, none
)" THREADS_OPTION
    R"(  --no-cache                 neither reads nor keeps known figures, nor compiled code

what to write:
  --report DIR               summary.csv, a row for each variant; summary.md; and report.html, for
                             a browser: every variant, the winner's timeline, the roofline
  --profiles N               and for the N best of each case a folder with a profile, as written
                             by mmk run --profile
  --json FILE                the report as JSON; - is standard output, without the text
)" HELP_OPTION
    R"(
Ctrl-C ends the search; what was found is reported and remembered.

mpirun -n 4 mmk tune ... shares the counting among processes, also of several computers: the first
one searches, prints and remembers, the others count. The result is the same. With
mpirun --enable-recovery the search survives processes that end, and repeats their share.

examples:
  mmk tune examples/matmul_bias_leakyrelu.mmk --case S4 --effort quick
  mmk tune examples/matmul_bias_leakyrelu.mmk --case S3 --effort none --sweep buffers.l1=1,2,3
  mmk tune examples/matmul.mmk M=1000 N=1000 K=500 --explore --budget 50
  mmk tune examples/matmul_bias_leakyrelu.mmk --case S4 --budget 50 --report tuned
)";

const std::string_view cachePage =
    R"(mmk cache [list] [OPTION ...]
mmk cache export [FILE]
mmk cache import FILE
mmk cache prune [--all]

What mmk tune remembers: for each kernel, machine and shape the variants and their times. A figure
is used only by the build of mmk that found it, for a kernel that computes the same and a machine
with the same figures; comments, cases and alternatives of a file may change.

  list        the best variant of each shape
  export      the same as JSON, to standard output or into a file, for import elsewhere
  import      reads such a file; its variants are counted and compared with the default before
              mmk run uses one
  prune       deletes what another build of mmk has found; with --all everything

  --json FILE                list as JSON; - is standard output, without the text
  --all                      deletes everything
)" HELP_OPTION
    R"(
The store is the folder tune beside the compiled code: see mmk help run.

examples:
  mmk cache
  mmk cache export tuned.json
  mmk cache import tuned.json
  mmk cache prune
)";

const std::string_view comparePage =
    R"(mmk compare FILE [ARG=VALUE ...] --a SIDE --b SIDE [OPTION ...]
mmk compare --a RUN.json --b RUN.json [OPTION ...]

Two variants of a kernel, or one on two machines, side by side: the changes, the time and the gain,
the pipes, the memory, the flags, and the difference of the IR. Times are counted: no data, nothing
is run. A positive gain is the share of a's time that b saves.

the two sides:
  --a SIDE                   DIRECTIVE=VALUE[,...], or the name of a variant; machine=NAME|FILE
                             chooses a machine, machine.PATH=VALUE changes one figure of it. Or a
                             report that mmk run --json has written. What a side leaves open is
                             chosen for each case, as mmk run does; default: all that is open
  --b SIDE                   the same

what to compare:
)" TARGET_OPTIONS
    R"(  --case NAME                a case of the kernel, repeatable; default: all of them

what to show:
  --ir                       the whole difference of the IR; default: its beginning
  --json FILE                the same as JSON; - is standard output, without the text
)" HELP_OPTION
    R"(
examples:
  mmk compare examples/matmul_bias_leakyrelu.mmk --case S1 --b l1=1
  mmk compare examples/matmul_bias_leakyrelu.mmk --a fuse=none --b fuse=all
  mmk compare examples/matmul_bias_leakyrelu.mmk --case S1 --b machine=ascend910b1
  mmk compare examples/matmul_bias_leakyrelu.mmk --case S1 --b 'machine.l2.bytes=*0.5'
)";

const std::string_view explainPage =
    R"(mmk explain FILE [ARG=VALUE ...] [OPTION ...]

Shows where the time of a kernel goes on the emulated AI core: the distance to the machine's roofs,
the pipe with most of the critical path, the waits of each pipe, the cost of its flags and barriers
and whether any is redundant, and the counted gain of changes of its variant. Nothing is run. FILE
may be -, standard input.

ARG=VALUE binds a dimension or a scalar of the kernel and overrides the case: M=1000.
Without --case and without dimensions, every case of the file is explained.

what to explain:
)" TARGET_OPTIONS CASE_OPTION
    R"(
  --json FILE                the same as JSON, with every change; - is standard output, without
                             the text
)" HELP_OPTION
    R"(
A change is printed as an option to add to the command line; it replaces a --set of the same
directive.

examples:
  mmk explain examples/matmul_bias_leakyrelu.mmk --case S1
  mmk explain examples/matmul_bias_leakyrelu.mmk M=1000 N=200 K=300 --machine ascend310p3
  mmk explain examples/matmul_bias_leakyrelu.mmk --case S4 --set buffers.l1=1 --json -
)";

const std::string_view benchPage =
    R"(mmk bench FILE [ARG=VALUE ...] [OPTION ...]

Times a kernel on this computer, repeatedly until the times agree, and separately the whole command
that runs it once: mmk run, from the start of its process to its end, with its code in the cache.
Every result is checked before anything is timed. On an emulated machine the cycles of its clock are
reported too, which are the same in every run.

ARG=VALUE binds a dimension or a scalar of the kernel and overrides the case: M=1000 alpha=0.1.
Without --case and without dimensions, every case of the file is timed.

what to time:
)" TARGET_OPTIONS CASE_OPTION THREADS_OPTION
    R"(  --no-check                 no reference, no comparison
  --no-command               the kernel only
  --count-only               the cycles of an emulated machine only: nothing is timed

how long:
  --warmup N                 runs before the first sample; default: 3
  --deviation PERCENT        measures until the relative standard deviation is below; default: 5
  --repeat N                 samples at most; default: 1000. A sample is the mean of as many runs as
                             fill 50 microseconds
  --seconds S                seconds at most for the kernel, and for the command; default: 3. At
                             least ten samples are taken, for 0.2 seconds. The report says when a
                             limit ended the measurement

what to compare:
  --save FILE                writes the samples and the environment, for --against
  --against FILE             compares with them. Times are slower or faster when the Mann-Whitney
                             rank test gives chance less than 0.01 and the medians differ by more
                             than the threshold; cycles, which are exact, when they differ. Exit
                             code 1 when anything is slower
  --threshold PERCENT        default: 5
  --force                    compares also with times of another computer or machine
  --history DIR              keeps the last hundred results of each figure in DIR/history.json, and
                             draws them in DIR/trend.html. From five on, a result is slower beyond
                             the mean plus three standard deviations of those before; cycles when
                             they grow. Exit code 1 when anything is slower
  --update-thresholds        with --history, takes the thresholds from all results that are kept,
                             the new one among them; without it they only grow
  --json FILE                the report as JSON, as --save writes it; - is standard output, without
                             the text
)" HELP_OPTION
    R"(
examples:
  mmk bench examples/matmul.mmk --machine host --case small --save before.json
  mmk bench examples/matmul.mmk M=64 N=64 K=64 --machine host --threads 1 --no-command --seconds 1
  mmk bench examples/matmul_bias_leakyrelu.mmk --case S4 --count-only --save cycles.json
  mmk bench examples/matmul_bias_leakyrelu.mmk --case S4 --count-only --against cycles.json
  mmk bench examples/matmul_bias_leakyrelu.mmk --case S4 --count-only --history history
)";

const std::string_view reportPage =
    R"(mmk report FILE [ARG=VALUE ...] [OPTION ...]

Writes one document about a kernel, KERNEL.html and KERNEL.md: what was measured, how and where; the
kernel in versions from the naive one to the best, each a variant of the file, with its cycles, its
share of the bound and what limits it; the roofline; what was measured and kept; what was tried and
dropped; next steps. Cycles are counted now, on an emulated machine. Times on a computer, searches
and histories are read from what other commands have kept; where there is none, the document names
the command that makes it.

ARG=VALUE binds a dimension or a scalar of the kernel and overrides the case: M=1000 alpha=0.1.
Without --case and without dimensions, every case of the file is reported.

what to report:
)" TARGET_OPTIONS CASE_OPTION
    R"(  --from FILE|DIR            what mmk run, mmk tune or mmk bench has written with --json, or the
                             folder of mmk bench --history; of a folder every .json file that is
                             about this kernel, machine and cases; repeatable

where to:
  --output DIR, -o DIR       the folder of the document and of its pictures; default: this one
)" HELP_OPTION
    R"(
examples:
  mmk report examples/matmul_bias_leakyrelu.mmk --case S1 -o out
  mmk tune examples/matmul_bias_leakyrelu.mmk --case S4 --guided --json guided.json
  mmk report examples/matmul_bias_leakyrelu.mmk --case S4 --from guided.json -o out
)";

const std::string_view checkPage =
    R"(mmk check FILE [OPTION ...]

Checks a file without running it: its syntax, names, shapes and schedules, and for each kernel
whether its variant (by default the first alternative of every directive) fits the machine. FILE may
be -, standard input.

)" TARGET_OPTIONS
    R"(  --json FILE                the same as JSON; - is standard output, without the text
)" HELP_OPTION
    R"(
examples:
  mmk check examples/matmul_bias_leakyrelu.mmk
  mmk check examples/matmul_bias_leakyrelu.mmk --machine ascend310p3 --set tile.M=64
)";

const std::string_view formatPage =
    R"(mmk format FILE ... [OPTION ...]

Writes each file in the one style of the language: indentation, spaces, columns, and lines of 100
characters. Only white space changes; comments stay, and empty lines as single ones. A file that
does not parse is reported and left as it is. FILE may be -: standard input, to standard output.

  --check                    writes nothing; names the files that are not in the style, and exits
                             with 1 when there is one
)" HELP_OPTION
    R"(
examples:
  mmk format examples/matmul.mmk
  mmk format --check examples/matmul.mmk examples/softmax.mmk
)";

const std::string_view importPage =
    R"(mmk import MODEL.onnx [NAME=VALUE ...] [OPTION ...]

Writes an ONNX model as kernels: a .mmk file for each group of nodes that are computed together,
the weights, and run.py, which runs them on .npy files. The report lists the nodes of each kernel,
and each node that is not imported with its reason: run.py takes its results as inputs. It needs
Python with NumPy, the package onnx, and the package mmk.

NAME=VALUE gives a size to a named dimension of the model, or a value to an input that shapes the
kernels: axes=1, shape=2,3,4, or the .npy file of an array.

  --output DIR, -o           the folder that is written; default: the name of the model
  --machine NAME|FILE        the machine for which the kernels are checked; default: host
)" HELP_OPTION
    R"(
exit codes: 0 all nodes are imported; 1 some are not; 2 a user error; 3 a bug in mmk

examples:
  mmk import examples/onnx/mlp.onnx -o mlp
  mmk import examples/onnx/mlp.onnx batch=16
)";

const std::string_view machinesPage =
    R"(mmk machines [NAME|FILE] [OPTION ...]

Lists the machines that kernels can be compiled for; with a name, or the .json file of a machine of
your own, all figures of one and their sources.

  --machine-set PATH=VALUE   changes one figure of the machine; *0.7 scales it; repeatable
  --json FILE                the same as JSON; - is standard output, without the text
)" HELP_OPTION
    R"(
examples:
  mmk machines
  mmk machines ascend910b3
  mmk machines ascend910b3 --machine-set 'links.gm_l1.bytes_per_cycle=*0.7'
)";

std::string versionLine() {
  return fmt::format("mmk {} (LLVM {})\n", MMK_VERSION, LLVM_VERSION_STRING);
}

} // namespace mmk::driver
