#include "ir/mmk.h"
#include "ir/rows.h"

#include "schedule/joined_dimension.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/MmkDialect.cpp.inc"
#include "ir/MmkEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/MmkAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/MmkOps.cpp.inc"

namespace mmk::ir {

void MmkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/MmkAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/MmkOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/RowsOps.cpp.inc"
      >();
}

Attribute NamedAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SmallVector<StringAttr> dims;
  Builder b(parser.getContext());
  if (parser.parseLess() || parser.parseString(&name) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalSquare, [&] {
        std::string dim;
        const ParseResult result = parser.parseString(&dim);
        dims.push_back(b.getStringAttr(dim));
        return result;
      }))
    return {};
  const bool isConstant = succeeded(parser.parseOptionalKeyword("const"));
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), b.getStringAttr(name), dims, isConstant);
}

void NamedAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName();
  if (!getDims().empty()) {
    printer << '[';
    llvm::interleaveComma(getDims(), printer);
    printer << ']';
  }
  printer << (getConstant() ? " const>" : ">");
}

//===--- kernel -----------------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getArgs().size())
    return emitOpError("has ") << getArgs().size() << " parameters, but its body takes "
                               << block.getNumArguments();
  auto isDimension = [&](StringRef name) {
    return llvm::all_of(factorsOf(name), [&](StringRef factor) {
      int64_t literal;
      return !factor.getAsInteger(10, literal) ||
             llvm::is_contained(getDims().getAsValueRange<StringAttr>(), factor);
    });
  };
  auto checkRank = [&](Type type, NamedAttr named) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    if (rank != static_cast<int64_t>(named.getDims().size()))
      return emitOpError() << named.getName() << " has " << named.getDims().size()
                           << " dimensions, but its type is " << type;
    if (named.getConstant() && !tensor)
      return emitOpError() << named.getName() << " is a constant, but no tensor";
    for (StringAttr dim : named.getDims())
      if (!isDimension(dim))
        return emitOpError() << named.getName() << " has the dimension " << dim
                             << ", which its kernel does not have";
    return success();
  };
  for (auto [argument, named] : llvm::zip(block.getArguments(), getArgs().getAsRange<NamedAttr>()))
    if (failed(checkRank(argument.getType(), named)))
      return failure();

  auto ret = block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!ret)
    return emitOpError("expected the body to end with mmk.return");
  if (ret.getValues().size() != getResults().size())
    return emitOpError("has ") << getResults().size() << " results, but returns "
                               << ret.getValues().size();
  for (auto [value, named] : llvm::zip(ret.getValues(), getResults().getAsRange<NamedAttr>())) {
    if (failed(checkRank(value.getType(), named)))
      return failure();
    if (named.getConstant())
      return emitOpError() << named.getName() << " is a constant, but a result";
  }

  WalkResult dims = getBody().walk([&](DimOp dim) {
    if (isDimension(dim.getName()))
      return WalkResult::advance();
    dim.emitOpError("names no dimension of its kernel: ") << dim.getName();
    return WalkResult::interrupt();
  });
  if (dims.wasInterrupted())
    return failure();

  llvm::StringSet<> keys;
  for (ChoiceOp choice : getSchedule().getOps<ChoiceOp>())
    if (!keys.insert(choice.getKey()).second)
      return choice.emitOpError() << "repeats the directive " << choice.getKey();
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (&region != &getBody() || region.empty())
    return;
  for (auto [argument, named] : llvm::zip(region.getArguments(), getArgs().getAsRange<NamedAttr>()))
    setName(argument, named.getName().getValue());
}

ChoiceOp KernelOp::choice(StringRef key) {
  for (ChoiceOp choice : getSchedule().getOps<ChoiceOp>())
    if (choice.getKey() == key)
      return choice;
  return {};
}

int64_t KernelOp::chosenNumber(StringRef key, int64_t otherwise) {
  ChoiceOp found = choice(key);
  if (!found)
    return otherwise;
  auto number = dyn_cast<IntegerAttr>(found.getAlternatives()[0]);
  return number ? number.getInt() : otherwise;
}

StringRef KernelOp::chosenWord(StringRef key, StringRef otherwise) {
  ChoiceOp found = choice(key);
  if (!found)
    return otherwise;
  auto word = dyn_cast<StringAttr>(found.getAlternatives()[0]);
  return word ? word.getValue() : otherwise;
}

//===--- schedule ---------------------------------------------------------------------------===//

bool givesMatrices(AffineMap map) {
  const unsigned rank = map.getNumDims();
  if (rank < 2 || map.getNumResults() < 2)
    return false;
  const AffineExpr rows = getAffineDimExpr(rank - 2, map.getContext()),
                   columns = getAffineDimExpr(rank - 1, map.getContext());
  const ArrayRef<AffineExpr> others = map.getResults().drop_back();
  return map.getResults().back() == columns && llvm::count(others, rows) == 1 &&
         llvm::none_of(others, [&](AffineExpr index) {
           return index != rows &&
                  (index.isFunctionOfDim(rank - 1) || index.isFunctionOfDim(rank - 2));
         });
}

LogicalResult CumulateOp::verify() {
  const int64_t rank = cast<RankedTensorType>(getOperand().getType()).getRank();
  if (getAlong() < static_cast<uint64_t>(rank))
    return success();
  return emitOpError("goes along dimension ") << getAlong() << " of " << getOperand().getType();
}

LogicalResult ChoiceOp::verify() {
  if (getAlternatives().empty())
    return emitOpError("expected at least one alternative");
  for (Attribute alternative : getAlternatives())
    if (!isa<IntegerAttr, StringAttr>(alternative))
      return emitOpError("expected integers and strings as alternatives, found ") << alternative;
  return success();
}

LogicalResult RequireOp::verify() {
  Block &block = getRule().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != 1 || !yield.getValues()[0].getType().isInteger(1))
    return emitOpError("expected the rule to yield one i1");
  return success();
}

//===--- fusion group -----------------------------------------------------------------------===//

LogicalResult FusionGroupOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError("expected one index argument, the number of the core");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expected to yield its results");
  if (getSpaceAttr() && !getReducedAttr())
    return emitOpError("expected to reduce some of its dimensions ") << getSpaceAttr();
  if (std::optional<ArrayRef<int64_t>> reduced = getReduced())
    for (int64_t dim : *reduced)
      if (!getSpaceAttr() || dim < 0 || dim >= static_cast<int64_t>(getSpaceAttr().size()))
        return emitOpError("reduces dimension ")
               << dim << ", but has " << (getSpaceAttr() ? getSpaceAttr().size() : 0);
  auto positive = [](int64_t extent) { return extent > 0; };
  if (std::optional<ArrayRef<int64_t>> tile = getTile();
      tile && (tile->size() != 2 || !llvm::all_of(*tile, positive)))
    return emitOpError("expected rows and columns of a tile, found ") << getTileAttr();
  std::optional<ArrayRef<int64_t>> steps = getSteps();
  if (!steps)
    return success();
  size_t products = 0;
  getBody().walk([&](linalg::ContractOp) { ++products; });
  if (steps->size() != 2 * products || !llvm::all_of(*steps, positive))
    return emitOpError("expected the depth of a stage and of a base tile for each of its ")
           << products << " products, found " << getStepsAttr();
  return success();
}

void FusionGroupOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (!region.empty() && region.getNumArguments() == 1)
    setName(region.getArgument(0), "block");
}

} // namespace mmk::ir
