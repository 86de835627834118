// The name of a variant: printing its choices, parsing them, and making them in a schedule.
#include "passes/passes.h"
#include "passes/row_space.h"
#include "passes/variant.h"
#include "schedule/directive.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mmk {

#define GEN_PASS_DEF_SETCHOICES
#include "passes/Passes.h.inc"
namespace {

/// The text of a choice in the variant's name; for a fitted tile the largest one.
std::string wordOf(ir::ChoiceOp choice) {
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

namespace {

class Name {
public:
  explicit Name(ir::KernelOp kernel)
      : kernel(kernel), dims(dimsOf(kernel)), dimensions(dims.outputs) {
    dimensions.append(dims.onlyReductions());
    for (const DirectiveTraits &directive : allDirectives())
      add(directive);
  }

  std::string text() const { return llvm::join(parts, ","); }
  const Choices &all() const { return choices; }

private:
  void add(const DirectiveTraits &directive) {
    const StringRef name = directive.name;
    const bool ofReductions = directive.index == DirectiveIndex::reduction;
    switch (directive.naming) {
    case DirectiveNaming::one:
      one(name, name);
      if (directive.index == DirectiveIndex::reduced)
        ofDimensions(name);
      return;
    case DirectiveNaming::each:
      if (name == "extent") // of dimensions that have no tile then
        return ofDimensions(name);
      each(name, dimensions);
      for (StringRef dim : dividedDims(kernel))
        if (!llvm::is_contained(dimensions, dim))
          each(name, dim);
      return;
    case DirectiveNaming::joined:
      // "stage=" covers the last dimensions of the tile, which may not be reductions.
      if (ofReductions && dims.onlyReductions().size() != dims.reductions.size())
        return each(name, dims.reductions);
      return joined(name, ofReductions ? dims.reductions : dimensions);
    case DirectiveNaming::bufferGroup:
      return buffers(name);
    }
  }

  /// The word of a choice; empty where it was not made.
  std::string take(StringRef key) {
    ir::ChoiceOp choice = kernel.choice(key);
    if (!choice)
      return "";
    choices.emplace_back(key.str(), wordOf(choice));
    return choices.back().second;
  }
  void one(StringRef key, StringRef shown) {
    if (const std::string word = take(key); !word.empty())
      parts.push_back((shown + "=" + word).str());
  }
  void each(StringRef name, ArrayRef<StringRef> names) {
    for (StringRef dim : names)
      one((name + "." + dim).str(), (name + "." + dim).str());
  }
  void ofDimensions(StringRef name) {
    for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
      if (choice.getKey().starts_with((name + ".").str()))
        one(choice.getKey(), choice.getKey());
  }
  void joined(StringRef name, ArrayRef<StringRef> names) {
    // A list has the dimensions that memory joins, unless all of the kernel are apart.
    if (kernel.getApart())
      return each(name, names);
    SmallVector<std::string> values;
    for (StringRef dim : names)
      if (std::string word = take((name + "." + dim).str()); !word.empty())
        values.push_back(std::move(word));
    if (!values.empty())
      parts.push_back((name + "=" + llvm::join(values, "x")).str());
  }
  void buffers(StringRef name) {
    for (const BufferGroup &group : bufferGroups()) {
      const std::string key = (name + "." + group.name).str();
      one(key, group.name);
      for (ir::ChoiceOp choice : kernel.getSchedule().getOps<ir::ChoiceOp>())
        if (choice.getKey().starts_with(key + "."))
          one(choice.getKey(), choice.getKey().drop_front(name.size() + 1));
    }
  }

  ir::KernelOp kernel;
  TileDims dims;
  SmallVector<StringRef> dimensions;
  SmallVector<std::string> parts;
  Choices choices;
};

std::vector<std::string> withoutLiterals(ArrayRef<std::string> dims) {
  std::vector<std::string> named;
  llvm::copy_if(dims, std::back_inserter(named),
                [](const std::string &dim) { return !llvm::isDigit(dim.front()); });
  return named;
}

/// The values of "128x256x64", one for each of `dims`.
void split(StringRef name, StringRef values, ArrayRef<std::string> dims, Choices &choices) {
  SmallVector<StringRef> each;
  values.split(each, 'x');
  for (auto [dim, value] : llvm::zip(dims, each))
    choices.emplace_back((name + "." + dim).str(), value.str());
}

} // namespace

std::string variantName(ir::KernelOp kernel) { return Name(kernel).text(); }
Choices choicesOf(ir::KernelOp kernel) { return Name(kernel).all(); }

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
    const DirectiveTraits *directive = findDirective(key);
    if (directive && directive->naming == DirectiveNaming::joined &&
        key == StringRef(directive->name)) {
      const size_t given = value.count('x') + 1, tiles = tileDims.size();
      // Stages of reductions cover the last dimensions of the tile.
      const bool ofReductions = directive->index == DirectiveIndex::reduction;
      // Names once had no tiles of literal extents.
      const std::vector<std::string> named = withoutLiterals(tileDims);
      if (!ofReductions && given == named.size()) {
        split(key, value, named, choices);
        continue;
      }
      if (ofReductions ? given > tiles : given != tiles) {
        message = (key + "=" + value + " gives " + Twine(given) + " values").str();
        if (!ofReductions)
          message += ("; the tiles of this kernel are " + Twine(tiles) + ": " +
                      llvm::join(tileDims, " x "))
                         .str();
        return false;
      }
      split(key, value, tileDims.take_back(given), choices);
    } else if (findBufferGroup(key.split('.').first)) {
      choices.emplace_back(("buffers." + key).str(), value.str());
    } else {
      choices.emplace_back(withoutAlias(key), wordWithoutAlias(key, value));
    }
  }
  return true;
}

void setChoice(ir::KernelOp kernel, StringRef key, StringRef word) {
  OpBuilder b(kernel.getContext());
  int64_t number;
  const Attribute value = word.getAsInteger(10, number) ? Attribute(b.getStringAttr(word))
                                                        : Attribute(b.getI64IntegerAttr(number));
  if (ir::ChoiceOp choice = kernel.choice(key)) {
    choice.setAlternativesAttr(b.getArrayAttr({value}));
    return;
  }
  if (kernel.getSchedule().empty())
    b.createBlock(&kernel.getSchedule());
  b.setInsertionPointToEnd(&kernel.getSchedule().front());
  ir::ChoiceOp::create(b, kernel.getLoc(), key, b.getArrayAttr({value}));
}

void setChoices(ModuleOp module, const Choices &choices) {
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>())
    for (const auto &[key, word] : choices)
      setChoice(kernel, key, word);
}

namespace {

struct SetChoicesPass : impl::SetChoicesBase<SetChoicesPass> {
  using SetChoicesBase::SetChoicesBase;

  void runOnOperation() override {
    for (ir::KernelOp kernel : getOperation().getOps<ir::KernelOp>()) {
      Choices choices;
      std::string message;
      if (!parseVariant(variant, tileDims(kernel), choices, message)) {
        kernel.emitError(message);
        return signalPassFailure();
      }
      for (const auto &[key, word] : choices)
        setChoice(kernel, key, word);
    }
  }
};

} // namespace
} // namespace mmk
