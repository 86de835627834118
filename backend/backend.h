// The interface of a back end: what the compiler, the search and the reports need to know of a kind
// of machine. Nothing above knows more of one; the table `layers` lists them.
#pragma once

#include "ir/aicore.h"
#include "machines/machine.h"
#include "schedule/choices.h"
#include "support/panel_layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mmk {

struct CodeTarget;
class Emitter;
struct ClockReport;

/// What the default tile of a product depends on: element type of its operands, the sizes that the
/// schedule gives (0: none), and copies of each operand in L0.
struct ProductTileRequest {
  mlir::Type element;
  int64_t m = 0, n = 0, k = 0;
  int64_t copies = 2;
  int64_t products = 1; ///< with accumulators of their own, that a tile has beside each other
};
struct ProductTile {
  int64_t m, n, k;
};
struct ElementwiseTile {
  int64_t rows, columns;
};

/// What an operation of a program does with a tensor in global memory, tile by tile: it reads
/// elements, or writes those that are complete; anything else is `other`.
enum class ElementAccess { other, reads, writes };

/// The output of a fusion group: `batches` times rows x columns elements, which `cores` share.
struct FittedOutput {
  mlir::Value batches, rows, columns;
  int64_t cores = 1;
};
/// Rows and columns of a tile, each at most what `largest` says; those that are not to be fitted
/// stay as they are.
struct FittedTile {
  int64_t largestRows = 1, largestColumns = 1;
  bool fitsRows = false, fitsColumns = false;
  bool isProduct = false;
  bool isElementwise = false; ///< without a product; neither: the sum of a split reduction alone
  bool isSum = false;         ///< of a split reduction, with or without elementwise work behind it
  mlir::Value depth;          ///< of the product; else one
  int64_t bytes = 4;          ///< of an element of its operands
};

/// A row group: `batches` times `kept` rows or columns of a tile's plane, each with `reduced`
/// elements, which `cores` share.
struct FittedReduction {
  mlir::Value batches, kept, reduced;
  bool keepsColumns = false;
  int64_t cores = 1;
  bool isBesideProduct = false; ///< tiles of the schedule are those of a product
  int64_t operations = 1;       ///< for each element, roughly in additions
  bool readsWindows = false;    ///< whose rows are read in pieces anyway
};

/// What is done about flags: a variant that is only ranked keeps those that others imply, which
/// cost it some cycles; a timed one has the fewest; of one that runs they are proved.
enum class FlagEffort { kept, fewest, proved };

/// A shape for which a variant is wanted.
struct CandidateRequest {
  llvm::ArrayRef<int64_t> dims; ///< extents of the kernel's dimensions, in its order
  /// Defaults of integer parameters, such as the length of a sliding window.
  std::map<std::string, int64_t> scalars;
  /// What the author or the user chose: these directives keep their words.
  std::map<std::string, std::string> fixed;
  /// Whether the rules of the schedule allow choices of open directives; null where it has none.
  std::function<bool(const Choices &)> isAllowed;
  size_t most = 8; ///< candidates
  /// Whether candidates may differ in the order of tiles and in words alone; else each has the best
  /// of them.
  bool variesOptions = false;
};
/// A variant that may be the fastest at a shape, with its cycles by a closed form.
struct Candidate {
  Choices choices;   ///< of all open directives
  double cycles = 0; ///< not less than the time of memory
  double steps = 0;  ///< stages of all tiles, or tiles without a product: what counting it costs
  double fixed = 0;  ///< of `cycles`, the fixed cost of its task
  double form = 0;   ///< cycles by the closed form alone: the order of those that memory bounds
};
struct Candidates {
  std::vector<Candidate> best; ///< the best first
  int64_t considered = 0;      ///< variants that the closed form was computed for
};

/// A directive and the words that a search tries for it.
struct VariedDirective {
  std::string key; ///< "tile.M"
  std::vector<std::string> words;
};

/// Of the variants of a search at one shape, without compiling them: a lower bound on the time, and
/// the time by the closed form that ranks candidates. Words by their places.
class TimeFloor {
public:
  virtual ~TimeFloor() = default;
  /// Cycles that the clock counts at the least; nothing where the variant is known not to fit the
  /// machine.
  virtual std::optional<int64_t> cycles(llvm::ArrayRef<uint16_t> places) const = 0;
  /// Cycles by the closed form, of a variant that may fit; 0 where not all sizes are known. Not to
  /// be called by two threads at once.
  virtual double predicted(llvm::ArrayRef<uint16_t> places) const = 0;
  /// What counting it costs, see Candidate; 0 where not all sizes are known.
  virtual double steps(llvm::ArrayRef<uint16_t> places) const = 0;
};

class Backend {
public:
  virtual ~Backend() = default;

  //===--- reports ------------------------------------------------------------------------===//

  /// How its cores are arranged, for `mmk machines`: "split", "host".
  virtual std::string kindOf(const Machine &machine) const = 0;
  /// Whether a clock counts its programs without running them. A machine without one is measured.
  virtual bool hasClock() const = 0;
  /// The time of a kernel at these dimensions, by that clock.
  virtual llvm::Expected<ClockReport> estimate(aicore::KernelOp kernel, const Machine &machine,
                                               llvm::ArrayRef<int64_t> dims) const = 0;
  /// What measured times depend on besides the description; they are stored under its digest.
  virtual std::string identity() const { return ""; }

  /// What the owner of the operand, a tensor in global memory, does with it.
  virtual ElementAccess accessOf(mlir::OpOperand &tensor) const = 0;

