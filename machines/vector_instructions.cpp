#include "machines/vector_instructions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace mmk {
namespace {

// Calls and their arguments are those of the static-tensor interface of Ascend C (ADK, basic_api).
// Tanh and Erf are library calls made of several instructions; their figures are those of the
// whole.
constexpr VectorInstruction table[] = {
    {"add", "nn:n", "add", "arith.addf arith.addi", "Add({d}, {0}, {1}, {n})",
     "Adds({d}, {0}, {1}, {n})", /*commutes=*/true, /*hasPredicate=*/false, "add_scalar"},
    {"sub", "nn:n", "sub", "arith.subf arith.subi", "Sub({d}, {0}, {1}, {n})", ""},
    {"mul", "nn:n", "mul", "arith.mulf arith.muli", "Mul({d}, {0}, {1}, {n})",
     "Muls({d}, {0}, {1}, {n})", /*commutes=*/true, /*hasPredicate=*/false, "mul_scalar"},
    {"div", "nn:n", "div", "arith.divf", "Div({d}, {0}, {1}, {n})", ""},
    {"max", "nn:n", "max", "arith.maximumf arith.maxsi", "Max({d}, {0}, {1}, {n})",
     "Maxs({d}, {0}, {1}, {n})", /*commutes=*/true, /*hasPredicate=*/false, "max_scalar"},
    {"min", "nn:n", "min", "arith.minimumf arith.minsi", "Min({d}, {0}, {1}, {n})",
     "Mins({d}, {0}, {1}, {n})", /*commutes=*/true, /*hasPredicate=*/false, "max_scalar"},
    // max(x, 0); x >= 0 ? x : slope * x
    {"relu", "t:n", "relu", "", "Relu({d}, {0}, {n})", ""},
    {"leaky_relu", "ts:n", "leaky_relu", "", "", "LeakyRelu({d}, {0}, {1}, {n})"},
    {"abs", "t:n", "abs", "math.absf", "Abs({d}, {0}, {n})", ""},
    {"neg", "t:n", "neg", "arith.negf", "Muls({d}, {0}, -1.0f, {n})", ""},
    {"exp", "t:n", "exp", "math.exp", "Exp({d}, {0}, {n})", ""},
    {"log", "t:n", "log", "math.log", "Ln({d}, {0}, {n})", ""},
    {"sqrt", "t:n", "sqrt", "math.sqrt", "Sqrt({d}, {0}, {n})", ""},
    {"tanh", "t:n", "tanh", "math.tanh", "Tanh({d}, {0}, {n})", ""},
    {"erf", "t:n", "erf", "math.erf", "Erf({d}, {0}, {n})", ""},
    {"floor", "t:n", "floor", "math.floor", "Cast({d}, {0}, RoundMode::CAST_FLOOR, {n})", ""},
    {"round", "t:n", "floor", "math.roundeven", "Cast({d}, {0}, RoundMode::CAST_RINT, {n})", ""},
    {"ceil", "t:n", "ceil", "math.ceil", "Cast({d}, {0}, RoundMode::CAST_CEIL, {n})", ""},
    {"compare", "nn:m", "compare", "arith.cmpf arith.cmpi",
     "Compare({d}, {0}, {1}, CMPMODE::{p}, {n})", "CompareScalar({d}, {0}, {1}, CMPMODE::{p}, {n})",
     /*commutes=*/false, /*hasPredicate=*/true},
    // Where a mask is expected, a condition that is the same for all elements is one too.
    {"select", "mnn:n", "select", "arith.select",
     "Select({d}, {0}, {1}, {2}, SELMODE::VSEL_TENSOR_TENSOR_MODE, {n})",
     "Select({d}, {0}, {1}, {2}, SELMODE::VSEL_TENSOR_SCALAR_MODE, {n})"},
    {"cast", "t:c", "cast", "arith.extf arith.sitofp arith.extsi",
     "Cast({d}, {0}, RoundMode::CAST_NONE, {n})", ""},
    {"cast_narrow", "t:c", "cast_narrow", "arith.truncf arith.fptosi arith.trunci",
     "Cast({d}, {0}, RoundMode::CAST_RINT, {n})", ""},
    // Of a scalar, a fill.
    {"copy", "n:n", "copy", "", "Adds({d}, {0}, 0, {n})", "Duplicate({d}, {0}, {n})"},
    // Masks are bits, so combining two takes no longer than the shortest instruction.
    {"and", "mm:m", "copy", "arith.andi", "And({d}, {0}, {1}, {n})", ""},
    {"or", "mm:m", "copy", "arith.ori", "Or({d}, {0}, {1}, {n})", ""},
    {"xor", "mm:m", "copy", "arith.xori", "Xor({d}, {0}, {1}, {n})", ""},
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
