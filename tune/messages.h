// Jobs and their results as text, for processes that share the counting.
#pragma once

#include "tune/team.h"

#include <string>

namespace mmk::tune {

/// A job with its number in the batch that it belongs to.
struct JobMessage {
  int64_t batch = 0, number = 0;
  Job job;
};
struct CountedMessage {
  int64_t batch = 0, number = 0;
  Counted counted;
};

std::string textOf(const JobMessage &message);
std::string textOf(const CountedMessage &message);
/// Nothing when the text is no such message.
std::optional<JobMessage> jobFrom(llvm::StringRef text);
std::optional<CountedMessage> countedFrom(llvm::StringRef text);

} // namespace mmk::tune