  //===--- variants -----------------------------------------------------------------------===//

  /// Whether instructions run on pipes, ordered by flags and overlapped by copies of buffers; where
  /// not, `buffers` and `store` have no effect.
  virtual bool hasPipes() const = 0;
  /// Whether reductions over a few taps of a window are computed tap by tap, by instructions along
  /// the lines of a tile; else windows are read in place.
  virtual bool readsWindowsByTap() const = 0;
  /// Whether its vectors compute integers of 64 bits; else those are narrowed to 32.
  virtual bool hasWideIntegers() const = 0;
  /// Why it cannot carry out a word of a directive that is not the default, behind the name and the
  /// word; empty when it can.
  virtual std::string refusal(llvm::StringRef directive, llvm::StringRef word,
                              aicore::MachineAttr machine) const {
    return "";
  }
  /// The tile of a product, as far as the schedule leaves it open.
  virtual ProductTile productTile(aicore::MachineAttr machine,
                                  const ProductTileRequest &request) const = 0;
  /// Base tiles of a stage, where a product reads `rowBytes` bytes for each element of its depth.
  virtual int64_t baseTilesOfStage(aicore::MachineAttr machine, int64_t rowBytes, int64_t tileK,
                                   int64_t copies) const = 0;
  /// The tile of a kernel without a product, of so many tensors; a row of it, where it has rank 1.
  virtual ElementwiseTile elementwiseTile(aicore::MachineAttr machine, int64_t tensors,
                                          unsigned rank) const = 0;
  /// The tile of a product, and of elementwise work, along literal dimensions. `machine` may be
  /// null, of a pass that is run by itself.
  virtual ProductTile literalProductTile(aicore::MachineAttr machine, mlir::Type element) const = 0;
  virtual ElementwiseTile literalElementwiseTile() const = 0;
  /// Whether the tile of a product along literal dimensions is fitted to them.
  virtual bool fitsLiteralTiles() const = 0;
  /// The tile that a schedule leaves to the shape, as integer arithmetic: a kernel is compiled
  /// once, and finds it out when it runs.
  virtual std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                                      aicore::MachineAttr machine,
                                                      FittedOutput output,
                                                      const FittedTile &tile) const = 0;
  /// The rows or columns of a tile of a row group, at most `largest`, in the same way.
  virtual mlir::Value fitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                                   const FittedReduction &reduction, int64_t largest) const {
    return mlir::arith::ConstantIndexOp::create(builder, loc, largest);
  }
  /// The kept iterations outside of the plane that a tile has, at most; null: one.
  virtual mlir::Value fitBatches(mlir::OpBuilder &, mlir::Location, const FittedReduction &,
                                 mlir::Value) const {
    return {};
  }
  /// The rows of a tile of a chain of two products, at most `largest`: rows are what is kept, the
  /// columns of the first product what is reduced.
  virtual mlir::Value fitChain(mlir::OpBuilder &builder, mlir::Location loc,
                               const FittedReduction &reduction, int64_t largest) const {
    return mlir::arith::ConstantIndexOp::create(builder, loc, largest);
  }
  /// Whether `fuse = products` is what a schedule without `fuse` means for a kernel, which is in
  /// the fusion groups of that. Of machines without a clock: others count what they choose.
  virtual bool chainsByDefault(ir::KernelOp kernel) const { return false; }
  /// The variants that may be the fastest at a shape. `kernel` is in fusion groups. None where the
  /// code of the machine fits itself to the shape when it runs.
  virtual Candidates candidates(ir::KernelOp kernel, const Machine &machine,
                                const CandidateRequest &request) const {
    return {};
  }
  /// The lower bound for variants of these directives; null where the machine has none. `kernel` is
  /// in fusion groups, and outlives it, as does the machine.
  virtual std::unique_ptr<TimeFloor> timeFloor(ir::KernelOp kernel, const Machine &machine,
                                               llvm::ArrayRef<int64_t> dims,
                                               llvm::ArrayRef<VariedDirective> varied) const {
    return nullptr;
  }
  /// The longest tile of a dimension that may fit, of operands of this type, for the search; the
  /// dimension is an output or the depth of a product.
  virtual int64_t longestProductTile(const Machine &machine, ElementType operand, bool isOutput,
                                     bool isDepth) const = 0;
  virtual int64_t longestStage(const Machine &machine, ElementType operand) const = 0;

  //===--- code ---------------------------------------------------------------------------===//

  /// The dialects that its passes create operations of.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Its passes, for mmk-opt.
  virtual void registerPasses() const = 0;
  /// The passes from tiled mmk IR to its program.
  virtual void addPasses(mlir::OpPassManager &manager, FlagEffort effort) const = 0;
  /// The functions of a program (codegen/program.h), for the host CPU.
  virtual llvm::Error emitProgram(aicore::KernelOp kernel, Emitter &emitter,
                                  bool watched) const = 0;
  /// The constant parameters that its programs read from another layout than rows; all others are
  /// bound as they are.
  virtual std::vector<PackedOperand> packedOperands(aicore::KernelOp kernel,
                                                    const CodeTarget &target) const {
    return {};
  }
  /// Makes a program read all of its constants from rows.
  virtual void readRows(aicore::KernelOp kernel) const {}
};

const Backend &backendOf(MachineKind kind);
const Backend &backendOf(aicore::MachineAttr machine);

/// The dialects of all back ends, for passes that call one.
void registerBackendDialects(mlir::DialectRegistry &registry);

} // namespace mmk
