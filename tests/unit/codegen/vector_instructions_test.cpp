// The table of vector instructions: every row is complete, and computes the right results.
#include "machines/vector_instructions.h"

#include "compiler/pipeline.h"
#include "emulator/vector_code.h"
#include "executable/executable.h"
#include "machines/machine.h"
#include "place/passes.h"
#include "sync/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace mmk {
namespace {

TEST(VectorInstructionTable, EachHasCodeACallAndACostOnEveryMachine) {
  for (const VectorInstruction &it : vectorInstructions()) {
    EXPECT_TRUE(hasVectorCode(it.name)) << it.name;
    EXPECT_FALSE(it.ascend.empty() && it.ascendScalar.empty()) << it.name;
    for (const std::string &name : machineNames()) {
      const Machine machine = llvm::cantFail(loadMachine(name));
      if (machine.kind == MachineKind::emulated)
        EXPECT_TRUE(machine.vector.contains(std::string(it.cost))) << it.name << " on " << name;
    }
  }
}

TEST(VectorInstructionTable, SignaturesAndCallsAreWellFormed) {
  for (const VectorInstruction &it : vectorInstructions()) {
    EXPECT_EQ(it.signature.substr(it.operands().size(), 1), ":") << it.name;
    EXPECT_EQ(it.operands().find_first_not_of("ntsm"), std::string_view::npos) << it.name;
    EXPECT_NE(std::string_view("ncm").find(it.result()), std::string_view::npos) << it.name;
    for (std::string_view call : {it.ascend, it.ascendScalar})
      EXPECT_TRUE(llvm::all_of(call, llvm::isAlpha)) << call;
    // A call with a scalar is of an operand that may be one.
    if (!it.ascendScalar.empty())
      EXPECT_TRUE(it.operands().ends_with("n") || it.operands().ends_with("s")) << it.name;
  }
}

TEST(VectorInstructionTable, ANameAndAnOperationAreOfOneRow) {
  std::set<std::string_view> names;
  for (const VectorInstruction &it : vectorInstructions()) {
    EXPECT_TRUE(names.insert(it.name).second) << it.name;
    EXPECT_EQ(findVectorInstruction(it.name), &it);
  }
  const std::vector<std::string> operations = selectableOperations();
  EXPECT_EQ(std::set<std::string>(operations.begin(), operations.end()).size(), operations.size());
  EXPECT_EQ(findVectorInstruction("arith.addf"), nullptr);
  EXPECT_EQ(vectorInstructionOf("add"), nullptr);
}

//===--- what they compute ----------------------------------------------------------------===//

/// Runs instructions on one tile of UB: from 4 x 32 elements of %x, a row of 32 of %row, and the
/// scalar %s, to 4 x 32 elements of %y.
std::vector<float> computed(const std::string &instructions, const std::vector<float> &x,
                            const std::vector<float> &row, float scalar) {
  const std::string text = R"(
    !gm = memref<?x?xf32, #aicore.space<gm>>
    !line = memref<?xf32, #aicore.space<gm>>
    !ub = memref<4x32xf32, #aicore.space<ub>>
    !row = memref<1x32xf32, #aicore.space<ub>>
    !mask = memref<4x4xi8, #aicore.space<ub>>
    !tile = !aicore.tile<f32>
    !bits = !aicore.tile<i1>
    !whole = !aicore.tile<i32>
    aicore.kernel @k dims ["M", "N"]
        args [#mmk.named<"x"["M", "N"]>, #mmk.named<"row"["N"]>, #mmk.named<"s">]
        results [#mmk.named<"y"["M", "N"]>] cores 1 buffers {} {
    ^bb0(%M: index, %N: index, %gx: !gm, %grow: !line, %scalar: f32, %gy: !gm):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      aicore.phase {
      ^bb0(%block: index):
        %x_ub = aicore.alloc "x" of "ub" copies 1 : !ub
        %row_ub = aicore.alloc "row" of "ub" copies 1 : !row
        %y_ub = aicore.alloc "y" of "out" copies 1 : !ub
        %t_ub = aicore.alloc "t" of "scratch" copies 2 : !ub
        %m_ub = aicore.alloc "mask" of "scratch" copies 2 : !mask
        scf.for %i = %c0 to %c1 step %c1 {
          %s0 = aicore.slot %i of %x_ub : !ub
          %s1 = aicore.slot %i of %row_ub : !row
          %s2 = aicore.slot %i of %y_ub : !ub
          aicore.load %gx[%c0, %c0] along [0, 1] size(%M, %N) -> %x_ub[%s0] pad 1 : !gm -> !ub
          aicore.load %grow[%c0] along [-1, 0] size(%c1, %N) -> %row_ub[%s1] pad 1 : !line -> !row
          aicore.vector ins(%x_ub[%s0] full, %row_ub[%s1] row : !ub, !row) outs(%y_ub[%s2] : !ub)
              scratch(%t_ub[0], %t_ub[1], %t_ub[1], %m_ub[0], %m_ub[1]
                : !ub, !ub, !ub, !mask, !mask) size(%M, %N) {
          ^bb0(%x: !tile, %row: !tile, %y: !tile, %t: !tile, %u: !tile, %i32: !whole, %m: !bits, %n: !bits):
            )" + instructions +
                           R"(
            aicore.yield
          }
          aicore.store %y_ub[%s2] -> %gy[%c0, %c0] along [0, 1] size(%M, %N) : !ub -> !gm
        }
      }
    })";
  mlir::DialectRegistry registry;
  registry.insert<aicore::AicoreDialect, ir::MmkDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "does not parse: " << instructions;
    return {};
  }
  const Machine machine = llvm::cantFail(loadMachine("ascend310p3"));
  module.get()->setAttr("aicore.machine", machineAttr(machine, context));
  mlir::PassManager manager(&context);
  manager.addPass(createPlanMemory());
  manager.addPass(createInsertSync());
  manager.addPass(createVerifySync());
  if (failed(manager.run(*module))) {
    ADD_FAILURE() << "does not go through the passes: " << instructions;
    return {};
  }
  auto executable = Executable::compile(*module, machine);
  if (!executable) {
    ADD_FAILURE() << llvm::toString(executable.takeError());
    return {};
  }
  std::vector<float> y(x.size(), -77);
  Arguments arguments;
  arguments.dims = {4, 32};
  arguments.scalars = {0, 0, scalar};
  arguments.tensors = {const_cast<float *>(x.data()), const_cast<float *>(row.data()), nullptr};
  arguments.results = {y.data()};
  if (llvm::Error error = (*executable)->run(arguments, 1))
    ADD_FAILURE() << llvm::toString(std::move(error));
  return y;
}

