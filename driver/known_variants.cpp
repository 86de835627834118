#include "driver/known_variants.h"

#include "driver/terminal.h"

#include <fmt/format.h>

namespace mmk::driver {

std::vector<tune::RunShape> runShapes(const Kernel &kernel, const std::vector<RunCase> &runs) {
  std::vector<tune::RunShape> shapes;
  for (const RunCase &run : runs) {
    tune::RunShape &shape = shapes.emplace_back();
    shape.name = run.name;
    for (const std::string &dimension : kernel.dimensions)
      shape.dims.push_back(run.dims.at(dimension));
    shape.scalars = run.scalars;
  }
  return shapes;
}

std::string memoryFolder() {
  const std::string folder = cacheDirectory();
  return folder.empty() ? "" : folder + "/tune";
}

std::unique_ptr<tune::Store> openMemory(const Kernel &kernel, const Machine &machine,
                                        const std::vector<tune::RunShape> &shapes,
                                        tune::Known &known) {
  const auto without = [](const std::string &why) {
    printError(fmt::format("warning: nothing is remembered: {}\n", why));
    return nullptr;
  };
  if (memoryFolder().empty())
    return without("there is no folder for it; set MMK_CACHE_DIR");
  std::string notice;
  auto store = tune::Store::open(memoryFolder(), notice);
  if (!notice.empty())
    printError(fmt::format("warning: {}\n", notice));
  if (!store)
    return without(llvm::toString(store.takeError()));
  std::vector<tune::StoredShape> stored;
  for (const tune::RunShape &shape : shapes)
    stored.push_back({tune::spelling(kernel, shape.dims), tune::exchangeKey(kernel, shape.dims)});
  if (llvm::Error error = (*store)->choose(tune::identityOf(kernel, machine), stored,
                                           tune::Verifier::ruleOf(kernel)))
    return without(llvm::toString(std::move(error)));
  if (llvm::Error error = (*store)->load(known))
    return without(llvm::toString(std::move(error)));
  return std::move(*store);
}

} // namespace mmk::driver
