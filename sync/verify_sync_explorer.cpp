#include "sync/verify_sync_explorer.h"

#include "sync/verify_sync_number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;

namespace mmk::sync {
namespace {

constexpr unsigned mostCrossSets = 15;
/// The limit of steps and comparisons, of single states where they differ; some seconds of work for
/// the proofs of one kernel.
constexpr int64_t mostSteps = 12'000'000;
/// The limit of states of one point; comparing them pairwise takes time, too.
constexpr size_t mostStates = 1000;

/// A number, and its relation to the loops around it.
struct Known {
  Number number;
  int loop = -1;      ///< it is this loop's counter (by depth) ...
  int64_t offset = 0; ///< ... plus this
  int64_t step = 0;   ///< 0, or: a loop with this step from 0 to here ...
  Number steps;       ///< ... has these iterations
};

/// Iterations left at the head of a loop, and those done.
struct Head {
  enum class Left : uint8_t {
    exactly, ///< n
    many,    ///< at least Explorer::distance, and n modulo Moduli::left
    some,    ///< one or more; the body does not depend on their number
  } left = Left::exactly;
  int64_t n = 0;
  bool isCounted = true; ///< done exactly; else modulo Moduli::done
  int64_t done = 0;
  auto key() const { return std::tuple(left, n, isCounted, done); }
  bool operator<(const Head &other) const { return key() < other.key(); }
};

/// The moduli of a loop's iterations that matter.
struct Moduli {
  int64_t left = 1, done = 1;
};

/// The options of an exploration.
struct Manner {
  bool merges = false;   ///< as Layout::merges
  bool namesOps = false; ///< as Layout::namesOps
  /// A single path: a value that is split takes its option of this number, or the last.
  std::optional<size_t> sample = {};
};

struct ActiveLoop {
  ValueId bound;
  int64_t step;
  bool fromZero;
  Number left;
};

class Explorer {
public:
  Explorer(const PhaseModel &program, const llvm::DenseSet<Operation *> &without, Manner manner)
      : p(program), layout(program.layout), without(without), sample(manner.sample),
        distance(program.ahead), environment(program.values) {
    layout.merges = manner.merges;
    layout.namesOps = manner.namesOps;
  }

  std::optional<Fault> run() {
    States states(layout);
    states.addFirst();
    bindInputs(0, states);
    return fault;
  }

private:
  void bindInputs(size_t from, States &states);
  void sequence(const Sequence &statements, size_t from, size_t until, States &states);
  void sequence(const Sequence &statements, States &states) {
    sequence(statements, 0, statements.size(), states);
  }
  /// Follows the statements from `from` up to `until` once for each of the values.
  void fork(const Sequence &statements, size_t from, size_t until, ValueId value,
            ArrayRef<Known> options, States &states);
  void loop(const Statement &s, States &states);
  /// The states at the end of a loop, iteration by iteration.
  void follow(const Statement &s, States &states);
  Words key(const Statement &s, const States &states) const;
  /// Iterations one by one, of a loop with exactly this many.
  void iterate(const Statement &s, int64_t iterations, States &states);
  void body(const Statement &s, Number left, Number done, States &states);
  void branch(const Sequence &statements, size_t at, States &states);

  Known evaluate(const Statement &s) const;
  Number difference(ValueId x, ValueId y) const;
  SmallVector<Known> optionsOf(ValueId value, Known known) const;
  SmallVector<Known> split(Known known, int64_t step, int64_t period) const;
  /// The successor states. There are none on a path that no dimensions take.
  ArrayRef<Known> explored(ArrayRef<Known> options) const {
    return sample && !options.empty()
               ? options.slice(std::min<size_t>(*sample, options.size() - 1), 1)
               : options;
  }
  /// Numbers of iterations below this are distinguished, if there are no others.
  int64_t mostExact() const { return std::max<int64_t>(3 * distance, 8); }
  int64_t sampleOf(Number iterations) const;
  void successors(const Head &head, Moduli moduli, SmallVectorImpl<Head> &next, bool &ends) const;

  void execute(const Statement &s, State state);
  bool flagOf(const Statement &s, unsigned &flag);
  void access(const Statement &s, State state);
  void set(const Statement &s, unsigned flag, State state);
  void wait(const Statement &s, unsigned flag, State state);
  void finish(States &states);
  void fail(Fault found) {
    if (!fault)
      fault = found;
  }

