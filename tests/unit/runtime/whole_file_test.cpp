// Files that are complete or absent, however the writing process ends.
#include "runtime/whole_file.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mmk {
namespace {

struct WholeFiles : testing::Test {
  llvm::SmallString<128> folder;

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("whole-file", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const char *name) const { return (folder + "/" + name).str(); }

  unsigned files() const {
    unsigned count = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator i(folder, error), end; i != end && !error;
         i.increment(error))
      ++count;
    return count;
  }

  static std::string text(const std::string &path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(WholeFiles, HasItsNameOnceItIsKept) {
  const std::string path = this->path("a");
  {
    llvm::Expected<WholeFile> file = WholeFile::beside(path);
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    ASSERT_EQ(write(file->descriptor(), "abc", 3), 3);
    EXPECT_FALSE(llvm::sys::fs::exists(path));
    EXPECT_EQ(files(), 1u);
    EXPECT_EQ(llvm::toString(file->keep()), "");
  }
  EXPECT_EQ(text(path), "abc");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFiles, LeavesNothingWhenItIsNotKept) {
  const std::string path = this->path("a");
  std::ofstream(path) << "before";
  {
    llvm::Expected<WholeFile> file = WholeFile::beside(path);
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    ASSERT_EQ(write(file->descriptor(), "abc", 3), 3);
  }
  EXPECT_EQ(text(path), "before");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFiles, LeavesNothingWhenItCannotHaveItsName) {
  const std::string path = this->path("a");
  {
    llvm::Expected<WholeFile> file = WholeFile::beside(path);
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    ASSERT_EQ(mkdir(path.c_str(), 0777), 0);
    EXPECT_EQ(llvm::toString(file->keep()), "Is a directory");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFiles, SaysWhyItCannotBeMade) {
  EXPECT_EQ(llvm::toString(WholeFile::beside(path("missing/a")).takeError()),
            "No such file or directory");
}

// Processes that only write such files, each killed at another moment.
TEST_F(WholeFiles, LeavesNothingWhenASignalEndsTheProcess) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer delivers signals when it likes, here never";
#endif
  for (int process = 0; process < 200; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      signal(SIGALRM, [](int) { raise(SIGINT); });
      // Handlers are there before the clock runs.
      llvm::consumeError(WholeFile::beside(path("first")).takeError());
      const itimerval once = {{0, 0}, {0, 500 + process * 7}};
      setitimer(ITIMER_REAL, &once, nullptr);
      for (;;)
        llvm::consumeError(WholeFile::beside(path("a")).takeError());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(WTERMSIG(status), SIGINT);
    ASSERT_EQ(files(), 0u) << "after process " << process;
  }
}

} // namespace
} // namespace mmk
