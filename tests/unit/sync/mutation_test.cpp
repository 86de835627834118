// The proof of the synchronisation compared with the independent watch: in kernels of all forms
// each flag is removed, moved or renumbered. A mutant with a hazard at some dimensions must be
// refused by the proof, and a refused mutant must have a hazard at some dimensions.
#include "tests/unit/samples.h"
#include "tests/unit/synchronised.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <random>

namespace mmk {
namespace {

using namespace mlir;
using Operation = mlir::Operation; // not that of the syntax tree

/// The name of the kernel, for messages.
struct Config {
  std::string example, machine, variant;
};

bool isFlag(Operation *op) {
  return isa<aicore::SetFlagOp, aicore::WaitFlagOp, aicore::SetCrossOp, aicore::WaitCrossOp>(op);
}

std::vector<Operation *> flagsOf(aicore::KernelOp kernel) {
  std::vector<Operation *> flags;
  kernel.walk([&](Operation *op) {
    if (isFlag(op))
      flags.push_back(op);
  });
  return flags;
}

std::string numberName(Operation *op) {
  return isa<aicore::SetFlagOp, aicore::WaitFlagOp>(op) ? "event" : "flag";
}
int64_t numberOf(Operation *op) { return op->getAttrOfType<IntegerAttr>(numberName(op)).getInt(); }
void renumber(Operation *op, int64_t number) {
  op->setAttr(numberName(op), IntegerAttr::get(IntegerType::get(op->getContext(), 64), number));
}

/// Steps of the loops, from the loops: dimensions around their multiples give every number of
/// iterations.
std::vector<std::vector<int64_t>> dimsFor(aicore::KernelOp kernel) {
  // Tile extents: of the accumulator or the result; stage and base: of L1 and L0.
  int64_t rows = 16, columns = 16, stage = 1, base = 1, copies = 1;
  kernel.walk([&](aicore::AllocOp alloc) {
    auto shape = cast<MemRefType>(alloc.getResult().getType()).getShape();
    copies = std::max<int64_t>(copies, alloc.getCopies());
    if (alloc.getSpace() == aicore::Space::l0c) {
      rows = shape[0];
      columns = shape[1];
    } else if (alloc.getSpace() == aicore::Space::l0a) {
      base = shape[1];
    } else if (alloc.getSpace() == aicore::Space::l1) {
      stage = std::max(stage, std::min(shape[0], shape[1]));
    } else if (alloc.getSpace() == aicore::Space::ub && alloc.getName() == "x") {
      rows = shape[0];
      columns = shape[1];
    }
  });
  int64_t longest = 0; // step of the loops around a product
  kernel.walk([&](aicore::MmadOp mmad) {
    APInt step;
    for (auto loop = mmad->getParentOfType<scf::ForOp>();
         loop && loop->getParentOfType<scf::ForOp>(); loop = loop->getParentOfType<scf::ForOp>())
      if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
        longest = std::max(longest, step.getSExtValue());
  });
  if (longest > 0)
    stage = longest;
  // For a split reduction, each split.
  int64_t parts = 1;
  if (auto variant = kernel->getAttrOfType<StringAttr>("variant"))
    if (auto [before, after] = variant.getValue().split("grid.K="); !after.empty())
      after.consumeInteger(10, parts);
  std::vector<std::vector<int64_t>> found;
  auto addOne = [&](int64_t m, int64_t n, int64_t k) {
    std::vector<int64_t> dims;
    for (StringRef name : kernel.getDims().getAsValueRange<StringAttr>())
      dims.push_back(name == "M" || name == "W"   ? m
                     : name == "N" || name == "C" ? n
                     : name == "K"                ? k
                                                  : 1);
    // Not beyond a panel that is kept.
    if (!llvm::is_contained(found, dims) && kernel.limitProblem(dims).empty())
      found.push_back(dims);
  };
  auto add = [&](int64_t m, int64_t n, int64_t k) {
    addOne(m, n, k);
    addOne(m, n, k * parts);
  };
  // Few tiles, all numbers of stages and of base tiles in the last; then several tiles.
  for (int64_t k : {stage, base, 2 * stage + 1, stage + 1, 3 * stage + 1, stage + base + 1,
                    2 * stage - base + 1, (copies + 3) * stage, int64_t(1)})
    add(rows, 1, k);
  // Every part of an accumulator, through more stages than any buffer has copies.
  add(rows, columns, (copies + 3) * stage);
  add(rows, 2 * columns, 3 * stage);
  for (int64_t k : {int64_t(1), stage + 1, 2 * stage + 1, base + 1})
    for (int64_t m : {rows, rows + 1, rows / 2 + 1, int64_t(1), 3 * rows / 4 + 1})
      for (int64_t n : {2 * columns + 1, columns * (2 * copies + 3)})
        if (k == 1 || n < 3 * columns)
          add(m, n, k);
  add(3 * rows + 1, columns + 1, stage + 1);
  add(2 * rows + rows / 2 + 1, 2 * columns, 1);
  add(1, 1, 1);
  return found;
}

struct Counts {
  int kernels = 0, mutants = 0, refused = 0, seen = 0, harmless = 0, missed = 0, falseAlarms = 0;
};

class Mutation {
public:
  Mutation(Synchronised &kernel, const Config &config, Counts &counts)
      : Mutation(kernel, config, counts, dimsFor(kernel.kernel())) {}
  Mutation(Synchronised &kernel, const Config &config, Counts &counts,
           std::vector<std::vector<int64_t>> dims)
      : it(kernel), config(config), counts(counts), dims(std::move(dims)) {}

