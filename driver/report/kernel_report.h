// The report of a kernel: its data, and the sections that are made of them.
#pragma once

#include "cli/target.h"
#include "driver/report/kept.h"
#include "driver/report/ladder.h"
#include "explain/what_if.h"
#include "report/article.h"

namespace mmk::driver {

struct ReportCase {
  RunCase run;
  Ladder ladder;
  std::string bestFrom;    ///< "the best of tune.json": where its last version is from
  bool isSearched = false; ///< that is a search of the case
  tune::WhatIfs changes;   ///< of the best version; empty without a clock

  const tune::Diagnosis *first() const { return of(ladder.versions.front()); }
  const tune::Diagnosis *best() const { return of(ladder.best()); }

private:
  static const tune::Diagnosis *of(const Version &version) {
    return version.at ? &*version.at : nullptr;
  }
};

struct KernelReport {
  const Kernel *kernel = nullptr;
  const Machine *machine = nullptr;
  const SourceFile *file = nullptr;
  Target target;
  std::string command; ///< that makes this report
  std::string time;    ///< of its making
  std::vector<ReportCase> cases;
  KeptResults kept;

  /// "S1", "M=3 N=4 K=5"
  std::string titleOf(const RunCase &run) const;
  /// "M=3 N=4 K=5"
  std::string dimsOf(const RunCase &run) const;
  /// "mmk tune FILE --case S1 --machine NAME", of a case; of all of them where `run` is null.
  /// Quoted for a shell.
  std::string commandFor(const std::string &name, const RunCase *run) const;
  bool isAbout(const std::map<std::string, int64_t> &dims, const RunCase &run) const;
};

/// The whole text.
report::Article articleOf(const KernelReport &report);

// Its parts, in the order of the text.
void addSummary(const KernelReport &report, report::Article &article);
void addMethod(const KernelReport &report, report::Article &article);
void addEnvironment(const KernelReport &report, report::Article &article);
void addVersions(const KernelReport &report, report::Article &article);
void addMeasured(const KernelReport &report, report::Article &article);
void addTried(const KernelReport &report, report::Article &article);
void addNextSteps(const KernelReport &report, report::Article &article);

/// Microseconds of a roof over those of a variant.
double shareOfBound(const tune::Diagnosis &at);
/// "1.23", "12.3", "123": how many times as fast.
std::string timesText(double factor);

} // namespace mmk::driver
