// A round is an iteration of an outermost loop, mostly one output tile: in it a core moves a panel
// of each operand, which other cores may move too. The total of a panel's transfers takes few
// different values, so inner loops are interpreted once for each kind, and of the others only the
// first iteration, for the address of the panel.
#include "count/survey.h"

#include "count/run.h"

#include "llvm/Support/MathExtras.h"

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace mmk::count {
namespace {

/// The transfers to or from one tensor.
struct Moved {
  int64_t bytes = 0, distinct = 0, portCycles = 0, lines = 0;
  int64_t first = -1; ///< offset in the tensor of the first transfer
  int64_t least = -1; ///< the least offset of them
  int64_t end = 0;    ///< behind the last byte of all
  int64_t greatest = -1, transfers = 0;
  std::optional<Amount> last; ///< transfer
};

/// Charged bytes that a transfer has in common with the one before it, where both have runs that
/// are equally far apart, as those of windows.
int64_t overlap(const Amount &before, const Amount &it) {
  const int64_t bytes = it.runs * it.run, pitch = std::max(before.pitch, it.pitch);
  if (bytes <= 0 || (before.runs > 1 && it.runs > 1 && before.pitch != it.pitch))
    return 0;
  const int64_t shift = it.start - before.start,
                down = pitch > 0 ? llvm::divideFloorSigned(2 * shift + pitch, 2 * pitch) : 0,
                along = shift - down * pitch;
  const int64_t runs = std::min(before.runs, down + it.runs) - std::max<int64_t>(0, down),
                common = std::min(before.run, along + it.run) - std::max<int64_t>(0, along);
  if (runs <= 0 || common <= 0)
    return 0;
  return static_cast<int64_t>(static_cast<double>(it.amount) * static_cast<double>(runs * common) /
                              static_cast<double>(bytes));
}

/// By unit and by tensor, loads and stores apart: see `slotOf`. In a loop, unit 0 is the one that
/// entered it: the vector cores run loops of their own, and those of the cube core that are around
/// their work.
using Moves = std::map<std::pair<unsigned, int32_t>, Moved>;

int32_t slotOf(const Instruction &it) { return 2 * it.tensor + (it.loadsTensor() ? 0 : 1); }

/// Pieces of one core, in the order in which it moves them.
struct Panel {
  int64_t round = 0;
  int32_t slot = 0;
  Piece piece;
};
using Panels = std::vector<Panel>;

/// Beyond so many panels, the rest is extrapolated.
constexpr size_t mostPanels = 1 << 20;

/// The values that decide the transfers of a loop.
using Key = std::vector<int64_t>;
using KnownLoops = std::map<Key, Moves>;

class Surveyor {
public:
  Surveyor(const CountProgram &program, const std::vector<Cost> &ports, int64_t block, size_t units,
           size_t most, KnownLoops &known)
      : panels(units), program_(program), ports_(ports), block_(block), most_(most), known_(known) {
  }

  bool execute(unsigned unit, Pipe, const Instruction &it, Cost, Amount amount) {
    Moved &moved = (inLoop_      ? *inLoop_
                    : looksOnly_ ? seen_
                                 : current_)[{unit == loopUnit_ ? 0 : unit, slotOf(it)}];
    if (moved.first < 0)
      moved.first = moved.least = amount.start;
    if (!looksOnly_) {
      moved.least = std::min(moved.least, amount.start);
      moved.end = std::max(moved.end, amount.end);
      moved.bytes += amount.amount;
      moved.distinct += amount.amount - (moved.last ? overlap(*moved.last, amount) : 0);
      moved.transfers += moved.last && moved.last->start == amount.start ? 0 : 1;
      moved.greatest = std::max(moved.greatest, amount.start);
      moved.portCycles +=
          ports_[&it - program_.instructions.data()].cycles(amount.rows, amount.amount);
      // A row that is shorter than a line is an access of its own.
      moved.lines += std::max(amount.rows, amount.amount / program_.packet);
      moved.last = amount;
    }
    return true;
  }
  bool setFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool waitFlag(unsigned, Pipe, Pipe, int64_t) { return true; }
  bool setCross(unsigned, Pipe, int64_t) { return true; }
  bool waitCross(unsigned, Pipe, int64_t) { return true; }
  bool barrier(unsigned, std::optional<Pipe>) { return true; }

  using Interpreter = count::Interpreter<Surveyor>;
  LoopAction enter(Interpreter &interpreter, const Loop &loop) {
    if (inLoop_ || looksOnly_ || !interpreter.hasPositiveStep(loop))
      return LoopAction::interpret;
    return isInRound_ ? inner(interpreter, loop) : outermost(interpreter, loop);
  }

  /// Ends a round, whose moves become panels.
  void flush(int64_t round) {
    for (const auto &[key, moved] : current_)
      if (const auto [unit, slot] = key; moved.bytes > 0)
        panels[unit].push_back({round, slot, pieceOf(slot, moved)});
    current_.clear();
  }

  std::vector<Panels> panels; ///< by unit

private:
  /// From the least offset to one step behind the greatest.
  static int64_t extentOf(const Moved &moved) {
    const int64_t steps = moved.transfers - 1;
    return steps > 0 ? (moved.greatest - moved.least) / steps * (steps + 1) : 0;
  }
  Piece pieceOf(int32_t slot, const Moved &moved) const {
    const int32_t tensor = slot / 2;
    const uint64_t name = moved.least * program_.tensors.size() + tensor;
    return {name,
            moved.first - moved.least,
            moved.bytes,
            moved.distinct,
            moved.portCycles,
            moved.lines,
            tensor,
            slot % 2 == 0,
            extentOf(moved),
            moved.least,
            moved.end,
            /*core=*/0};
  }

  LoopAction outermost(Interpreter &interpreter, const Loop &loop) {
    // Rounds are numbered by loop, then by iteration, in the same way for all blocks.
    const int64_t rounds = static_cast<int64_t>(loop.enter) << 40;
    flush(rounds);
    isInRound_ = true;
    const Panels &mine = panels[interpreter.unit];
    int64_t round = rounds;
    do {
      if (!interpreter.body(loop)) {
        isInRound_ = false;
        return LoopAction::stop;
      }
      flush(++round);
    } while (interpreter.advance(loop) && (!loop.closed || mine.size() < most_));
    isInRound_ = false;
    return LoopAction::done;
  }

  LoopAction inner(Interpreter &interpreter, const Loop &loop) {
    if (!loop.closed)
      return LoopAction::interpret;
    // Skewed blocks take the same panel from different places on.
    Key key = {static_cast<int64_t>(loop.enter), block_};
    for (const Influence &it : loop.influences) {
      const int64_t value = interpreter.value(it.place);
      key.push_back(it.modulus == 0 ? value : value % it.modulus);
    }
    auto [entry, isNew] = known_.try_emplace(std::move(key));
    const unsigned own = loopUnit_ = interpreter.unit;
    const bool went =
        isNew ? isInterpreted(interpreter, loop, entry->second) : look(interpreter, loop);
    loopUnit_ = 0;
    if (!went) {
      if (isNew)
        known_.erase(entry);
      return LoopAction::stop;
    }
    for (const auto &[of, moved] : entry->second) {
      const auto [unit, slot] = of;
      // The first iteration may lack it; then it begins where the known loop does.
      const auto seen = seen_.find(of);
      Moved &all = current_[{unit == 0 ? own : unit, slot}];
      // Loops with equal work have equal panels, at other places.
      const int64_t first = isNew || seen == seen_.end() ? moved.first : seen->second.first,
                    least = first + (moved.least - moved.first);
      all.least = all.first < 0 ? least : std::min(all.least, least);
      if (all.first < 0)
        all.first = first;
      all.end = std::max(all.end, least + (moved.end - moved.least));
      all.bytes += moved.bytes;
      all.distinct += moved.distinct;
      all.transfers += moved.transfers;
      all.greatest = std::max(all.greatest, least + (moved.greatest - moved.least));
      all.portCycles += moved.portCycles;
      all.lines += moved.lines;
    }
    return LoopAction::done;
  }

  /// The places of the first transfers of a loop, in `seen_`.
  bool look(Interpreter &interpreter, const Loop &loop) {
    seen_.clear();
    looksOnly_ = true;
    const bool went = interpreter.body(loop);
    looksOnly_ = false;
    return went;
  }

  bool isInterpreted(Interpreter &interpreter, const Loop &loop, Moves &moves) {
    inLoop_ = &moves;
    bool went = true;
    do
      went = interpreter.body(loop);
    while (went && interpreter.advance(loop));
    inLoop_ = nullptr;
    return went;
  }

  const CountProgram &program_;
  const std::vector<Cost> &ports_; ///< by instruction
  int64_t block_;
  size_t most_;
  KnownLoops &known_;
  Moves current_;         ///< in this round
  Moves seen_;            ///< by the last look
  unsigned loopUnit_ = 0; ///< that entered the loop which is looked at
  Moves *inLoop_ = nullptr;
  bool isInRound_ = false, looksOnly_ = false;
};

/// Leaves the range of bytes to the pieces of tensors of which cores move parts that overlap, as
/// windows do: the same lines are in several pieces. Others are told apart by their names.
void keepRanges(std::vector<std::vector<Panels>> &ofBlocks, size_t tensors) {
  // Of rows that are apart the range says little.
  constexpr double dense = 0.75;
  using Range = std::pair<int64_t, int64_t>;
  std::vector<std::vector<Range>> ranges(tensors);
  std::vector<bool> overlaps(tensors);
  const auto isDense = [](const Piece &it) {
    return static_cast<double>(it.distinct) >= dense * static_cast<double>(it.end - it.begin);
  };
  const auto forEach = [&](auto visit) {
    for (std::vector<Panels> &units : ofBlocks)
      for (Panels &panels : units)
        for (Panel &panel : panels)
          visit(panel.piece);
  };
  forEach([&](const Piece &it) {
    if (it.isLoad && isDense(it))
      ranges[it.tensor].emplace_back(it.begin, it.end);
  });
  for (size_t tensor = 0; tensor < tensors; ++tensor) {
    std::vector<Range> &all = ranges[tensor];
    std::ranges::sort(all);
    const auto same = std::ranges::unique(all);
    all.erase(same.begin(), same.end());
    overlaps[tensor] = std::ranges::adjacent_find(all, [](const Range &x, const Range &y) {
                         return y.first < x.second;
                       }) != all.end();
  }
  forEach([&](Piece &it) {
    if (!overlaps[it.tensor] || !isDense(it))
      it.begin = it.end = 0;
  });
}

int64_t bytesOf(const TensorShape &shape, const std::vector<int64_t> &values) {
  int64_t bytes = shape.elementBytes;
  for (int32_t extent : shape.extents)
    bytes *= values[extent];
  return bytes;
}

/// Of one tensor, or of all: bytes, what is moved several times counted once.
struct Traffic {
  int64_t loaded = 0, stored = 0;
  bool staysInL2 = false;
};

/// What the cores of both kinds move, round by round.
class Rounds {
public:
  void add(Panels panels, bool ofVectorCore) {
    if (panels.empty())
      return;
    const auto number = static_cast<int32_t>(cores_.size());
    for (Panel &panel : panels) {
      panel.piece.core = number;
      panel.piece.ofVectorCore = ofVectorCore;
      numbers_[ofVectorCore].push_back(panel.round);
    }
    cores_.push_back({std::move(panels), 0, ofVectorCore});
  }

  /// Both kinds work from the beginning of the phase to its end: of the one with fewer rounds, each
  /// lies beside several of the other's.
  void align() {
    for (std::vector<int64_t> &numbers : numbers_) {
      std::ranges::sort(numbers);
      const auto same = std::ranges::unique(numbers);
      numbers.erase(same.begin(), same.end());
    }
    const size_t most = std::max(numbers_[0].size(), numbers_[1].size());
    for (Core &core : cores_) {
      const std::vector<int64_t> &numbers = numbers_[core.ofVectorCore];
      size_t at = 0;
      for (Panel &panel : core.panels) {
        while (numbers[at] < panel.round)
          ++at;
        panel.round = static_cast<int64_t>(at * most / numbers.size());
      }
    }
  }

  /// Calls `visit` with every piece.
  void forEach(llvm::function_ref<void(Piece &)> visit) {
    for (Core &core : cores_)
      for (Panel &panel : core.panels)
        visit(panel.piece);
  }

  void pass(GlobalMemory &memory) {
    for (Core &core : cores_)
      core.next = 0;
    std::vector<Piece> pieces;
    while (true) {
      int64_t round = std::numeric_limits<int64_t>::max();
      for (const Core &core : cores_)
        if (core.next < core.panels.size())
          round = std::min(round, core.panels[core.next].round);
      pieces.clear();
      for (Core &core : cores_)
        for (; core.next < core.panels.size() && core.panels[core.next].round == round; ++core.next)
          pieces.push_back(core.panels[core.next].piece);
      if (pieces.empty())
        return;
      memory.addRound(pieces);
    }
  }

private:
  struct Core {
    Panels panels;
    size_t next = 0;
    bool ofVectorCore = false;
  };

  std::vector<Core> cores_;
  std::array<std::vector<int64_t>, 2> numbers_; ///< of rounds, of cube and of vector cores
};

} // namespace

GlobalMemory survey(const CountProgram &program, const Machine &machine, int64_t blocks) {
  std::vector<Cost> ports;
  const GlobalMemory alone(machine);
  for (const Instruction &it : program.instructions) {
    Link link = it.link ? *it.link : Link();
    link.startupCycles = 0;
    ports.push_back(it.link ? alone.port(link) : Cost());
  }
  KnownLoops known;
  const size_t units = 1 + machine.vectorCoresPerCube;
  std::vector<std::vector<Panels>> panels;
  std::vector<int64_t> values;
  for (int64_t block = 0; block < blocks; ++block) {
    Surveyor surveyor(program, ports, block, units, mostPanels / blocks, known);
    run(program, values, block, surveyor);
    surveyor.flush(std::numeric_limits<int64_t>::max());
    panels.push_back(std::move(surveyor.panels));
  }
  keepRanges(panels, program.tensors.size());
  Rounds rounds;
  for (std::vector<Panels> &ofBlock : panels)
    for (size_t unit = 0; unit < ofBlock.size(); ++unit)
      rounds.add(std::move(ofBlock[unit]), unit > 0);
  rounds.align();

  std::vector<Traffic> traffic(program.tensors.size());
  rounds.forEach([&](Piece &it) {
    (it.isLoad ? traffic[it.tensor].loaded : traffic[it.tensor].stored) += it.distinct;
  });
  Traffic all;
  for (auto [of, shape] : llvm::zip(traffic, program.tensors)) {
    const int64_t bytes = bytesOf(shape, values);
    of.staysInL2 = shape.workspace && bytes <= machine.l2Bytes;
    if (of.staysInL2)
      continue;
    // A tensor of other phases is moved there.
    all.loaded += of.loaded + of.stored == 0 ? bytes : std::min(bytes, of.loaded);
    all.stored += std::min(bytes, of.stored);
  }
  rounds.forEach([&](Piece &it) { it.staysInL2 = traffic[it.tensor].staysInL2; });

  GlobalMemory memory(machine, writtenBack(machine, static_cast<double>(all.loaded),
                                           static_cast<double>(all.stored)));
  for (int64_t task = machine.l2Warm ? 0 : 1; task < 2; ++task) {
    memory.beginAgain();
    rounds.pass(memory);
    memory.settle();
  }
  return memory;
}

} // namespace mmk::count
