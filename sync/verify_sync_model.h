// A phase as aicore-verify-sync explores it: the instructions and flags in program order, the loops
// and branches around them, and only the arithmetic on which slots, branches and loops depend.
#pragma once

#include "ir/aicore.h"
#include "sync/verify_sync_state.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace mmk::sync {

using aicore::Pipe;
using aicore::Unit;

/// One of the in-order pipes of a block. The vector cores of a block run the same program, so one
/// represents all of them.
struct PipeOf {
  Unit unit = Unit::cube_core;
  Pipe pipe = Pipe::scalar;
  bool operator<(const PipeOf &o) const { return std::tie(unit, pipe) < std::tie(o.unit, o.pipe); }
  bool operator==(const PipeOf &o) const { return unit == o.unit && pipe == o.pipe; }
};

/// A number that the exploration tracks; an index into its environment.
using ValueId = int;

enum class Kind : uint8_t {
  // value[result] from value[a] and value[b]
  constant,
  add,
  subtract,
  multiply,
  divide,
  ceilDivide,
  remainder,
  minimum,
  maximum,
  compare,
  select,
  unknown, ///< an integer of any value
  slot,    ///< value[a] modulo `number`, the copies
  // instructions and synchronisation
  access,
  setFlag,
  waitFlag,
  setCross,
  waitCross,
  barrier, ///< of all pipes of a unit, `joined`
  // structure
  loop,   ///< value[result] from value[a] to value[b] step `number`: children[0]
  branch, ///< by value[a]: children[0], children[1]
  cores,  ///< value[result] is the number of the vector core: children[0]
};

/// One copy of a buffer that an instruction accesses: event `event` + slot of its pipe.
struct Touch {
  unsigned buffer = 0, event = 0;
  ValueId slot = -1; ///< -1: the only one
  bool writes = false;
};

/// Marks an event or a cross-core flag that the machine lacks.
constexpr unsigned noFlag = ~0u;

struct Statement;
using Sequence = std::vector<Statement>;

struct Statement {
  Kind kind = Kind::unknown;
  mlir::Operation *op = nullptr;
  ValueId result = -1, a = -1, b = -1, c = -1;
  int64_t number = 0;
  unsigned pipe = 0;            ///< that executes
  std::vector<Touch> touches;   ///< of an access
  std::vector<unsigned> flags;  ///< of a set or wait, for the slots from `number` on ...
  int64_t firstFlag = 0;        ///< ... and the event or flag of the first
  std::vector<unsigned> joined; ///< pipes of a barrier
  std::vector<Sequence> children;
  bool isObserved = false;   ///< of a loop: its bound is used for more than to end it
  bool tellsFirst = false;   ///< of a loop: its first iteration may differ from the others
  std::vector<ValueId> uses; ///< of a loop: of the values from outside
  size_t scope = 0;          ///< the options of its value are explored up to here, exclusive

  /// The values that it uses itself, not in its children.
  template <typename Callback> void forEachUse(Callback callback) const {
    for (ValueId value : {a, b, c})
      if (value >= 0)
        callback(value);
    for (const Touch &touch : touches)
      if (touch.slot >= 0)
        callback(touch.slot);
  }
};

struct Buffer {
  aicore::AllocOp alloc; ///< null for a tensor in global memory
  int64_t part = 0;      ///< of the buffer's parts, which are distinguished
  mlir::Value value;
  int64_t copies = 1, bytes = 0, stride = 0, offset = 0;
  std::string name() const;
};

/// An event is a pipe's last access to a slot, or a set or wait of a flag.
struct Event {
  enum class What : uint8_t { reads, writes, set, wait } what = What::reads;
  unsigned of = 0; ///< buffer or flag
  int64_t slot = 0;
  unsigned pipe = 0;
};

struct Flag {
  bool isCross = false;
  bool toCube = false;       ///< of a cross-core flag: from the vector cores to the cube core
  unsigned from = 0, to = 0; ///< pipes, of a flag within a core
  int64_t id = 0;
  unsigned setEvent = 0, waitEvent = 0;
  std::vector<unsigned> setters, waiters; ///< pipes
};

class PhaseModel {
public:
  /// Reads a phase; messages go to the context's diagnostics. `anyNumber`: as if the machine had
  /// events and flags without end.
  static std::optional<PhaseModel> read(aicore::PhaseOp phase, bool anyNumber = false);

  aicore::PhaseOp phase;
  aicore::MachineAttr machine;
  Sequence body;
  Layout layout;
  std::vector<PipeOf> pipes;
  std::vector<Buffer> buffers;
  std::vector<Event> events;
  std::vector<Flag> flags;
  std::vector<Words> hazards; ///< by event: those that must have happened before, of other pipes
  unsigned values = 0;
  bool anyNumber = false;
  std::vector<std::pair<ValueId, mlir::Value>> inputs; ///< block arguments
  std::vector<int64_t> boundStep; ///< by value: step of the loop that it ends; 0: none
  /// By value: the modulus at which it decides slots; and the same for the iterations that it means
  /// as the bound of a loop.
  std::vector<int64_t> modulus, stepsModulus;
  int64_t ahead = 1;      ///< iterations by which loops look ahead to their end, plus 1
  int64_t mostCopies = 1; ///< of a buffer

  std::string describe(const PipeOf &pipe, bool withUnit) const;
  std::string describe(const Flag &flag) const;
};

/// Leaves out accesses that need no order with another pipe, and what only they used.
void pruneUnordered(PhaseModel &program);

/// Fills in `ahead`.
void findAhead(PhaseModel &program);

/// Fills in `modulus` and `stepsModulus`.
void findPeriods(PhaseModel &program);

/// Fills in `scope` and `uses`.
void findScopes(PhaseModel &program);

} // namespace mmk::sync
