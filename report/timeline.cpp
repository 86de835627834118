#include "report/timeline.h"

#include "runtime/critical_path.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mmk::report {
namespace {

/// Numbers values in the order of their first occurrence.
template <typename Thing> class Numbered {
public:
  int64_t operator()(const Thing &thing) {
    const auto [entry, isNew] = numbers_.try_emplace(thing, all_.size());
    if (isNew)
      all_.push_back(thing);
    return entry->second;
  }
  std::vector<Thing> take() { return std::move(all_); }

private:
  std::map<Thing, int64_t> numbers_;
  std::vector<Thing> all_;
};

struct Columns {
  std::vector<int64_t> gaps, waits, lengths, symbols;
  int64_t end = 0;
};

class Encoder {
public:
  void add(const PhaseRecording &phase) {
    known_.clear();
    for (const BlockRecording &block : phase.recorded)
      add(phase, block, &block == &phase.slowest());
  }

  Timeline finish() {
    Timeline timeline;
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    for (const auto &[place, columns] : lanes_) {
      const auto &[block, unit, pipe] = place;
      timeline.lanes.push_back({block, unit, pipe, static_cast<int64_t>(columns.gaps.size())});
      for (const std::vector<int64_t> *column :
           {&columns.gaps, &columns.waits, &columns.lengths, &columns.symbols})
        for (int64_t number : *column)
          llvm::encodeULEB128(number, stream);
    }
    llvm::SmallVector<uint8_t, 0> compressed;
    llvm::compression::zlib::compress(
        {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, compressed,
        llvm::compression::zlib::BestSizeCompression);
    timeline.data = llvm::encodeBase64(compressed);
    timeline.texts = texts_.take();
    timeline.symbols = symbols_.take();
    return timeline;
  }

private:
  void add(const PhaseRecording &phase, const BlockRecording &block, bool isSlowest) {
    std::vector<bool> isCritical(block.events.size());
    if (isSlowest)
      for (int64_t number : criticalPath(block))
        isCritical[number] = true;
    for (const Event &event : block.events) {
      Columns &lane = lanes_[{event.block, event.unit, event.pipe}];
      const int64_t begin = event.start - event.waited;
      lane.gaps.push_back(begin - lane.end);
      lane.waits.push_back(event.waited);
      lane.lengths.push_back(event.end - event.start);
      lane.symbols.push_back(2 * symbolOf(phase, block, event) + isCritical[event.number]);
      lane.end = event.end;
    }
  }

  int64_t symbolOf(const PhaseRecording &phase, const BlockRecording &block, const Event &event) {
    Symbol symbol;
    symbol.work = event.work;
    symbol.cause = event.cause;
    symbol.bytes = event.bytes;
    if (event.waited > 0) {
      symbol.byUnit = block.events[event.after].unit;
      symbol.byPipe = static_cast<int64_t>(block.events[event.after].pipe);
    }
    if (event.origin < 0)
      return symbols_(symbol);
    const Origin &origin = phase.origins[event.origin];
    symbol.text = textOf(origin.text);
    symbol.file = textOf(origin.file);
    symbol.line = origin.line;
    if (event.work != Work::issue)
      symbol.buffers = buffersOf(event, origin);
    return symbols_(symbol);
  }

  int64_t textOf(const std::string &text) { return text.empty() ? -1 : texts_(text); }

  int64_t buffersOf(const Event &event, const Origin &origin) {
    const std::vector<int64_t> slots(event.slots.begin(), event.slots.end());
    const auto [entry, isNew] = known_.try_emplace({event.origin, slots}, -1);
    if (isNew)
      entry->second = textOf(spellBuffers(event, origin));
    return entry->second;
  }

  std::map<std::tuple<int64_t, unsigned, Pipe>, Columns> lanes_;
  Numbered<std::string> texts_;
  Numbered<Symbol> symbols_;
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> known_; ///< buffers of the phase
};

} // namespace

Timeline timelineOf(const std::deque<PhaseRecording> &phases) {
  Encoder encoder;
  for (const PhaseRecording &phase : phases)
    encoder.add(phase);
  Timeline timeline = encoder.finish();
  for (const PhaseRecording &phase : phases) {
    timeline.phases.emplace_back(phase.start, phase.end);
    timeline.end = std::max(timeline.end, phase.end);
  }
  return timeline;
}

} // namespace mmk::report
