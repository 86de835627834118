// A file that is whole or not there: written under another name beside its own, then renamed.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace mmk {

/// A file that is not kept is removed at the end of its scope, and when a signal ends the process.
class WholeFile {
public:
  /// Makes the file under its other name. `path` must not exist, or be a regular file: to rename
  /// over anything else would replace it.
  static llvm::Expected<WholeFile> beside(const std::string &path);

  WholeFile(WholeFile &&other) noexcept;
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;
  ~WholeFile();

  /// The stream to write to.
  int descriptor() const { return descriptor_; }

  /// Gives the file its name. On failure the previous file is unchanged.
  llvm::Error keep();

private:
  WholeFile(std::string path, std::string temporary, int descriptor);

  std::string path_;
  std::string temporary_;
  int descriptor_; ///< -1 once it is kept or removed
};

} // namespace mmk
