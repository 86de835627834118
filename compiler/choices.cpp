#include "compiler/choices.h"

#include "frontend/schedule.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

namespace mmk {

/// The tiles that a variant names are those of the form that it chooses.
static std::vector<std::string> tileDimsOf(mlir::ModuleOp module, const std::string &variant) {
  const auto dimsOf = [](mlir::ModuleOp it) {
    return tileDims(*it.getOps<ir::KernelOp>().begin());
  };
  ir::KernelOp kernel = *module.getOps<ir::KernelOp>().begin();
  if (kernel.getBody().getOps<ir::AlternativeOp>().empty())
    return dimsOf(module);
  const mlir::OwningOpRef<mlir::ModuleOp> formed = module.clone();
  mlir::PassManager manager(module.getContext());
  manager.addPass(createChooseForm({variant}));
  return mlir::succeeded(manager.run(*formed)) ? dimsOf(*formed) : dimsOf(module);
}

llvm::Expected<Choices> parseChoices(const Kernel &kernel, const Machine &machine,
                                     mlir::ModuleOp module, const std::string &text) {
  const std::vector<std::string> tiles = tileDimsOf(module, text);
  Choices choices;
  std::string message;
  if (!parseVariant(text, tiles, choices, message))
    return llvm::createStringError(": " + message);
  if (choices.empty())
    return llvm::createStringError(fmt::format(": expected DIRECTIVE=VALUE, found '{}'", text));
  for (const auto &[key, word] : choices)
    if (!checkChoice(kernel, &machine.cube, key, word, message))
      return llvm::createStringError(fmt::format(" {}: {}", text, message));
  return choices;
}

std::string variantText(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, word);
  return text;
}

std::string spelling(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, word);
  return text;
}

std::string optionsOf(const Choices &choices) {
  std::string text;
  for (const auto &[key, word] : choices) {
    const std::string choice = key + "=" + word;
    const bool isPlain = choice.find_first_of("()*") == std::string::npos;
    text +=
        fmt::format("{}--set {}", text.empty() ? "" : " ", isPlain ? choice : "'" + choice + "'");
  }
  return text;
}

} // namespace mmk
