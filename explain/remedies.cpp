#include "explain/remedies.h"

#include "frontend/numbers.h"
#include "schedule/directive.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::tune {
namespace {

/// 1: longer or more than now; -1: shorter or fewer; 0: not a matter of size.
int direction(const std::string &key, const std::string &word, const Choices &variant) {
  const std::string *now = wordOf(variant, key);
  if (!now)
    return 0;
  const auto before = parseInteger(*now), after = parseInteger(word);
  return before && after ? (*after > *before) - (*after < *before) : 0;
}

std::string_view reasonOfNumber(const DirectiveTraits &directive, const std::string &key, int way,
                                const Choices &variant) {
  // From or to `auto`, a length counts as shorter, and a number as more.
  const bool isMore = directive.isLength ? way > 0 : way >= 0;
  if (directive.index == DirectiveIndex::buffer) {
    const BufferGroup *group = findBufferGroup(indexOf(key));
    return isMore && group && !group->reasonForMore.empty() ? group->reasonForMore
           : isMore                                         ? directive.more
                                                            : directive.fewer;
  }
  // A variant names the stage of each reduction.
  if (wordOf(variant, fmt::format("stage.{}", indexOf(key))))
    return isMore ? directive.moreOfReduction : directive.fewerOfReduction;
  return isMore ? directive.more : directive.fewer;
}

std::string reasonOfOne(const std::string &key, const std::string &word, const Choices &variant) {
  const DirectiveTraits *directive = findDirective(key);
  std::string_view benefit;
  if (directive && directive->words.empty())
    benefit = reasonOfNumber(*directive, key, direction(key, word, variant), variant);
  else if (directive)
    if (const auto read = readWord(*directive, word))
      benefit = read->word->benefit.empty() ? directive->more : read->word->benefit;
  return benefit.empty() ? "it is another alternative of the schedule" : std::string(benefit);
}

} // namespace

bool actsOn(const Choices &change, Bottleneck bottleneck) {
  return std::ranges::any_of(change, [&](const auto &choice) {
    const DirectiveTraits *directive = findDirective(choice.first);
    return directive && std::ranges::find(directive->actsOn, bottleneck) != directive->actsOn.end();
  });
}

std::string reasonOf(const Choices &change, const Choices &variant) {
  const bool isOtherShape = change.size() == 2 && isOf(change[0].first, "tile") &&
                            isOf(change[1].first, "tile") &&
                            direction(change[0].first, change[0].second, variant) *
                                    direction(change[1].first, change[1].second, variant) <
                                0;
  if (isOtherShape)
    return "a tile of the same area loads A and B in another proportion, and other cores read the "
           "same lines";
  std::string text;
  for (const auto &[key, word] : change) {
    const std::string reason = reasonOfOne(key, word, variant);
    if (text.find(reason) == std::string::npos)
      text += (text.empty() ? "" : "; ") + reason;
  }
  return text;
}

} // namespace mmk::tune
