// Converts a machine description to the attribute of the IR that the passes read.
#include "passes/passes.h"

using namespace mlir;

namespace mmk {

aicore::MachineAttr machineAttr(const Machine &machine, MLIRContext &context) {
  context.loadDialect<aicore::AicoreDialect>();
  Builder b(&context);
  SmallVector<NamedAttribute> memories, depth;
  for (Memory memory : allMemories) {
    const MemoryDescription &description = machine.memory(memory);
    if (description.bytes == 0)
      continue;
    SmallVector<int64_t> figures{description.capacity(), description.alignment};
    if (description.bankBytes > 0)
      figures.append({description.bankBytes, description.bankGroups, description.bankRowBytes,
                      description.reserved});
    memories.push_back(b.getNamedAttr(StringRef(spelling(memory)), b.getI64ArrayAttr(figures)));
  }
  // The block's own global memory has no bound of its own; buffers there align to a packet.
  memories.push_back(
      b.getNamedAttr("gm", b.getI64ArrayAttr({int64_t(1) << 40, machine.packetBytes})));
  // A rate of 0 means that the cube does not multiply the type.
  for (auto [type, k] : machine.cube.depth)
    if (auto macs = machine.cube.macsPerCycle.find(type);
        macs != machine.cube.macsPerCycle.end() && macs->second > 0)
      depth.push_back(b.getNamedAttr(StringRef(spelling(type)), b.getI64IntegerAttr(k)));
  // The paths between cube and vector unit that not every machine has.
  SmallVector<NamedAttribute> links;
  for (const char *name : {"l0c_ub", "ub_l1"})
    if (auto link = machine.links.find(name); link != machine.links.end())
      links.push_back(
          b.getNamedAttr(name, b.getStringAttr(StringRef(spelling(link->second.pipe)))));
  StringAttr kind;
  if (machine.kind != MachineKind::emulated)
    kind = b.getStringAttr(StringRef(spelling(machine.kind)));
  return aicore::MachineAttr::get(
      &context, b.getStringAttr(machine.name), kind,
      machine.topology == Topology::split ? aicore::Topology::split : aicore::Topology::coupled,
      machine.cubeCores, machine.vectorCoresPerCube, b.getDictionaryAttr(memories), machine.cube.m,
      machine.cube.n, machine.cube.maxExtent, b.getDictionaryAttr(depth), machine.eventIds,
      machine.crossFlags, links.empty() ? DictionaryAttr() : b.getDictionaryAttr(links),
      machine.function.registers,
      machine.fixpipeLeakyRelu.isUsed ? machine.fixpipeLeakyRelu.slopeBits : 0);
}

} // namespace mmk