  const PhaseModel &p;
  Layout layout;
  const llvm::DenseSet<Operation *> &without;
  const std::optional<size_t> sample;
  /// The number of iterations left from which on a comparison with the bound is constant.
  const int64_t distance;
  std::vector<Known> environment;
  SmallVector<ActiveLoop> loops;
  std::optional<Fault> fault;
  int64_t steps = 0;
  /// By loop and key, the states at its end.
  std::map<const Statement *, std::map<Words, States>> remembered;
  size_t entries = 0; ///< of `remembered`
};

//===--- numbers --------------------------------------------------------------------------===//

/// x - y; of a loop's bound and its counter, by the iterations that are left.
Number Explorer::difference(ValueId x, ValueId y) const {
  const Known &a = environment[x], &b = environment[y];
  if (b.loop >= 0 && loops[b.loop].bound == x && loops[b.loop].fromZero) {
    const ActiveLoop &loop = loops[b.loop];
    const Number left = loop.left, step = Number::exactly(loop.step);
    const int64_t low = multiply(subtract(left, Number::exactly(1)), step).lo + 1,
                  high = multiply(left, step).hi;
    return subtract(Number::between(low, high), Number::exactly(b.offset));
  }
  if (a.loop >= 0 && loops[a.loop].bound == y) {
    const Number back = difference(y, x);
    return subtract(Number::exactly(0), back);
  }
  if (a.loop >= 0 && a.loop == b.loop)
    return Number::exactly(a.offset - b.offset);
  return subtract(a.number, b.number);
}

/// Whether `x - y` compares like this with 0; between 0 and 1 when it may or may not.
Number compare(arith::CmpIPredicate predicate, Number x) {
  auto known = [](bool always, bool never) {
    return always ? Number::exactly(1) : never ? Number::exactly(0) : Number::between(0, 1);
  };
  const bool isZero = x.isExact() && x.lo == 0, isNever = x.lo > 0 || x.hi < 0;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return known(isZero, isNever);
  case arith::CmpIPredicate::ne:
    return known(isNever, isZero);
  case arith::CmpIPredicate::slt:
    return known(x.hi < 0, x.lo >= 0);
  case arith::CmpIPredicate::sle:
    return known(x.hi <= 0, x.lo > 0);
  case arith::CmpIPredicate::sgt:
    return known(x.lo > 0, x.hi <= 0);
  case arith::CmpIPredicate::sge:
    return known(x.lo >= 0, x.hi < 0);
  default:
    return Number::between(0, 1);
  }
}

Known Explorer::evaluate(const Statement &s) const {
  auto value = [&](ValueId id) -> const Known & { return environment[id]; };
  Known result;
  switch (s.kind) {
  case Kind::constant:
    result.number = Number::exactly(s.number);
    break;
  case Kind::add:
    result.number = add(value(s.a).number, value(s.b).number);
    for (auto [x, y] : {std::pair(s.a, s.b), std::pair(s.b, s.a)})
      if (value(x).loop >= 0 && value(y).number.isExact()) {
        result.loop = value(x).loop;
        result.offset = value(x).offset + value(y).number.lo;
      }
    break;
  case Kind::subtract: {
    const Number known = difference(s.a, s.b);
    result.number = subtract(value(s.a).number, value(s.b).number).within(known.lo, known.hi);
    break;
  }
  case Kind::multiply:
    result.number = multiply(value(s.a).number, value(s.b).number);
    break;
  case Kind::divide:
    result.number = divide(value(s.a).number, s.number, /*up=*/false);
    break;
  case Kind::ceilDivide:
    result.number = value(s.a).step == s.number ? value(s.a).steps
                                                : divide(value(s.a).number, s.number, /*up=*/true);
    break;
  case Kind::remainder:
    result.number = remainder(value(s.a).number, s.number);
    break;
  case Kind::minimum:
    result.number = minimum(value(s.a).number, value(s.b).number);
    break;
  case Kind::maximum:
    result.number = maximum(value(s.a).number, value(s.b).number);
    break;
  case Kind::compare:
    result.number = compare(static_cast<arith::CmpIPredicate>(s.number), difference(s.a, s.b));
    break;
  case Kind::select:
    result.number = !value(s.a).number.isExact() ? either(value(s.b).number, value(s.c).number)
                                                 : value(value(s.a).number.lo ? s.b : s.c).number;
    break;
  case Kind::slot: {
    const Number index = value(s.a).number;
    result.number = index.knowsModulo(s.number) ? Number::exactly(modulo(index.rem, s.number))
                                                : Number::between(0, s.number - 1);
    break;
  }
  default:
    break;
  }
  return result;
}

SmallVector<Known> Explorer::split(Known known, int64_t step, int64_t period) const {
  const Number number = known.number;
  const bool isEndless = number.hi >= Number::unbounded;
  const int64_t least = number.lo <= 0 ? 0 : ceilDiv(number.lo, step),
                most =
                    isEndless ? Number::unbounded : std::max<int64_t>(0, ceilDiv(number.hi, step));
  SmallVector<Known> options;
  auto option = [&](Number steps, int64_t low, int64_t high) {
    Known one = known;
    one.number = (step == 1 ? steps : number).within(low, high);
    one.step = step;
    one.steps = steps;
    options.push_back(one);
  };
  auto exactly = [&](int64_t n) {
    option(Number::exactly(n), n == 0 ? -Number::unbounded : (n - 1) * step + 1, n * step);
  };
  if (least == most || most <= mostExact()) {
    for (int64_t n = least; n <= most; ++n)
      exactly(n);
    return options;
  }
  for (int64_t n = least; n < distance; ++n)
    exactly(n);
  for (int64_t rest = 0; rest < period; ++rest) {
    const int64_t from = std::max(least, distance);
    const int64_t first = from + modulo(rest - from, period);
    if (first <= most)
      option(Number::from(first, period, rest), (first - 1) * step + 1, number.hi);
  }
  return options;
}

SmallVector<Known> Explorer::optionsOf(ValueId value, Known known) const {
  if (int64_t step = p.boundStep[value])
    return split(known, step, p.stepsModulus[value]);
  return {known};
}

//===--- control flow ---------------------------------------------------------------------===//

void Explorer::bindInputs(size_t from, States &states) {
  if (from == p.inputs.size()) {
    sequence(p.body, states);
    if (!fault)
      finish(states);
    return;
  }
  auto [id, argument] = p.inputs[from];
  Known known;
  Operation *owner = argument.getParentBlock()->getParentOp();
  if (auto kernel = dyn_cast<aicore::KernelOp>(owner))
    known.number = Number::between(1, Number::unbounded); // a dimension
  else
    known.number = Number::between(0, p.phase->getParentOfType<aicore::KernelOp>().getCores() - 1);
  const SmallVector<Known> options = optionsOf(id, known);
  for (const Known &option : explored(options)) {
    if (fault)
      return;
    environment[id] = option;
    States own = states;
    bindInputs(from + 1, own);
  }
}

void Explorer::fork(const Sequence &statements, size_t from, size_t until, ValueId value,
                    ArrayRef<Known> options, States &states) {
  const Known before = environment[value];
  States ends(layout);
  for (const Known &option : explored(options)) {
    if (fault)
      return;
    environment[value] = option;
    States own = states;
    sequence(statements, from, until, own);
    steps += ends.addAll(own);
    if (ends.size() > mostStates)
      return fail({.what = Fault::What::tooMany, .op = p.phase});
  }
  environment[value] = before;
  states = std::move(ends);
}

void Explorer::sequence(const Sequence &statements, size_t from, size_t until, States &states) {
  for (size_t at = from; at < until && !fault; ++at) {
    const Statement &s = statements[at];
    if (++steps > mostSteps)
      return fail({.what = Fault::What::tooMany, .op = p.phase});
    switch (s.kind) {
    case Kind::access:
    case Kind::setFlag:
    case Kind::waitFlag:
    case Kind::setCross:
    case Kind::waitCross:
    case Kind::barrier:
      if (without.contains(s.op))
        break;
      for (size_t i = 0; i < states.size() && !fault; ++i)
        execute(s, states[i]);
      break;
    case Kind::loop:
      loop(s, states);
      break;
    case Kind::branch: {
      const Number condition = environment[s.a].number;
      if (!condition.isExact()) {
        Known no, yes;
        no.number = Number::exactly(0);
        yes.number = Number::exactly(1);
        fork(statements, at, s.scope, s.a, {yes, no}, states);
        at = s.scope - 1;
        break;
      }
      sequence(s.children[condition.lo ? 0 : 1], states);
      break;
    }
    case Kind::cores:
      environment[s.result] = Known();
      environment[s.result].number = Number::between(0, s.number - 1);
      sequence(s.children[0], states);
      break;
    default: {
      Known known = evaluate(s);
      const bool isOpenSlot = s.kind == Kind::slot && !known.number.isExact();
      if (p.boundStep[s.result] == 0 && !isOpenSlot) { // nearly always
        environment[s.result] = known;
        break;
      }
      SmallVector<Known> options;
      if (!isOpenSlot)
        options = optionsOf(s.result, known);
      for (int64_t slot = 0; isOpenSlot && slot < s.number; ++slot) {
        known.number = Number::exactly(slot);
        options.push_back(known);
      }
      if (options.size() == 1) {
        environment[s.result] = options[0];
        break;
      }
      fork(statements, at + 1, s.scope, s.result, options, states);
      at = s.scope - 1;
      break;
    }
    }
  }
}

/// The possible next heads, and whether the loop may end instead.
void Explorer::successors(const Head &head, Moduli moduli, SmallVectorImpl<Head> &next,
                          bool &ends) const {
  Head following = head;
  // In a loop without a known end, at most the first iteration is distinguished.
  following.isCounted = head.isCounted && head.left == Head::Left::exactly;
  following.done = following.isCounted ? head.done + 1 : modulo(head.done + 1, moduli.done);
  ends = false;
  auto leaves = [&](Head::Left left, int64_t n) {
    following.left = left;
    following.n = n;
    if (left == Head::Left::exactly && n == 0)
      ends = true;
    else
      next.push_back(following);
  };
  switch (head.left) {
  case Head::Left::exactly:
    leaves(Head::Left::exactly, head.n - 1);
    break;
  case Head::Left::many:
    leaves(Head::Left::many, modulo(head.n - 1, moduli.left));
    if (modulo(distance, moduli.left) == head.n)
      leaves(Head::Left::exactly, distance - 1);
    break;
  case Head::Left::some:
    ends = true;
    leaves(Head::Left::some, 0);
    break;
  }
}

/// A small number of iterations after which every slot was reused. A loop with more is equivalent
/// to one with as many modulo what the rest of the program distinguishes.
int64_t Explorer::sampleOf(Number iterations) const {
  const int64_t by = std::max<int64_t>(iterations.mod, 1);
  const int64_t least = std::clamp<int64_t>(iterations.lo, 0, p.mostCopies);
  int64_t n = least + modulo(iterations.rem - least, by);
  while (n < p.mostCopies && n + by <= iterations.hi)
    n += by;
  return n;
}

void Explorer::body(const Statement &s, Number left, Number done, States &states) {
  const Number lower = environment[s.a].number;
  Known counter;
  counter.number = add(lower, multiply(done, Number::exactly(s.number)));
  counter.loop = loops.size();
  environment[s.result] = counter;
  loops.push_back({s.b, s.number, lower.isExact() && lower.lo == 0, left});
  sequence(s.children[0], states);
  loops.pop_back();
}

void Explorer::iterate(const Statement &s, int64_t iterations, States &states) {
  for (int64_t done = 0; done < iterations && !fault; ++done)
    body(s, Number::exactly(iterations - done), Number::exactly(done), states);
}

/// All that the states at the end of a loop depend on: those at its begin, and the values that it
/// uses, with their relation to the loops around it.
Words Explorer::key(const Statement &s, const States &states) const {
  Words key;
  const auto append = [&](const Number &number) {
    for (const int64_t word : {number.lo, number.hi, number.mod, number.rem})
      key.push_back(word);
  };
  for (const ValueId value : s.uses) {
    const Known &known = environment[value];
    append(known.number);
    key.push_back(known.step);
    if (known.step != 0)
      append(known.steps);
    key.push_back(known.loop);
    if (known.loop < 0)
      continue;
    const ActiveLoop &loop = loops[known.loop];
    key.insert(key.end(), {static_cast<uint64_t>(known.offset), static_cast<uint64_t>(loop.step),
                           static_cast<uint64_t>(loop.fromZero)});
    append(loop.left);
  }
  key.insert(key.end(), states.words().begin(), states.words().end());
  return key;
}

// The options of values outside of a loop mostly make no difference to it. So loops within loops
// are entered again and again with the same values and states.
void Explorer::loop(const Statement &s, States &states) {
  constexpr size_t mostRemembered = 8;    // states; with more, they are rarely the same
  constexpr size_t mostEntries = 1 << 16; // some hundred MB
  if (sample || states.size() > mostRemembered)
    return follow(s, states);
  Words begin = key(s, states);
  std::map<Words, States> &ends = remembered[&s];
  if (const auto found = ends.find(begin); found != ends.end()) {
    states = found->second;
    return;
  }
  follow(s, states);
  if (!fault && states.size() <= mostRemembered && entries++ < mostEntries)
    ends.emplace(std::move(begin), states);
}

void Explorer::follow(const Statement &s, States &states) {
  const Known &bound = environment[s.b], &lower = environment[s.a];
  const bool fromZero = lower.number.isExact() && lower.number.lo == 0;
  Number iterations =
      fromZero && bound.step == s.number
          ? bound.steps
          : divide(maximum(subtract(bound.number, lower.number), Number::exactly(0)), s.number,
                   /*up=*/true);
  if (iterations.isExact() && iterations.lo <= mostExact())
    return iterate(s, iterations.lo, states);
  if (sample)
    return iterate(s, sampleOf(iterations), states);
  const int64_t modulus = p.modulus[s.result];
  const Moduli moduli{p.stepsModulus[s.b], modulus / std::gcd(modulus, s.number)};
  // By head, its states, and those of them that have not been followed yet.
  std::map<Head, std::pair<States, States>> heads;
  States exits(layout);
  auto arrive = [&](const Head &head, States &arriving) {
    auto &[known, news] = heads.try_emplace(head, layout, layout).first->second;
    steps += known.addAll(arriving, &news);
    if (known.size() > mostStates)
      fail({.what = Fault::What::tooMany, .op = p.phase});
  };

  if (iterations.lo <= 0)
    steps += exits.addAll(states);
  const int64_t least = std::max<int64_t>(1, iterations.lo);
  if (iterations.hi <= mostExact()) {
    for (int64_t n = least; n <= iterations.hi; ++n)
      arrive({Head::Left::exactly, n, true, 0}, states);
  } else if (!s.isObserved) {
    arrive({Head::Left::some, 0, s.tellsFirst, 0}, states);
  } else {
    for (int64_t n = least; n < distance; ++n)
      arrive({Head::Left::exactly, n, true, 0}, states);
    for (int64_t rest = 0; rest < moduli.left; ++rest)
      if (!iterations.knowsModulo(moduli.left) || modulo(iterations.rem, moduli.left) == rest)
        arrive({Head::Left::many, rest, s.tellsFirst, 0}, states);
  }

  for (bool isOpen = true; isOpen && !fault;) {
    isOpen = false;
    for (auto &[head, states] : heads) {
      if (states.second.empty())
        continue;
      isOpen = true;
      States arrived = std::exchange(states.second, States(layout));
      const Number left = head.left == Head::Left::exactly ? Number::exactly(head.n)
                          : head.left == Head::Left::many
                              ? Number::from(distance, moduli.left, head.n)
                              : Number::between(1, Number::unbounded);
      const int64_t least = s.tellsFirst ? 1 : 0;
      const Number done =
          head.isCounted ? Number::exactly(head.done) : Number::from(least, moduli.done, head.done);
      body(s, left, done, arrived);
      if (fault)
        return;
      SmallVector<Head> next;
      bool ends = false;
      successors(head, moduli, next, ends);
      if (ends)
        steps += exits.addAll(arrived);
      for (const Head &following : next)
        arrive(following, arrived);
    }
  }
  states = std::move(exits);
}

//===--- instructions ---------------------------------------------------------------------===//

void Explorer::execute(const Statement &s, State state) {
  ++steps;
  if (s.kind == Kind::access)
    return access(s, state);
  if (s.kind == Kind::barrier)
    return state.join(s.joined);
  const Number slot = environment[s.a].number;
  if (!slot.isExact())
    return fail({.what = Fault::What::badSlot, .op = s.op});
  const unsigned flag = s.flags[slot.lo - s.number];
  if (flag == noFlag)
    return fail(
        {.what = Fault::What::noFlag, .op = s.op, .number = s.firstFlag + slot.lo - s.number});
  if (s.kind == Kind::setFlag || s.kind == Kind::setCross)
    set(s, flag, state);
  else
    wait(s, flag, state);
}

void Explorer::access(const Statement &s, State state) {
  auto eventOf = [&](const Touch &touch) {
    return touch.event + (touch.slot < 0 ? 0 : environment[touch.slot].number.lo);
  };
  for (const Touch &touch : s.touches) {
    const Number slot = touch.slot < 0 ? Number::exactly(0) : environment[touch.slot].number;
    if (!slot.isExact() || slot.lo < 0 || slot.lo >= p.buffers[touch.buffer].copies)
      return fail({.what = Fault::What::badSlot, .op = s.op, .event = touch.event});
    const unsigned event = eventOf(touch);
    const int unknown = state.firstUnknown(s.pipe, p.hazards[event].data());
    if (unknown >= 0)
      return fail({.what = Fault::What::race,
                   .op = s.op,
                   .other = state.last(unknown),
                   .event = event,
                   .otherEvent = static_cast<unsigned>(unknown),
                   .pipe = s.pipe});
  }
  for (const Touch &touch : s.touches)
    state.happen(s.pipe, eventOf(touch), s.op);
}

void Explorer::set(const Statement &s, unsigned number, State state) {
  const Flag &flag = p.flags[number];
  auto wrong = [&](Fault::What what, unsigned event) {
    fail({.what = what, .op = s.op, .other = state.last(event), .flag = number, .pipe = s.pipe});
  };
  const bool comesAfterWait = state.knows(s.pipe, flag.waitEvent);
  if (flag.isCross) {
    if (!state.knows(s.pipe, flag.setEvent))
      return wrong(Fault::What::unordered, flag.setEvent);
    if (comesAfterWait)
      state.forgetLateWaits(number);
    if (state.sets(number) + state.lateWaits(number) >= mostCrossSets)
      return wrong(Fault::What::overflow, flag.setEvent);
    state.happen(s.pipe, flag.setEvent, s.op);
  } else {
    if (state.sets(number) > 0)
      return wrong(Fault::What::setTwice, flag.setEvent);
    if (!comesAfterWait)
      return wrong(Fault::What::setEarly, flag.waitEvent);
    state.note(flag.setEvent, s.op);
  }
  state.set(number, s.pipe);
}

void Explorer::wait(const Statement &s, unsigned number, State state) {
  const Flag &flag = p.flags[number];
  auto wrong = [&](Fault::What what, unsigned event) {
    fail({.what = what, .op = s.op, .other = state.last(event), .flag = number, .pipe = s.pipe});
  };
  if (state.sets(number) == 0)
    return wrong(Fault::What::endlessWait, flag.setEvent);
  if (flag.isCross && !state.knows(s.pipe, flag.waitEvent))
    return wrong(Fault::What::unordered, flag.waitEvent);
  state.wait(number, s.pipe);
  if (!flag.isCross)
    state.forgetLateWaits(number);
  state.happen(s.pipe, flag.waitEvent, s.op);
}

void Explorer::finish(States &states) {
  for (size_t i = 0; i < states.size(); ++i)
    for (unsigned flag = 0; flag < p.flags.size(); ++flag)
      if (State state = states[i]; state.sets(flag) > 0)
        return fail(
            {.what = Fault::What::leftSet, .op = state.last(p.flags[flag].setEvent), .flag = flag});
}

} // namespace

