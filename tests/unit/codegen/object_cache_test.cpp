// Compiled code on disk: a damaged file, or one of another user, is not run. In memory: no page is
// both writable and executable.
#include "jit/object.h"
#include "tests/unit/compiled.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Support/FileSystem.h"

#include <filesystem>
#include <fstream>
#include <set>

namespace mmk {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("mmk-cache", made));
    folder_ = std::string(made);
    fs::permissions(folder_, fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  bool finds() const { return ObjectCache(folder_).find("key") != nullptr; }
  fs::path file() const { return fs::path(folder_) / "key.o"; }
  std::string content() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string &bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string folder_;
};

TEST_F(Cache, FindsWhatItKept) {
  const ObjectCache cache(folder_);
  EXPECT_FALSE(finds());
  cache.keep("key", "code");
  ASSERT_TRUE(finds());
  EXPECT_EQ(cache.find("key")->getBuffer(), "code");
  EXPECT_FALSE(cache.find("another"));
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing is left behind";
}

TEST_F(Cache, RefusesEveryDamageAndMakesItGood) {
  const ObjectCache cache(folder_);
  cache.keep("key", "some code of some length");
  const std::string whole = content();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    write(damaged);
    EXPECT_FALSE(finds()) << "byte " << i;
    write(whole.substr(0, i));
    EXPECT_FALSE(finds()) << "cut after " << i;
  }
  write(whole + " ");
  EXPECT_FALSE(finds());
  cache.keep("key", "some code of some length");
  EXPECT_TRUE(finds());
}

TEST_F(Cache, RefusesWhatOthersCanWrite) {
  const ObjectCache cache(folder_);
  cache.keep("key", "code");
  for (fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(file(), others, fs::perm_options::add);
    EXPECT_FALSE(finds());
    fs::permissions(file(), others, fs::perm_options::remove);
    fs::permissions(folder_, others, fs::perm_options::add);
    EXPECT_FALSE(finds());
    cache.keep("new", "code");
    EXPECT_FALSE(fs::exists(fs::path(folder_) / "new.o"));
    fs::permissions(folder_, others, fs::perm_options::remove);
    EXPECT_TRUE(finds());
  }
}

TEST_F(Cache, IsNoneWhereItCannotBe) {
  const ObjectCache none(folder_ + "/missing");
  none.keep("key", "code");
  EXPECT_FALSE(none.find("key"));
  fs::create_directory(file());
  ObjectCache(folder_).keep("key", "code");
  EXPECT_FALSE(finds());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing is left behind";
}

// Code of another CPU in a shared folder is never found: the name holds the target.
/// The display names of the passes that LLVM itself would generate code with.
class PassNames : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass *pass) override {
    names.insert(pass->getPassName().str());
    llvm::legacy::PassManager::add(pass);
  }
  std::set<std::string, std::less<>> names;
};

// A pass that another LLVM names differently would run silently.
TEST(SkippedCodegenPasses, AreEachAPassThatLlvmWouldRun) {
  auto target = hostTarget();
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  if (!target->machine->getTargetTriple().isX86())
    GTEST_SKIP() << "the list is of the passes for x86";
  PassNames passes;
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream out(code);
  ASSERT_FALSE(target->machine->addPassesToEmitFile(passes, out, nullptr,
                                                    llvm::CodeGenFileType::ObjectFile));
  for (llvm::StringRef skipped : skippedCodegenPasses())
    EXPECT_TRUE(passes.names.contains(std::string_view(skipped))) << skipped.str();
}

TEST(ObjectCacheKey, IsOfOneCpu) {
  llvm::LLVMContext context;
  const llvm::Module module("same", context);
  const auto keyFor = [&](auto change) {
    CodeTarget target = llvm::cantFail(hostTarget());
    change(target);
    return ObjectCache::keyOf(module, target);
  };
  const std::string own = keyFor([](CodeTarget &) {});
  EXPECT_EQ(keyFor([](CodeTarget &) {}), own);
  EXPECT_NE(keyFor([](CodeTarget &target) { target.cpu = "another"; }), own);
  EXPECT_NE(keyFor([](CodeTarget &target) { target.features += ",+another"; }), own);
  EXPECT_NE(keyFor([](CodeTarget &target) { target.compileFast(); }), own);
  EXPECT_EQ(own.find_first_not_of("0123456789abcdef"), own.npos) << "a name that leads elsewhere";
}

TEST(GeneratedCode, IsNeverWritableAndExecutable) {
  Compiled kernel("kernel f(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] { c = a @ b; }", "host");
  ASSERT_TRUE(kernel.ready());
  kernel.expectRight({{"M", 40}, {"N", 40}, {"K", 40}}, DataKind::integers);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
}

} // namespace
} // namespace mmk
