// `mmk import`: runs the importer of ONNX models, which is part of the Python package.
#include "cli/command_line.h"
#include "cli/ending.h"
#include "driver/command.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace mmk::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Imports the model where this Python has the packages. Says so in the file of the first word, or
/// which package is missing.
constexpr const char *script = R"(import sys
def say(word):
    with open(sys.argv[1], "w") as answer:
        answer.write(word)
try:
    import numpy, onnx, mmk
except ImportError as missing:
    say((missing.name or "mmk").split(".")[0])
    sys.exit(2)
say("ready")
from mmk.onnx.__main__ import main
sys.exit(main(sys.argv[2:]))
)";

std::string thisProgram() {
  return fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&importCommand));
}

/// The folder with the Python package of this build or of this installation by pip; empty where
/// Python has to find it by itself.
std::string packageFolder(llvm::StringRef program) {
  const llvm::StringRef above = path::parent_path(path::parent_path(program));
  for (const std::string &folder : {above.str() + "/python", path::parent_path(above).str()})
    if (fs::exists(folder + "/mmk/onnx/__main__.py"))
      return folder;
  return "";
}

void prepend(const char *variable, const std::string &folder) {
  const char *others = std::getenv(variable);
  setenv(variable, (others && *others ? folder + ":" + others : folder).c_str(), 1);
}

/// Each python3 of PATH, and Debian's, in this order; those that are one file are one.
std::vector<std::string> allPythons() {
  llvm::SmallVector<llvm::StringRef, 16> folders;
  const char *searched = std::getenv("PATH");
  llvm::SplitString(searched ? searched : "", folders, ":");
  folders.push_back("/usr/bin");
  std::vector<std::string> pythons;
  std::set<fs::UniqueID> seen;
  for (llvm::StringRef folder : folders) {
    llvm::SmallString<128> python(folder);
    path::append(python, "python3");
    fs::UniqueID file;
    if (fs::can_execute(python) && !fs::getUniqueID(python, file) && seen.insert(file).second)
      pythons.push_back(python.str().str());
  }
  return pythons;
}

/// A file in which a Python says what it lacks; removed at the end. Standard output is the
/// importer's.
class Answer {
public:
  Answer() {
    if (const std::error_code error = fs::createTemporaryFile("mmk-import", "txt", path_))
      throw UserError(fmt::format("mmk import: no temporary file: {}", error.message()));
  }
  ~Answer() { fs::remove(path_); }
  Answer(const Answer &) = delete;
  Answer &operator=(const Answer &) = delete;

  llvm::StringRef path() const { return path_; }
  /// Empty where Python did not start.
  std::string text() const {
    const auto buffer = llvm::MemoryBuffer::getFile(path_);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  llvm::SmallString<128> path_;
};

/// Runs the importer with the first of these that has its packages; its exit code.
int importWith(const std::vector<std::string> &pythons, llvm::ArrayRef<llvm::StringRef> words) {
  std::string tried;
  for (const std::string &python : pythons) {
    const Answer answer;
    llvm::SmallVector<llvm::StringRef> arguments = {python, "-c", script, answer.path()};
    arguments.append(words.begin(), words.end());
    const int code = llvm::sys::ExecuteAndWait(python, arguments);
    const std::string said = answer.text();
    if (said == "ready")
      return code;
    tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", python,
                         said.empty() ? "does not start" : "no package " + said);
  }
  throw UserError(fmt::format("mmk import needs a python3 with the packages numpy, onnx and mmk, "
                              "Debian's python3-numpy and python3-onnx; tried: {}",
                              tried));
}

} // namespace

int importCommand(const std::vector<std::string> &words) {
  std::optional<std::string> folder, machine;
  CommandLine commandLine("import");
  commandLine.option("--output", "DIR", folder);
  commandLine.shortName("-o", "--output");
  commandLine.option("--machine", "NAME|FILE", machine);
  const std::vector<std::string> rest = commandLine.parse(words);
  if (rest.empty())
    throw UserError("expected a model: mmk import model.onnx");
  const std::vector<std::string> pythons = allPythons();
  if (pythons.empty())
    throw UserError("mmk import needs Python, and python3 is neither in PATH nor in /usr/bin: "
                    "Debian's packages python3, python3-numpy and python3-onnx");

  const std::string program = thisProgram();
  if (const std::string package = packageFolder(program); !package.empty())
    prepend("PYTHONPATH", package);
  setenv("MMK", program.c_str(), 1);
  std::vector<llvm::StringRef> arguments;
  if (folder)
    arguments.insert(arguments.end(), {"--output", *folder});
  if (machine)
    arguments.insert(arguments.end(), {"--machine", *machine});
  arguments.push_back("--");
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return importWith(pythons, arguments);
}

} // namespace mmk::driver
