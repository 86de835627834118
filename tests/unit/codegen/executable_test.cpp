// Messages of an executable to wrong callers inside mmk.
#include "compiler/compiler.h"
#include "executable/executable.h"
#include "frontend/compile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <gtest/gtest.h>

namespace mmk {
namespace {

class ExecutableTest : public testing::Test {
protected:
  void SetUp() override {
    Diagnostics diagnostics;
    program_ = std::move(*checkProgram(
        "test.mmk", "kernel k(x: f32[N]) -> y: f32[N] { y = x + x; }", diagnostics, file_));
    machine_ = llvm::cantFail(loadMachine("ascend910b3"));
    compiler_ = std::make_unique<Compiler>(program_, machine_);
    const Kernel &kernel = *program_.kernels[0];
    lowering_ = compiler_->lower(kernel, compiler_->toIr(kernel), LoweringLevel::aicore);
    ASSERT_TRUE(bool(lowering_)) << lowering_.messages.render();
  }

  std::string refusal() {
    auto executable = Executable::compile(*lowering_.module, machine_);
    return executable ? "" : llvm::toString(executable.takeError());
  }

  std::unique_ptr<SourceFile> file_;
  Program program_;
  Machine machine_;
  std::unique_ptr<Compiler> compiler_;
  Lowering lowering_;
};

TEST_F(ExecutableTest, NeedsAKernel) {
  lowering_.kernel().erase();
  EXPECT_EQ(refusal(), "the module has no aicore.kernel");
}

TEST_F(ExecutableTest, NamesAnOperationThatItHasNoCodeFor) {
  mlir::Block &body = lowering_.kernel().getBody().front();
  auto b = mlir::OpBuilder::atBlockBegin(&body);
  mlir::Value n = body.getArgument(0);
  mlir::arith::CeilDivUIOp::create(b, lowering_.kernel().getLoc(), n, n);
  EXPECT_EQ(refusal(), "no code for this operation of the aicore IR: arith.ceildivui");
}

TEST_F(ExecutableTest, AWatchAndAWatchedProgramBelongTogether) {
  struct Blind : RunWatch {
    void beginRun(const KernelArguments &, const std::vector<int64_t> &) override {}
    void beginPhase() override {}
    void beginBlock(CoreMemories &) override {}
    void endPhase() override {}
    void endRun() override {}
  } watch;
  std::vector<float> x(8, 3), y(8);
  const Arguments arguments{{8}, {0}, {x.data()}, {y.data()}, {}};
  auto plain = llvm::cantFail(Executable::compile(*lowering_.module, machine_));
  EXPECT_EQ(llvm::toString(plain->run(arguments, 1, &watch)),
            "a watch needs a program that was compiled for one");
  ExecutableOptions options;
  options.watched = true;
  auto watched = llvm::cantFail(Executable::compile(*lowering_.module, machine_, options));
  EXPECT_EQ(llvm::toString(watched->run(arguments, 1)), "a watched program runs without a watch");
  EXPECT_EQ(llvm::toString(plain->run(arguments, 1)), "");
  EXPECT_EQ(y, std::vector<float>(8, 6));
}

} // namespace
} // namespace mmk
