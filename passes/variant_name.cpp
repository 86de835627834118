// The name of a variant: made of its choices, and read back into them.
#include "passes/passes.h"
#include "passes/variant.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {
namespace {

constexpr std::array<StringRef, 7> bufferGroups = {"l1", "panel", "l0", "bt", "acc", "out", "ub"};

/// What the variant's name says of a choice. That of a tile which fits the shape is the largest.
std::string chosenWord(ir::ChoiceOp choice) {
  return choice->hasAttr("fit") ? "auto" : spelling(choice.getAlternatives()[0]);
}

} // namespace

std::vector<std::string> tileDims(ir::KernelOp kernel) {
  TileDims dims = dimsOf(kernel);
  std::vector<std::string> names;
  for (StringRef dim : dims.outputs)
    names.push_back(dim.str());
  for (StringRef dim : dims.onlyReductions())
    names.push_back(dim.str());
  return names;
}

std::string variantName(ir::KernelOp kernel) {
  TileDims dims = dimsOf(kernel);
  SmallVector<std::string> parts;
  auto joined = [&](StringRef directive, ArrayRef<StringRef> names) {
    SmallVector<std::string> values;
    for (StringRef name : names)
      if (ir::ChoiceOp choice = kernel.choice((directive + "." + name).str()))
        values.push_back(chosenWord(choice));
    if (!values.empty())
      parts.push_back((directive + "=" + llvm::join(values, "x")).str());
  };
  auto single = [&](StringRef key, StringRef shown) {
    if (ir::ChoiceOp choice = kernel.choice(key))
      parts.push_back((shown + "=" + spelling(choice.getAlternatives()[0])).str());
  };
  single("cores", "cores");
  SmallVector<StringRef> all(dims.outputs);
  all.append(dims.onlyReductions());
  for (StringRef dim : all)
    single(("grid." + dim).str(), ("grid." + dim).str());
  joined("tile", all);
  if (dims.onlyReductions().size() == dims.reductions.size())
    joined("stage", dims.reductions);
  else // "stage=" stands for the last dimensions of the tile, and these are not
    for (StringRef dim : dims.reductions)
      single(("stage." + dim).str(), ("stage." + dim).str());
  for (StringRef group : bufferGroups) {
    single(("buffers." + group).str(), group);
    for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
      if (choice.getKey().starts_with(("buffers." + group + ".").str()))
        single(choice.getKey(), choice.getKey().drop_front(strlen("buffers.")));
  }
  single("keep", "keep");
  single("bias", "bias");
  single("skew", "skew");
  single("store", "store");
  single("order", "order");
  single("epilogue", "epilogue");
  return llvm::join(parts, ",");
}

bool parseVariant(StringRef text, ArrayRef<std::string> tileDims, Choices &choices,
                  std::string &message) {
  SmallVector<StringRef> items;
  text.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [key, value] = item.trim().split('=');
    key = key.trim();
    value = value.trim();
    if (key.empty() || value.empty()) {
      message = ("expected DIRECTIVE=VALUE, found '" + item.trim() + "'").str();
      return false;
    }
    if (key == "tile") {
      SmallVector<StringRef> values;
      value.split(values, 'x');
      if (values.size() != tileDims.size()) {
        message = ("tile=" + value + " gives " + Twine(values.size()) +
                   " values; the tiles of this kernel are " + Twine(tileDims.size()) + ": " +
                   llvm::join(tileDims, " x "))
                      .str();
        return false;
      }
      for (auto [dim, number] : llvm::zip(tileDims, values))
        choices.emplace_back("tile." + dim, number.str());
    } else if (key == "stage") {
      // The reductions stand last.
      SmallVector<StringRef> values;
      value.split(values, 'x');
      if (values.size() > tileDims.size()) {
        message = ("stage=" + value + " gives " + Twine(values.size()) + " values").str();
        return false;
      }
      for (auto [dim, number] : llvm::zip(tileDims.take_back(values.size()), values))
        choices.emplace_back("stage." + dim, number.str());
    } else if (llvm::is_contained(bufferGroups, key.split('.').first)) {
      choices.emplace_back(("buffers." + key).str(), value.str());
    } else {
      choices.emplace_back(key.str(), value.str());
    }
  }
  return true;
}

} // namespace mmk