  void expectRight() {
    EXPECT_TRUE(it.isProven()) << name() << "\n" << it.messages;
    for (const auto &values : dims)
      EXPECT_EQ(it.watched(values), "") << name() << " at " << ::testing::PrintToString(values);
    EXPECT_TRUE(it.isProvenWithRemarks());
    EXPECT_EQ(it.messages, "") << name();
  }

  /// Each flag that `chosen` selects, mutated in each way.
  void mutateAll(llvm::function_ref<bool()> chosen) {
    std::vector<Operation *> flags = flagsOf(it.kernel());
    for (Operation *op : flags) {
      if (chosen())
        remove(op);
      if (chosen())
        swap(op);
      if (chosen())
        number(op, numberOf(op) + 1, "event + 1");
      if (chosen())
        for (Operation *other : flags)
          if (other->getName() == op->getName() && numberOf(other) != numberOf(op) &&
              samePair(op, other)) {
            number(op, numberOf(other), "event of another pair");
            break;
          }
    }
  }

private:
  std::string name() const {
    return config.example + " on " + config.machine + ", " + config.variant;
  }
  static bool samePair(Operation *x, Operation *y) {
    for (StringRef key : {"from", "to", "unit", "pipe"})
      if (x->getAttr(key) != y->getAttr(key))
        return false;
    return true;
  }

  void remove(Operation *op) {
    Block *block = op->getBlock();
    Operation *next = op->getNextNode();
    op->remove();
    judge("without", op);
    block->getOperations().insert(next ? Block::iterator(next) : block->end(), op);
  }

  void swap(Operation *op) {
    Operation *other = op->getNextNode(), *following = op->getNextNode();
    while (other && !isFlag(other))
      other = other->getNextNode();
    if (!other)
      return;
    // The slot of the later flag may be computed between the two; the earlier one moves.
    op->moveAfter(other);
    judge("behind the next flag", op);
    op->moveBefore(following);
  }

  void number(Operation *op, int64_t number, const char *how) {
    const int64_t before = numberOf(op);
    renumber(op, number);
    judge(how, op);
    renumber(op, before);
  }

