// Jobs and their results as bytes, for processes of one program that share the counting.
#pragma once

#include "tune/team.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

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

std::string bytesOf(JobMessage message);
std::string bytesOf(CountedMessage message);
/// Nothing when the bytes are no such message.
std::optional<JobMessage> jobFrom(llvm::StringRef bytes);
std::optional<CountedMessage> countedFrom(llvm::StringRef bytes);

} // namespace mmk::tune
