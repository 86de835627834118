// What a row group computes for each tile, its mmk.rows, in the form that both back ends lower,
// each with memories of its own: what the passes over the rows compute, and between them the
// reductions.
#pragma once

#include "ir/rows.h"
#include "passes/row_space.h"
#include "place/tiled_group.h"

#include <vector>

namespace mmk {

/// A tensor that the group reads.
struct RowInput {
  mlir::Value tensor;  ///< the slice of the tile
  SpaceLoops dims;     ///< of each dimension of the slice, that of the space; -1: of extent 1
  mlir::Value element; ///< an argument of the block
};

/// A reduction over all reduced dimensions of the space.
struct RowReduction {
  aicore::ReduceKind kind;
  mlir::Value operand;      ///< the elements that are reduced, in the block
  mlir::Value result;       ///< an argument of the block
  mlir::Value position;     ///< of argmax and argmin: the argument with the position; else null
  mlir::TypedAttr identity; ///< of no elements
  /// A cumulative sum: the result has an element for each that is reduced.
  bool isScan = false;
  mlir::Location location;
  /// What has the condition of the reduction, where its operand has it no more: a selection of
  /// another element, which is the identity of the maximum where the condition does not hold.
  mlir::Value masked = {};
};

/// What the online form of a group adds (place/online_rows.h). All values are in the block, and
/// kept.
struct OnlineRows {
  size_t maximum = 0;  ///< number of the reduction
  mlir::Value running; ///< an argument: the maximum that sums have so far, always a number
  mlir::Value start;   ///< what that is at first
  mlir::Value next;    ///< what it becomes after a part
  /// What sums with one shift are multiplied with when the maximum grows.
  struct Ratio {
    mlir::Value shift;      ///< what the maximum takes off the exponents
    mlir::Value ratio;      ///< an argument: of the maximum before the part and after it
    mlir::Value nextRatio;  ///< what that is
    mlir::Value last;       ///< after the last part: of the maximum that sums have and the result
    bool isBounded = false; ///< whether nextRatio is finite also where a sum is 0
  };
  std::vector<Ratio> ratios;
  struct Sum {
    size_t number = 0;     ///< of the reduction
    mlir::Value sum, part; ///< arguments: of the parts before, and of this one
    mlir::Value next;      ///< of both
    mlir::Value result;    ///< after the last part, of the sum
  };
  std::vector<Sum> sums;
};

/// The left operand of products behind a group of rows (passes/chains/chain.h). What is the same
/// for all elements of a row, such as a sum that divides them, is taken out of it: the product is
/// linear.
struct RowWeights {
  size_t output = 0;       ///< number of the output that has them, without the factor
  mlir::Value factor = {}; ///< kept, and known after the last part: of the product; null: 1
  mlir::Value masked = {}; ///< as of a reduction
  std::optional<size_t> ratio =
      {}; ///< of the online form, of the product; none: they need no maximum
};

/// A result of the group, one element for each iteration of `dims`.
struct RowOutput {
  mlir::Value element; ///< in the block
  mlir::Value tensor;  ///< the result of the tile, that is inserted into its output
  SpaceLoops dims;     ///< of each of its dimensions, that of the space; -1: of extent 1
};

class RowProgram {
public:
  /// That of a group, on whole tensors or on those of a tile. An error where it has none.
  static mlir::FailureOr<RowProgram> of(ir::FusionGroupOp group);

  const RowSpace &space() const { return space_; }
  const TilePlane &plane() const { return plane_; }
  mlir::Block &block() { return region_->front(); }
  std::vector<RowInput> &inputs() { return inputs_; }
  std::vector<RowReduction> &reductions() { return reductions_; }
  std::vector<RowOutput> &outputs() { return outputs_; }

  /// How many dimensions at the end of the space are one for the columns of the plane: reduced ones
  /// that each tensor has all of, at its end and so in one piece, or none.
  int64_t joined() const { return joined_; }

  /// How many reductions one after the other the value needs: 0 for one of inputs alone. A pass
  /// over the reduced dimensions computes values of one level.
  unsigned levelOf(mlir::Value value) const { return facts_.lookup(value).level; }
  unsigned levels() const;
  /// Whether the value is equal for all iterations that are reduced; else it has to be computed for
  /// each.
  bool isKept(mlir::Value value) const { return !facts_.lookup(value).varies; }
  /// What the online form adds; null for another form.
  const OnlineRows *online() const { return online_ ? &*online_ : nullptr; }
  /// Its sums are of the level of the maximum from then on.
  void setOnline(OnlineRows online);
  /// The weights of the products behind the rows.
  const std::vector<RowWeights> &weights() const { return weights_; }
  /// Those that an output has; null for another output.
  const RowWeights *weightsOf(size_t output) const;
  void setWeights(std::vector<RowWeights> weights);
  /// The result of another reduction, of a value of the block.
  mlir::Value addReduction(aicore::ReduceKind kind, mlir::Value operand, mlir::TypedAttr identity,
                           mlir::Location where);
  /// A value that is the same for all iterations that are reduced.
  mlir::Value addKeptArgument(mlir::Type type, mlir::Location where);

  /// Whether it is computed in the block from its arguments; else it is a scalar of the kernel.
  bool isOfBlock(mlir::Value value) const { return facts_.contains(value); }

private:
  struct Facts {
    unsigned level = 0;
    bool varies = false;
  };
  void joinColumns();
  /// The facts of what is computed, from those of the inputs.
  void updateFacts();

  RowProgram(ir::FusionGroupOp group, ir::RowsOp rows);

  RowSpace space_;
  TilePlane plane_;
  std::unique_ptr<mlir::Region> region_;
  std::vector<RowInput> inputs_;
  std::vector<RowReduction> reductions_;
  std::vector<RowOutput> outputs_;
  llvm::DenseMap<mlir::Value, Facts> facts_;
  std::optional<OnlineRows> online_;
  std::vector<RowWeights> weights_;
  int64_t joined_ = 1;
};

} // namespace mmk
