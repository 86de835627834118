#include "print/synchronisation.h"

#include "cli/ending.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "count/sync_cost.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::driver {
namespace {

bool isSync(Work work) { return work == Work::set || work == Work::wait || work == Work::barrier; }

/// The place in the user's text; for a fused location, the first.
void locate(mlir::Location location, Synchronisation::Needless &needless) {
  location->walk([&](mlir::Location inner) {
    auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!place)
      return mlir::WalkResult::advance();
    needless.file = place.getFilename().str();
    needless.line = place.getLine();
    return mlir::WalkResult::interrupt();
  });
}

/// The number of events available to the pair of this name; a barrier needs none.
std::optional<int64_t> eventsOf(const Synchronisation &sync, const std::string &name) {
  if (!sync.taken.contains(name))
    return std::nullopt;
  return name.find("core") == std::string::npos ? sync.events : sync.crossFlags;
}

std::string textOf(const Synchronisation::Needless &needless) {
  std::string text =
      needless.file.empty() ? "" : fmt::format("{}:{}: ", needless.file, needless.line);
  text += needless.text;
  return needless.cycles ? text + fmt::format("; it costs {} cycles", *needless.cycles) : text;
}

} // namespace

int64_t Synchronisation::instructions() const {
  int64_t all = 0;
  for (const auto &[name, count] : placed)
    all += count;
  return all;
}

Synchronisation synchronisationOf(aicore::KernelOp kernel, const Machine &machine,
                                  llvm::ArrayRef<int64_t> dims, const PathReport &path) {
  Synchronisation sync;
  sync.placed = placedFlags(kernel);
  sync.taken = takenEvents(kernel);
  sync.events = machine.eventIds;
  sync.crossFlags = machine.crossFlags;
  for (const PathReport::Part &part : path.parts)
    if (isSync(part.work)) {
      sync.onPath += part.count;
      sync.cyclesOnPath += part.cycles;
    }
  llvm::Expected<std::vector<SyncCost>> costs = syncCosts(kernel, machine, dims);
  if (!costs)
    throw Bug(llvm::toString(costs.takeError()));
  for (const SyncCost &cost : *costs)
    for (mlir::Operation *op : cost.at) {
      Synchronisation::Needless &needless = sync.needless.emplace_back();
      needless.text = cost.text;
      needless.cycles = cost.cycles;
      locate(op->getLoc(), needless);
    }
  return sync;
}

std::string textOf(const Synchronisation &sync, int64_t cycles) {
  const int64_t all = sync.instructions();
  if (all == 0)
    return "";
  const double share = cycles > 0 ? 100.0 * static_cast<double>(sync.cyclesOnPath) / cycles : 0;
  std::string text =
      "\n" +
      coloured("1",
               fmt::format("synchronisation: {} flags and barriers, {}; they take {} cycles of "
                           "the critical path ({:.1f} %)",
                           all,
                           sync.needless.empty()
                               ? "none of them needless"
                               : fmt::format("{} of them needless", sync.needless.size()),
                           sync.cyclesOnPath, share)) +
      "\n";
  Table table("<>>");
  table.add({"flag", "placed", "events"});
  for (const auto &[name, placed] : sync.placed) {
    const std::optional<int64_t> events = eventsOf(sync, name);
    table.add({name, std::to_string(placed),
               events ? fmt::format("{} of {}", sync.taken.at(name), *events) : "-"});
  }
  text += table.text("  ");
  for (const Synchronisation::Needless &needless : sync.needless)
    text += "  " + textOf(needless) + "\n";
  return text;
}

void write(json::OStream &out, const Synchronisation &sync) {
  out.attributeObject("synchronisation", [&] {
    out.attribute("instructions", sync.instructions());
    out.attributeArray("flags", [&] {
      for (const auto &[name, placed] : sync.placed)
        out.object([&] {
          out.attribute("name", name);
          out.attribute("placed", placed);
          if (const std::optional<int64_t> events = eventsOf(sync, name)) {
            out.attribute("events", sync.taken.at(name));
            out.attribute("events_available", *events);
          }
        });
    });
    out.attributeObject("critical_path", [&] {
      out.attribute("count", sync.onPath);
      out.attribute("cycles", sync.cyclesOnPath);
    });
    out.attributeArray("needless", [&] {
      for (const Synchronisation::Needless &needless : sync.needless)
        out.object([&] {
          out.attribute("text", needless.text);
          if (!needless.file.empty()) {
            out.attribute("file", json::fixUTF8(needless.file));
            out.attribute("line", needless.line);
          }
          if (needless.cycles)
            out.attribute("cycles", *needless.cycles);
        });
    });
  });
}

} // namespace mmk::driver
