#include "driver/session.h"

#include "cli/ending.h"
#include "cli/files.h"
#include "cli/run_case.h"
#include "cli/terminal.h"
#include "driver/choices.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

std::shared_ptr<const Program> checkOrRefuse(const Target &target, const Machine &machine) {
  const std::string &path = target.file;
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  std::optional<Program> program = checkProgram(nameOfProgram(path), readProgram(path), diagnostics,
                                                file, &machine, wholesOf(target.words));
  if (!program)
    throw UserError(diagnostics);
  printError(diagnostics.render(showsColours(Stream::error)));
  return std::make_shared<const Program>(std::move(*program));
}

std::vector<std::string> namesOf(const Program &program) {
  std::vector<std::string> names;
  for (const auto &kernel : program.kernels)
    names.push_back(kernel->name);
  return names;
}

/// Notes on all messages follow the one that is printed last.
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

} // namespace

Session::Session(const Target &target, bool showsRemarks)
    : target_(target), showsRemarks_(showsRemarks),
      machine_(loadMachineOrRefuse(target.machine.value_or(defaultMachine), target.machineSets)),
      program_(checkOrRefuse(target, machine_)), compiler_(*program_, machine_) {}

Session::Session(const Session &other, const Target &target, Choices variant)
    : target_(target), variant_(std::move(variant)), showsRemarks_(other.showsRemarks_),
      machine_(
          target.machine == other.target_.machine && target.machineSets == other.target_.machineSets
              ? other.machine_
              : loadMachineOrRefuse(target.machine.value_or(defaultMachine), target.machineSets)),
      program_(other.program_), compiler_(*program_, machine_) {}

std::vector<const Kernel *> Session::kernels() const {
  std::vector<const Kernel *> kernels;
  for (const auto &kernel : program_->kernels)
    if (!target_.kernel || kernel->name == *target_.kernel)
      kernels.push_back(kernel.get());
  if (kernels.empty())
    throw UserError(fmt::format("{} has no kernel '{}'{}; kernels: {}", program_->file->path(),
                                *target_.kernel, didYouMean(*target_.kernel, namesOf(*program_)),
                                listOf(namesOf(*program_), "and")));
  return kernels;
}

void Session::expectClock(std::string_view who) const {
  if (!backendOf(machine_.kind).hasClock())
    throw UserError(fmt::format("{} needs an emulated machine; {} has no clock but the real one",
                                who, machine_.name));
}

const Kernel &Session::kernel() const {
  const std::vector<const Kernel *> found = kernels();
  if (found.size() > 1)
    throw UserError(fmt::format("{} has {} kernels; choose one with --kernel: {}",
                                program_->file->path(), found.size(), listOf(namesOf(*program_))));
  return *found.front();
}

Lowering Session::lower(const Kernel &kernel, LoweringLevel level, const std::string &printAfter) {
  PipelineOptions options;
  options.choices = fixedChoices(kernel);
  options.printAfter = printAfter;
  Lowering result = compiler_.lower(kernel, compiler_.toIr(kernel), level, options);
  if (result) {
    Diagnostics shown;
    for (const Diagnostic &message : result.messages.all())
      if (message.severity != Severity::remark || showsRemarks_)
        shown.add(message);
    printError(shown.render(showsColours(Stream::error)));
    return result;
  }
  if (result.isBug)
    throw Bug(fmt::format("the passes failed on '{}'\n{}", kernel.name, result.messages.render()));

  std::vector<std::string> notes;
  if (!options.choices.empty())
    notes.push_back("chosen on the command line: " + spelling(options.choices));
  if (result.nearest)
    notes.push_back(fmt::format("nearest legal: {} ({})", spelling(*result.nearest),
                                asOptions(*result.nearest, target_)));
  throw UserError(withNotesAtTheEnd(result.messages, notes));
}

Lowering Session::tryLower(const Kernel &kernel, const Choices &choices, LoweringLevel level) {
  PipelineOptions options;
  options.choices = both(fixedChoices(kernel), choices);
  options.proveSync = false;
  return compiler_.lower(kernel, compiler_.toIr(kernel), level, options, /*findsNearest=*/false);
}

Chooser Session::chooser(const Kernel &kernel) {
  return {compiler_, kernel, machine_, fixedChoices(kernel)};
}

Choices Session::setChoices(const Kernel &kernel) {
  Target target = target_;
  target.variant.reset();
  return chosen(compiler_, kernel, target);
}

Target Session::withoutChoices() const {
  Target target = target_;
  target.variant.reset();
  target.sets.clear();
  target.side.reset();
  return target;
}

Choices Session::fixedChoices(const Kernel &kernel) {
  return both(variant_, chosen(compiler_, kernel, target_));
}

Session Session::choosing(const std::string &variant) {
  return Session(*this, withoutChoices(), choicesOf(kernel(), "--variant", variant));
}

std::optional<Choices> Session::tryChoicesOf(const Kernel &kernel, const std::string &variant) {
  llvm::Expected<Choices> choices = compiler_.choicesOf(kernel, variant);
  if (choices)
    return std::move(*choices);
  llvm::consumeError(choices.takeError());
  return std::nullopt;
}

Choices Session::choicesOf(const Kernel &kernel, const std::string &option,
                           const std::string &text) {
  return driver::choicesOf(compiler_, kernel, option, text);
}

} // namespace mmk::driver
