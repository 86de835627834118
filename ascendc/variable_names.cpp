#include "ascendc/variable_names.h"

#include "ascendc/device_functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

namespace mmk::ascendc {

static constexpr llvm::StringLiteral keywords =
    "auto bool break case catch char class const delete do double else enum explicit "
    "extern false float for friend goto half if inline int long new operator private "
    "public register return short signed sizeof static struct switch template this throw "
    "true try typedef union unsigned using virtual void while";
/// What the files of a project use beside their device functions.
static constexpr llvm::StringLiteral ownNames =
    "argc argv place checked code core expect expected found isRight library main repeat "
    "rest start std step stream total time wrong AscendC DataCopy Fixpipe vectorCore "
    "workspace LoadData Mmad column count row";

bool isReserved(llvm::StringRef name) {
  return isDeviceFunction(name) || llvm::any_of(std::array{keywords, ownNames}, [&](auto words) {
           return llvm::is_contained(llvm::split(words, ' '), name);
         });
}

ir::NamedAttr namedOf(aicore::KernelOp kernel, mlir::Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() < kernel.getDims().size())
    return {};
  const size_t i = argument.getArgNumber() - kernel.getDims().size(),
               args = kernel.getArgs().size();
  return mlir::cast<ir::NamedAttr>(i < args ? kernel.getArgs()[i] : kernel.getResults()[i - args]);
}

llvm::StringRef VariableNames::dimensionOf(aicore::KernelOp kernel, mlir::Value tensor,
                                           int64_t dim) {
  const ir::NamedAttr named = namedOf(kernel, tensor);
  if (!named || dim < 0 || dim >= static_cast<int64_t>(named.getDims().size()))
    return {};
  const llvm::StringRef name = named.getDims()[dim].getValue();
  return llvm::isDigit(name.front()) ? llvm::StringRef() : name;
}

void VariableNames::mean(mlir::Value value, std::string name) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (argument && argument.getOwner() == &kernel_.getBody().front())
    return;
  if (!value.getDefiningOp<mlir::arith::ConstantOp>())
    meanings_.try_emplace(value, std::move(name));
}

template <typename Op> void VariableNames::collect(Op transfer, mlir::Value tensor) {
  auto lower = [&](int64_t dim) { return dimensionOf(kernel_, tensor, dim).lower(); };
  for (auto [dim, offset] : llvm::enumerate(transfer.getOffsets()))
    if (const std::string name = lower(dim); !name.empty())
      mean(offset, name + "Start");
  for (auto [along, size] : llvm::zip(transfer.getAlong(), transfer.getSizes()))
    if (const std::string name = lower(along); !name.empty())
      mean(size, name + "Count");
}

// The loops of a phase count tiles; a loop up to a dimension goes along it.
std::string VariableNames::nameOfLoop(mlir::scf::ForOp loop) {
  auto bound = mlir::dyn_cast<mlir::BlockArgument>(loop.getUpperBound());
  if (bound && bound.getOwner() == &kernel_.getBody().front())
    return mlir::cast<mlir::StringAttr>(kernel_.getDims()[bound.getArgNumber()]).getValue().lower();
  return mlir::isa<aicore::PhaseOp>(loop->getParentOp()) ? "tile" : "part";
}

VariableNames::VariableNames(aicore::KernelOp kernel) : kernel_(kernel) {
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
    names_[argument] =
        unique(i < kernel.getDims().size() ? mlir::cast<mlir::StringAttr>(kernel.getDims()[i]).str()
                                           : namedOf(kernel, argument).getName().str());
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    names_[workspace.getResult()] = unique((workspace.getName() + "_ws").str());
  kernel.walk([&](mlir::Operation *op) {
    if (auto phase = mlir::dyn_cast<aicore::PhaseOp>(op))
      mean(phase.getBody().getArgument(0), "core");
    else if (auto cores = mlir::dyn_cast<aicore::VectorCoresOp>(op))
      mean(cores.getBody().getArgument(0), "vectorCore");
    else if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
      mean(loop.getInductionVar(), nameOfLoop(loop));
    else if (auto alloc = mlir::dyn_cast<aicore::AllocOp>(op))
      mean(alloc.getResult(),
           (alloc.getName() + "_" + aicore::stringifySpace(alloc.getSpace())).str());
    else if (auto slot = mlir::dyn_cast<aicore::SlotOp>(op))
      mean(slot.getResult(),
           (slot.getBuffer().getDefiningOp<aicore::AllocOp>().getName() + "Slot").str());
    else if (auto load = mlir::dyn_cast<aicore::LoadOp>(op))
      collect(load, load.getSource());
    else if (auto store = mlir::dyn_cast<aicore::FixpipeOp>(op))
      collect(store, store.getTarget());
    else if (auto store = mlir::dyn_cast<aicore::StoreOp>(op))
      collect(store, store.getTarget());
    else if (auto quotient = mlir::dyn_cast<mlir::arith::CeilDivSIOp>(op))
      if (auto dim = mlir::dyn_cast<mlir::BlockArgument>(quotient.getLhs());
          dim && dim.getOwner() == &kernel.getBody().front() && dim.getType().isIndex())
        mean(quotient.getResult(),
             mlir::cast<mlir::StringAttr>(kernel.getDims()[dim.getArgNumber()]).getValue().lower() +
                 "Tiles");
  });
}

std::string VariableNames::unique(std::string name) {
  std::string free = name;
  for (unsigned i = 2; !taken_.insert(free).second; ++i)
    free = name + std::to_string(i);
  return free;
}

std::string VariableNames::fresh(const std::string &name, const char *otherwise) {
  return unique(name.empty() || isReserved(name) ? otherwise : name);
}

const std::string &VariableNames::of(mlir::Value value) {
  std::string &name = names_[value];
  if (name.empty()) {
    const auto meaning = meanings_.find(value);
    name = unique(meaning != meanings_.end() ? meaning->second : "t");
  }
  return name;
}

} // namespace mmk::ascendc
