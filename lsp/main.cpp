// mmk-lsp: the language server of .mmk texts, on standard input and output.
#include "cli/command_line.h"
#include "cli/ending.h"
#include "cli/help_pages.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "lsp/server.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace {

constexpr std::string_view page = R"(mmk-lsp [OPTION ...]

The language server of .mmk texts: an editor starts it, and speaks the language server protocol with
it on standard input and output. docs/editors.md sets up VS Code, Vim and Emacs.

  --machine NAME|FILE        the machine that texts are checked for (see mmk machines); default:
                             ascend910b3
  --version                  the versions of mmk and of LLVM
  --help, -h                 this page
)";

int serve(const std::vector<std::string> &words) {
  using namespace mmk;
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  if (has("--help") || has("-h"))
    return driver::print(page), driver::success;
  if (has("--version"))
    return driver::print(driver::versionLine()), driver::success;
  std::optional<std::string> machine;
  driver::CommandLine commandLine("mmk-lsp");
  commandLine.option("--machine", "NAME|FILE", machine);
  if (const auto rest = commandLine.parse(words); !rest.empty())
    throw driver::UserError(fmt::format("expected options alone, found '{}'", rest.front()));

  llvm::lsp::JSONTransport transport(stdin, llvm::outs());
  lsp::Server server(transport, driver::loadMachineOrRefuse(machine.value_or("ascend910b3"), {}));
  return server.run() ? driver::success : driver::userError;
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return serve({argv + std::min(argc, 1), argv + argc});
  } catch (const mmk::driver::UserError &mistake) {
    mmk::driver::printError(mistake.what());
    return mmk::driver::userError;
  }
}
