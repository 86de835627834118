// The AI core as a back end: emulated, and timed by a clock.
#include "backend/backend.h"

#include "aicore/candidates.h"
#include "aicore/core_program.h"
#include "aicore/fit_tile.h"
#include "aicore/time_floor.h"
#include "count/count.h"
#include "passes/passes.h"
#include "passes/variant.h"
#include "place/passes.h"
#include "sync/passes.h"

#include "mlir/Pass/PassManager.h"

namespace mmk {
namespace {

using aicore::Space;

class AicoreBackend : public Backend {
public:
  std::string kindOf(const Machine &machine) const override {
    return machine.topology == Topology::split ? "split" : "coupled";
  }
  bool hasClock() const override { return true; }
  llvm::Expected<ClockReport> estimate(aicore::KernelOp kernel, const Machine &machine,
                                       llvm::ArrayRef<int64_t> dims) const override {
    return countKernel(kernel, machine, dims);
  }

  ElementAccess accessOf(mlir::OpOperand &tensor) const override {
    if (llvm::isa<aicore::LoadOp>(tensor.getOwner()))
      return ElementAccess::reads;
    return llvm::isa<aicore::StoreOp>(tensor.getOwner()) ? ElementAccess::writes
                                                         : ElementAccess::other;
  }

  bool hasPipes() const override { return true; }
  bool readsWindowsByTap() const override { return true; }
  bool hasWideIntegers() const override { return false; }
  ProductTile productTile(aicore::MachineAttr machine,
                          const ProductTileRequest &request) const override;

  std::string refusal(llvm::StringRef directive, llvm::StringRef word,
                      aicore::MachineAttr machine) const override {
    if (directive == "through" && machine.getTopology() == aicore::Topology::coupled)
      return "is about what cube and vector cores exchange, and " + machine.getName().str() +
             " has one kind of core; legal: direct";
    return "";
  }

  // As many base tiles, up to four (512 bytes a row, one full packet of global memory), as fit L1.
  int64_t baseTilesOfStage(aicore::MachineAttr machine, int64_t rowBytes, int64_t tileK,
                           int64_t copies) const override {
    const int64_t room = machine.capacity(Space::l1) / copies;
    int64_t count = 4;
    while (count > 1 && rowBytes * tileK * count > room)
      count /= 2;
    return count;
  }

  // One step of a vector core: rows of 512 elements (whole packets of global memory for every
  // type), and as many rows as leave room in UB for two copies of each tensor and for two
  // intermediate values.
  ElementwiseTile elementwiseTile(aicore::MachineAttr machine, int64_t tensors,
                                  unsigned rank) const override {
    const int64_t row = literalElementwiseTile().columns,
                  elements = machine.capacity(Space::ub) / (2 * tensors + 2) / 4,
                  rows = std::max<int64_t>(1, elements / row);
    return {rows, rank == 1 ? rows * row : row};
  }
  // A base tile of at most 128 x 256 with rows of 128 bytes along k, in whole steps of the cube,
  // fills L0C of the 910b and leaves room for two copies in L0A and L0B.
  ProductTile literalProductTile(aicore::MachineAttr machine, mlir::Type element) const override {
    const int64_t depth = 128 * 8 / element.getIntOrFloatBitWidth();
    if (!machine)
      return {128, 256, depth};
    auto upTo = [&](int64_t length, int64_t unit) {
      return wholeUnits(std::min(length, machine.getMaxExtent()), std::max<int64_t>(1, unit));
    };
    return {upTo(128, machine.getCubeM()), upTo(256, machine.getCubeN()),
            upTo(depth, machine.depthOf(element))};
  }
  ElementwiseTile literalElementwiseTile() const override { return {8, 512}; }
  bool fitsLiteralTiles() const override { return false; }
  std::pair<mlir::Value, mlir::Value> fitTile(mlir::OpBuilder &builder, mlir::Location loc,
                                              aicore::MachineAttr machine, FittedOutput output,
                                              const FittedTile &tile) const override {
    return aicore::fitTile(builder, loc, machine, output, tile);
  }

  mlir::Value fitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                           const FittedReduction &reduction, int64_t largest) const override {
    return aicore::fitReduction(builder, loc, reduction, largest);
  }

