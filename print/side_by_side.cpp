#include "print/side_by_side.h"

#include "llvm/ADT/StringRef.h"

namespace mmk::driver {
namespace {

/// "cores=20,tile=128x256x64" as its words, in order.
std::vector<std::pair<std::string, std::string>> wordsOf(llvm::StringRef variant) {
  std::vector<std::pair<std::string, std::string>> words;
  llvm::SmallVector<llvm::StringRef> items;
  variant.split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    const auto [name, value] = item.split('=');
    words.emplace_back(name, value);
  }
  return words;
}

} // namespace

std::vector<Change> changesBetween(const Side &a, const Side &b) {
  std::vector<Change> changes;
  if (a.machine != b.machine)
    changes.push_back({"machine", a.machine, b.machine});
  const auto wordsA = wordsOf(a.variant), wordsB = wordsOf(b.variant);
  const std::map<std::string, std::string> inA(wordsA.begin(), wordsA.end()),
      inB(wordsB.begin(), wordsB.end());
  for (const auto &[name, value] : wordsA)
    if (const auto other = inB.find(name); other == inB.end())
      changes.push_back({name, value, ""});
    else if (other->second != value)
      changes.push_back({name, value, other->second});
  for (const auto &[name, value] : wordsB)
    if (!inA.contains(name))
      changes.push_back({name, "", value});
  return changes;
}

double gainPercent(double a, double b) { return a == 0 ? 0 : 100 * (a - b) / a; }

} // namespace mmk::driver