// Where paths meet, the common knowledge of all states mostly suffices: one state instead of
// hundreds. Only programs that cannot be proven in this way are explored with separate states.
std::optional<Fault> findFault(const PhaseModel &program,
                               const llvm::DenseSet<Operation *> &without) {
  if (holdsMerged(program, without))
    return std::nullopt;
  std::optional<Fault> exact = Explorer(program, without, {.namesOps = true}).run();
  if (exact && exact->what == Fault::What::tooMany)
    return Explorer(program, without, {.merges = true, .namesOps = true}).run();
  return exact;
}

bool breaksOnShortPath(const PhaseModel &program, const llvm::DenseSet<Operation *> &without) {
  for (size_t sample = 0; sample < 3; ++sample)
    if (std::optional<Fault> fault = Explorer(program, without, {.sample = sample}).run();
        fault && fault->what != Fault::What::tooMany)
      return true;
  return false;
}

bool holdsMerged(const PhaseModel &program, const llvm::DenseSet<Operation *> &without) {
  return !Explorer(program, without, {.merges = true}).run();
}

Verdict explore(const PhaseModel &program, const llvm::DenseSet<Operation *> &without) {
  const std::optional<Fault> fault = Explorer(program, without, {}).run();
  if (!fault)
    return Verdict::holds;
  return fault->what == Fault::What::tooMany ? Verdict::unknown : Verdict::breaks;
}

Verdict breaksWithout(const PhaseModel &program, const llvm::DenseSet<Operation *> &without) {
  if (breaksOnShortPath(program, without))
    return Verdict::breaks;
  return holdsMerged(program, without) ? Verdict::holds : explore(program, without);
}

} // namespace mmk::sync
