#include "compiler/choices.h"

#include "frontend/schedule.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

namespace mmk {

/// The tiles that a variant names are those of the form that it chooses, in the dimensions that are
/// left when some are joined. As many as the kernel's own are those: named, they stay apart.
static std::vector<std::string> tileDimsOf(mlir::ModuleOp module, const Machine &machine,
                                           llvm::StringRef variant) {
  llvm::SmallVector<llvm::StringRef> items;
  variant.split(items, ',');
  size_t given = 0; // values of "tile=64x128"
  Choices named;    // by the other items
  for (llvm::StringRef item : items) {
    if (item.trim().starts_with("tile="))
      given = item.count('x') + 1;
    std::string ignored;
    (void)parseVariant(item, {}, named, ignored);
  }
  const auto dimsAfter = [&](bool joins) {
    const mlir::OwningOpRef<mlir::ModuleOp> formed = module.clone();
    formed.get()->setAttr("aicore.machine", machineAttr(machine, *module.getContext()));
    setChoices(*formed, named);
    mlir::PassManager manager(module.getContext());
    manager.addPass(createUnrollWindows());
    if (joins)
      manager.addPass(createJoinDimensions());
    const bool isFormed = mlir::succeeded(manager.run(*formed));
    return tileDims(*(isFormed ? *formed : module).getOps<ir::KernelOp>().begin());
  };
  const std::vector<std::string> joined = dimsAfter(true);
  return given == 0 || given == joined.size() ? joined : dimsAfter(false);
}

llvm::Expected<Choices> parseChoices(const Kernel &kernel, const Machine &machine,
                                     mlir::ModuleOp module, const std::string &text) {
  const std::vector<std::string> tiles = tileDimsOf(module, machine, text);
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

} // namespace mmk