  Candidates candidates(ir::KernelOp kernel, const Machine &machine,
                        const CandidateRequest &request) const override {
    return aicore::findCandidates(kernel, machine, request);
  }
  std::unique_ptr<TimeFloor> timeFloor(ir::KernelOp kernel, const Machine &machine,
                                       llvm::ArrayRef<int64_t> dims,
                                       llvm::ArrayRef<VariedDirective> varied) const override {
    return aicore::timeFloor(kernel, machine, dims, varied);
  }
  int64_t longestProductTile(const Machine &machine, ElementType operand, bool isOutput,
                             bool isDepth) const override {
    const auto bytes = static_cast<int64_t>(sizeInBytes(operand));
    const int64_t depth = machine.cube.depth.at(operand),
                  width = std::min(machine.cube.m, machine.cube.n);
    int64_t longest = machine.cube.maxExtent;
    if (isOutput) {
      longest = std::min(longest, machine.memory(Memory::l0c).capacity() / (4 * width));
      longest = std::min(longest, machine.memory(Memory::l0a).capacity() / (bytes * depth));
    }
    if (isDepth)
      longest = std::min(longest, machine.memory(Memory::l0a).capacity() / (bytes * width));
    return longest;
  }
  int64_t longestStage(const Machine &machine, ElementType operand) const override {
    const auto bytes = static_cast<int64_t>(sizeInBytes(operand));
    return machine.memory(Memory::l1).capacity() / (bytes * (machine.cube.m + machine.cube.n));
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<aicore::AicoreDialect>();
  }
  void registerPasses() const override {
    registerPlacePasses();
    registerSyncPasses();
  }
  void addPasses(mlir::OpPassManager &manager, FlagEffort effort) const override;
  llvm::Error emitProgram(aicore::KernelOp kernel, Emitter &emitter, bool watched) const override {
    return CoreProgram(kernel, emitter, watched).run();
  }
};

// On a smaller machine, sizes that the schedule leaves open are halved until they fit: the longer
// side of the accumulator, then the depth of the operands.
ProductTile AicoreBackend::productTile(aicore::MachineAttr machine,
                                       const ProductTileRequest &request) const {
  ProductTile tile = literalProductTile(machine, request.element);
  auto &[m, n, k] = tile;
  const int64_t unitM = machine.getCubeM(), unitN = machine.getCubeN(),
                unitK = machine.depthOf(request.element);
  const bool givenM = request.m > 0, givenN = request.n > 0, givenK = request.k > 0;
  m = givenM ? request.m : m;
  n = givenN ? request.n : n;
  k = givenK ? request.k : k;
  while (m * n * 4 * request.products > machine.capacity(Space::l0c)) {
    const bool shrinksN = !givenN && (n >= m || givenM) && n > unitN;
    if (!shrinksN && (givenM || m <= unitM))
      break;
    if (shrinksN)
      n = wholeUnits(n / 2, unitN);
    else
      m = wholeUnits(m / 2, unitM);
  }
  const int64_t bytes = request.element.getIntOrFloatBitWidth() / 8;
  while (!givenK && k > unitK &&
         (m * k * bytes * request.copies > machine.capacity(Space::l0a) ||
          n * k * bytes * request.copies > machine.capacity(Space::l0b)))
    k = wholeUnits(k / 2, unitK);
  return tile;
}

void AicoreBackend::addPasses(mlir::OpPassManager &manager, FlagEffort effort) const {
  // Assigns a buffer to each value, then inserts the transfers into it; from then on, program order
  // is the semantics. The vector work of a tile is then distributed to vector cores and split into
  // steps that fit UB.
  manager.addPass(createAssignMemories());
  manager.addPass(createInsertTransfers());
  manager.addPass(createDistributeVectorWork());
  // Transfers move ahead of the work that they feed.
  manager.addPass(createDoubleBuffer());
  // Removes the dead code of all of them, which is harmless in between.
  addCleanup(manager);
  // Vector work is simplified by now. Its instructions need scratch, which is planned with the
  // other buffers.
  manager.addPass(createSelectVector());
  // Offsets need the final number of copies.
  manager.addPass(createPlanMemory());
  // Flags need the final order.
  InsertSyncOptions flags;
  flags.keepImplied = effort == FlagEffort::kept;
  manager.addPass(createInsertSync(flags));
  // Functions on registers end at flags.
  manager.addPass(createJoinFunctions());
  // The proof that the flags are right.
  if (effort == FlagEffort::proved)
    manager.addPass(createVerifySync());
}

} // namespace

const Backend &aicoreBackend() {
  static const AicoreBackend backend;
  return backend;
}

} // namespace mmk
