// A machine description: every figure of an AI core (or of the host, in the same terms) that the
// compiler and the clock use. It comes from JSON; each figure has its source.
#pragma once

#include "support/element.h"

#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mmk {

/// split: cube and vector cores of a block, which meet in global memory, or directly where there
/// are links between them (l0c_ub, ub_l1). coupled: one core has both units.
enum class Topology { split, coupled };

/// The `kind` of a description, which selects the back end (the table `layers`).
enum class MachineKind {
#define MMK_KIND(KIND, FOLDER) KIND,
#include "machines/kinds.def"
#undef MMK_KIND
};
inline constexpr MachineKind allMachineKinds[] = {
#define MMK_KIND(KIND, FOLDER) MachineKind::KIND,
#include "machines/kinds.def"
#undef MMK_KIND
};
std::string_view spelling(MachineKind kind);

/// On-chip memories, in the order of the data flow.
enum class Memory { l1, l0a, l0b, l0c, bt, ub };
inline constexpr std::array<Memory, 6> allMemories = {Memory::l1,  Memory::l0a, Memory::l0b,
                                                      Memory::l0c, Memory::bt,  Memory::ub};
std::string_view spelling(Memory memory);

/// In-order instruction queues of a core.
enum class Pipe { scalar, mte1, mte2, mte3, cube, fixpipe, vector };
inline constexpr std::array<Pipe, 7> allPipes = {
    Pipe::scalar, Pipe::mte1, Pipe::mte2, Pipe::mte3, Pipe::cube, Pipe::fixpipe, Pipe::vector};
std::string_view spelling(Pipe pipe);

struct MemoryDescription {
  int64_t bytes = 0;     ///< 0: the machine has none
  int64_t reserved = 0;  ///< taken by the system, of `bytes`
  int64_t alignment = 1; ///< of a buffer's offset, bytes
  /// Of a memory in banks, each with one access a cycle: rows of `bankRowBytes` are distributed
  /// cyclically over the groups, into the first bank of each group until it is full. 0: not known.
  int64_t bankBytes = 0, bankGroups = 0, bankRowBytes = 0;
  /// Of a memory that is read while it is written: cycles by which a cycle of both delays the
  /// transfer that reads, and the one that writes. 0: they do not meet.
  double readStall = 0, writeStall = 0;
  int64_t capacity() const { return bytes - reserved; }
};

/// A data path; time of a transfer = startup + max(rows * rowCycles, bytes / bytesPerCycle), in
/// cycles. Rows overlap with bytes: the request of a row overlaps with the transfer of earlier
/// rows.
struct Link {
  Pipe pipe = Pipe::mte2;
  double bytesPerCycle = 0; ///< a core; 0: the machine has no such path
  double startupCycles = 0;
  double rowCycles = 0; ///< for each row (burst) of the transfer, at the least
  /// A row that begins at no multiple of it is split into requests of so many bytes, each of which
  /// takes what a row takes (runtime/packets.h); 0: none is.
  int64_t requestBytes = 0;
};

/// Cost of one vector instruction over n elements: perElement * n + fixed, in cycles.
struct VectorCost {
  double perElement = 0, fixed = 0;
};

/// The figures in `Machine::vector`: those that the table of vector instructions names
/// (machines/vector_instructions.h), and "reduce_sum" and "reduce_max".
const std::vector<std::string> &vectorOperations();

struct Machine {
  std::string name;        ///< "ascend910b3"
  std::string description; ///< one line of text
  MachineKind kind = MachineKind::emulated;
  Topology topology = Topology::split;
  int64_t cubeCores = 1;          ///< blocks that can run at once
  int64_t vectorCoresPerCube = 1; ///< 2 on split chips
  double megahertz = 1000;

  std::map<Memory, MemoryDescription> memories;
  /// "gm_l1" "gm_ub" "l1_l0a" "l1_l0b" "l1_bt" "l0c_gm" "l0c_ub" "l0c_l1" "ub_gm" "ub_l1"; a chip
  /// leaves out the paths that it lacks. On a split chip l0c_ub is the path into one vector core.
  std::map<std::string, Link> links;
  double hbmBytesPerSecond = 0; ///< of the whole chip, shared by the active cores
  /// The same for what L2 writes back between reads; 0: as for reads.
  double hbmWriteBytesPerSecond = 0;
  /// Of one core, bytes a cycle: what the requests that it can have under way bring from HBM; 0:
  /// its port is the only limit.
  double hbmCoreBytesPerCycle = 0;
  int64_t l2Bytes = 0;
  double l2BytesPerCycle = 0; ///< of one core, on a hit
  /// Of all vector cores together, hit or miss; 0: their ports are the only limit.
  double l2VectorBytesPerSecond = 0;
  /// For each access to a line that several cores read at once, and are served one after the other;
  /// 0: no contention.
  double l2LineCycles = 0;
  /// Of more cores, no further ones are waited for: they have drifted apart. 0: no limit.
  int64_t l2LineSharers = 0;
  /// Whether a task finds in L2 what the same task before it has left there.
  bool l2Warm = false;
  int64_t packetBytes = 512; ///< global memory moves in packets; a short one costs a full one

