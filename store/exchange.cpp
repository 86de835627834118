#include "store/exchange.h"

#include "machines/json_document.h"

#include "llvm/Support/JSON.h"

#include <cmath>
#include <fmt/format.h>

namespace json = llvm::json;

namespace mmk::tune {
namespace {

constexpr const char *format = "mmk tuned variants";
constexpr int64_t version = 1;

bool isOfOneKernel(const BestRow &a, const BestRow &b) {
  return a.identity.kernel == b.identity.kernel && a.identity.machine == b.identity.machine &&
         a.identity.build == b.identity.build;
}

void write(json::OStream &out, const BestRow &row) {
  out.attribute("dims", row.shape.dims);
  out.attribute("variant", row.variant);
  out.attribute("cycles", row.measure.cycles);
  out.attribute("time_us", row.measure.microseconds);
  out.attribute("cores", row.measure.cores);
  out.attribute("traffic_bytes", row.measure.trafficBytes);
  out.attribute("checked", row.check.state == CheckState::passed);
}

/// A digest of a kernel, a machine or a build: 32 hexadecimal digits, in lower case.
bool isDigest(llvm::StringRef text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool read(const json::Value &value, BestRow &row, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("dims", row.shape.dims) || !map.map("variant", row.variant) ||
      !map.map("cycles", row.measure.cycles) || !map.map("time_us", row.measure.microseconds) ||
      !map.map("cores", row.measure.cores) || !map.map("traffic_bytes", row.measure.trafficBytes))
    return false;
  if (row.variant.empty() || row.shape.dims.empty()) {
    path.report("expected a variant and its dimensions");
    return false;
  }
  const Measure &measure = row.measure;
  if (measure.cycles < 0 || std::signbit(measure.microseconds) || measure.cores < 0 ||
      measure.trafficBytes < 0) {
    path.report("expected figures that are not negative");
    return false;
  }
  return true;
}

bool readKernel(const json::Value &value, std::vector<BestRow> &rows, json::Path path) {
  Identity identity;
  json::ObjectMapper map(value, path);
  if (!map || !map.map("kernel", identity.kernelName) || !map.map("semantics", identity.kernel) ||
      !map.map("machine", identity.machineName) || !map.map("machine_digest", identity.machine) ||
      !map.map("build", identity.build))
    return false;
  for (const auto &[name, digest] :
       {std::pair("semantics", &identity.kernel), std::pair("machine_digest", &identity.machine),
        std::pair("build", &identity.build)})
    if (!isDigest(*digest)) {
      path.field(name).report("expected a digest of 32 hexadecimal digits");
      return false;
    }
  const json::Object *best = value.getAsObject()->getObject("best");
  if (!best) {
    path.field("best").report("expected object");
    return false;
  }
  for (const auto &[key, each] : *best) {
    BestRow &row = rows.emplace_back();
    row.identity = identity;
    row.shape.key = key.str();
    if (!read(each, row, path.field("best").field(key)))
      return false;
  }
  return true;
}

bool readAll(const json::Value &value, std::vector<BestRow> &rows, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object || object->getString("format") != llvm::StringRef(format) ||
      object->getInteger("version") != version) {
    path.report("expected \"format\": \"mmk tuned variants\" and \"version\": 1");
    return false;
  }
  const json::Array *tuned = object->getArray("tuned");
  if (!tuned) {
    path.field("tuned").report("expected array");
    return false;
  }
  for (size_t i = 0; i < tuned->size(); ++i)
    if (!readKernel((*tuned)[i], rows, path.field("tuned").index(i)))
      return false;
  return true;
}

} // namespace

std::string exchangeText(const std::vector<BestRow> &rows) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("format", format);
    out.attribute("version", version);
    out.attributeArray("tuned", [&] {
      for (size_t from = 0, to = 0; from < rows.size(); from = to) {
        while (to < rows.size() && isOfOneKernel(rows[from], rows[to]))
          ++to;
        out.object([&] {
          const Identity &identity = rows[from].identity;
          out.attribute("kernel", identity.kernelName);
          out.attribute("semantics", identity.kernel);
          out.attribute("machine", identity.machineName);
          out.attribute("machine_digest", identity.machine);
          out.attribute("build", identity.build);
          out.attributeObject("best", [&] {
            for (size_t i = from; i < to; ++i)
              out.attributeObject(rows[i].shape.key, [&] { write(out, rows[i]); });
          });
        });
      }
    });
  });
  return text + "\n";
}

llvm::Expected<std::vector<BestRow>> readExchange(const std::string &text) {
  if (nestsTooDeep(text))
    return llvm::createStringError(
        fmt::format("not tuned variants: nested deeper than {} levels", maxJsonNesting));
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  std::vector<BestRow> rows;
  json::Path::Root root("the file");
  if (!readAll(*value, rows, root))
    return root.getError();
  return rows;
}

} // namespace mmk::tune
