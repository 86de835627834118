// `mmk check`: everything that can be known about a file without running it.
#include "driver/command.h"
#include "driver/ending.h"
#include "driver/session.h"
#include "driver/terminal.h"

#include <fmt/format.h>

namespace mmk::driver {

int checkCommand(const std::vector<std::string> &words) {
  Target target;
  CommandLine commandLine("check");
  target.addOptionsTo(commandLine);
  target.takeFileAlone(commandLine.parse(words), "check");

  Session session(target);
  size_t cases = 0;
  std::string lines;
  for (const Kernel *kernel : session.kernels()) {
    const Lowering lowering = session.lower(*kernel, Stage::aicore);
    cases += kernel->cases.size();
    lines += fmt::format("  {}: {}\n", kernel->name, lowering.variant);
  }
  const size_t kernels = session.kernels().size();
  print(fmt::format("{} {} kernel{}, {} case{}; on {}:\n{}", coloured("1;32", "ok:"), kernels,
                    kernels == 1 ? "" : "s", cases, cases == 1 ? "" : "s", session.machine().name,
                    lines));
  return allWell;
}

} // namespace mmk::driver
