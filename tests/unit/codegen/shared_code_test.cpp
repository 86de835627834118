// Variants share the functions of the kernel module, compiled and linked once.
#include "codegen/program.h"
#include "jit/linked.h"
#include "jit/object.h"
#include "jit/partition.h"
#include "tests/unit/compiled.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"

#include <thread>

namespace mmk {
namespace {

constexpr const char *fused =
    "kernel k(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {"
    "  c = leaky_relu(a @ b + bias, 0.5);"
    "  schedule { order = rows | columns; tile M = 128 | 64, N = 256, K = 64; }"
    "}";

/// A variant of the kernel as LLVM IR, in two.
struct Split {
  explicit Split(const char *machineName, const char *variant = "", bool watched = false) {
    Diagnostics diagnostics;
    std::unique_ptr<SourceFile> file;
    auto program = checkProgram("k.mmk", fused, diagnostics, file);
    EXPECT_TRUE(program) << diagnostics.render();
    const Machine machine = llvm::cantFail(loadMachine(machineName));
    mlir::DialectRegistry registry;
    registerDialectExtensions(registry);
    mlir::MLIRContext mlirContext(registry, mlir::MLIRContext::Threading::DISABLED);
    auto ir = lowerToIr(*program->kernels[0], machineName, mlirContext);
    PipelineOptions options;
    std::string message;
    ir::KernelOp op = *ir->getOps<ir::KernelOp>().begin();
    EXPECT_TRUE(parseVariant(variant, tileDims(op), options.choices, message)) << message;
    EXPECT_TRUE(succeeded(runPipeline(*ir, machine, LoweringLevel::aicore, options)));
    calls = llvm::cantFail(
        emitProgram(*ir->getOps<aicore::KernelOp>().begin(), target, context, watched));
    computes = extractKernelModule(*calls);
  }

  std::string key() const { return ObjectCache::keyOf(*computes, target); }
  int64_t instructions(const llvm::Module &module) const {
    int64_t all = 0;
    for (const llvm::Function &function : module)
      all += function.getInstructionCount();
    return all;
  }

  CodeTarget target = llvm::cantFail(hostTarget());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> calls, computes;
};

class SharedCode : public testing::TestWithParam<const char *> {};

TEST_P(SharedCode, bothPartsAreWhole) {
  const Split split(GetParam());
  EXPECT_FALSE(llvm::verifyModule(*split.calls, &llvm::errs()));
  EXPECT_FALSE(llvm::verifyModule(*split.computes, &llvm::errs()));
  for (const llvm::Function &function : *split.calls)
    EXPECT_EQ(function.isDeclaration(), !function.getName().starts_with("mmk_"))
        << function.getName().str();
  for (const llvm::Function &function : *split.computes)
    EXPECT_EQ(function.isDeclaration(), function.isIntrinsic()) << function.getName().str();
  EXPECT_GT(split.instructions(*split.computes), split.instructions(*split.calls));
}

TEST_P(SharedCode, anotherOrderOfTilesHasTheSameFunctions) {
  const std::string key = Split(GetParam(), "order=rows").key();
  EXPECT_EQ(Split(GetParam(), "order=columns").key(), key);
  EXPECT_EQ(Split(GetParam(), "order=rows").key(), key) << "the same variant twice";
}

INSTANTIATE_TEST_SUITE_P(machines, SharedCode, testing::Values("host", "ascend910b3"));

TEST(Views, onlyAWatchHasItsOperandsCopiedToL1) {
  // The bias is moved to the vector core, whose memory is read unconverted.
  EXPECT_FALSE(Split("ascend910b3").computes->getFunction("load_f16"));
  EXPECT_TRUE(Split("ascend910b3").computes->getFunction("load_f32"));
  EXPECT_TRUE(Split("ascend910b3", "", /*watched=*/true).computes->getFunction("load_f16"));
}

/// Objects of one function, that returns a number.
std::shared_ptr<const LinkedObject> returning(int value) {
  llvm::LLVMContext context;
  llvm::Module module("value", context);
  CodeTarget target = llvm::cantFail(hostTarget());
  module.setDataLayout(target.machine->createDataLayout());
  module.setTargetTriple(target.machine->getTargetTriple());
  llvm::IRBuilder<> b(context);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), false),
                                          llvm::GlobalValue::ExternalLinkage, "value", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  b.CreateRet(b.getInt32(value));
  llvm::SmallVector<char, 0> code = machineCode(module, target);
  return llvm::cantFail(
      LinkedObject::link(llvm::MemoryBuffer::getMemBufferCopy({code.data(), code.size()})));
}

int valueOf(const LinkedObject &object) {
  return llvm::cantFail(object.find({"value"}))[0].toPtr<int (*)()>()();
}

TEST(Linked, objectsWithTheSameNamesDoNotMeet) {
  auto one = returning(1), two = returning(2);
  EXPECT_EQ(valueOf(*one), 1);
  EXPECT_EQ(valueOf(*two), 2);
  one.reset();
  EXPECT_EQ(valueOf(*two), 2);
}

TEST(Linked, saysWhatItDoesNotHave) {
  auto found = returning(1)->find({"other"});
  ASSERT_FALSE(found);
  EXPECT_EQ(llvm::toString(found.takeError()), "Symbols not found: [ other ]");
}

TEST(Linked, theLatestAreKeptAndThoseInUse) {
  auto first = returning(0);
  keepLinked("first", first);
  keepLinked("used again and again", returning(-1));
  EXPECT_EQ(findLinked("first"), first);
  for (int i = 1; i <= 40; ++i) {
    keepLinked("number " + std::to_string(i), returning(i));
    ASSERT_TRUE(findLinked("used again and again"));
  }
  EXPECT_FALSE(findLinked("first"));
  EXPECT_FALSE(findLinked("number 1"));
  ASSERT_TRUE(findLinked("number 40"));
  EXPECT_EQ(valueOf(*findLinked("number 40")), 40);
  EXPECT_EQ(valueOf(*first), 0);
  forgetLinked();
  EXPECT_FALSE(findLinked("number 40"));
  EXPECT_EQ(valueOf(*first), 0);
}

TEST(SharedCode, variantsComeAndGoInSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([i] {
      for (const char *variant : {"order=rows", "order=columns"}) {
        Compiled compiled(fused, i % 2 ? "host" : "ascend910b3", variant);
        ASSERT_TRUE(compiled.ready());
        compiled.expectRight({{"M", 70}, {"N", 300}, {"K", 90}}, DataKind::integers);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace mmk
