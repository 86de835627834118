// The toolkit is found by the variables that its set_env.sh sets. Its compiler is bisheng, which
// takes clang's options; without it, a C++ compiler reads the toolkit's headers as its language
// server does (-DASCENDC_CPU_DEBUG=1 -D__NPU_ARCH__=2201, asc-devkit's .clangd), with a launch that
// is C++.
#include "driver/ascendc/ascendc_check.h"

#include "cli/ending.h"
#include "cli/terminal.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

namespace mmk::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The folder of the toolkit: of its variables, the first that is set.
std::string toolkit() {
  for (const char *variable : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
    if (const char *folder = std::getenv(variable); folder && *folder) {
      if (!fs::is_directory(folder))
        throw UserError(fmt::format("--check: {} is {}, which is no folder", variable, folder));
      return folder;
    }
  throw UserError("--check needs a toolkit (CANN 8.5 or later): neither ASCEND_HOME_PATH nor "
                  "ASCEND_TOOLKIT_HOME is set; its set_env.sh sets them");
}

/// The folders below the toolkit with these headers, as options. A toolkit of several architectures
/// has them more than once: the first is enough.
std::vector<std::string> includesOf(const std::string &home) {
  std::vector<std::string> options;
  for (const char *header : {"kernel_operator.h", "acl/acl.h"}) {
    std::string found;
    std::error_code error;
    for (fs::recursive_directory_iterator file(home, error), end;
         file != end && !error && found.empty(); file.increment(error))
      if (llvm::StringRef(file->path()).ends_with(std::string("/") + header))
        found = file->path().substr(0, file->path().size() - std::strlen(header) - 1);
    if (found.empty())
      throw UserError(fmt::format("--check: no {} below {}", header, home));
    options.push_back("-I" + found);
  }
  return options;
}

std::string compilerOf(const std::string &home) {
  for (const char *folder : {"bin", "compiler/bin", "compiler/ccec_compiler/bin"})
    if (const auto found = llvm::sys::findProgramByName("bisheng", {home + "/" + folder}))
      return *found;
  if (const auto found = llvm::sys::findProgramByName("bisheng"))
    return *found;
  for (const char *name : {"c++", "clang++", "g++"})
    if (const auto found = llvm::sys::findProgramByName(name))
      return *found;
  throw UserError("--check: neither bisheng nor a C++ compiler is in PATH");
}

std::vector<std::string> commandFor(const std::string &home, const std::string &source,
                                    ascendc::Architecture architecture) {
  const std::string number = ascendc::numberOf(architecture);
  std::vector<std::string> words = {compilerOf(home), "-std=c++17", "-fsyntax-only"};
  if (path::filename(words.front()) == "bisheng")
    words.insert(words.end(), {"--npu-arch=dav-" + number, "-xasc"});
  else
    words.insert(words.end(), {"-xc++", "-D__NPU_ARCH__=" + number, "-DASCENDC_CPU_DEBUG=1",
                               "-DMMK_LAUNCH(kernel,cores,stream,...)=kernel(__VA_ARGS__)"});
  for (std::string &option : includesOf(home))
    words.push_back(std::move(option));
  words.push_back(source);
  return words;
}

} // namespace

bool checkAscendcProject(const std::string &folder, ascendc::Architecture architecture) {
  const std::vector<std::string> words = commandFor(toolkit(), folder + "/main.asc", architecture);
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::string error;
  const int code =
      llvm::sys::ExecuteAndWait(words.front(), arguments, std::nullopt, {}, 0, 0, &error);
  if (code < 0)
    throw UserError(fmt::format("--check: {}: {}", words.front(), error));
  printError(code == 0 ? fmt::format("{} accepts {}\n", words.front(), words.back())
                       : fmt::format("{} refuses {}: the toolkit is not the one that mmk writes "
                                     "for, or this is a bug in mmk\n",
                                     words.front(), words.back()));
  return code == 0;
}

} // namespace mmk::driver
