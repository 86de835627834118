// `mmk import`: runs the importer of ONNX models, which is part of the Python package.
#include "cli/command_line.h"
#include "cli/ending.h"
#include "driver/command.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mmk::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Python says what it lacks before it starts the importer.
constexpr const char *script = R"(import sys
try:
    import numpy, onnx, mmk
except ImportError as missing:
    print(f"error: {sys.executable} has no package {missing.name}, which mmk import needs; Debian's is "
          f"python3-{missing.name}", file=sys.stderr)
    sys.exit(2)
from mmk.onnx.__main__ import main
sys.exit(main(sys.argv[1:]))
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
  const auto python = llvm::sys::findProgramByName("python3");
  if (!python)
    throw UserError(
        "mmk import needs Python, and python3 is not in PATH: Debian's packages python3, "
        "python3-numpy and python3-onnx");

  const std::string program = thisProgram();
  if (const std::string package = packageFolder(program); !package.empty())
    prepend("PYTHONPATH", package);
  setenv("MMK", program.c_str(), 1);
  std::vector<llvm::StringRef> arguments = {*python, "-c", script};
  if (folder)
    arguments.insert(arguments.end(), {"--output", *folder});
  if (machine)
    arguments.insert(arguments.end(), {"--machine", *machine});
  arguments.push_back("--");
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  std::string error;
  const int code = llvm::sys::ExecuteAndWait(*python, arguments, std::nullopt, {}, 0, 0, &error);
  if (code < 0)
    throw UserError(fmt::format("mmk import: {}: {}", *python, error));
  return code;
}

} // namespace mmk::driver
