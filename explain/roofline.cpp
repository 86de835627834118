#include "explain/roofline.h"

#include "runtime/global_memory.h"

namespace mmk::tune {
namespace {

using Dimensions = std::map<std::string, int64_t>;

double extentOf(const Dimensions &dims, const Dimension &dimension) {
  return static_cast<double>(dimension.isLiteral() ? dimension.literal : dims.at(dimension.name));
}

double elementsOf(const Dimensions &dims, const Shape &shape) {
  double elements = 1;
  for (const Dimension &dimension : shape)
    elements *= extentOf(dims, dimension);
  return elements;
}

/// Operations a second of all cubes, for operands of a type.
double cubePeak(const Machine &machine, ElementType operands) {
  const auto macs = machine.cube.macsPerCycle.find(operands);
  return macs == machine.cube.macsPerCycle.end()
             ? 0
             : 2e6 * static_cast<double>(macs->second * machine.cubeCores) * machine.megahertz;
}

double vectorPeak(const Machine &machine) {
  const int64_t cores = machine.cubeCores * machine.vectorCoresPerCube;
  return 1e6 * static_cast<double>(cores) * machine.megahertz / machine.vector.at("add").perElement;
}

void addCompute(const Kernel &kernel, const Dimensions &dims, const Machine &machine,
                Roofline &roof) {
  double elementwise = 0, cubeSeconds = 0;
  for (const auto &value : kernel.values) {
    const double elements = elementsOf(dims, value->shape);
    if (value->operation == Operation::product) {
      const Value &left = *value->operands[0];
      const double operations = 2 * elements * extentOf(dims, left.shape.back());
      roof.operations += operations;
      if (const double peak = cubePeak(machine, left.type); peak > 0)
        cubeSeconds += operations / peak;
    } else if (value->operation > Operation::constant && value->operation < Operation::cast) {
      elementwise += elements;
    }
  }
  if (roof.operations == 0) {
    roof.operations = elementwise;
    cubeSeconds = elementwise / vectorPeak(machine);
  }
  roof.computeMicroseconds = 1e6 * cubeSeconds;
  roof.peakOperations = cubeSeconds > 0 ? roof.operations / cubeSeconds : vectorPeak(machine);
}

void addMemory(const Kernel &kernel, const Dimensions &dims, const Machine &machine,
               Roofline &roof) {
  double loaded = 0, stored = 0;
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.isScalar())
      loaded +=
          elementsOf(dims, parameter.shape) * static_cast<double>(sizeInBytes(parameter.type));
  for (const Result &result : kernel.results)
    stored += elementsOf(dims, result.shape) * static_cast<double>(sizeInBytes(result.type));
  const double written = stored * writtenBack(machine, loaded, stored);
  roof.tensorBytes = loaded + written;
  roof.memoryMicroseconds = hbmCycles(machine, loaded, written) / machine.megahertz;
  roof.memoryBytes = roof.tensorBytes > 0 ? 1e6 * roof.tensorBytes / roof.memoryMicroseconds
                                          : machine.hbmBytesPerSecond;
}

/// The loads of the slowest blocks, by core; each core has a port of its own.
void addPort(const Machine &machine, const std::deque<PhaseRecording> &phases, Roofline &roof) {
  struct Port {
    double bytes = 0, cycles = 0;
  };
  std::map<unsigned, Port> ports;
  for (const PhaseRecording &phase : phases)
    for (const Event &event : phase.slowest().events) {
      if (event.pipe != Pipe::mte2 || event.bytes == 0)
        continue;
      const std::vector<Origin::Buffer> &buffers = phase.origins[event.origin].buffers;
      const Link &link = machine.links.at(buffers.back().memory == "UB" ? "gm_ub" : "gm_l1");
      const double rate = std::min(link.bytesPerCycle, machine.l2BytesPerCycle);
      ports[event.unit].bytes += static_cast<double>(event.bytes);
      ports[event.unit].cycles += static_cast<double>(event.bytes) / rate;
    }
  for (const auto &[unit, port] : ports) {
    if (port.cycles / machine.megahertz <= roof.portMicroseconds)
      continue;
    roof.portIsOfVectorCore = unit > 0;
    roof.portBytes = port.bytes;
    roof.portMicroseconds = port.cycles / machine.megahertz;
  }
}

} // namespace

Roofline rooflineOf(const Kernel &kernel, const Dimensions &dims, const Machine &machine,
                    const std::deque<PhaseRecording> &phases) {
  Roofline roof;
  addCompute(kernel, dims, machine, roof);
  addMemory(kernel, dims, machine, roof);
  addPort(machine, phases, roof);
  return roof;
}

} // namespace mmk::tune
