// `mmk compile`: a kernel's way, stopped at one of its stages.
#include "codegen/executable.h"
#include "driver/command.h"
#include "driver/ending.h"
#include "driver/files.h"
#include "driver/json.h"
#include "driver/memory_map.h"
#include "driver/session.h"
#include "driver/terminal.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

const std::vector<std::string> stages = {"ast",    "mmk",  "tiled", "aicore",
                                         "memory", "llvm", "asm",   "obj"};

std::vector<std::string> passNames() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::PassManager manager(&context);
  manager.addPass(createApplyVariant());
  buildPipeline(manager, Stage::aicore);
  std::vector<std::string> names = {"all"};
  for (mlir::Pass &pass : manager.getPasses())
    if (std::ranges::find(names, pass.getArgument()) == names.end())
      names.push_back(pass.getArgument().str());
  return names;
}

std::string legalWord(const std::string &option, const std::string &word,
                      const std::vector<std::string> &legal) {
  if (std::ranges::find(legal, word) == legal.end())
    throw Mistake(fmt::format("{} is {}, found '{}'{}", option, listOf(legal), word,
                              didYouMean(word, legal)));
  return word;
}

std::string syntaxTree(const Target &target) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const std::optional<std::string> tree =
      printSyntaxTree(nameOfProgram(target.file), readProgram(target.file), diagnostics, file);
  if (!tree)
    throw Mistake(diagnostics);
  return *tree;
}

std::string code(mlir::ModuleOp module, const Machine &machine, const std::string &stage) {
  llvm::Expected<std::string> text = emitCode(module, machine,
                                              stage == "llvm"  ? CodeFormat::llvm
                                              : stage == "asm" ? CodeFormat::assembly
                                                               : CodeFormat::object);
  if (!text)
    throw Bug(llvm::toString(text.takeError()));
  return std::move(*text);
}

std::string compiled(const Target &target, const std::string &stage, const std::string &printAfter,
                     bool asJson) {
  if (stage == "ast")
    return syntaxTree(target);
  Session session(target);
  const Stage until = stage == "mmk" ? Stage::mmk : stage == "tiled" ? Stage::tiled : Stage::aicore;
  Lowering lowering = session.lower(session.kernel(), until, printAfter);
  mlir::ModuleOp module = *lowering.module;
  if (stage == "memory") {
    const MemoryMap map = memoryMap(lowering.kernel(), session.machine(), lowering.variant);
    return asJson ? jsonArray(std::array{map}, [](auto &out, auto &each) { write(out, each); })
                  : text(map);
  }
  if (stage == "llvm" || stage == "asm" || stage == "obj")
    return code(module, session.machine(), stage);
  std::string ir;
  llvm::raw_string_ostream stream(ir);
  module.print(stream);
  return ir.ends_with('\n') ? ir : ir + "\n";
}

} // namespace

int compileCommand(const std::vector<std::string> &words) {
  Target target;
  std::optional<std::string> emit, output, printAfter, json;
  CommandLine commandLine("compile");
  target.addOptionsTo(commandLine);
  commandLine.option("--emit", "STAGE", emit);
  commandLine.option("--output", "FILE", output);
  commandLine.shortName("-o", "--output");
  commandLine.option("--print-after", "PASS", printAfter);
  commandLine.option("--json", "FILE", json);
  target.takeFileAlone(commandLine.parse(words), "compile");

  const std::string stage = legalWord("--emit", emit.value_or("aicore"), stages);
  if (printAfter) {
    legalWord("--print-after", *printAfter, passNames());
    if (stage == "ast")
      throw Mistake("--print-after: no pass runs before --emit=ast");
  }
  if (stage == "obj" && output.value_or("-") == "-" && (!output || isTerminal(Stream::output)))
    throw Mistake("--emit=obj writes binary code; name a file for it: -o FILE");
  if (json && stage != "memory")
    throw Mistake("--json: of the stages, memory alone is a report; --emit=memory");
  if (json && output)
    throw Mistake("--json FILE and --output FILE: both name a file for the same map");
  const std::string to = json ? *json : output.value_or("-");
  expectWritable(to);
  writeFile(to, compiled(target, stage, printAfter.value_or(""), json.has_value()));
  return allWell;
}

} // namespace mmk::driver
