#include "tune/messages.h"

#include <cstring>
#include <tuple>
#include <type_traits>

namespace mmk::tune {
namespace {

/// The parts of what is no plain bytes, to be written and read in this order.
template <typename A, typename B> auto partsOf(std::pair<A, B> &it) {
  return std::tie(it.first, it.second);
}
auto partsOf(ShapeLimit &it) { return std::tie(it.dimensions, it.most); }
auto partsOf(Job &it) { return std::tie(it.choices, it.shapes); }
auto partsOf(Counted &it) {
  return std::tie(it.variant, it.reason, it.bug, it.limits, it.measures, it.code);
}
auto partsOf(JobMessage &it) { return std::tie(it.batch, it.number, it.job); }
auto partsOf(CountedMessage &it) { return std::tie(it.batch, it.number, it.counted); }

struct Writer {
  std::string bytes;

  template <typename Value> void operator()(Value &value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    } else if constexpr (requires { partsOf(value); }) {
      std::apply([&](auto &...parts) { ((*this)(parts), ...); }, partsOf(value));
    } else {
      size_t count = value.size();
      (*this)(count);
      for (auto &each : value)
        (*this)(each);
    }
  }
};

struct Reader {
  llvm::StringRef bytes; ///< that are left
  bool isWhole = true;

  template <typename Value> void operator()(Value &value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      isWhole &= bytes.size() >= sizeof value;
      if (!isWhole)
        return;
      std::memcpy(&value, bytes.data(), sizeof value);
      bytes = bytes.drop_front(sizeof value);
    } else if constexpr (requires { partsOf(value); }) {
      std::apply([&](auto &...parts) { ((*this)(parts), ...); }, partsOf(value));
    } else {
      size_t count = 0;
      (*this)(count);
      isWhole &= count <= bytes.size(); // each has a byte and more
      value.resize(isWhole ? count : 0);
      for (auto &each : value)
        (*this)(each);
    }
  }
};

template <typename Message> std::string written(Message message) {
  Writer writer;
  writer(message);
  return std::move(writer.bytes);
}

template <typename Message> std::optional<Message> read(llvm::StringRef bytes) {
  Message message;
  Reader reader{bytes};
  reader(message);
  return reader.isWhole && reader.bytes.empty() ? std::optional(std::move(message)) : std::nullopt;
}

} // namespace

std::string bytesOf(JobMessage message) { return written(std::move(message)); }
std::string bytesOf(CountedMessage message) { return written(std::move(message)); }
std::optional<JobMessage> jobFrom(llvm::StringRef bytes) { return read<JobMessage>(bytes); }
std::optional<CountedMessage> countedFrom(llvm::StringRef bytes) {
  return read<CountedMessage>(bytes);
}

} // namespace mmk::tune
