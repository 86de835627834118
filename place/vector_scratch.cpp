#include "place/vector_scratch.h"

using namespace mlir;

namespace mmk {
namespace {

/// Values of a kind that are alive at once between the operations of an elementwise region. An
/// instruction may overwrite an operand at its last use.
int64_t mostAlive(Block &body, llvm::function_ref<bool(Type)> isOfKind) {
  int64_t alive = 0, most = 0;
  DenseMap<Value, unsigned> usesLeft;
  for (Operation &op : body.without_terminator()) {
    for (Value operand : op.getOperands())
      if (auto left = usesLeft.find(operand); left != usesLeft.end() && --left->second == 0)
        --alive;
    for (Value result : op.getResults())
      if (isOfKind(result.getType())) {
        usesLeft[result] = std::distance(result.use_begin(), result.use_end());
        most = std::max(most, ++alive);
      }
  }
  return most;
}

} // namespace

// One value may live in an output that is f32 too.
int64_t scratchTiles(linalg::GenericOp generic) {
  if (!generic)
    return 0;
  Block &body = *generic.getBody();
  const bool outputHolds =
      llvm::any_of(body.getTerminator()->getOperandTypes(), [](Type type) { return type.isF32(); });
  const int64_t most = mostAlive(body, [](Type type) { return isa<FloatType>(type); });
  return std::max<int64_t>(0, most - (outputHolds ? 1 : 0));
}

int64_t maskTiles(linalg::GenericOp generic) {
  return generic ? mostAlive(*generic.getBody(), [](Type type) { return type.isInteger(1); }) : 0;
}

} // namespace mmk
