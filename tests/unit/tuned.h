// A kernel, a machine and a space of variants, for tests of the search.
#pragma once

#include "frontend/compile.h"
#include "frontend/schedule.h"
#include "tune/space.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace mmk::tune {

/// A product with an epilogue, small enough to be counted quickly.
inline const std::string fusedText = R"(
kernel fused(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = max(a @ b + bias, 0);
  schedule {
    cores = auto | 6 | 4;
    tile M = 64 | 128 | 256, N = 64 | 128, K = 64 | 32;
    stage K = 128 | 96;
    buffers l1 = 2 | 1;
    order = rows | columns;
    require tile.M * tile.N <= 16384;
  }
}
)";

/// A checked program; fails the test when the text is wrong.
class Checked {
public:
  explicit Checked(const std::string &text) {
    Diagnostics diagnostics;
    auto checked = checkProgram("test.mmk", text, diagnostics, file_);
    EXPECT_TRUE(checked) << diagnostics.render();
    if (checked)
      program = std::move(*checked);
  }
  const Kernel &kernel() const { return *program.kernels.front(); }
  Program program;

private:
  std::unique_ptr<SourceFile> file_;
};

inline Machine machineOf(const std::string &name = "ascend910b3",
                         const std::vector<MachineOverride> &overrides = {}) {
  return llvm::cantFail(loadMachine(name, overrides));
}

inline Space spaceOf(const Kernel &kernel, const Machine &machine,
                     const SpaceOptions &options = {}) {
  return llvm::cantFail(Space::make(kernel, machine, options));
}

/// A temporary folder, removed at the end of the test.
class TemporaryFolder {
public:
  explicit TemporaryFolder(
      const std::filesystem::path &in = std::filesystem::temp_directory_path()) {
    std::string name = (in / "mmk-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

} // namespace mmk::tune
