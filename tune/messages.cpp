#include "tune/messages.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace mmk::tune {
namespace {

template <typename Numbers> json::Array listOf(const Numbers &numbers) {
  return json::Array(numbers);
}

template <typename Numbers> bool read(const json::Value *value, Numbers &numbers) {
  const json::Array *list = value ? value->getAsArray() : nullptr;
  if (!list)
    return false;
  if constexpr (requires { numbers.resize(1); })
    numbers.resize(list->size());
  if (list->size() != numbers.size())
    return false;
  for (auto [from, to] : llvm::zip(*list, numbers)) {
    const auto number = from.getAsInteger();
    if (!number)
      return false;
    to = *number;
  }
  return true;
}

json::Value valueOf(const std::optional<Measure> &measure) {
  if (!measure)
    return nullptr;
  return json::Object{{"cycles", measure->cycles},
                      {"us", measure->microseconds},
                      {"cores", measure->cores},
                      {"traffic", measure->trafficBytes},
                      {"busy", listOf(measure->busyCycles)},
                      {"memory", listOf(measure->memoryBytes)},
                      {"least", json::Array{measure->least.cycles, measure->least.multiplied,
                                            measure->least.drain, measure->least.rest}},
                      {"cube", listOf(measure->least.cubeWork)},
                      {"vector", listOf(measure->least.vectorWork)}};
}

bool read(const json::Value &value, std::optional<Measure> &result) {
  if (value.getAsNull())
    return true;
  const json::Object *object = value.getAsObject();
  if (!object)
    return false;
  Measure &measure = result.emplace();
  const auto cycles = object->getInteger("cycles"), cores = object->getInteger("cores"),
             traffic = object->getInteger("traffic");
  const auto microseconds = object->getNumber("us");
  std::array<int64_t, 4> least{};
  if (!cycles || !cores || !traffic || !microseconds || !read(object->get("least"), least))
    return false;
  measure.cycles = *cycles;
  measure.microseconds = *microseconds;
  measure.cores = *cores;
  measure.trafficBytes = *traffic;
  measure.least = {least[0], least[1], least[2], least[3]};
  return read(object->get("busy"), measure.busyCycles) &&
         read(object->get("memory"), measure.memoryBytes) &&
         read(object->get("cube"), measure.least.cubeWork) &&
         read(object->get("vector"), measure.least.vectorWork);
}

std::string textOf(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// The object of a text, if it is one.
std::optional<json::Object> objectFrom(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  json::Object *object = value->getAsObject();
  return object ? std::optional(std::move(*object)) : std::nullopt;
}

} // namespace

std::string textOf(const JobMessage &message) {
  json::Array choices, shapes;
  for (const auto &[key, word] : message.job.choices)
    choices.push_back(json::Array{key, word});
  for (const Dims &dims : message.job.shapes)
    shapes.push_back(listOf(dims));
  return textOf(json::Object{{"batch", message.batch},
                             {"number", message.number},
                             {"choices", std::move(choices)},
                             {"shapes", std::move(shapes)}});
}

std::optional<JobMessage> jobFrom(llvm::StringRef text) {
  const auto object = objectFrom(text);
  if (!object)
    return std::nullopt;
  const auto batch = object->getInteger("batch"), number = object->getInteger("number");
  const json::Array *choices = object->getArray("choices"), *shapes = object->getArray("shapes");
  if (!batch || !number || !choices || !shapes)
    return std::nullopt;
  JobMessage message{*batch, *number, {}};
  for (const json::Value &value : *choices) {
    const json::Array *choice = value.getAsArray();
    if (!choice || choice->size() != 2 || !(*choice)[0].getAsString() ||
        !(*choice)[1].getAsString())
      return std::nullopt;
    message.job.choices.emplace_back(*(*choice)[0].getAsString(), *(*choice)[1].getAsString());
  }
  for (const json::Value &dims : *shapes)
    if (!read(&dims, message.job.shapes.emplace_back()))
      return std::nullopt;
  return message;
}

std::string textOf(const CountedMessage &message) {
  json::Array limits, measures;
  for (const ShapeLimit &limit : message.counted.limits) {
    json::Array numbers;
    for (const size_t dimension : limit.dimensions)
      numbers.push_back(static_cast<int64_t>(dimension));
    numbers.push_back(limit.most);
    limits.push_back(std::move(numbers));
  }
  for (const std::optional<Measure> &measure : message.counted.measures)
    measures.push_back(valueOf(measure));
  return textOf(json::Object{{"batch", message.batch},
                             {"number", message.number},
                             {"variant", message.counted.variant},
                             {"reason", json::fixUTF8(message.counted.reason)},
                             {"code", static_cast<int64_t>(message.counted.code)},
                             {"bug", json::fixUTF8(message.counted.bug)},
                             {"limits", std::move(limits)},
                             {"measures", std::move(measures)}});
}

std::optional<CountedMessage> countedFrom(llvm::StringRef text) {
  const auto object = objectFrom(text);
  if (!object)
    return std::nullopt;
  const auto batch = object->getInteger("batch"), number = object->getInteger("number"),
             code = object->getInteger("code");
  const auto variant = object->getString("variant"), reason = object->getString("reason"),
             bug = object->getString("bug");
  const json::Array *limits = object->getArray("limits"), *measures = object->getArray("measures");
  if (!batch || !number || !code || !variant || !reason || !bug || !limits || !measures)
    return std::nullopt;
  CountedMessage message{*batch, *number, {variant->str(), reason->str(), bug->str(), {}, {}}};
  message.counted.code = static_cast<DiagnosticCode>(*code);
  for (const json::Value &value : *limits) {
    Dims numbers;
    if (!read(&value, numbers) || numbers.size() < 2)
      return std::nullopt;
    message.counted.limits.push_back({{numbers.begin(), numbers.end() - 1}, numbers.back()});
  }
  for (const json::Value &measure : *measures)
    if (!read(measure, message.counted.measures.emplace_back()))
      return std::nullopt;
  return message;
}

} // namespace mmk::tune
