#include "machines/vector_instructions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace mmk {
namespace {

// Tanh and Erf are functions made of several instructions; their figures are those of the whole.
constexpr VectorInstruction table[] = {
    {"add", "nn:n", "add", "arith.addf arith.addi", "Add", "Adds", /*commutes=*/true,
     /*hasPredicate=*/false, "add_scalar"},
    {"sub", "nn:n", "sub", "arith.subf arith.subi", "Sub", ""},
    {"mul", "nn:n", "mul", "arith.mulf arith.muli", "Mul", "Muls", /*commutes=*/true,
     /*hasPredicate=*/false, "mul_scalar"},
    {"div", "nn:n", "div", "arith.divf", "Div", ""},
    {"max", "nn:n", "max", "arith.maximumf arith.maxsi", "Max", "Maxs", /*commutes=*/true,
     /*hasPredicate=*/false, "max_scalar"},
    {"min", "nn:n", "min", "arith.minimumf arith.minsi", "Min", "Mins", /*commutes=*/true,
     /*hasPredicate=*/false, "max_scalar"},
    // max(x, 0); x >= 0 ? x : slope * x
    {"relu", "t:n", "relu", "", "Relu", ""},
    {"leaky_relu", "ts:n", "leaky_relu", "", "", "LeakyRelu"},
    {"abs", "t:n", "abs", "math.absf", "Abs", ""},
    {"neg", "t:n", "neg", "arith.negf", "Neg", ""},
    {"exp", "t:n", "exp", "math.exp", "Exp", ""},
    {"log", "t:n", "log", "math.log", "Ln", ""},
    {"sqrt", "t:n", "sqrt", "math.sqrt", "Sqrt", ""},
    {"tanh", "t:n", "tanh", "math.tanh", "Tangent", ""},
    {"erf", "t:n", "erf", "math.erf", "ErrorFunction", ""},
    {"floor", "t:n", "floor", "math.floor", "FLOOR", ""},
    {"round", "t:n", "floor", "math.roundeven", "RINT", ""},
    {"ceil", "t:n", "ceil", "math.ceil", "CEIL", ""},
    {"compare", "nn:m", "compare", "arith.cmpf arith.cmpi", "Compare", "",
     /*commutes=*/false, /*hasPredicate=*/true},
    // Where a mask is expected, a condition that is the same for all elements is one too.
    {"select", "mnn:n", "select", "arith.select", "Select", ""},
    {"cast", "t:c", "cast", "arith.extf arith.sitofp arith.extsi", "Cast", ""},
    {"cast_narrow", "t:c", "cast_narrow", "arith.truncf arith.fptosi arith.trunci", "Cast", ""},
    // Of a scalar, a fill.
    {"copy", "n:n", "copy", "", "Copy", ""},
    // Masks are bits, so combining two takes no longer than the shortest instruction.
    {"and", "mm:m", "copy", "arith.andi", "And", ""},
    {"or", "mm:m", "copy", "arith.ori", "Or", ""},
    {"xor", "mm:m", "copy", "arith.xori", "Xor", ""},
};

using Index = llvm::StringMap<const VectorInstruction *>;

const VectorInstruction *lookUp(const Index &index, std::string_view key) {
  return index.lookup(llvm::StringRef(key.data(), key.size()));
}

template <typename Visit> void forEachOperation(const VectorInstruction &it, Visit visit) {
  llvm::SmallVector<llvm::StringRef> operations;
  llvm::StringRef(it.operations).split(operations, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef operation : operations)
    visit(operation);
}

} // namespace

std::span<const VectorInstruction> vectorInstructions() { return table; }

const VectorInstruction *findVectorInstruction(std::string_view name) {
  static const Index index = [] {
    Index index;
    for (const VectorInstruction &it : table)
      index[it.name] = &it;
    return index;
  }();
  return lookUp(index, name);
}

const VectorInstruction *vectorInstructionOf(std::string_view operation) {
  static const Index index = [] {
    Index index;
    for (const VectorInstruction &it : table)
      forEachOperation(it, [&](llvm::StringRef operation) { index[operation] = &it; });
    return index;
  }();
  return lookUp(index, operation);
}

std::vector<std::string> selectableOperations() {
  std::vector<std::string> all;
  for (const VectorInstruction &it : table)
    forEachOperation(it, [&](llvm::StringRef operation) { all.push_back(operation.str()); });
  std::ranges::sort(all);
  return all;
}

} // namespace mmk
