// `mmk check`: checks a file without running it.
#include "cli/ending.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "driver/command.h"
#include "driver/session.h"
#include "executable/executable.h"

#include <fmt/format.h>

namespace mmk::driver {
namespace {

/// The report of a correct kernel.
struct Finding {
  const Kernel *kernel;
  std::string variant;
  std::vector<MemoryUse> memory;
};

/// Checks all kernels, also after one with errors.
std::vector<Finding> check(Session &session) {
  std::vector<Finding> findings;
  std::string mistakes;
  for (const Kernel *kernel : session.kernels()) {
    try {
      Lowering lowering = session.lower(*kernel, LoweringLevel::aicore);
      findings.push_back({kernel, lowering.variant, memoryUse(lowering.kernel())});
    } catch (const UserError &mistake) {
      mistakes += mistake.what();
    }
  }
  if (!mistakes.empty())
    throw UserError::withText(mistakes);
  return findings;
}

std::string text(const Machine &machine, const std::vector<Finding> &findings) {
  size_t cases = 0;
  std::string lines;
  for (const Finding &finding : findings) {
    cases += finding.kernel->cases.size();
    std::string memory;
    for (const MemoryUse &use : finding.memory)
      if (use.used > 0)
        memory +=
            fmt::format("{}{} {:.0f} %", memory.empty() ? "" : ", ", use.memory,
                        100.0 * static_cast<double>(use.used) / static_cast<double>(use.capacity));
    lines += fmt::format("  {}: {}\n    fills of a core: {}\n", finding.kernel->name,
                         finding.variant, memory);
  }
  return fmt::format("{} {} kernel{}, {} case{}; on {}:\n{}", coloured("1;32", "ok:"),
                     findings.size(), findings.size() == 1 ? "" : "s", cases, cases == 1 ? "" : "s",
                     machine.name, lines);
}

std::string json(const Machine &machine, const std::vector<Finding> &findings) {
  return jsonArray(findings, [&](llvm::json::OStream &out, const Finding &finding) {
    out.attribute("kernel", finding.kernel->name);
    out.attribute("machine", machine.name);
    out.attribute("variant", finding.variant);
    out.attributeArray("cases", [&] {
      for (const Case &each : finding.kernel->cases)
        out.value(each.name);
    });
    writeMemory(out, finding.memory);
  });
}

} // namespace

int checkCommand(const std::vector<std::string> &words) {
  Target target;
  std::optional<std::string> jsonFile;
  CommandLine commandLine("check");
  target.addOptionsTo(commandLine);
  commandLine.option("--json", "FILE", jsonFile);
  target.takeFileAlone(commandLine.parse(words), "check");
  if (jsonFile)
    expectWritable(*jsonFile);

  Session session(target, /*showsRemarks=*/true);
  const std::vector<Finding> findings = check(session);
  if (jsonFile.value_or("") != "-")
    print(text(session.machine(), findings));
  if (jsonFile)
    writeFile(*jsonFile, json(session.machine(), findings));
  return success;
}

} // namespace mmk::driver
