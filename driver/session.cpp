#include "driver/session.h"

#include "driver/choices.h"
#include "driver/ending.h"
#include "driver/files.h"
#include "driver/ir_diagnostics.h"
#include "driver/nearest_legal.h"
#include "driver/stopwatch.h"
#include "driver/terminal.h"
#include "frontend/lower/lower.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

constexpr const char *defaultMachine = "ascend910b3";

Program checkOrRefuse(const std::string &path) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<Program> program =
      checkProgram(nameOfProgram(path), readProgram(path), diagnostics, file);
  if (!program)
    throw Mistake(diagnostics);
  printError(diagnostics.render(showsColours(Stream::error)));
  return std::move(*program);
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerDialectExtensions(registry);
  // One kernel is too little work for the threads that a context would start.
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  // The text of an operation means nothing to the author of a kernel.
  context->printOpOnDiagnostic(false);
  return context;
}

std::vector<std::string> namesOf(const Program &program) {
  std::vector<std::string> names;
  for (const auto &kernel : program.kernels)
    names.push_back(kernel->name);
  return names;
}

/// Whether a pass knew it by arithmetic alone.
bool namesNearestLegal(const Diagnostics &diagnostics) {
  return std::ranges::any_of(diagnostics.all(), [](const Diagnostic &diagnostic) {
    return diagnostic.message.find("nearest legal") != std::string::npos;
  });
}

/// Notes about all of the messages stand below the one that is printed last.
Diagnostics withNotesAtTheEnd(const Diagnostics &diagnostics,
                              const std::vector<std::string> &notes) {
  std::vector<Diagnostic> messages = diagnostics.all();
  Diagnostic *last = &messages.front();
  for (Diagnostic &message : messages)
    if (message.where.begin >= last->where.begin)
      last = &message;
  for (const std::string &note : notes)
    last->notes.push_back({Severity::note, {}, note, {}});
  Diagnostics result;
  for (Diagnostic &message : messages)
    result.add(std::move(message));
  return result;
}

std::string variantOf(mlir::ModuleOp module) {
  for (mlir::Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<mlir::StringAttr>("variant"))
      return name.str();
  return "";
}

} // namespace

aicore::KernelOp Lowering::kernel() { return *module->getOps<aicore::KernelOp>().begin(); }

Session::Session(const Target &target, bool showsRemarks)
    : target_(target), showsRemarks_(showsRemarks), program_(checkOrRefuse(target.file)),
      machine_(loadMachineOrRefuse(target.machine.value_or(defaultMachine), target.machineSets)),
      context_(makeContext()) {}

std::vector<const Kernel *> Session::kernels() const {
  std::vector<const Kernel *> kernels;
  for (const auto &kernel : program_.kernels)
    if (!target_.kernel || kernel->name == *target_.kernel)
      kernels.push_back(kernel.get());
  if (kernels.empty())
    throw Mistake(fmt::format("{} has no kernel '{}'{}; kernels: {}", program_.file->path(),
                              *target_.kernel, didYouMean(*target_.kernel, namesOf(program_)),
                              listOf(namesOf(program_), "and")));
  return kernels;
}

const Kernel &Session::kernel() const {
  const std::vector<const Kernel *> found = kernels();
  if (found.size() > 1)
    throw Mistake(fmt::format("{} has {} kernels; choose one with --kernel: {}",
                              program_.file->path(), found.size(), listOf(namesOf(program_))));
  return *found.front();
}

Lowering Session::lower(const Kernel &kernel, Stage stage, const std::string &printAfter) {
  const Stopwatch watch;
  Lowering result;
  result.module = lowerToIr(kernel, machine_.name, *context_);
  PipelineOptions options;
  options.choices = chosen(kernel, *result.module, target_.variant, target_.sets);
  options.printAfter = printAfter;

  IrDiagnostics said(*context_, *program_.file);
  const bool succeeded = mlir::succeeded(runPipeline(*result.module, machine_, stage, options));
  if (succeeded && !said.isBug()) {
    Diagnostics shown;
    for (const Diagnostic &message : said.diagnostics().all())
      if (message.severity != Severity::remark || showsRemarks_)
        shown.add(message);
    printError(shown.render(showsColours(Stream::error)));
    result.variant = variantOf(*result.module);
    result.milliseconds = watch.milliseconds();
    return result;
  }
  if (said.isBug() || !said.diagnostics().hasErrors())
    throw Bug(
        fmt::format("the passes failed on '{}'\n{}", kernel.name, said.diagnostics().render()));

  std::vector<std::string> notes;
  if (!options.choices.empty())
    notes.push_back("chosen on the command line: " + spelling(options.choices));
  if (!namesNearestLegal(said.diagnostics()))
    if (const auto nearest = nearestLegal(kernel, machine_, *context_, options.choices))
      notes.push_back(
          fmt::format("nearest legal: {} ({})", spelling(*nearest), asOptions(*nearest)));
  throw Mistake(withNotesAtTheEnd(said.diagnostics(), notes));
}

} // namespace mmk::driver
