#include "bench/peers/report.h"

#include "bench/peers/contenders.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmk::peers {
namespace {

struct GeometricMean {
  double sum = 0, count = 0, least = 0;
  void add(double ratio) {
    if (!(ratio > 0))
      return;
    least = count == 0 ? ratio : std::min(least, ratio);
    sum += std::log(ratio);
    ++count;
  }
  std::string text() const {
    return count ? fmt::format("**{:.2f}** (least {:.2f})", std::exp(sum / count), least) : "";
  }
  double value() const { return count ? std::exp(sum / count) : 0; }
};

std::string rateText(double rate) {
  rate *= 1e-9;
  return fmt::format("{:.{}f}", rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
}

/// Half the distance of the quartiles, in percent of the median.
double spreadOf(const Measured &contender) {
  return 50 * (contender.seconds.high - contender.seconds.low) / contender.seconds.median;
}

double ratioTo(const Row &row, const Measured *peer) {
  return peer ? row.rate(row.contenders.front()) / row.rate(*peer) : 0;
}

std::string ratioText(double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : ""; }

/// In the order in which they first appear.
std::vector<std::string> namesOf(const std::vector<const Row *> &rows, bool prepacked) {
  std::vector<std::string> names;
  for (const Row *row : rows)
    for (size_t i = 1; i < row->contenders.size(); ++i)
      if (const Measured &each = row->contenders[i];
          each.prepacked == prepacked && std::ranges::find(names, each.name) == names.end())
        names.push_back(each.name);
  return names;
}

std::string cellOf(const Row &row, const std::string &name, bool prepacked) {
  for (size_t i = 1; i < row.contenders.size(); ++i)
    if (const Measured &each = row.contenders[i];
        each.name == name && each.prepacked == prepacked) {
      if (!each.wrong.empty())
        return "wrong";
      const bool isBest = &each == row.bestPeer(prepacked);
      return fmt::format("{0}{1}{0}", isBest ? "**" : "", rateText(row.rate(each)));
    }
  return "";
}

std::string tableRow(const std::vector<std::string> &cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string table(const std::vector<const Row *> &rows, const std::string &what) {
  const std::vector<std::string> plain = namesOf(rows, false), packed = namesOf(rows, true);
  const bool hasPublished =
      std::ranges::any_of(rows, [](const Row *row) { return published(*row) > 0; });
  std::vector<std::string> head = {what, "ceiling", "mmk", "±", "of the ceiling"};
  head.insert(head.end(), plain.begin(), plain.end());
  head.push_back("mmk / best");
  for (const std::string &name : packed)
    head.push_back(name + ", prepacked");
  if (!packed.empty())
    head.push_back("mmk / prepacked");
  if (hasPublished)
    head.insert(head.end(), {"published", "mmk / published"});
  std::vector<std::string> line(head.size(), "---:");
  line.front() = "---";
  std::string text = tableRow(head) + tableRow(line);

  GeometricMean toCeiling, toPlain, toPacked, toPublished;
  for (const Row *row : rows) {
    const Measured &mmk = row->contenders.front();
    const double rate = row->rate(mmk);
    std::vector<std::string> cells = {row->shape + (row->sharesCore ? " †" : ""),
                                      rateText(row->ceiling) + (row->isBoundByMemory ? " m" : ""),
                                      mmk.wrong.empty() ? rateText(rate) : "wrong",
                                      fmt::format("{:.1f} %", spreadOf(mmk)),
                                      fmt::format("{:.2f}", rate / row->ceiling)};
    toCeiling.add(rate / row->ceiling);
    for (const std::string &name : plain)
      cells.push_back(cellOf(*row, name, false));
    const double plainRatio = ratioTo(*row, row->bestPeer(false)),
                 packedRatio = ratioTo(*row, row->bestPeer(true));
    cells.push_back(ratioText(plainRatio));
    toPlain.add(plainRatio);
    for (const std::string &name : packed)
      cells.push_back(cellOf(*row, name, true));
    if (!packed.empty())
      cells.push_back(ratioText(packedRatio));
    toPacked.add(packedRatio);
    if (hasPublished) {
      const double known = published(*row);
      cells.push_back(known > 0 ? rateText(known) : "");
      cells.push_back(known > 0 ? ratioText(rate / known) : "");
      toPublished.add(known > 0 ? rate / known : 0);
    }
    text += tableRow(cells);
  }
  std::vector<std::string> means = {"geometric mean", "", "", "", toCeiling.text()};
  means.insert(means.end(), plain.size(), "");
  means.push_back(toPlain.text());
  means.insert(means.end(), packed.size(), "");
  if (!packed.empty())
    means.push_back(toPacked.text());
  if (hasPublished)
    means.insert(means.end(), {"", toPublished.text()});
  return text + tableRow(means);
}

std::vector<std::pair<std::string, std::vector<const Row *>>>
grouped(const std::vector<Row> &rows) {
  std::vector<std::pair<std::string, std::vector<const Row *>>> groups;
  for (const Row &row : rows) {
    const std::string title =
        fmt::format("{}, {} thread{}", row.group, row.threads, row.threads == 1 ? "" : "s");
    if (groups.empty() || groups.back().first != title)
      groups.push_back({title, {}});
    groups.back().second.push_back(&row);
  }
  return groups;
}

} // namespace

const Measured *Row::bestPeer(bool prepacked) const {
  const Measured *best = nullptr;
  for (size_t i = 1; i < contenders.size(); ++i)
    if (const Measured &each = contenders[i];
        each.prepacked == prepacked && each.wrong.empty() && (!best || rate(each) > rate(*best)))
      best = &each;
  return best;
}

std::string progressText(const Row &row) {
  const bool isBytes = row.group == "elementwise";
  std::string text = fmt::format("{} {} {} thread{}: ceiling {}{}\n", row.group, row.shape,
                                 row.threads, row.threads == 1 ? "" : "s", rateText(row.ceiling),
                                 row.isBoundByMemory ? ", of the memory" : "");
  if (row.sharesCore)
    text += "  on CPUs that share a core\n";
  for (const Measured &each : row.contenders)
    text += each.wrong.empty()
                ? fmt::format("  {:<14}{:<10} {:>7} {} ± {:4.1f} %  {:.3f} of the ceiling\n",
                              each.name, each.prepacked ? "prepacked" : "",
                              rateText(row.rate(each)), isBytes ? "GB/s" : "GFLOP/s",
                              spreadOf(each), row.rate(each) / row.ceiling)
                : fmt::format("  {:<14}{:<10} WRONG: {}\n", each.name,
                              each.prepacked ? "prepacked" : "", each.wrong);
  return text;
}

std::string markdown(const std::vector<Row> &rows) {
  std::string text = "\n";
  for (const auto &[name, value] : versions())
    text += fmt::format("- {}: {}\n", name, value);
  for (const auto &[title, group] : grouped(rows)) {
    const bool isElementwise = group.front()->group == "elementwise";
    text += fmt::format("\n### {}\n\n", title) + table(group, isElementwise ? "GB/s"
                                                              : group.front()->group == "i8"
                                                                  ? "GOP/s"
                                                                  : "GFLOP/s");
  }
  if (std::ranges::any_of(rows, &Row::sharesCore))
    text += "\n† Measured while the two CPUs were threads of one core, by all contenders alike.\n";
  return text + "\n";
}

std::string json(const std::vector<Row> &rows) {
  namespace json = llvm::json;
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, 1);
  out.object([&] {
    out.attributeObject("environment", [&] {
      for (const auto &[name, value] : versions())
        out.attribute(name, value);
    });
    out.attributeArray("rows", [&] {
      for (const Row &row : rows)
        out.object([&] {
          out.attribute("group", row.group);
          out.attribute("shape", row.shape);
          out.attribute("threads", row.threads);
          out.attribute("work", row.work);
          out.attribute("ceiling_per_second", row.ceiling);
          out.attribute("bound_by_memory", row.isBoundByMemory);
          out.attribute("shares_core", row.sharesCore);
          out.attribute("of_ceiling", row.rate(row.contenders.front()) / row.ceiling);
          for (bool prepacked : {false, true})
            if (const Measured *best = row.bestPeer(prepacked)) {
              out.attribute(prepacked ? "best_prepacked" : "best", best->name);
              out.attribute(prepacked ? "to_best_prepacked" : "to_best", ratioTo(row, best));
            }
          if (const double known = published(row))
            out.attribute("to_published", row.rate(row.contenders.front()) / known);
          out.attributeArray("contenders", [&] {
            for (const Measured &each : row.contenders)
              out.object([&] {
                out.attribute("name", each.name);
                out.attribute("prepacked", each.prepacked);
                if (!each.wrong.empty()) {
                  out.attribute("wrong", each.wrong);
                  return;
                }
                out.attribute("seconds", each.seconds.median);
                out.attribute("first_quartile", each.seconds.low);
                out.attribute("third_quartile", each.seconds.high);
                out.attribute("rounds", static_cast<int64_t>(each.seconds.rounds));
                out.attribute("per_second", row.rate(each));
              });
          });
        });
    });
  });
  return text + "\n";
}

} // namespace mmk::peers
