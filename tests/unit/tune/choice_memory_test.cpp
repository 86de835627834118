// Choices that are remembered: found again by their key alone, and never taken from a damaged file.
#include "store/choice_memory.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace mmk::tune {
namespace {

class ChoiceMemoryTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("choices", path));
    folder = path.str();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder;
  const ChoiceKey key = {{"kernel", "machine", "build", "k", "m"}, "M=1,N=2", "order=rows"};
  const RememberedChoice choice = {{{"tile.M", "64"}, {"tile.N", "128"}}, 100, 250, 9, 800};
};

TEST_F(ChoiceMemoryTest, FindsWhatWasAdded) {
  const ChoiceMemory memory(folder + "/made");
  EXPECT_FALSE(memory.find(key));
  ASSERT_FALSE(memory.add(key, choice));
  const auto found = memory.find(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choices, choice.choices);
  EXPECT_EQ(found->cycles, 100);
  EXPECT_EQ(found->defaultCycles, 250);
  EXPECT_EQ(found->counted, 9);
  EXPECT_EQ(found->considered, 800);
}

TEST_F(ChoiceMemoryTest, EveryPartOfTheKeyCounts) {
  const ChoiceMemory memory(folder);
  ASSERT_FALSE(memory.add(key, choice));
  for (int part = 0; part < 5; ++part) {
    ChoiceKey other = key;
    std::string *const parts[] = {&other.identity.kernel, &other.identity.machine,
                                  &other.identity.build, &other.dims, &other.fixed};
    *parts[part] += "x";
    EXPECT_FALSE(memory.find(other)) << part;
  }
}

TEST_F(ChoiceMemoryTest, ADamagedFileIsNone) {
  const ChoiceMemory memory(folder);
  ASSERT_FALSE(memory.add(key, choice));
  ASSERT_TRUE(memory.find(key));
  const auto path = std::filesystem::directory_iterator(folder)->path();
  std::stringstream whole;
  whole << std::ifstream(path).rdbuf();
  for (size_t i = 0; i < whole.str().size(); ++i) {
    std::string text = whole.str();
    text[i] = text[i] == '1' ? '2' : '1';
    std::ofstream(path) << text;
    EXPECT_FALSE(memory.find(key)) << i;
    std::ofstream(path) << whole.str().substr(0, i);
    if (i + 1 < whole.str().size()) // all but its last line feed is whole
      EXPECT_FALSE(memory.find(key)) << i;
  }
  std::ofstream(path) << whole.str();
  EXPECT_TRUE(memory.find(key));
}

TEST_F(ChoiceMemoryTest, ThatNoneIsLegalIsRemembered) {
  const ChoiceMemory memory(folder);
  ASSERT_FALSE(memory.add(key, {}));
  ASSERT_TRUE(memory.find(key));
  EXPECT_FALSE(memory.find(key)->isFound());
}

TEST_F(ChoiceMemoryTest, ForgetsOtherBuildsOrAll) {
  const ChoiceMemory memory(folder);
  ASSERT_FALSE(memory.add(key, choice));
  ChoiceKey other = key;
  other.identity.build = "another";
  ASSERT_FALSE(memory.add(other, choice));
  EXPECT_EQ(memory.prune("build"), 1);
  EXPECT_TRUE(memory.find(key));
  EXPECT_FALSE(memory.find(other));
  EXPECT_EQ(memory.prune(""), 1);
  EXPECT_FALSE(memory.find(key));
}

TEST_F(ChoiceMemoryTest, WithoutAFolderNothingIsKept) {
  const ChoiceMemory memory("");
  EXPECT_FALSE(memory.add(key, choice));
  EXPECT_FALSE(memory.find(key));
}

} // namespace
} // namespace mmk::tune
