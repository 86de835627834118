#include "print/memory_map.h"

#include "place/live_range.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace mmk::driver {
namespace {

//===--- from the IR ----------------------------------------------------------------------===//

MapMoment momentOf(const Moment &moment) {
  if (!moment.instruction)
    return {0, moment.step + 1, ""};
  aicore::Instruction instruction = moment.instruction;
  return {moment.number, moment.step + 1, instruction->getName().stripDialect().str()};
}

std::string typeOf(mlir::Type type) {
  std::string text;
  for (int64_t extent : mlir::cast<mlir::MemRefType>(type).getShape())
    text += fmt::format("{}{}", text.empty() ? "" : " x ", extent);
  llvm::raw_string_ostream(text) << " " << mlir::cast<mlir::MemRefType>(type).getElementType();
  return text;
}

MapBuffer bufferOf(LiveRange range, int64_t alignment) {
  MapBuffer buffer;
  buffer.name = range.alloc.getName().str();
  buffer.type = typeOf(range.alloc.getResult().getType());
  buffer.offset = range.alloc.getOffset().value_or(0);
  buffer.copies = static_cast<int64_t>(range.alloc.getCopies());
  buffer.bytes = range.bytes(alignment) / buffer.copies;
  buffer.first = momentOf(range.first);
  buffer.last = momentOf(range.last);
  if (range.isTouched())
    buffer.line = lineOf(range.first.instruction.getLoc());
  return buffer;
}

MapPhase phaseOf(aicore::PhaseOp phase, aicore::MachineAttr attr, const Machine &machine) {
  std::map<aicore::Space, MapMemory> bySpace;
  for (const LiveRange &range : liveRanges(phase)) {
    aicore::AllocOp alloc = range.alloc;
    MapBuffer buffer = bufferOf(range, attr.alignment(alloc.getSpace()));
    MapMemory &memory = bySpace[alloc.getSpace()];
    memory.used = std::max(memory.used, buffer.end());
    memory.buffers.push_back(std::move(buffer));
  }
  MapPhase result;
  result.steps = stepsOf(phase).size();
  for (auto &[space, memory] : bySpace) {
    memory.name = aicore::stringifySpace(space).str();
    for (const auto &[which, description] : machine.memories)
      if (spelling(which) == memory.name) {
        memory.capacity = description.capacity();
        memory.reserved = description.reserved;
      }
    std::ranges::sort(memory.buffers, {}, [](const MapBuffer &buffer) {
      return std::tuple(buffer.offset, buffer.first.number);
    });
    result.memories.push_back(std::move(memory));
  }
  // Global memory last; before it the core's memories in the order of the data flow.
  if (std::vector<MapMemory> &all = result.memories; !all.empty() && all.front().capacity == 0)
    std::rotate(all.begin(), all.begin() + 1, all.end());
  return result;
}

MapWorkspace workspaceOf(aicore::WorkspaceOp workspace) {
  MapWorkspace result;
  result.name = workspace.getName().str();
  auto type = mlir::cast<mlir::MemRefType>(workspace.getResult().getType());
  auto kernel = workspace->getParentOfType<aicore::KernelOp>();
  auto extents = workspace.getExtents().begin();
  for (int64_t extent : type.getShape()) {
    std::string word = fmt::format("{}", extent);
    if (mlir::ShapedType::isDynamic(extent)) {
      auto argument = mlir::dyn_cast<mlir::BlockArgument>(*extents++);
      word = argument ? mlir::cast<mlir::StringAttr>(kernel.getDims()[argument.getArgNumber()])
                            .getValue()
                            .str()
                      : "?";
    }
    result.type += (result.type.empty() ? "" : ", ") + word;
  }
  result.type = "[" + result.type + "] ";
  llvm::raw_string_ostream(result.type) << type.getElementType();
  return result;
}

//===--- as text --------------------------------------------------------------------------===//

char letterOf(size_t number) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[number % letters.size()];
}

/// The contents of a memory in one step, to scale; odd copies in lower case.
std::string barOf(const MapMemory &memory, unsigned step) {
  constexpr int64_t width = 80;
  std::string bar(width, '.');
  for (size_t i = 0; i < memory.buffers.size(); ++i) {
    const MapBuffer &buffer = memory.buffers[i];
    if (step < buffer.first.step || step > buffer.last.step)
      continue;
    for (int64_t copy = 0; copy < buffer.copies; ++copy) {
      const int64_t begin = buffer.offset + copy * buffer.bytes;
      const int64_t from = begin * width / memory.capacity;
      // A buffer smaller than a column is still shown.
      const int64_t to = std::max(from + 1, (begin + buffer.bytes) * width / memory.capacity);
      const char letter = letterOf(i);
      std::fill(bar.begin() + std::min(from, width - 1), bar.begin() + std::min(to, width),
                copy % 2 ? static_cast<char>(std::tolower(letter)) : letter);
    }
  }
  return bar;
}

using Row = std::vector<std::string>;

