// `mmk compile`: lowers a kernel and prints the output of one stage.
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/option_values.h"
#include "cli/terminal.h"
#include "driver/ascendc/ascendc_check.h"
#include "driver/ascendc/ascendc_project.h"
#include "driver/chosen_variants.h"
#include "driver/command.h"
#include "driver/session.h"
#include "executable/c_header.h"
#include "executable/executable.h"
#include "frontend/rule_text.h"
#include "print/memory_map.h"
#include "print/run_report.h"
#include "support/timing.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

const std::vector<std::string> stages = {"ast",  "mmk", "tiled", "aicore", "memory",
                                         "llvm", "asm", "obj",   "header", "ascendc"};

std::vector<std::string> passNames() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> names = {"all"};
  for (MachineKind kind : allMachineKinds) {
    mlir::PassManager manager(&context);
    addVariantPasses(manager);
    buildPipeline(manager, backendOf(kind), LoweringLevel::aicore);
    for (mlir::Pass &pass : manager.getPasses())
      if (std::ranges::find(names, pass.getArgument()) == names.end())
        names.push_back(pass.getArgument().str());
  }
  return names;
}

std::string syntaxTree(const Target &target) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const std::optional<std::string> tree =
      printSyntaxTree(nameOfProgram(target.file), readProgram(target.file), diagnostics, file);
  if (!tree)
    throw UserError(diagnostics);
  return *tree;
}

std::string code(mlir::ModuleOp module, const Machine &machine, const std::string &stage) {
  llvm::Expected<std::string> text = emitCode(module, machine,
                                              stage == "llvm"  ? CodeFormat::llvm
                                              : stage == "asm" ? CodeFormat::assembly
                                                               : CodeFormat::namedObject);
  if (!text)
    throw Bug(llvm::toString(text.takeError()));
  return std::move(*text);
}

DerivedInC derivedInC(const Kernel &kernel) {
  DerivedInC derived;
  for (const DerivedDimension &dimension : kernel.derived) {
    const std::string value = textOf(*dimension.value, kernel, dimensionInC);
    if (value.find("floor_") != std::string::npos)
      derived.functions = "#ifndef MMK_FLOOR_QUOTIENT\n#define MMK_FLOOR_QUOTIENT" +
                          ruleFunctions("static inline") + "#endif\n\n";
    derived.dimensions.push_back({dimension.name, textOf(*dimension.value, kernel), value});
  }
  return derived;
}

/// The output of a stage, as text or bytes.
std::string written(Session &session, Lowering &lowering, const std::string &stage, bool asJson) {
  mlir::ModuleOp module = *lowering.module;
  if (stage == "memory") {
    const MemoryMap map = memoryMap(lowering.kernel(), session.machine(), lowering.variant);
    return asJson ? jsonArray(std::array{map}, [](auto &out, auto &each) { write(out, each); })
                  : text(map);
  }
  if (stage == "header")
    return cHeader(lowering.kernel(), session.machine(), lowering.variant,
                   llvm::sys::getHostCPUName().str(), derivedInC(session.kernel()));
  if (stage == "llvm" || stage == "asm" || stage == "obj")
    return code(module, session.machine(), stage);
  std::string ir;
  llvm::raw_string_ostream stream(ir);
  module.print(stream);
  return ir.ends_with('\n') ? ir : ir + "\n";
}

/// What the options and the words of the command line say is compiled.
struct Compiled {
  Target target;
  std::vector<std::string> arguments, cases;
  std::string printAfter;
};

/// Gives the session and the lowering of a variant to `write`, and the case that it was chosen for.
template <typename Write> void lowered(const Compiled &what, LoweringLevel until, Write write) {
  Session given(what.target);
  std::vector<RunCase> runs;
  Choices chosen;
  // Without a shape, the machine's default: it fits its tiles to the shape when it runs.
  if (!what.arguments.empty() || !what.cases.empty()) {
    runs = casesToRun(given.kernel(), what.cases, what.arguments);
    if (runs.size() > 1)
      throw UserError(
          fmt::format("expected one case to choose the variant for, found {}", runs.size()));
    const CaseVariant variant = variantsOf(given, what.target, given.kernel(), runs, true).front();
    printError(originOf(variant.known.tunedFor, variant.reasons));
    chosen = variant.choices;
  }
  Session session(given, what.target, std::move(chosen));
  Lowering lowering = session.lower(session.kernel(), until, what.printAfter);
  write(session, lowering, runs);
}

