// Lowers tiles of mmk IR to the cpu dialect, for the files that share the work.
#pragma once

#include "cpu/dialect.h"
#include "cpu/generated.h"
#include "cpu/row_region.h"
#include "cpu/tuning.h"
#include "place/chain_rows.h"
#include "place/kernel_lowering.h"
#include "place/row_program.h"

namespace mmk {

/// Tensors of an operation, with their offsets one after the other.
struct Tensors {
  llvm::SmallVector<mlir::Value> tensors, offsets;
  llvm::SmallVector<int64_t> along;
  llvm::SmallVector<mlir::Type> elements;

  void add(const GlobalView &view, llvm::ArrayRef<int64_t> dims, mlir::Value zero) {
    tensors.push_back(view.memref);
    elements.push_back(mlir::cast<mlir::MemRefType>(view.memref.getType()).getElementType());
    for (mlir::Value offset : view.offsets)
      offsets.push_back(offset ? offset : zero);
    along.append(dims.begin(), dims.end());
  }
  void add(const GlobalView &view, int64_t rowDim, int64_t columnDim, mlir::Value zero) {
    add(view, {rowDim, columnDim}, zero);
  }
  void append(const Tensors &more) {
    tensors.append(more.tensors);
    offsets.append(more.offsets);
    along.append(more.along);
    elements.append(more.elements);
  }
};

/// A tensor of so many dimensions that all phases share.
mlir::MemRefType workspaceType(size_t dims, mlir::Type element);

/// A tensor whose first dimension is parts and whose others are those of a space that are `kept`,
/// at one of its parts; and the dimension of it along each one of the space.
std::pair<GlobalView, llvm::SmallVector<int64_t>> viewOfPart(mlir::Value tensor, mlir::Value part,
                                                             size_t dims,
                                                             llvm::function_ref<bool(size_t)> kept);

/// Whether the tensor, or what it is a slice of, is in memory or generated.
bool isInput(mlir::Value tensor);

class CpuLowering : public KernelLowering {
public:
  using KernelLowering::KernelLowering;

private:
  /// A tile and its valid extents.
  struct Tile : TiledGroup {
    mlir::Value rows, columns;
    mlir::Value ofChain; ///< a second product of a chain, in place of products in loops
    llvm::SmallVector<mlir::Value> produced() {
      return ofChain ? llvm::SmallVector<mlir::Value>{ofChain} : TiledGroup::produced();
    }
  };
  /// Scratch for packed blocks of the operands, and for partial sums.
  struct Scratch {
    mlir::Value a, b, sums;
  };

  const CpuTuning tuning;