  void judge(const char *how, Operation *op) {
    ++counts.mutants;
    const bool refused = !it.isProven();
    std::string fault;
    for (const auto &values : dims)
      if (fault = it.watched(values); !fault.empty())
        break;
    counts.refused += refused;
    counts.seen += !fault.empty();
    counts.harmless += !refused && fault.empty();
    counts.missed += !refused && !fault.empty();
    counts.falseAlarms += refused && fault.empty();
    if (refused == fault.empty() && counts.missed + counts.falseAlarms < 20) {
      std::string text;
      llvm::raw_string_ostream(text) << *op;
      ADD_FAILURE() << name() << "\n"
                    << how << " " << text << "\n"
                    << (refused ? "refused, but nothing breaks" : "accepted, but: " + fault);
    }
  }

  Synchronised &it;
  const Config &config;
  Counts &counts;
  std::vector<std::vector<int64_t>> dims;
};

void print(const char *what, const Counts &counts) {
  printf("%s: %d kernels, %d mutants: %d refused, %d seen to break, %d harmless\n", what,
         counts.kernels, counts.mutants, counts.refused, counts.seen, counts.harmless);
}

const char *const machines[] = {"ascend910b1", "ascend310p3", "ascend950pr"};
const char *const examples[] = {"matmul_bias_leakyrelu",
                                "matmul",
                                "bias_relu",
                                "matmul_bias_residual",
                                "matmul_int8_dequant",
                                "matmul_transposed_b",
                                "matmul_half",
                                "matmul_bias_gelu",
                                "batched_matmul"};

/// One mutant in `rate`, by the seed, of which half are taken without MMK_ALL; all of them, in
/// minutes, with MMK_EVERY_MUTANT=1.
bool isChosen(std::mt19937 &random, unsigned rate) {
  static const bool every = std::getenv("MMK_EVERY_MUTANT") != nullptr;
  static const unsigned share = takesAllSamples() ? 1 : 2;
  return random() % (rate * share) == 0 || every;
}

TEST(SyncMutation, OfTheExamples) {
  Counts counts;
  std::mt19937 random(1);
  for (const char *example : examples)
    for (const char *machine : machines)
      for (const char *variant : {"cores=1", "cores=1,l1=1,l0=1,acc=1,out=1,ub=1,fuse=none",
                                  "cores=1,tile=64x64x32,l1=3,l0=2,acc=2"}) {
        const bool isProduct = std::string(example) != "bias_relu";
        if (!isProduct && std::string(variant).find("tile") != std::string::npos)
          variant = "cores=1,tile=16x32,ub=3,out=2";
        Config config{example, machine, variant};
        Synchronised kernel(exampleText(example), machine, variant);
        if (!kernel.ready())
          continue;
        ++counts.kernels;
        Mutation mutation(kernel, config, counts);
        mutation.expectRight();
        mutation.mutateAll([&] { return isChosen(random, 8); });
      }
  print("examples", counts);
}

// Parts of an accumulator have flags of their own, in the first and the last stage of a tile.
TEST(SyncMutation, OfOverlappedStores) {
  Counts counts;
  std::mt19937 random(3);
  for (const char *example : {"matmul_bias_leakyrelu", "matmul", "matmul_int8_dequant"})
    for (const char *machine : machines)
      for (const char *variant :
           {"cores=1,store=overlapped", "cores=1,tile=64x64x32,l1=3,l0=2,acc=2,store=overlapped",
            "cores=1,tile=32x48x32,stage=96,l1=1,l0=1,acc=1,out=1,ub=1,fuse=none,"
            "store=overlapped",
            "cores=1,tile=32x32x32,stage=32,l1=2,l0=3,acc=1,out=3,store=overlapped",
            "cores=2,grid.K=2,store=overlapped"}) {
        Config config{example, machine, variant};
        Synchronised kernel(exampleText(example), machine, variant);
        ASSERT_TRUE(kernel.ready()) << kernel.messages;
        ++counts.kernels;
        Mutation mutation(kernel, config, counts);
        mutation.expectRight();
        mutation.mutateAll([&] { return isChosen(random, 24); });
      }
  print("overlapped stores", counts);
}

// A panel lives as long as a line of tiles, a bias until the first stage of its tile is done.
TEST(SyncMutation, OfWhatStaysOnTheChip) {
  Counts counts;
  std::mt19937 random(5);
  for (const char *example : {"matmul_bias_leakyrelu", "matmul_bias_gelu", "matmul"})
    for (const char *machine : machines)
      for (const char *variant :
           {"cores=1,tile=32x48x32,stage=64,keep=A(512),order=rows",
            "cores=1,tile=32x32x32,stage=64,keep=B(512),panel=2,order=columns,l1=1",
            "cores=2,tile=32x32x32,stage=32,keep=A(512),order=rows,grid.M=2,store=overlapped",
            "cores=1,tile=32x48x32,stage=64,bias=table",
            "cores=1,tile=32x48x32,stage=64,bias=table,grid.K=3",
            "cores=1,tile=32x32x32,stage=32,bias=table,bt=1,l1=1,l0=1,acc=2,store=overlapped",
            "cores=1,tile=32x64x32,stage=64,bias=table,keep=A(512),order=rows,acc=1,store="
            "overlapped"}) {
        const bool hasTable = machine != std::string("ascend310p3");
        if (std::string(variant).find("table") != std::string::npos &&
            (!hasTable || example == std::string("matmul")))
          continue;
        Config config{example, machine, variant};
        Synchronised kernel(exampleText(example), machine, variant);
        ASSERT_TRUE(kernel.ready()) << kernel.messages;
        ++counts.kernels;
        Mutation mutation(kernel, config, counts);
        mutation.expectRight();
        mutation.mutateAll([&] { return isChosen(random, 16); });
      }
  EXPECT_GT(counts.refused, 30);
  print("panels and biases", counts);
}

TEST(SyncMutation, OfRandomSchedules) {
  Counts counts;
  std::mt19937 random(7);
  auto oneOf = [&](std::initializer_list<int64_t> choices) {
    return std::to_string(choices.begin()[random() % choices.size()]);
  };
  for (int round = 0; round < 100; ++round) {
    Config config;
    config.example = examples[random() % std::size(examples)];
    config.machine = machines[random() % 2];
    const int64_t base = config.example == "matmul_int8_dequant" ? 32 : 16;
    config.variant = "cores=" + oneOf({1, 1, 2});
    if (config.example == "bias_relu") {
      config.variant += ",tile=" + oneOf({16, 32}) + "x" + oneOf({16, 32});
    } else {
      const int64_t depth = base * (1 + random() % 2);
      const std::string columns = oneOf({16, 32, 256});
      if (columns != "16" && random() % 3 == 0)
        config.variant += ",store=overlapped";
      config.variant += ",tile=" + oneOf({16, 32, 64}) + "x" + columns + "x" +
                        std::to_string(depth) +
                        ",stage=" + std::to_string(depth * (1 + random() % 4));
      if (random() % 4 == 0)
        config.variant += ",grid.K=" + oneOf({2, 3, 5});
      if (random() % 4 == 0 && config.machine == std::string("ascend910b1"))
        config.variant += ",bias=table,bt=" + oneOf({1, 2});
      if (random() % 4 == 0)
        config.variant += random() % 2 ? ",keep=A(256),order=rows,panel=" + oneOf({1, 2})
                                       : ",keep=B(256),order=columns,panel=" + oneOf({1, 2});
      config.variant += ",l1=" + oneOf({1, 2, 3}) + ",l0=" + oneOf({1, 2, 3}) +
                        ",acc=" + oneOf({1, 2, 3}) + (random() % 3 ? "" : ",fuse=none");
    }
    config.variant += ",ub=" + oneOf({1, 2, 3}) + ",out=" + oneOf({1, 2, 3});
    Synchronised kernel(exampleText(config.example), config.machine, config.variant);
    if (!kernel.ready())
      continue;
    ++counts.kernels;
    Mutation mutation(kernel, config, counts);
    mutation.expectRight();
    mutation.mutateAll([&] { return isChosen(random, 16); });
  }
  print("random schedules", counts);
}

/// Two loops of one phase, by the vector cores of a split chip or on the one core of a coupled one;
/// the second takes bytes of the first.
std::string sharedBytes(bool isSplit, int copies) {
  // Each vector core has its columns of the result.
  const std::string onCores = isSplit ? "aicore.vector_cores 2 {\n^bb0(%v: index):\n"
                                        "%half = arith.ceildivsi %n, %two : index\n"
                                        "%column = arith.muli %v, %half : index\n"
                                        "%rest = arith.subi %n, %column : index\n"
                                        "%width = arith.minsi %rest, %half : index\n"
                                      : "%column = arith.constant 0 : index\n"
                                        "%width = arith.addi %n, %column : index\n",
                    end = isSplit ? "}\n" : "";
  return R"(
!tensor = memref<?x?xf32, #aicore.space<gm>>
!ub = memref<32x32xf32, #aicore.space<ub>>
module {
aicore.kernel @k dims ["N"] args [#mmk.named<"x"["N", "N"]>] results [#mmk.named<"c"["N", "N"]>]
    cores 1 buffers {} {
^bb0(%n: index, %x: !tensor, %c: !tensor):
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  aicore.phase {
  ^bb0(%block: index):
    %p = aicore.alloc "p" of "ub" copies )" +
         std::to_string(copies) + R"( : !ub
    %q = aicore.alloc "q" of "out" copies 2 : !ub
    %in = aicore.alloc "in" of "ub" copies 1 : !ub
    scf.for %i = %zero to %n step %one {
      )" +
         onCores +
         R"(
      %s = aicore.slot %i of %p : !ub
      aicore.load %x[%i, %column] along [0, 1] size(%one, %width) -> %p[%s] pad 1 : !tensor -> !ub
      aicore.store %p[%s] -> %c[%i, %column] along [0, 1] size(%one, %width) : !ub -> !tensor
      )" +
         end +
         R"(
    }
    scf.for %i = %zero to %n step %one {
      )" +
         onCores +
         R"(
      %t = aicore.slot %i of %in : !ub
      aicore.load %x[%i, %column] along [0, 1] size(%one, %width) -> %in[%t] pad 1 : !tensor -> !ub
      %s = aicore.slot %i of %q : !ub
      aicore.vector ins(%in[%t] full : !ub) outs(%q[%s] : !ub) size(%one, %width) {
      ^bb0(%e: f32):
        aicore.yield %e : f32
      }
      aicore.store %q[%s] -> %c[%i, %column] along [0, 1] size(%one, %width) : !ub -> !tensor
      )" +
         end + "    }\n  }\n}\n}\n";
}

TEST(SyncMutation, OfSharedBytes) {
  Counts counts;
  for (const char *machine : machines)
    for (int copies : {1, 2, 3, 5}) {
      Config config{"two loops that share bytes", machine, std::to_string(copies) + " copies"};
      const bool isSplit = machine != std::string("ascend310p3");
      // 24 KiB, and what the system takes.
      const int64_t reserved = llvm::cantFail(loadMachine(machine)).memory(Memory::ub).reserved;
      Synchronised kernel(Synchronised::Ir{sharedBytes(isSplit, copies)}, machine,
                          {{"memories.ub.bytes", std::to_string(24576 + reserved)}});
      ASSERT_TRUE(kernel.ready());
      ++counts.kernels;
      Mutation mutation(kernel, config, counts, {{2}, {3}, {4}, {5}, {7}});
      mutation.expectRight();
      mutation.mutateAll([] { return true; });
    }
  EXPECT_GT(counts.refused, 100);
  print("shared bytes", counts);
}

/// Instructions around which a flag may be put, a few of each kernel and always the same ones.
std::vector<aicore::Instruction> somePlaces(aicore::KernelOp kernel, std::mt19937 &random,
                                            size_t most) {
  std::vector<aicore::Instruction> places;
  kernel.walk([&](aicore::Instruction op) { places.push_back(op); });
  std::shuffle(places.begin(), places.end(), random);
  places.resize(std::min(places.size(), most));
  return places;
}

/// Whether the kernel has this event of the two pipes.
bool takesEvent(aicore::KernelOp kernel, aicore::Pipe from, aicore::Pipe to, int64_t event) {
  return kernel
      .walk([&](aicore::SetFlagOp set) {
        auto slot = set.getSlot().getDefiningOp<aicore::SlotOp>();
        APInt constant;
        int64_t last = static_cast<int64_t>(set.getEvent());
        if (slot)
          last += slot.getBuffer().getDefiningOp<aicore::AllocOp>().getCopies() - 1;
        else if (matchPattern(set.getSlot(), m_ConstantInt(&constant)))
          last += constant.getSExtValue();
        return set.getFrom() == from && set.getTo() == to && last >= event ? WalkResult::interrupt()
                                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

// No flag of the compiler is redundant. An inserted pair, between any pipes and at any place, is
// remarked, or one that it makes redundant; in a loop, where it would be set again too early,
// together with a pair in the other direction.
TEST(SyncMutation, RedundantFlagsAreRemarked) {
  const std::string remark =
      "redundant: without this wait and its set, every hazard is still in order\n";
  // The last event of a pair of pipes, which few kernels take.
  constexpr int64_t event = 5;
  const aicore::Pipe pipes[] = {aicore::Pipe::mte1, aicore::Pipe::mte2,    aicore::Pipe::mte3,
                                aicore::Pipe::cube, aicore::Pipe::fixpipe, aicore::Pipe::vector};
  std::mt19937 random(5);
  int added = 0, remarked = 0, refused = 0;
  for (const char *example : examples)
    for (const char *machine : machines) {
      Synchronised kernel(exampleText(example), machine, "");
      if (!kernel.ready())
        continue; // not every cube multiplies bf16
      EXPECT_TRUE(kernel.isProvenWithRemarks());
      EXPECT_EQ(kernel.messages, "") << example << " on " << machine;
      for (aicore::Instruction place : somePlaces(kernel.kernel(), random, 4))
        for (int way = 0; way < 3; ++way) {
          // To the pipe of the next instruction, or between any two.
          const aicore::Pipe to = way == 0 ? place.getPipe() : pipes[random() % std::size(pipes)];
          aicore::Pipe from = pipes[random() % std::size(pipes)];
          if (from == to)
            from = to == pipes[0] ? pipes[1] : pipes[0];
          if (takesEvent(kernel.kernel(), from, to, event) ||
              takesEvent(kernel.kernel(), to, from, event))
            continue;
          OpBuilder builder(place);
          const Location loc = place.getLoc();
          mlir::Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
          std::vector<Operation *> ops;
          auto add = [&](aicore::Pipe x, aicore::Pipe y) {
            ops.push_back(aicore::SetFlagOp::create(builder, loc, x, y, event, zero));
            ops.push_back(aicore::WaitFlagOp::create(builder, loc, x, y, event, zero));
          };
          add(from, to);
          if (!kernel.isProven())
            add(to, from);
          ++added;
          if (!kernel.isProven()) {
            ++refused;
          } else {
            EXPECT_TRUE(kernel.isProvenWithRemarks());
            const bool isRemarked = StringRef(kernel.messages).ends_with(remark);
            EXPECT_TRUE(isRemarked)
                << example << " on " << machine << ", " << stringifyPipe(from).str() << " to "
                << stringifyPipe(to).str() << ":\n"
                << kernel.messages;
            remarked += isRemarked;
          }
          for (Operation *op : llvm::reverse(ops))
            op->erase();
          zero.getDefiningOp()->erase();
        }
    }
  printf("redundant flags: %d added, %d remarked, %d refused\n", added, remarked, refused);
  EXPECT_EQ(remarked + refused, added);
  EXPECT_GT(remarked, added / 2);
}

// The test on the host uses the same flags.
TEST(SyncMutation, TheHostIsProven) {
  for (const char *example : examples) {
    Synchronised kernel(exampleText(example), "host", "");
    ASSERT_TRUE(kernel.ready()) << kernel.messages;
    EXPECT_TRUE(kernel.isProven()) << example << "\n" << kernel.messages;
  }
}

} // namespace
} // namespace mmk