/// Columns as wide as their contents, the numbers flush right.
std::string tableOf(const std::vector<Row> &rows, const std::vector<bool> &flushesRight) {
  std::vector<size_t> widths(flushesRight.size());
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i)
      line += flushesRight[i] ? fmt::format(" {:>{}} ", row[i], widths[i])
                              : fmt::format(" {:<{}} ", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string liveText(const MapBuffer &buffer) {
  if (!buffer.first.number)
    return "always";
  return buffer.first.number == buffer.last.number
             ? fmt::format("{} {}", buffer.first.number, buffer.first.instruction)
             : fmt::format("{} {} to {} {}", buffer.first.number, buffer.first.instruction,
                           buffer.last.number, buffer.last.instruction);
}

std::string headOf(const MapMemory &memory) {
  if (memory.capacity == 0)
    return fmt::format("{}, each block's own piece of global memory: {} bytes\n", memory.name,
                       memory.used);
  std::string text = fmt::format(
      "{}: {} of {} bytes used ({:.1f} %), {} free", memory.name, memory.used, memory.capacity,
      100.0 * static_cast<double>(memory.used) / static_cast<double>(memory.capacity),
      memory.capacity - memory.used);
  if (memory.reserved > 0)
    text += fmt::format("; {} more reserved by the system", memory.reserved);
  return text + "\n";
}

std::string memoryText(const MapMemory &memory, unsigned steps) {
  std::string text = headOf(memory);
  if (memory.capacity > 0)
    for (unsigned step = 1; step <= steps; ++step) {
      text += "  " + barOf(memory, step);
      if (steps > 1)
        text += fmt::format("  step {}", step);
      text += "\n";
    }
  Row head = {"", "buffer", "offset", "bytes", "copies", "total", "line", "live"};
  if (steps > 1)
    head.push_back("steps");
  std::vector<Row> rows = {head};
  for (size_t i = 0; i < memory.buffers.size(); ++i) {
    const MapBuffer &buffer = memory.buffers[i];
    rows.push_back({std::string(1, letterOf(i)), buffer.name + ": " + buffer.type,
                    fmt::format("{}", buffer.offset), fmt::format("{}", buffer.bytes),
                    fmt::format("{}", buffer.copies),
                    fmt::format("{}", buffer.copies * buffer.bytes),
                    buffer.line ? fmt::format("{}", buffer.line) : "-", liveText(buffer)});
    if (steps > 1)
      rows.back().push_back(buffer.first.step == buffer.last.step
                                ? fmt::format("{}", buffer.first.step)
                                : fmt::format("{} to {}", buffer.first.step, buffer.last.step));
  }
  return text + tableOf(rows, {false, false, true, true, true, true, true, false, false});
}

} // namespace

MemoryMap memoryMap(aicore::KernelOp kernel, const Machine &machine, const std::string &variant) {
  MemoryMap map{kernel.getSymName().str(), machine.name, variant, {}, {}};
  for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
    map.phases.push_back(phaseOf(phase, aicore::machineOf(kernel), machine));
  for (auto workspace : kernel.getBody().getOps<aicore::WorkspaceOp>())
    map.workspaces.push_back(workspaceOf(workspace));
  return map;
}

std::string text(const MemoryMap &map) {
  std::string text = fmt::format("{} on {}: {}\n", map.kernel, map.machine, map.variant);
  for (const MapWorkspace &workspace : map.workspaces)
    text +=
        fmt::format("between phases, in global memory: {} {}\n", workspace.name, workspace.type);
  for (size_t i = 0; i < map.phases.size(); ++i) {
    if (map.phases.size() > 1)
      text += fmt::format("\nphase {} of {}\n", i + 1, map.phases.size());
    for (const MapMemory &memory : map.phases[i].memories)
      text += "\n" + memoryText(memory, map.phases[i].steps);
  }
  text += "\nbars: the whole memory to scale, a letter for each buffer (every second copy in lower "
          "case), a dot\nfor what is free; live: the first and the last instruction that touch it, "
          "counted in program order\n";
  return text;
}

void write(llvm::json::OStream &out, const MemoryMap &map) {
  const auto writeMoment = [&](llvm::StringRef name, const MapMoment &moment) {
    out.attributeObject(name, [&] {
      out.attribute("step", static_cast<int64_t>(moment.step));
      if (moment.number) {
        out.attribute("number", static_cast<int64_t>(moment.number));
        out.attribute("instruction", moment.instruction);
      }
    });
  };
  const auto writeBuffer = [&](const MapBuffer &buffer) {
    out.attribute("name", buffer.name);
    out.attribute("type", buffer.type);
    out.attribute("offset", buffer.offset);
    out.attribute("bytes", buffer.bytes);
    out.attribute("copies", buffer.copies);
    writeMoment("first", buffer.first);
    writeMoment("last", buffer.last);
    if (buffer.line)
      out.attribute("line", static_cast<int64_t>(buffer.line));
  };
  out.attribute("kernel", map.kernel);
  out.attribute("machine", map.machine);
  out.attribute("variant", map.variant);
  out.attributeArray("workspaces", [&] {
    for (const MapWorkspace &workspace : map.workspaces)
      out.object([&] {
        out.attribute("name", workspace.name);
        out.attribute("type", workspace.type);
      });
  });
  out.attributeArray("phases", [&] {
    for (const MapPhase &phase : map.phases)
      out.object([&] {
        out.attribute("steps", static_cast<int64_t>(phase.steps));
        out.attributeArray("memories", [&] {
          for (const MapMemory &memory : phase.memories)
            out.object([&] {
              out.attribute("name", memory.name);
              if (memory.capacity > 0) {
                out.attribute("capacity", memory.capacity);
                out.attribute("reserved", memory.reserved);
              }
              out.attribute("used", memory.used);
              out.attributeArray("buffers", [&] {
                for (const MapBuffer &buffer : memory.buffers)
                  out.object([&] { writeBuffer(buffer); });
              });
            });
        });
      });
  });
}

} // namespace mmk::driver
