// Operands packed once for all output tiles, whichever core needs them first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace mmk {

/// What the cores have packed while one phase runs. Nobody waits: who comes while another packs
/// the same part packs into memory of its own. For any number of threads.
class PackedOperands {
public:
  /// Memory for what is packed of `source`, `bytes` long; `kind` tells apart what one source is
  /// packed into. `mine` becomes 0 when it is there already, 1 when the caller is to fill it and
  /// then to call `keep`. Null while another fills it, and when there is no memory for it.
  char *find(const void *source, int64_t kind, int64_t bytes, int64_t &mine);
  void keep(char *data);
  /// Forgets all, for the next phase; the memory stays.
  void clear();

private:
  struct Entry {
    char *data = nullptr;
    bool ready = false;
  };
  struct Chunk {
    std::unique_ptr<char, void (*)(void *)> memory;
    size_t bytes;
  };
  char *allocate(size_t bytes);

  std::mutex mutex_; ///< of all below
  std::map<std::tuple<const void *, int64_t, int64_t>, Entry> entries_;
  std::map<char *, Entry *> byData_;
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0, used_ = 0, total_ = 0; ///< chunk in use, bytes of it taken; of all chunks
};

} // namespace mmk
