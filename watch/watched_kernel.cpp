// The static data of a watched kernel, and the texts of its faults.
#include "codegen/program_values.h"
#include "codegen/watch_calls.h"
#include "ir/merged_dims.h"
#include "watch/block.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace mmk {
namespace {

constexpr Memory memoryOf(aicore::Space space) {
  switch (space) {
  case aicore::Space::gm:
  case aicore::Space::l1:
    return Memory::l1;
  case aicore::Space::l0a:
    return Memory::l0a;
  case aicore::Space::l0b:
    return Memory::l0b;
  case aicore::Space::l0c:
    return Memory::l0c;
  case aicore::Space::bt:
    return Memory::bt;
  case aicore::Space::ub:
    return Memory::ub;
  }
  return Memory::l1;
}

WatchedBuffer bufferOf(aicore::AllocOp alloc, aicore::MachineAttr machine) {
  const aicore::Space space = alloc.getSpace();
  auto type = cast<MemRefType>(alloc.getResult().getType());
  const bool isGlobal = space == aicore::Space::gm;
  WatchedBuffer buffer;
  buffer.memoryName = stringifySpace(space).str();
  buffer.name = formatv("{0} in {1}", alloc.getName(),
                        isGlobal ? "the block's global memory" : buffer.memoryName);
  buffer.memory = {isGlobal ? WatchedMemory::Kind::block : WatchedMemory::Kind::core, 0,
                   memoryOf(space)};
  buffer.isFloat = isa<FloatType>(type.getElementType());
  buffer.offset = alloc.getOffset().value_or(0);
  buffer.stride = llvm::alignTo(alloc.getBytes(), machine.alignment(space));
  buffer.copies = alloc.getCopies();
  buffer.emulatedBytes = emulatedBytesPerByte(machine, space, type);
  buffer.rows = type.getShape()[0];
  buffer.columns = type.getShape()[1];
  buffer.elementBytes = aicore::elementBytes(type);
  buffer.partWidth = alloc.getPartWidth();
  return buffer;
}

/// "mte2", "mte2 of vector core 0"; `pipe` as in a Hazard.
std::string pipeName(unsigned pipe, bool withUnit) {
  const std::string name(spelling(allPipes[pipe % allPipes.size()])), unit = unitName(pipe);
  if (!withUnit)
    return name;
  return name + " of " + (unit == "cube core" ? "the " : "") + unit;
}

/// "event 1 [mte2 -> mte1]"
std::string flagName(Operation *op, int64_t number) {
  auto event = [&](auto it) {
    return formatv("event {0} [{1} -> {2}]", number, stringifyPipe(it.getFrom()),
                   stringifyPipe(it.getTo()))
        .str();
  };
  if (auto set = dyn_cast<aicore::SetFlagOp>(op))
    return event(set);
  if (auto wait = dyn_cast<aicore::WaitFlagOp>(op))
    return event(wait);
  return formatv("cross-core flag {0}", number);
}

/// The flag that would have ordered the two instructions of a hazard.
std::string missingOrder(const Hazard &hazard) {
  const unsigned unit = hazard.pipe / allPipes.size(),
                 otherUnit = hazard.otherPipe / allPipes.size();
  if (unit != otherUnit && unit != 0 && otherUnit != 0)
    return "nothing orders the two vector cores";
  return formatv("no {0} from {1} to {2} stands between the two",
                 unit == otherUnit ? "flag" : "cross-core flag",
                 pipeName(hazard.otherPipe, unit != otherUnit),
                 pipeName(hazard.pipe, unit != otherUnit));
}

} // namespace

std::string unitName(unsigned pipe) {
  const unsigned unit = pipe / allPipes.size();
  return unit == 0 ? "cube core" : "vector core " + std::to_string(unit - 1);
}

std::string_view spelling(Hazard::What what) {
  switch (what) {
  case Hazard::What::race:
    return "race";
  case Hazard::What::unwritten:
    return "unwritten";
  case Hazard::What::outOfBounds:
    return "out_of_bounds";
  case Hazard::What::argument:
    return "argument_written";
  case Hazard::What::unfinished:
    return "result_unfinished";
  case Hazard::What::endlessWait:
    return "deadlock";
  case Hazard::What::setTwice:
    return "flag_set_twice";
  case Hazard::What::setEarly:
    return "flag_set_early";
  case Hazard::What::unordered:
    return "flag_unordered";
  case Hazard::What::leftSet:
    return "flag_left_set";
  case Hazard::What::noFlag:
    return "flag_unknown";
  }
  return "";
}

