#include "watch/watch.h"

#include "count/program.h"
#include "watch/block.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using llvm::formatv;

namespace mmk {
namespace {

/// A watch derives accesses from instructions; an unknown instruction would be ignored silently.
bool isKnown(Operation *op) {
  return !isa<aicore::Instruction>(op) ||
         isa<aicore::LoadOp, aicore::StoreOp, aicore::FixpipeOp, aicore::LoadL0Op, aicore::Load3dOp,
             aicore::MmadOp, aicore::SpillOp, aicore::FetchOp, aicore::DrainOp, aicore::VectorOp,
             aicore::ReduceOp, aicore::ScanOp, aicore::WindowOp, aicore::PositionsOp,
             aicore::RandomOp, aicore::ScalarRangeOp, aicore::TileInstruction>(op);
}

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// Sorted and disjoint again, with those of `more`.
void unite(Ranges &ranges, const Ranges &more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
  llvm::sort(ranges);
  Ranges united;
  for (auto [begin, end] : ranges)
    if (!united.empty() && begin <= united.back().second)
      united.back().second = std::max(united.back().second, end);
    else
      united.emplace_back(begin, end);
  ranges = std::move(united);
}

/// The first byte from `begin` on that no range has; `end` when there is none before.
int64_t firstGap(const Ranges &ranges, int64_t begin, int64_t end) {
  auto after = llvm::upper_bound(ranges, std::pair(begin, INT64_MAX));
  if (after == ranges.begin() || std::prev(after)->second <= begin)
    return begin;
  return std::min(end, std::prev(after)->second);
}

bool step(void *watch, int64_t op, int64_t unit, const int64_t *operands) {
  return static_cast<BlockWatch *>(watch)->step(op, static_cast<unsigned>(unit), operands);
}

} // namespace

KernelWatch::KernelWatch(std::unique_ptr<WatchedKernel> kernel) : kernel_(std::move(kernel)) {
  beginRun({}, {});
}
KernelWatch::~KernelWatch() = default;

llvm::Expected<std::unique_ptr<KernelWatch>>
KernelWatch::create(aicore::KernelOp kernel, const Machine &machine, ArrayRef<int64_t> dims) {
  if (dims.size() != kernel.getDims().size())
    return count::fault(kernel, "has " + Twine(kernel.getDims().size()) + " dimensions, but " +
                                    Twine(dims.size()) + " values were given");
  if (const std::string problem = kernel.limitProblem(dims); !problem.empty())
    return llvm::createStringError(problem);
  const int64_t cores = machine.topology == Topology::split ? machine.vectorCoresPerCube : 0;
  for (aicore::PhaseOp phase : kernel.getBody().getOps<aicore::PhaseOp>()) {
    aicore::VectorCoresOp beyond;
    phase.walk([&](aicore::VectorCoresOp op) {
      if (static_cast<int64_t>(op.getCount()) > cores)
        beyond = op;
    });
    if (beyond)
      return count::fault(beyond, "runs on " + Twine(beyond.getCount()) +
                                      " cores of a block, but " + machine.name + " has " +
                                      Twine(cores));
  }
  auto watched = std::make_unique<WatchedKernel>(kernel, machine, dims);
  for (Operation *op : watched->ops)
    if (!isKnown(op))
      return count::fault(op, "cannot be watched");
  return std::unique_ptr<KernelWatch>(new KernelWatch(std::move(watched)));
}

void KernelWatch::beginRun(const KernelArguments &arguments,
                           const std::vector<int64_t> &workspaceBytes) {
  phase_ = -1;
  report_ = {};
  written_.assign(kernel_->tensors.size(), {});
  // After the parameters, scalars among them, and the results.
  size_t next = kernel_->op.getArgs().size() + kernel_->op.getResults().size();
  auto isWorkspace = [](const WatchedTensor &tensor) {
    return tensor.kind == WatchedTensor::Kind::workspace;
  };
  for (auto [bytes, tensor] :
       llvm::zip(workspaceBytes, llvm::make_filter_range(kernel_->tensors, isWorkspace)))
    std::memset(arguments.tensors[next++], poisonByte(tensor.isFloat), bytes);
}

void KernelWatch::beginPhase() {
  ++phase_;
  blocks_.clear();
  for (int64_t block = 0; block < static_cast<int64_t>(kernel_->op.getCores()); ++block)
    blocks_.push_back(std::make_unique<BlockWatch>(*kernel_, phase_, block));
}

void KernelWatch::beginBlock(CoreMemories &memories) {
  BlockWatch &block = *blocks_[memories.block];
  memories.step = step;
  memories.watch = &block;
  block.poisonWhenBusy(memories);
}

void KernelWatch::add(const WatchFault &fault) { addFault(report_.faults, fault); }

void KernelWatch::endPhase() {
  for (const auto &block : blocks_) {
    block->finish();
    const WatchReport &report = block->report();
    report_.instructions += report.instructions;
    report_.accesses += report.accesses;
    report_.flags += report.flags;
    for (const WatchFault &fault : report.faults)
      add(fault);
  }
  for (unsigned tensor = 0; tensor < kernel_->tensors.size(); ++tensor)
    endPhaseOf(tensor);
}

void KernelWatch::raceBetweenBlocks(unsigned tensor, const Piece &piece, const Piece &other,
                                    bool writes) {
  auto pipeOf = [&](int64_t op) {
    return stringifyPipe(cast<aicore::Instruction>(kernel_->ops[op]).getPipe()).str();
  };
  auto name = [&](int64_t op) {
    auto instruction = cast<aicore::Instruction>(kernel_->ops[op]);
    return kernel_->instructionName(op, static_cast<unsigned>(instruction.getPipe()), false);
  };
  WatchFault fault;
  fault.what = Hazard::What::race;
  fault.phase = phase_;
  fault.block = piece.block;
  fault.op = kernel_->ops[piece.op];
  fault.other = kernel_->ops[other.op];
  fault.pipe = pipeOf(piece.op);
  fault.otherPipe = pipeOf(other.op);
  fault.memory = "gm";
  fault.begin = std::max(piece.begin, other.begin);
  fault.end = std::min(piece.end, other.end);
  const WatchedTensor &shape = blocks_[piece.block]->tensors()[tensor];
  fault.holder = shape.name;
  fault.place = shape.elements(fault.begin, fault.end);
  fault.message =
      formatv("{0} of block {1} may {2} {3} before {4} of block {5} has written it", name(piece.op),
              piece.block, writes ? "write" : "read", fault.place, name(other.op), other.block);
  fault.missing = "the blocks of a phase run in no order";
  add(fault);
}

// Blocks have no order within a phase: no other block may access what one block writes.
void KernelWatch::endPhaseOf(unsigned tensor) {
  std::vector<Piece> written;
  for (auto [block, watch] : llvm::enumerate(blocks_))
    for (const HazardWatch::Piece &piece : watch->hazards().written(tensor))
      written.push_back({piece.begin, piece.end, static_cast<int64_t>(block), piece.tag});
  llvm::sort(written, [](const Piece &x, const Piece &y) {
    return std::pair(x.begin, x.block) < std::pair(y.begin, y.block);
  });
  Ranges ranges;
  const Piece *reaching = nullptr; // the earlier one that ends last
  for (const Piece &piece : written) {
    if (reaching && reaching->end > piece.begin && reaching->block != piece.block)
      raceBetweenBlocks(tensor, piece, *reaching, /*writes=*/true);
    if (!reaching || piece.end > reaching->end)
      reaching = &piece;
    ranges.emplace_back(piece.begin, piece.end);
  }
  unite(written_[tensor], ranges);

  for (auto [block, watch] : llvm::enumerate(blocks_))
    for (const HazardWatch::Piece &piece : watch->hazards().readFromOthers(tensor)) {
      const Piece read{piece.begin, piece.end, static_cast<int64_t>(block), piece.tag};
      auto next = llvm::lower_bound(
          written, read.end, [](const Piece &other, int64_t end) { return other.begin < end; });
      while (next != written.begin() && (--next)->end > read.begin)
        if (next->block != read.block) {
          raceBetweenBlocks(tensor, read, *next, /*writes=*/false);
          break;
        }
      const int64_t gap = firstGap(written_[tensor], read.begin, read.end);
      if (gap == read.end)
        continue;
      const Hazard hazard{
          .what = Hazard::What::unwritten,
          .tag = read.op,
          .pipe = static_cast<unsigned>(cast<aicore::Instruction>(kernel_->ops[read.op]).getPipe()),
          .memory = {WatchedMemory::Kind::tensor, tensor, {}},
          .begin = gap,
          .end = read.end};
      const WatchedTensor &shape = watch->tensors()[tensor];
      WatchFault fault = kernel_->describe(hazard, shape.name, shape.elements(gap, read.end));
      fault.phase = phase_;
      fault.block = read.block;
      add(fault);
    }
}

void KernelWatch::endRun() {
  for (const WatchedTensor &tensor : kernel_->tensors) {
    const int64_t bytes = tensor.bytes(), gap = firstGap(written_[tensor.number], 0, bytes);
    if (tensor.kind != WatchedTensor::Kind::result || gap == bytes)
      continue;
    int64_t missing = bytes;
    for (auto [begin, end] : written_[tensor.number])
      missing -= end - begin;
    WatchFault fault;
    fault.what = Hazard::What::unfinished;
    fault.phase = phase_;
    fault.memory = "gm";
    fault.holder = tensor.name;
    fault.place = tensor.elements(gap, gap + 1);
    fault.begin = gap;
    fault.end = bytes;
    fault.message = formatv("the kernel has ended, and nothing has written {0} elements of {1}, "
                            "the first {2}",
                            missing / tensor.elementBytes, tensor.name, fault.place);
    add(fault);
  }
}

} // namespace mmk
