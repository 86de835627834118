#include "compiler/choices.h"

#include "frontend/schedule.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

namespace mmk {

/// The values of "tile=64x128" in a variant; 0 where it has none.
static size_t tilesGiven(llvm::StringRef variant) {
  llvm::SmallVector<llvm::StringRef> items;
  variant.split(items, ',');
  for (llvm::StringRef item : items)
    if (item.trim().consume_front("tile="))
      return item.count('x') + 1;
  return 0;
}

/// The tiles that a variant names are those of the form that it chooses, in the dimensions that are
/// left when some are joined. As many as the kernel's own are those: named, they stay apart.
static std::vector<std::string> tileDimsOf(mlir::ModuleOp module, const std::string &variant) {
  const auto dimsAfter = [&](bool joins) {
    const mlir::OwningOpRef<mlir::ModuleOp> formed = module.clone();
    mlir::PassManager manager(module.getContext());
    manager.addPass(createChooseForm({variant}));
    if (joins)
      manager.addPass(createJoinDimensions({variant}));
    const bool isFormed = mlir::succeeded(manager.run(*formed));
    return tileDims(*(isFormed ? *formed : module).getOps<ir::KernelOp>().begin());
  };
  const std::vector<std::string> joined = dimsAfter(true);
  const size_t given = tilesGiven(variant);
  return given == 0 || given == joined.size() ? joined : dimsAfter(false);
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
