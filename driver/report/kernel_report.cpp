#include "driver/report/kernel_report.h"

#include "driver/guided_tune.h"

#include <fmt/format.h>

namespace mmk::driver {

std::string KernelReport::dimsOf(const RunCase &run) const {
  std::string text;
  for (const std::string &name : kernel->shownDimensions())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, run.dims.at(name));
  return text;
}

std::string KernelReport::titleOf(const RunCase &run) const {
  return run.name.empty() ? dimsOf(run) : run.name;
}

std::string KernelReport::commandFor(const std::string &name, const RunCase *run) const {
  std::vector<std::string> words = {target.file};
  words.insert(words.end(), target.words.begin(), target.words.end());
  const auto add = [&](const char *option, const std::string &value) {
    words.insert(words.end(), {option, value});
  };
  if (target.kernel)
    add("--kernel", *target.kernel);
  if (run && !run->name.empty())
    add("--case", run->name);
  if (target.machine)
    add("--machine", *target.machine);
  for (const std::string &set : target.machineSets)
    add("--machine-set", set);
  for (const std::string &set : target.sets)
    add("--set", set);
  return commandOf(name, words);
}

bool KernelReport::isAbout(const std::map<std::string, int64_t> &dims, const RunCase &run) const {
  for (const std::string &name : kernel->shownDimensions())
    if (const auto found = dims.find(name);
        found == dims.end() || found->second != run.dims.at(name))
      return false;
  return true;
}

double shareOfBound(const tune::Diagnosis &at) {
  return at.clock.microseconds > 0 ? at.roof.microseconds() / at.clock.microseconds : 0;
}

std::string timesText(double factor) {
  return fmt::format("{:.{}f}", factor, factor < 9.995 ? 2 : factor < 99.95 ? 1 : 0);
}

report::Article articleOf(const KernelReport &report) {
  report::Article article;
  article.title = fmt::format("{} on {}", report.kernel->name, report.machine->name);
  article.subtitle =
      fmt::format("{}, made at {} by `{}`", report.file->path(), report.time, report.command);
  for (auto *section :
       {addSummary, addMethod, addEnvironment, addVersions, addMeasured, addTried, addNextSteps})
    section(report, article);
  article.heading(2, "The file");
  article.add(report::Listing{report.file->path(), std::string(report.file->text())});
  return article;
}

} // namespace mmk::driver