void addFault(std::vector<WatchFault> &faults, const WatchFault &fault) {
  for (WatchFault &known : faults)
    if (known.what == fault.what && known.op == fault.op && known.other == fault.other &&
        known.holder == fault.holder) {
      known.times += fault.times;
      return;
    }
  faults.push_back(fault);
}

int64_t WatchedTensor::bytes() const {
  int64_t bytes = elementBytes;
  for (int64_t extent : extents)
    bytes *= extent;
  return bytes;
}

std::string WatchedTensor::elements(int64_t begin, int64_t end) const {
  auto element = [&](int64_t byte) {
    int64_t number = byte / elementBytes;
    std::string text;
    for (int64_t extent : llvm::reverse(extents)) {
      text = std::to_string(number % extent) + (text.empty() ? "" : ", ") + text;
      number /= extent;
    }
    return name + "[" + text + "]";
  };
  const std::string first = element(begin), last = element(end - 1);
  return first == last ? first : first + " to " + last;
}

WatchedKernel::WatchedKernel(aicore::KernelOp kernel, const Machine &machine,
                             ArrayRef<int64_t> dims)
    : op(kernel), machine(machine), ops(watchedOps(kernel)) {
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op] = static_cast<int64_t>(number);
  kernel.walk([&](aicore::AllocOp alloc) {
    buffers[alloc.getResult()] = bufferOf(alloc, aicore::machineOf(kernel));
  });
  auto add = [&](mlir::Value value, WatchedTensor::Kind kind, StringRef name) -> WatchedTensor & {
    auto type = cast<MemRefType>(value.getType());
    const auto number = static_cast<unsigned>(tensors.size());
    tensorNumbers[value] = number;
    return tensors.emplace_back(WatchedTensor{kind,
                                              number,
                                              name.str(),
                                              isa<FloatType>(type.getElementType()),
                                              aicore::elementBytes(type),
                                              {},
                                              {}});
  };
  llvm::StringMap<int64_t> extents;
  for (auto [name, value] : llvm::zip(kernel.getDims().getAsValueRange<StringAttr>(), dims))
    extents[name] = value;
  unsigned next = dims.size();
  auto addNamed = [&](ArrayAttr list, WatchedTensor::Kind kind) {
    for (auto named : list.getAsRange<ir::NamedAttr>()) {
      mlir::Value value = kernel.getBody().getArgument(next++);
      if (!isa<MemRefType>(value.getType()))
        continue;
      WatchedTensor &tensor = add(value, kind, named.getName().getValue());
      for (StringAttr dim : named.getDims()) {
        int64_t literal = 0;
        tensor.extents.push_back(
            dim.getValue().getAsInteger(10, literal) ? extents.lookup(dim.getValue()) : literal);
      }
    }
  };
  addNamed(kernel.getArgs(), WatchedTensor::Kind::argument);
  addNamed(kernel.getResults(), WatchedTensor::Kind::result);
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    add(workspace.getResult(), WatchedTensor::Kind::workspace, workspace.getName());
  for (const aicore::MergedDims &dims : aicore::mergedDims(kernel))
    tensors[tensorNumbers.lookup(aicore::tensorOfNumber(kernel, dims.tensor))].merged.push_back(
        {dims.first, dims.last});
}

// Dimensions that are one are gone along by the last of them, from the offsets of the others on.
int64_t WatchedTensor::extentOf(int64_t dim, ArrayRef<int64_t> offsets, int64_t joined) const {
  const int64_t own = dim - joined + 1;
  int64_t outermost = own;
  const auto goesOn = [&](const std::pair<int64_t, int64_t> &range) {
    return range.first < outermost && outermost <= range.second && range.second <= dim;
  };
  for (const auto *range = llvm::find_if(merged, goesOn); range != merged.end();
       range = llvm::find_if(merged, goesOn))
    outermost = range->first;
  const auto elements = [&](int64_t first) {
    return computeProduct(ArrayRef(extents).slice(first, dim - first + 1));
  };
  int64_t extent = elements(outermost);
  for (int64_t outer = outermost; outer < own; ++outer)
    extent -= offsets[outer] * elements(outer + 1);
  return extent;
}