struct Line {
  const char *instructions;
  float (*expected)(float x, float row, float scalar);
};

// Integers and halves, so that all but the functions are exact.
TEST(VectorInstruction, ComputesWhatItsNameSays) {
  std::vector<float> x(4 * 32), row(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = (static_cast<float>(i) - 60) / 2;
  for (size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(i) - 12;
  const float scalar = 3;
  const Line lines[] = {
      {"aicore.vec add %x, %row -> %y : !tile, !tile -> !tile",
       [](float x, float r, float) { return x + r; }},
      {"aicore.vec sub %scalar, %x -> %y : f32, !tile -> !tile",
       [](float x, float, float s) { return s - x; }},
      {"aicore.vec mul %x, %scalar -> %y : !tile, f32 -> !tile",
       [](float x, float, float s) { return x * s; }},
      {"aicore.vec div %row, %scalar -> %y : !tile, f32 -> !tile",
       [](float, float r, float s) { return r / s; }},
      {"aicore.vec max %x, %row -> %y : !tile, !tile -> !tile",
       [](float x, float r, float) { return std::max(x, r); }},
      {"aicore.vec min %x, %scalar -> %y : !tile, f32 -> !tile",
       [](float x, float, float s) { return std::min(x, s); }},
      {"aicore.vec relu %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::max(x, 0.0f); }},
      {"aicore.vec leaky_relu %x, %scalar -> %y : !tile, f32 -> !tile",
       [](float x, float, float s) { return x >= 0 ? x : s * x; }},
      {"aicore.vec abs %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::fabs(x); }},
      {"aicore.vec neg %x -> %y : !tile -> !tile", [](float x, float, float) { return -x; }},
      {"aicore.vec exp %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::exp(x); }},
      {"aicore.vec abs %x -> %t : !tile -> !tile\naicore.vec log %t -> %y : !tile -> !tile",
       [](float x, float, float) { return std::log(std::fabs(x)); }},
      {"aicore.vec abs %x -> %y : !tile -> !tile\naicore.vec sqrt %y -> %y : !tile -> !tile",
       [](float x, float, float) { return std::sqrt(std::fabs(x)); }},
      {"aicore.vec tanh %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::tanh(x); }},
      {"aicore.vec erf %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::erf(x); }},
      {"aicore.vec floor %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::floor(x); }},
      {"aicore.vec round %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::nearbyint(x); }},
      {"aicore.vec ceil %x -> %y : !tile -> !tile",
       [](float x, float, float) { return std::ceil(x); }},
      {"aicore.vec copy %scalar -> %y : f32 -> !tile", [](float, float, float s) { return s; }},
      {"aicore.vec compare olt %x, %row -> %m : !tile, !tile -> !bits\n"
       "aicore.vec select %m, %x, %scalar -> %y : !bits, !tile, f32 -> !tile",
       [](float x, float r, float s) { return x < r ? x : s; }},
      {"aicore.vec compare olt %x, %row -> %m : !tile, !tile -> !bits\n"
       "aicore.vec compare ogt %x, %scalar -> %n : !tile, f32 -> !bits\n"
       "aicore.vec and %m, %n -> %m : !bits, !bits -> !bits\n"
       "aicore.vec select %m, %x, %row -> %y : !bits, !tile, !tile -> !tile",
       [](float x, float r, float s) { return x < r && x > s ? x : r; }},
      {"aicore.vec compare olt %x, %row -> %m : !tile, !tile -> !bits\n"
       "aicore.vec compare ogt %x, %scalar -> %n : !tile, f32 -> !bits\n"
       "aicore.vec or %m, %n -> %m : !bits, !bits -> !bits\n"
       "aicore.vec select %m, %x, %row -> %y : !bits, !tile, !tile -> !tile",
       [](float x, float r, float s) { return x < r || x > s ? x : r; }},
      {"aicore.vec compare olt %x, %row -> %m : !tile, !tile -> !bits\n"
       "aicore.vec compare ogt %x, %scalar -> %n : !tile, f32 -> !bits\n"
       "aicore.vec xor %m, %n -> %m : !bits, !bits -> !bits\n"
       "aicore.vec select %m, %x, %row -> %y : !bits, !tile, !tile -> !tile",
       [](float x, float r, float s) { return (x < r) != (x > s) ? x : r; }},
      // A tile of scratch under two types, one after the other.
      {"aicore.vec floor %x -> %u : !tile -> !tile\n"
       "aicore.vec cast_narrow %u -> %i32 : !tile -> !whole\n"
       "aicore.vec mul %i32, %i32 -> %i32 : !whole, !whole -> !whole\n"
       "aicore.vec cast %i32 -> %y : !whole -> !tile",
       [](float x, float, float) { return std::floor(x) * std::floor(x); }},
  };
  std::set<std::string> seen;
  for (const Line &line : lines) {
    const std::vector<float> got = computed(line.instructions, x, row, scalar);
    ASSERT_EQ(got.size(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const float expected = line.expected(x[i], row[i % 32], scalar);
      if (std::isfinite(expected))
        ASSERT_NEAR(got[i], expected, std::fabs(expected) * 4e-7) << line.instructions << ", " << i;
      else
        ASSERT_EQ(got[i], expected) << line.instructions << ", " << i;
    }
    llvm::StringRef rest = line.instructions;
    while (!rest.empty()) {
      auto [one, more] = rest.split('\n');
      one.consume_front("aicore.vec ");
      seen.insert(one.split(' ').first.str());
      rest = more;
    }
  }
  for (const VectorInstruction &it : vectorInstructions())
    EXPECT_TRUE(seen.contains(std::string(it.name))) << it.name << " is not computed here";
}

} // namespace
} // namespace mmk
