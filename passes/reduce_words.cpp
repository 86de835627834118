#include "passes/reduce_words.h"

#include "ir/diagnostic_code.h"
#include "passes/row_space.h"
#include "schedule/directive.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {
namespace {

using DimNames = SmallVector<StringRef>;

/// Of each reduction and cumulative sum, the dimensions that it goes over.
SmallVector<DimNames> reducedDims(ir::KernelOp kernel) {
  SmallVector<DimNames> all;
  auto add = [&](const RowSpace &space) {
    DimNames &names = all.emplace_back();
    for (int64_t dim : space.reduced())
      names.push_back(space.names[dim]);
  };
  for (const RowSpace &space : reducedSpaces(kernel))
    add(space);
  kernel.walk([&](ir::CumulateOp cumulation) { add(RowSpace(cumulation)); });
  return all;
}

std::string keyOf(StringRef dim) { return ("reduce." + dim).str(); }

} // namespace

LogicalResult checkReduceWord(ir::KernelOp kernel, ir::ChoiceOp choice) {
  const StringRef key = choice.getKey(), word = kernel.chosenWord(key, "");
  const std::string_view index = indexOf(key);
  const StringRef dim(index.data(), index.size());
  llvm::SetVector<StringRef> reduced, others;
  bool isAlone = false;
  for (const DimNames &names : reducedDims(kernel)) {
    reduced.insert_range(names);
    if (!llvm::is_contained(names, dim))
      continue;
    isAlone |= names.size() == 1;
    others.insert_range(names);
    for (StringRef other : names)
      if (const StringRef found = kernel.chosenWord(keyOf(other), word); found != word)
        return nearestLegal(choice.emitError()
                            << key << " = " << word << " and " << keyOf(other) << " = " << found
                            << " are about the same rows, which are reduced over "
                            << llvm::join(names, " and ") << "; nearest legal: " << keyOf(other)
                            << " = " << word);
  }
  if (!reduced.contains(dim))
    return choice.emitError() << key << ": nothing is reduced over " << dim << "; legal: "
                              << (reduced.empty() ? "none here" : llvm::join(reduced, ", "));
  if (word != "whole" || isAlone)
    return success();
  others.remove(dim);
  const std::string together = llvm::join(others, " and ");
  return nearestLegal(choice.emitError()
                      << key << " = whole keeps rows along " << dim << " alone on the chip, and "
                      << dim << " is reduced together with " << together
                      << "; nearest legal: " << key << " = two_pass");
}

} // namespace mmk
