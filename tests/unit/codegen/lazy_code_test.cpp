// Lazy compilation: the modules, one compilation for all callers, and failures to compile.
#include "jit/lazy.h"
#include "jit/linked.h"
#include "jit/object.h"
#include "jit/partition.h"
#include "jit/trampoline.h"
#include "tests/unit/compiled.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"

#include <algorithm>
#include <barrier>
#include <thread>

namespace mmk {
namespace {

//===--- parts ------------------------------------------------------------------------------===//

/// A program that calls f; f calls g, which is lazy, and h. `shared`: whether f also calls the
/// functions that g calls.
struct Functions {
  explicit Functions(bool shared) {
    llvm::Function *h = make(functions, "h", {}), *g = make(functions, "g", {h});
    make(functions, "f", shared ? std::vector{g, h} : std::vector{g});
    markLazy(*g);
    make(program, "main", {declare("f")});
    parts = extractLazyFunctions(functions, program);
  }

  llvm::FunctionType *type() { return llvm::FunctionType::get(b.getVoidTy(), false); }
  llvm::Function *declare(const char *name) {
    return llvm::Function::Create(type(), llvm::GlobalValue::ExternalLinkage, name, program);
  }
  llvm::Function *make(llvm::Module &module, const char *name,
                       const std::vector<llvm::Function *> &callees) {
    auto *made = llvm::Function::Create(type(), llvm::GlobalValue::ExternalLinkage, name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", made));
    for (llvm::Function *callee : callees)
      b.CreateCall(callee);
    b.CreateRetVoid();
    return made;
  }

  static std::vector<std::string> definedIn(const llvm::Module &module) {
    EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
    std::vector<std::string> names;
    for (const llvm::Function &function : module)
      if (!function.isDeclaration())
        names.push_back(function.getName().str());
    std::ranges::sort(names);
    return names;
  }

  llvm::LLVMContext context;
  llvm::IRBuilder<> b{context};
  llvm::Module functions{"functions", context}, program{"program", context};
  std::vector<LazyModule> parts;
};

using Names = std::vector<std::string>;

TEST(LaterParts, haveWhatTheyAloneCall) {
  const Functions alone(/*shared=*/false);
  ASSERT_EQ(alone.parts.size(), 1u);
  EXPECT_EQ(alone.parts[0].name, "g");
  EXPECT_EQ(Functions::definedIn(*alone.parts[0].module), (Names{"g", "h"}));
  EXPECT_EQ(Functions::definedIn(alone.functions), Names{"f"});
  EXPECT_TRUE(alone.functions.getNamedGlobal("g.place"));
  EXPECT_FALSE(alone.functions.getFunction("g"));

  const Functions shared(/*shared=*/true);
  EXPECT_EQ(Functions::definedIn(*shared.parts[0].module), Names{"g"});
  EXPECT_EQ(Functions::definedIn(shared.functions), (Names{"f", "h"}));
}

//===--- first calls ------------------------------------------------------------------------===//

/// Code of void f(int *to, i64 x 7), which leaves the sum of its numbers; more of them than there
/// are registers for arguments.
struct Summing {
  using Type = void (*)(int64_t *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

  Summing() : module("sums", context), target(llvm::cantFail(hostTarget())) {
    module.setDataLayout(target.machine->createDataLayout());
    module.setTargetTriple(target.machine->getTargetTriple());
    llvm::Type *number = b.getInt64Ty();
    llvm::SmallVector<llvm::Type *> types(7, number);
    types.insert(types.begin(), b.getPtrTy());
    type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  }
  llvm::Function *start(const char *name) {
    auto *made = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", made));
    return made;
  }
  std::unique_ptr<llvm::MemoryBuffer> object() {
    llvm::SmallVector<char, 0> code = machineCode(module, target);
    return llvm::MemoryBuffer::getMemBufferCopy({code.data(), code.size()});
  }

  static std::unique_ptr<llvm::MemoryBuffer> callee() {
    Summing code;
    llvm::Function *function = code.start("sum");
    llvm::Value *sum = code.b.getInt64(0);
    for (unsigned i = 1; i < 8; ++i)
      sum = code.b.CreateAdd(sum, function->getArg(i));
    code.b.CreateStore(sum, function->getArg(0));
    code.b.CreateRetVoid();
    return code.object();
  }
  /// A caller of it through a pointer.
  static std::unique_ptr<llvm::MemoryBuffer> caller() {
    Summing code;
    llvm::Function *function = code.start("call");
    llvm::Constant *place =
        code.module.getOrInsertGlobal(lazyPointerName("sum"), code.b.getPtrTy());
    llvm::SmallVector<llvm::Value *> arguments(llvm::make_pointer_range(function->args()));
    code.b.CreateCall(code.type, code.b.CreateLoad(code.b.getPtrTy(), place), arguments);
    code.b.CreateRetVoid();
    return code.object();
  }

  llvm::LLVMContext context;
  llvm::IRBuilder<> b{context};
  llvm::Module module;
  CodeTarget target;
  llvm::FunctionType *type = nullptr;
};

class FirstCalls : public testing::Test {
protected:
  void SetUp() override {
    if (!hasTrampolines())
      GTEST_SKIP() << "not on this CPU";
    linked_ = llvm::cantFail(LinkedObject::link(
        Summing::caller(), nullptr,
        {{"sum", [this]() -> llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> {
            ++made_;
            if (fails_)
              return llvm::createStringError("no room for code");
            return Summing::callee();
          }}}));
  }

