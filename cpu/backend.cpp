// The host CPU as a back end.
#include "backend/backend.h"

#include "cpu/chain/default.h"
#include "cpu/constants/operand.h"
#include "cpu/cpu_program.h"
#include "cpu/dialect.h"
#include "cpu/fit_tile.h"
#include "cpu/passes.h"
#include "cpu/tuning.h"
#include "passes/passes.h"
#include "place/passes.h"
#include "runtime/clock.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

namespace mmk {
namespace {

class CpuBackend : public Backend {
public:
  std::string kindOf(const Machine &) const override { return "host"; }
  bool hasClock() const override { return false; }
  llvm::Expected<ClockReport> estimate(aicore::KernelOp, const Machine &,
                                       llvm::ArrayRef<int64_t>) const override {
    return llvm::createStringError("the host has no clock but the real one");
  }

  std::string identity() const override {
    llvm::SmallVector<llvm::StringRef> features;
    const llvm::StringMap<bool> all = llvm::sys::getHostCPUFeatures();
    for (const auto &feature : all)
      if (feature.getValue())
        features.push_back(feature.getKey());
    llvm::sort(features);
    return llvm::sys::getHostCPUName().str() + llvm::join(features, ",");
  }

  // A product may keep sums in its result.
  ElementAccess accessOf(mlir::OpOperand &tensor) const override {
    if (!llvm::isa<cpu::RowsOp, cpu::ElementwiseOp>(tensor.getOwner()))
      return ElementAccess::other;
    auto rows = llvm::dyn_cast<cpu::RowsOp>(tensor.getOwner());
    auto outputs =
        rows ? rows.getOutputs() : llvm::cast<cpu::ElementwiseOp>(tensor.getOwner()).getOutputs();
    const unsigned first = outputs.getBeginOperandIndex(), number = tensor.getOperandNumber();
    return number >= first && number < first + outputs.size() ? ElementAccess::writes
                                                              : ElementAccess::reads;
  }

  bool hasPipes() const override { return false; }
  bool readsWindowsByTap() const override { return false; }
  bool hasWideIntegers() const override { return true; }
  std::string refusal(llvm::StringRef directive, llvm::StringRef word,
                      aicore::MachineAttr machine) const override {
    const std::string name = machine.getName().str();
    if (directive == "fuse" && word == "rows")
      return "reduces the rows of a tile that vector cores take from the cube; on " + name +
             " rows are read from the caches after the product; legal: all, none";
    if (directive == "keep")
      return "fills L1, which on " + name + " is a cache that no program fills; legal: none";
    if (directive == "through")
      return "is about what cube and vector cores exchange, and " + name +
             " has one kind of core; legal: direct";
    if (directive == "skew")
      return "is about cores that share the lines of global memory, which on " + name +
             " have caches of their own; legal: none";
    return "";
  }

  // Independent of the memories: the code of a product does its own cache blocking.
  ProductTile productTile(aicore::MachineAttr machine,
                          const ProductTileRequest &request) const override {
    ProductTile tile = literalProductTile(machine, request.element);
    auto choose = [](int64_t &size, int64_t given) { size = given > 0 ? given : size; };
    choose(tile.m, request.m);
    choose(tile.n, request.n);
    choose(tile.k, request.k);
    return tile;
  }
  int64_t baseTilesOfStage(aicore::MachineAttr, int64_t, int64_t, int64_t) const override {
    return 1;
  }
  // Rows are read in place; the number of rows of a thread is computed at run time.
  ElementwiseTile elementwiseTile(aicore::MachineAttr, int64_t, unsigned) const override {
    return literalElementwiseTile();
  }
  ProductTile literalProductTile(aicore::MachineAttr, mlir::Type) const override {
    return {tuning.largestTile, tuning.largestTile, tuning.largestDepth};
  }
  ElementwiseTile literalElementwiseTile() const override {
    return {tuning.largestElementwiseTile, tuning.largestElementwiseTile};
  }
  // A tile is the share of a thread, also along literal dimensions.
  bool fitsLiteralTiles() const override { return true; }
  std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                              aicore::MachineAttr, FittedOutput output,
                                              const FittedTile &tile) const override {
    const auto fitted = cpu::fitProductTile(builder, loc, output, tile, tuning);
    // A vector is treated as a row.
    return tile.isElementwise ? cpu::fitElementwiseTile(builder, loc, output, fitted, tuning)
                              : fitted;
  }
  mlir::Value fitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                           const FittedReduction &reduction, int64_t largest) const override {
    return cpu::fitReduction(builder, loc, reduction, largest, tuning);
  }
  mlir::Value fitBatches(mlir::OpBuilder &builder, mlir::Location loc,
                         const FittedReduction &reduction, mlir::Value tile) const override {
    return cpu::fitBatches(builder, loc, reduction, tile, tuning);
  }
  mlir::Value fitChain(mlir::OpBuilder &builder, mlir::Location loc,
                       const FittedReduction &reduction, int64_t largest) const override {
    return cpu::fitChain(builder, loc, reduction, largest, tuning);
  }
  bool chainsByDefault(ir::KernelOp kernel) const override { return cpu::hasChain(kernel); }
  int64_t longestProductTile(const Machine &, ElementType, bool, bool) const override {
    return tuning.largestTile;
  }
  int64_t longestStage(const Machine &, ElementType) const override { return tuning.largestDepth; }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<cpu::CpuDialect>();
  }
  void registerPasses() const override { registerCpuPasses(); }
  void addPasses(mlir::OpPassManager &manager, FlagEffort) const override {
    // A tensor that several operations of a row group read is read once.
    manager.addPass(mlir::createCSEPass());
    manager.addPass(createCpuLower());
    addCleanup(manager);
    manager.addPass(createCpuPackConstants());
    manager.addPass(createPlanMemory());
  }
  llvm::Error emitProgram(aicore::KernelOp kernel, Emitter &emitter, bool watched) const override {
    return CpuProgram(kernel, emitter, watched).run();
  }
  std::vector<PackedOperand> packedOperands(aicore::KernelOp kernel,
                                            const CodeTarget &target) const override {
    return packedOperandsOf(kernel, target);
  }
  void readRows(aicore::KernelOp kernel) const override {
    kernel.walk([](cpu::ProductOp product) {
      product.setPacked(false);
      product.setPackedLeft(false);
    });
  }

private:
  CpuTuning tuning;
};

} // namespace

const Backend &cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

} // namespace mmk