  mlir::LogicalResult emitGroup(ir::FusionGroupOp group) override;
  /// An error where a group reads a tensor that is neither in memory nor generated.
  static mlir::LogicalResult expectInput(ir::FusionGroupOp group, mlir::Value tensor);
  /// A row group (lower_rows.cpp).
  mlir::LogicalResult emitRows(ir::FusionGroupOp group);
  /// A phase with the group's scalars; its scratch for rows.
  mlir::Value startRows(ir::FusionGroupOp group);
  cpu::RowsOp emitRowsOp(mlir::ValueRange sizes, llvm::ArrayRef<int64_t> reduced,
                         const Tensors &inputs, const Tensors &outputs, mlir::Value scratch);
  /// An input of a tile, whose element is `element` in its program.
  void addInput(const GlobalView &view, llvm::ArrayRef<int64_t> along, mlir::Value element,
                Tensors &inputs, RowElements &elements);
  /// A loop over parts that the cores share, below `count`; the builder is then in it.
  mlir::Value loopOverParts(mlir::Value count);
  /// Products with rows between (chain/lower.cpp).
  mlir::LogicalResult emitChain(ir::FusionGroupOp group, mlir::scf::ForOp tileLoop, Chain chain);
  mlir::LogicalResult expectOperands(ir::FusionGroupOp group, Chain &chain, RowProgram &program);
  /// The products of a chain as operands of its operation.
  struct ChainProducts {
    Tensors a, b, v;
    llvm::SmallVector<mlir::Value> depths, columns;
    mlir::Value m, n;
  };
  ChainProducts productsOf(Chain &chain);
  /// What the rows of a chain read, without the scores.
  Tensors inputsOfRows(RowProgram &program, const Chain &chain, RowElements &elements);
  /// What is behind a second product of a chain, and where that goes.
  struct BehindProduct;
  BehindProduct behind(Chain::Second &second, int64_t rank,
                       llvm::ArrayRef<Destination> destinations);
  /// A group of one cumulative sum (cumulation/lower.cpp).
  mlir::LogicalResult emitCumulation(ir::FusionGroupOp group, ir::RowsOp op,
                                     mlir::scf::ForOp tileLoop);
  /// Parts of a cumulative sum along its dimension, for threads that would have nothing to do: each
  /// is summed first.
  struct SumParts {
    llvm::SmallVector<mlir::Value> extents; ///< of the space
    mlir::Value count, length;              ///< count: 0 where the work is not split
    mlir::Value sums, before;               ///< of each part; of all parts before it
    auto at(mlir::Value tensor, mlir::Value part, int64_t along) const {
      return viewOfPart(tensor, part, extents.size(),
                        [&](size_t dim) { return static_cast<int64_t>(dim) != along; });
    }
  };
  /// The whole tensor of which a tile in `tileLoop` is a slice.
  static mlir::Value wholeOf(mlir::Value tile, mlir::Operation *tileLoop);
  /// Sums of the one input along a dimension, to the one output.
  void emitSumOf(mlir::ValueRange sizes, int64_t along, const Tensors &inputs,
                 const Tensors &outputs, mlir::Value scratch);
  SumParts splitSum(ir::FusionGroupOp group, int64_t along, mlir::Type element);
  void emitSumsOfParts(ir::FusionGroupOp group, ir::RowsOp op, int64_t along,
                       const SumParts &parts);
  void emitPartsOfSum(ir::FusionGroupOp group, ir::RowsOp op, int64_t along, const SumParts &parts,
                      mlir::Value scratch);
  /// A generated input of a tile, of which each size runs along one of its dimensions, or none. A
  /// window adds its source to the inputs.
  GeneratedInput generatedInput(const GlobalView &view, llvm::ArrayRef<int64_t> along,
                                Tensors &inputs);
  /// The tensors of the current tile of a row group, and the space that they run along.
  struct RowsTensors {
    Tensors inputs, outputs;
    RowElements elements;
    llvm::SmallVector<mlir::Value> starts, sizes; ///< of the tile in the space
    llvm::SmallVector<mlir::Value> yielded;       ///< the element of each output
  };
  mlir::FailureOr<RowsTensors> tensorsOf(ir::FusionGroupOp group, mlir::scf::ForOp tileLoop,
                                         RowProgram &program);
  /// Moves the columns of the results to the end of the space, where only windows run along what is
  /// there and reduced.
  static void keepColumns(RowsTensors &tile, llvm::SmallVectorImpl<int64_t> &reduced);
  /// Parts of the elements that are reduced, for threads that would have nothing to do
  /// (split_rows.cpp).
  struct Split {
    llvm::SmallVector<mlir::Value> extents; ///< of the space
    llvm::SmallVector<mlir::Value> parts;   ///< of each reduced dimension
    mlir::Value count;                      ///< of all parts; 0: the work is not split
    llvm::SmallVector<mlir::Value> tensors; ///< of each reduction, its results by part
  };
  /// Nothing where the group has more than one pass, or other than kept results.
  std::optional<Split> split(ir::FusionGroupOp group, RowProgram &program);
  void emitParts(ir::FusionGroupOp group, mlir::scf::ForOp tileLoop, RowProgram &program,
                 const Split &split);
  void combineParts(RowProgram &program, const Split &split, const RowsTensors &tile,
                    mlir::Value scratch);
  Scratch allocateScratch(const Tile &tile);
  /// The tensors that the elementwise part of a tile reads, and the generated ones.
  struct TileInputs {
    Tensors tensors;
    /// By the operand's number; of another input, nothing.
    llvm::DenseMap<unsigned, GeneratedInput> generated;
  };
  TileInputs inputsOf(Tile &tile);
  Tensors outputsOf(const Tile &tile, llvm::ArrayRef<Destination> destinations);
  Tensors operandOf(const Tile &tile, unsigned which);
  /// An operand over the whole depth, before the loops along k slice it.
  static mlir::Value wholeOperand(const Tile &tile, unsigned which);
  /// A window whose matrix only products read (windows/unfold.cpp), and what would copy it.
  struct UnfoldedWindow {
    ir::WindowOp window;
    mlir::linalg::GenericOp copy;
  };
  static std::optional<UnfoldedWindow> unfoldedWindow(mlir::Value tensor);
  /// Such an operand: its tensor, and the window of a cpu.product.
  struct WindowRead {
    Tensors operand;
    mlir::AffineMap map;
    llvm::SmallVector<int64_t> digits;
    llvm::SmallVector<mlir::Value> operands;
  };
  WindowRead readWindow(mlir::linalg::ContractOp contract, unsigned which, mlir::Value tensor);
  Tensors operandOf(mlir::linalg::ContractOp contract, unsigned which, mlir::Value tensor);
  /// The region of the elementwise part; its first argument is the product, where there is one.
  void emitRegion(Tile &tile, mlir::Region &region, llvm::ArrayRef<mlir::Type> elements,
                  const TileInputs &inputs, llvm::ArrayRef<Destination> destinations);
  mlir::Value withoutOperandBehind(const Tile &tile, unsigned which, Tensors &operand,
                                   mlir::Value depth);
  void emitProduct(Tile &tile, const Scratch &scratch, llvm::ArrayRef<Destination> destinations);
  void emitElementwise(Tile &tile, llvm::ArrayRef<Destination> destinations);
  /// Adds the other splits to the first, which holds the sum afterwards.
  GlobalView emitSum(Tile &tile);
  aicore::AllocOp alloc(llvm::StringRef name, aicore::Space space, int64_t rows, int64_t columns,
                        mlir::Type element, mlir::Location where);
  llvm::StringRef nameOf(mlir::Value tensor);
  mlir::Location placeOf(llvm::StringRef directive, mlir::Location otherwise);
  cpu::ElementwiseOp emitOp(const Tile &tile, const Tensors &inputs, const Tensors &outputs);
};

} // namespace mmk
