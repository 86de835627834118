// mmk-adaptation: the fused kernel on machines with one figure halved. `--check` fails when
// the table in docs/adaptation.md differs, or when a row is impossible; each figure is then halved
// for one of the shapes, for both with MMK_ALL in the environment. With MMK_UPDATE it writes the
// table.
#include "bench/adaptation/adaptation.h"
#include "runtime/threads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mmk::adaptation {
namespace {

constexpr const char *document = MMK_SOURCE_DIR "/docs/adaptation.md";
constexpr const char *begin = "<!-- The table: ./dev goldens docs/adaptation -->\n";
constexpr const char *end = "<!-- End of the table -->\n";

std::string row(const Result &result) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {:.1f} % | {} |\n", result.shape->name, result.change->name,
      result.before ? std::to_string(*result.before) : "does not fit", result.best,
      result.roofline.cycles, result.roofline.bound, 100 * result.recovered(), result.variant);
}

std::string table(const std::vector<Result> &results) {
  std::string made = "\n| case | halved | best before | best now | roofline | bound | recovered | "
                     "chosen now |\n|---|---|---|---|---|---|---|---|\n";
  for (const Result &result : results)
    made += row(result);
  return made + "\n";
}

/// No variant is faster than the roofline, and retuning is never worse.
bool isPossible(const Result &result) {
  if (result.roofline.cycles <= result.best && (!result.before || result.best <= *result.before))
    return true;
  llvm::errs() << "impossible: " << result.shape->name << ", " << result.change->name << '\n';
  return false;
}

/// The page with this table; empty when there is no page with marks for it.
std::string pageWith(const std::string &table, std::string &old) {
  if (auto buffer = llvm::MemoryBuffer::getFile(document))
    old = (*buffer)->getBuffer().str();
  const size_t from = old.find(begin), to = old.find(end);
  if (from == std::string::npos || to == std::string::npos)
    return "";
  return old.substr(0, from) + begin + table + old.substr(to);
}

int run(llvm::StringRef mode) {
  const bool updates = std::getenv("MMK_UPDATE"),
             isWhole = mode.empty() || updates || std::getenv("MMK_ALL");
  auto results = adapt(availableThreads(), isWhole);
  if (!results) {
    llvm::errs() << llvm::toString(results.takeError()) << '\n';
    return 2;
  }
  bool isRight = llvm::all_of(*results, isPossible);
  if (mode.empty()) {
    llvm::outs() << table(*results);
    return isRight ? 0 : 1;
  }
  std::string old;
  const std::string page = pageWith(table(*results), old);
  if (page.empty()) {
    llvm::errs() << document << " has no marks for the table\n";
    return 2;
  }
  std::error_code error;
  if (updates) {
    llvm::raw_fd_ostream(document, error) << page;
  } else if (isWhole ? page != old : !llvm::all_of(*results, [&](const Result &result) {
               return old.find(row(result)) != std::string::npos;
             })) {
    llvm::errs() << document << " has another table; ./dev goldens writes it\n";
    isRight = false;
  }
  return isRight && !error ? 0 : 1;
}

} // namespace
} // namespace mmk::adaptation

int main(int argc, char **argv) { return mmk::adaptation::run(argc > 1 ? argv[1] : ""); }