/// The texts of `stages`: one, or obj and header of the same variant.
std::vector<std::string> compiled(const Compiled &what, const std::vector<std::string> &stages,
                                  bool asJson) {
  const std::string &first = stages.front();
  if (first == "ast")
    return {syntaxTree(what.target)};
  const LoweringLevel until = first == "mmk"     ? LoweringLevel::mmk
                              : first == "tiled" ? LoweringLevel::tiled
                                                 : LoweringLevel::aicore;
  std::vector<std::string> texts;
  lowered(what, until, [&](Session &session, Lowering &lowering, const auto &) {
    for (const std::string &stage : stages)
      texts.push_back(written(session, lowering, stage, asJson));
  });
  return texts;
}

/// "obj,header", or one of `stages`.
std::vector<std::string> stagesOf(const std::string &text) {
  if (text == "obj,header" || text == "header,obj")
    return {"obj", "header"};
  if (text.find(',') != std::string::npos)
    throw UserError(fmt::format("--emit names one stage, or obj,header; found '{}'", text));
  return {oneOf("--emit", text, stages)};
}

/// "gemm.h" beside "gemm.o".
std::string headerBeside(const std::string &object) {
  return std::filesystem::path(object).replace_extension(".h").string();
}

} // namespace

int compileCommand(const std::vector<std::string> &words) {
  Target target;
  std::optional<std::string> emit, output, printAfter, json;
  std::vector<std::string> cases;
  bool timing = false, check = false;
  CommandLine commandLine("compile");
  target.addOptionsTo(commandLine);
  commandLine.option("--emit", "STAGE", emit);
  commandLine.option("--output", "FILE", output);
  commandLine.shortName("-o", "--output");
  commandLine.option("--print-after", "PASS", printAfter);
  commandLine.option("--json", "FILE", json);
  commandLine.flag("--timing", timing);
  commandLine.flag("--check", check);
  commandLine.repeated("--case", "NAME", cases);
  const std::vector<std::string> arguments = target.takeFile(commandLine.parse(words), "compile");

  const std::vector<std::string> chosen = stagesOf(emit.value_or("aicore"));
  const std::string &stage = chosen.front();
  if (printAfter) {
    oneOf("--print-after", *printAfter, passNames());
    if (stage == "ast")
      throw UserError("--print-after: no pass runs before --emit=ast");
  }
  const std::string to = json ? *json : output.value_or("-");
  if (chosen.size() == 2 && (to == "-" || headerBeside(to) == to))
    throw UserError("--emit=obj,header writes two files; name the object: -o FILE.o");
  if (stage == "obj" && output.value_or("-") == "-" && (!output || isTerminal(Stream::output)))
    throw UserError("--emit=obj writes binary code; name a file for it: -o FILE");
  if (stage == "ascendc" && output.value_or("-") == "-")
    throw UserError("--emit=ascendc writes a project of several files; name its folder: -o DIR");
  if (check && stage != "ascendc")
    throw UserError("--check: of the stages, ascendc alone is checked; --emit=ascendc");
  if (json && stage != "memory")
    throw UserError("--json: of the stages, memory alone is a report; --emit=memory");
  if (json && output)
    throw UserError("--json FILE and --output FILE: both name a file for the same map");
  std::optional<Timing> listener;
  if (timing)
    listener.emplace();
  if (stage == "ascendc")
    leaveRoom(target);
  const Compiled what{target, arguments, cases, printAfter.value_or("")};
  bool isAccepted = true;
  if (stage == "ascendc") {
    lowered(what, LoweringLevel::aicore, [&](Session &session, Lowering &lowering, auto &runs) {
      writeAscendcProject(session, lowering, runs, to);
      isAccepted = !check || checkAscendcProject(to, ascendc::architectureOf(session.machine()));
    });
  } else {
    std::vector<std::string> files = {to};
    if (chosen.size() == 2)
      files.push_back(headerBeside(to));
    for (const std::string &file : files)
      expectWritable(file);
    const std::vector<std::string> texts = compiled(what, chosen, json.has_value());
    for (size_t i = 0; i < texts.size(); ++i)
      writeFile(files[i], texts[i]);
  }
  if (listener)
    printError(text(listener->total()));
  return isAccepted ? success : wrongResult;
}

} // namespace mmk::driver