  int64_t sumOfSeven(int64_t first) {
    int64_t sum = -1;
    const auto call = llvm::cantFail(linked_->find({"call"}))[0].toPtr<Summing::Type>();
    call(&sum, first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6);
    return sum;
  }

  std::atomic<int> made_ = 0;
  bool fails_ = false;
  std::shared_ptr<const LinkedObject> linked_;
};

TEST_F(FirstCalls, compileOnceAndHandOnTheirArguments) {
  EXPECT_EQ(llvm::cantFail(linked_->find({"call"})).size(), 1u);
  EXPECT_EQ(made_, 0) << "it has not been called";
  EXPECT_EQ(sumOfSeven(1), 28);
  EXPECT_EQ(sumOfSeven(10), 91);
  EXPECT_EQ(made_, 1);
  EXPECT_GT(linked_->lazyMs(), 0);
  EXPECT_EQ(linked_->failures(), 0u);
}

TEST_F(FirstCalls, ofSeveralThreadsCompileOnce) {
  constexpr int threads = 4;
  std::barrier together(threads);
  std::vector<std::thread> all;
  std::vector<int64_t> sums(threads);
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      together.arrive_and_wait();
      sums[i] = sumOfSeven(i);
    });
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(sums, (std::vector<int64_t>{21, 28, 35, 42}));
  EXPECT_EQ(made_, 1);
}

TEST_F(FirstCalls, withoutCodeDoNothingAndSaySo) {
  fails_ = true;
  EXPECT_EQ(sumOfSeven(1), -1);
  EXPECT_EQ(linked_->failures(), 1u);
  EXPECT_EQ(linked_->failure(), "no room for code");
  fails_ = false;
  EXPECT_EQ(sumOfSeven(1), 28) << "the next call tries again";
  EXPECT_EQ(linked_->failures(), 1u);
}

TEST(FirstCall, addressesAreUsedAgain) {
  if (!hasTrampolines())
    GTEST_SKIP() << "not on this CPU";
  void *address = llvm::cantFail(addTrampoline([] { return nullptr; }));
  releaseTrampoline(address);
  EXPECT_EQ(llvm::cantFail(addTrampoline([] { return nullptr; })), address);
  releaseTrampoline(address);
}

//===--- kernels ----------------------------------------------------------------------------===//

std::string scaled(const char *factor) {
  return std::string("kernel k(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] { c = (a @ b) * ") +
         factor + "; }";
}

TEST(LazyCode, ofAKernelIsMadeForTheWaysThatItsRunsTake) {
  if (!hasTrampolines())
    GTEST_SKIP() << "not on this CPU";
  forgetLinked();
  Compiled compiled(scaled("3"), "host");
  ASSERT_TRUE(compiled.ready());
  EXPECT_EQ(compiled.executable().lazyMs(), 0);
  compiled.expectRight({{"M", 48}, {"N", 48}, {"K", 32}}, DataKind::integers);
  const double square = compiled.executable().lazyMs();
  EXPECT_GT(square, 0);
  compiled.expectRight({{"M", 48}, {"N", 48}, {"K", 32}}, DataKind::integers);
  EXPECT_EQ(compiled.executable().lazyMs(), square) << "it is there";
  compiled.expectRight({{"M", 1}, {"N", 300}, {"K", 300}}, DataKind::integers);
  EXPECT_GT(compiled.executable().lazyMs(), square) << "another way";
}

// Two kernels whose functions differ only in the lazy ones.
TEST(LazyCode, isThatOfItsOwnKernel) {
  forgetLinked();
  for (const char *factor : {"3", "5"}) {
    Compiled compiled(scaled(factor), "host");
    ASSERT_TRUE(compiled.ready());
    compiled.expectRight({{"M", 48}, {"N", 48}, {"K", 32}}, DataKind::integers);
  }
}

} // namespace
} // namespace mmk