std::string WatchedKernel::instructionName(int64_t number, unsigned pipe, bool withUnit) const {
  Operation *op = ops[number];
  const std::string noun =
      isa<aicore::VectorOp>(op) ? "vector instruction" : op->getName().stripDialect().str();
  return "the " + noun + " (" + pipeName(pipe, withUnit) + ")";
}

WatchFault WatchedKernel::describe(const Hazard &hazard, const std::string &holder,
                                   const std::string &place) const {
  // A block's pipes are its cube core's unless stated otherwise.
  const bool apart = hazard.pipe >= allPipes.size() || hazard.otherPipe >= allPipes.size();
  WatchFault fault;
  fault.what = hazard.what;
  fault.op = ops[hazard.tag];
  fault.pipe = pipeName(hazard.pipe, false);
  fault.unit = unitName(hazard.pipe);
  fault.holder = holder;
  fault.place = place;
  fault.begin = hazard.begin;
  fault.end = hazard.end;
  if (hazard.memory.kind != WatchedMemory::Kind::core)
    fault.memory = "gm";
  else if (hazard.end > hazard.begin)
    fault.memory = spelling(hazard.memory.memory);
  if (hazard.other >= 0) {
    fault.other = ops[hazard.other];
    fault.otherPipe = pipeName(hazard.otherPipe, false);
    fault.otherUnit = unitName(hazard.otherPipe);
  }

  const std::string it = instructionName(hazard.tag, hazard.pipe, apart),
                    pipe = pipeName(hazard.pipe, apart);
  std::string where = place;
  if (hazard.memory.kind != WatchedMemory::Kind::tensor)
    where += formatv(", bytes {0} to {1} of {2},", hazard.begin, hazard.end - 1, fault.memory);
  else if (hazard.what == Hazard::What::unwritten)
    where += ",";
  auto other = [&] { return instructionName(hazard.other, hazard.otherPipe, apart); };
  auto flag = [&] { return flagName(fault.op, hazard.flag); };
  auto otherPipe = [&] { return pipeName(hazard.otherPipe, apart); };
  switch (hazard.what) {
  case Hazard::What::race:
    fault.message =
        formatv("{0} may {1} {2} before {3} has {4} it", it, hazard.writes ? "write" : "read",
                where, other(), hazard.wrote ? "written" : "read");
    break;
  case Hazard::What::unwritten:
    fault.message = formatv("{0} reads {1} {2}", it, where, "which nothing has written");
    break;
  case Hazard::What::endlessWait:
    fault.message = formatv("deadlock: {0} waits for {1}, which nothing has set", pipe, flag());
    break;
  case Hazard::What::setTwice:
    fault.message = formatv("{0} is set again before it was waited for", flag());
    break;
  case Hazard::What::setEarly:
    fault.message =
        formatv("{0} may be set again before {1} has waited for it", flag(), otherPipe());
    break;
  case Hazard::What::unordered:
    fault.message =
        formatv("{0} is {1} by {2} and by {3} in no order", flag(),
                isa<aicore::SetFlagOp, aicore::SetCrossOp>(fault.op) ? "set" : "waited for", pipe,
                otherPipe());
    break;
  case Hazard::What::leftSet:
    fault.message = formatv("{0} is still set when the phase ends", flag());
    break;
  case Hazard::What::noFlag:
    fault.message = formatv("{0} has no {1}", machine.name, flag());
    break;
  case Hazard::What::outOfBounds:
  case Hazard::What::argument:
  case Hazard::What::unfinished:
    break; // not found by comparing orders
  }
  if (llvm::is_contained({Hazard::What::race, Hazard::What::setEarly, Hazard::What::unordered},
                         hazard.what))
    fault.missing = missingOrder(hazard);
  return fault;
}

} // namespace mmk
