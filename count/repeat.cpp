#include "count/repeat.h"

namespace mmk::count {
namespace {

/// Records an iteration: its instructions with the data for their costs, its flags, and the values
/// that its inner loops depend on.
class WorkList {
public:
  bool execute(unsigned, Pipe, const Instruction &it, Cost, Amount amount) {
    const int64_t number = &it - program.instructions.data();
    list.append({number, amount.rows, amount.amount});
    return true;
  }
  bool setFlag(unsigned, Pipe from, Pipe to, int64_t event) {
    return control(StepKind::setFlag, from, to, event);
  }
  bool waitFlag(unsigned, Pipe from, Pipe to, int64_t event) {
    return control(StepKind::waitFlag, from, to, event);
  }
  bool setCross(unsigned, Pipe pipe, int64_t flag) {
    return control(StepKind::setCross, pipe, pipe, flag);
  }
  bool waitCross(unsigned, Pipe pipe, int64_t flag) {
    return control(StepKind::waitCross, pipe, pipe, flag);
  }
  bool barrier(unsigned, std::optional<Pipe> pipe) {
    const Pipe first = pipe.value_or(Pipe::scalar);
    return control(pipe ? StepKind::barrier : StepKind::barrierOfAll, first, first, 0);
  }

  LoopAction enter(Interpreter<WorkList> &interpreter, const Loop &loop) {
    if (!loop.closed || !interpreter.hasPositiveStep(loop))
      return LoopAction::interpret;
    list.append({-1, static_cast<int64_t>(loop.enter)});
    for (const Influence &it : loop.influences) {
      const int64_t value = interpreter.value(it.place);
      list.push_back(it.modulus == 0 ? value : value % it.modulus);
    }
    return LoopAction::done;
  }

  const CountProgram &program;
  llvm::SmallVector<int64_t, 256> list = {};

private:
  bool control(StepKind kind, Pipe from, Pipe to, int64_t event) {
    list.append({-2 - static_cast<int64_t>(kind),
                 static_cast<int64_t>(from) << 8 | static_cast<int64_t>(to), event});
    return true;
  }
};

/// Fewer iterations than these say nothing about a loop.
constexpr int64_t sample = 256;

} // namespace

uint32_t KnownIterations::Names::of(llvm::ArrayRef<int64_t> list) {
  const auto found = names_.find(list);
  if (found != names_.end())
    return found->second;
  const llvm::ArrayRef<int64_t> kept = list.copy(allocator_);
  lists_.push_back(kept);
  return names_[kept] = lists_.size() - 1;
}

const KnownIterations::Effect *KnownIterations::find(const Loop &loop, uint32_t state,
                                                     uint32_t work) {
  const auto found = effects_.find({state, work});
  Use &use = useOf_[numberOf(loop)];
  ++(found == effects_.end() ? use.misses : use.hits);
  return found == effects_.end() ? nullptr : &found->second;
}

bool KnownIterations::areAlike(const Loop &loop) const {
  const Use &use = useOf_[numberOf(loop)];
  return use.misses < sample || use.hits > use.misses;
}

// Iterations of an innermost loop are too short to be worth looking up.
LoopAction RepeatingCore::enter(Interpreter &interpreter, const Loop &loop) {
  if (!loop.closed || loop.innermost || !interpreter.hasPositiveStep(loop) ||
      !known_.areAlike(loop))
    return LoopAction::interpret;
  const Units units = loop.staysOnItsCore ? Units{interpreter.unit, 1} : Units{0, this->units()};
  held_.clear();
  int64_t base = save(units, held_);
  uint32_t state = known_.states.of(held_);
  bool isCurrent = true;
  do {
    WorkList work{known_.program};
    work.list.append({static_cast<int64_t>(loop.enter), interpreter.unit});
    count::Interpreter<WorkList> reader(known_.program, interpreter.values(), work);
    reader.unit = interpreter.unit;
    // An iteration that cannot be recorded cannot be run either: running it reports the error.
    const bool isKnown = reader.body(loop);
    const uint32_t name = isKnown ? known_.works.of(work.list) : 0;
    const KnownIterations::Effect *effect = isKnown ? known_.find(loop, state, name) : nullptr;
    if (effect) {
      addBusy(effect->busy);
      moved_ += effect->moved;
      base += effect->cycles;
      state = effect->state;
      isCurrent = false;
      continue;
    }
    if (!isCurrent)
      restore(units, known_.states[state], base);
    isCurrent = true;
    KnownIterations::Effect made;
    busy(made.busy);
    made.moved = -moved_;
    if (!interpreter.body(loop))
      return LoopAction::stop;
    held_.clear();
    busy(held_);
    for (size_t i = 0; i < held_.size(); ++i)
      made.busy[i] = held_[i] - made.busy[i];
    made.moved += moved_;
    held_.clear();
    const int64_t after = save(units, held_);
    made.cycles = after - base;
    made.state = known_.states.of(held_);
    base = after;
    const uint32_t before = std::exchange(state, made.state);
    known_.add(before, name, std::move(made));
  } while (interpreter.advance(loop));
  if (!isCurrent)
    restore(units, known_.states[state], base);
  return LoopAction::done;
}

} // namespace mmk::count
