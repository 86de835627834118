// Memory of tensors: alignment, refusals, canaries, poison.
#include "runtime/tensor.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

using namespace mmk;

static std::string refusalOf(ElementType type, std::vector<int64_t> shape) {
  llvm::Expected<Tensor> tensor = Tensor::allocate(type, std::move(shape));
  return tensor ? "" : llvm::toString(tensor.takeError());
}

TEST(Tensor, IsAlignedAndCounted) {
  for (const auto &[shape, elements] :
       {std::pair(std::vector<int64_t>{3, 5}, 15), {{}, 1}, {{0, 7}, 0}, {{2, 3, 4}, 24}}) {
    Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::f16, shape));
    EXPECT_EQ(tensor.elements(), elements);
    EXPECT_EQ(tensor.bytes(), static_cast<size_t>(2 * elements));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    EXPECT_TRUE(tensor.canariesIntact());
  }
}

TEST(Tensor, LargeOnesAreAlignedToo) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::f32, {1025, 2049}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
  tensor.poison();
  EXPECT_TRUE(tensor.canariesIntact());
}

TEST(Tensor, SpellsItsTypeAndShape) {
  EXPECT_EQ(spelling(ElementType::f16, {2048, 64}), "f16[2048, 64]");
  EXPECT_EQ(spelling(ElementType::f32, {}), "f32");
}

TEST(Tensor, RefusesWhatCannotBe) {
  EXPECT_EQ(refusalOf(ElementType::f32, {4, -1}), "a tensor f32[4, -1] cannot be: -1 is below 0");
  EXPECT_EQ(refusalOf(ElementType::f32, {1LL << 40, 1LL << 40}),
            "a tensor f32[1099511627776, 1099511627776] is larger than any memory: its bytes do "
            "not fit in 63 bits");
  EXPECT_EQ(refusalOf(ElementType::f16, {1LL << 62, 2}),
            "a tensor f16[4611686018427387904, 2] is larger than any memory: its bytes do not fit "
            "in 63 bits");
  // The other extents do not matter beside a 0.
  EXPECT_EQ(refusalOf(ElementType::f32, {1LL << 40, 1LL << 40, 0}), "");
}

TEST(Tensor, RefusesMoreThanTheMachineHas) {
  const std::string message = refusalOf(ElementType::f32, {1LL << 30, 1LL << 20});
  EXPECT_EQ(message.rfind("a tensor f32[1073741824, 1048576] needs 4503599627370496 bytes; this "
                          "machine has ",
                          0),
            0u)
      << message;
  EXPECT_TRUE(llvm::StringRef(message).ends_with(" bytes of memory")) << message;
}

/// Bytes of address space that this process has.
static int64_t addressSpace() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// Prints the refusal of 64 MiB in an address space that may grow by half of that.
[[noreturn]] static void refuseInLittleSpace() {
  const rlim_t limit = addressSpace() + (int64_t(32) << 20);
  const rlimit limits = {limit, limit};
  setrlimit(RLIMIT_AS, &limits);
  std::fputs(refusalOf(ElementType::i8, {int64_t(64) << 20}).c_str(), stderr);
  std::_Exit(0);
}

TEST(Tensor, RefusesMoreThanIsFree) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(refuseInLittleSpace(), testing::ExitedWithCode(0),
              "^a tensor i8.67108864. needs 67108864 bytes; this machine has [0-9]+ bytes of "
              "memory, not enough of them free$");
}

TEST(Tensor, CanariesShowAnyByteWritten) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(ElementType::i8, {77}));
  for (int64_t at : {-64, -1, 77, 77 + 63}) {
    int8_t &byte = tensor.as<int8_t>()[at];
    const int8_t before = byte;
    byte ^= 1;
    EXPECT_FALSE(tensor.canariesIntact()) << at;
    byte = before;
    EXPECT_TRUE(tensor.canariesIntact()) << at;
  }
  tensor.set(0, 1), tensor.set(76, 2);
  EXPECT_TRUE(tensor.canariesIntact());
}

TEST(Tensor, PoisonIsNoResult) {
  for (ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    Tensor tensor = llvm::cantFail(Tensor::allocate(type, {3, 7}));
    tensor.poison();
    for (int64_t i = 0; i < tensor.elements(); ++i)
      EXPECT_TRUE(std::isnan(tensor[i])) << spelling(type);
    EXPECT_TRUE(tensor.canariesIntact());
  }
  Tensor bytes = llvm::cantFail(Tensor::allocate(ElementType::i8, {5}));
  Tensor words = llvm::cantFail(Tensor::allocate(ElementType::i32, {5}));
  bytes.poison(), words.poison();
  EXPECT_EQ(bytes[4], 0x7F);
  EXPECT_EQ(words[4], 0x7F7F7F7F);
}

TEST(Tensor, Moves) {
  Tensor first = llvm::cantFail(Tensor::allocate(ElementType::f32, {4}));
  first.set(2, 5.5);
  Tensor second = std::move(first);
  EXPECT_EQ(second[2], 5.5);
  EXPECT_EQ(second.shape, std::vector<int64_t>{4});
}