  struct Cube {
    double startupCycles = 0;
    /// Multiply-accumulates a cycle, by operand type; 0: not supported.
    std::map<ElementType, int64_t> macsPerCycle;
    int64_t m = 16, n = 16;               ///< granularity of an instruction
    std::map<ElementType, int64_t> depth; ///< granularity along k
    int64_t maxExtent = 4095;             ///< of m, n and k of one instruction
  } cube;

  /// The load of windows of an image, L1 to L0A, in cycles for each fractal of 16 pixels and 32
  /// bytes of their channels.
  struct WindowLoad {
    double startupCycles = 50;
    double neighbours = 2;   ///< in one line of the image
    double lineCycles = 1;   ///< for each end of a line in it
    double strideCycles = 2; ///< for each step of a stride of 2, 4 or 8 columns beyond the first
    double strided = 16;     ///< with another stride
    /// Of one fractal, without ends of lines.
    double fractal(int64_t stride) const {
      if (stride != 1 && stride != 2 && stride != 4 && stride != 8)
        return strided;
      return neighbours + strideCycles * static_cast<double>(stride - 1);
    }
  } load3d;

  /// By operation, one of vectorOperations(); an emulated machine has all of them.
  std::map<std::string, VectorCost> vector;

  /// Leaky ReLU in the fixpipe of a split chip, on the way to results of f16.
  struct FixpipeLeakyRelu {
    int64_t slopeBits = 0; ///< of the f32 slope, from its sign on, that count; 0: there is none
    bool isUsed = false;   ///< whether kernels use it
  } fixpipeLeakyRelu;

  /// Of a vector unit that works on registers: instructions that follow each other are one
  /// function, which loads its operands once and stores its results once.
  struct VectorFunction {
    int64_t registers = 0; ///< 0: the vector unit works on UB
    int64_t registerBytes = 256;
    double startupCycles = 0, drainCycles = 0;
    double issued = 1, loads = 1, stores = 1; ///< a cycle: instructions, registers
  } function;
  bool hasVectorRegisters() const { return function.registers > 0; }
  /// Of a function over numbers of four bytes; `perElement`: of its instructions, each alone.
  VectorCost functionCost(double perElement, int64_t loaded, int64_t stored) const;

  double flagCycles = 1;
  double issueCycles = 1; ///< scalar unit, for one instruction
  /// Scalar unit, for an element of global memory that is not in its data cache.
  double scalarLoadCycles = 241;
  int64_t scalarLineBytes = 64; ///< that a line of this cache has
  int64_t queueDepth = 32;
  int64_t eventIds = 6; ///< usable ids for each ordered pair of pipes
  int64_t crossFlags = 16;
  /// A core that waits for a flag of the other kind of core issues nothing behind the wait, on any
  /// pipe, until the flag is up; else the wait holds its own pipe only.
  bool crossWaitHoldsCore = false;
  /// From where a core sets a flag to where the other kind of core sees it.
  double crossFlagCycles = 0;
  /// From the start of a task to its first instruction, and from its last to its end, together.
  double taskMicroseconds = 0;
  /// The same of a task that uses cube and vector cores of a split chip: as hand-written kernels
  /// and as those of the chip's libraries were measured, and which of the two counts. 0: as of any
  /// task.
  enum class MixedTask { handWritten, library };
  struct {
    double handWritten = 0, library = 0;
    MixedTask as = MixedTask::library;
  } mixedTask;
  double launchMicroseconds = 0; ///< before a task

  /// The source of each figure: "links.gm_l1.bytes_per_cycle" -> "ADK, derived". For `mmk machines
  /// NAME`.
  std::vector<std::pair<std::string, std::string>> sources;
  /// The figures by path as they stand after overrides, in file order: for `mmk machines NAME`.
  std::vector<std::pair<std::string, std::string>> figures;
  /// The legend of the words that sources begin with: "INI" -> "the platform_config files ...".
  std::vector<std::pair<std::string, std::string>> legend;

  const MemoryDescription &memory(Memory memory) const;
  bool has(const std::string &link) const { return links.count(link) != 0; }
};

/// `--machine-set PATH=VALUE`; a value of `*0.7` scales the figure.
struct MachineOverride {
  std::string path, value;
};

/// Loads `nameOrFile`: a name of a description in the machines folder, or a path of a JSON file
/// (it has a slash or ends in .json). Applies the overrides, then validates. The error is a
/// complete message for the user: the fault, its place in the file, what was expected.
llvm::Expected<Machine> loadMachine(const std::string &nameOrFile,
                                    const std::vector<MachineOverride> &overrides = {});

/// Names of the descriptions that come with mmk, sorted; "host" among them.
std::vector<std::string> machineNames();

} // namespace mmk
