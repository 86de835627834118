#include "frontend/compile.h"
#include "frontend/schedule.h"
#include "tests/hunt/draw_attention.h"
#include "tests/hunt/draw_convolution.h"
#include "tests/hunt/sample.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace mmk::hunt {
namespace {

/// Directives and words that the kernel may have, by its own rules.
class ScheduleDraw {
public:
  ScheduleDraw(Random &random, Sample &sample, const Kernel &kernel)
      : random_(random), sample_(sample), kernel_(kernel),
        machine_(llvm::cantFail(loadMachine(sample.machine, sample.overrides))) {}

  void run() {
    if (random_.chance(10))
      return; // the default
    const bool isProduct = kernel_.hasProduct();
    if (sample_.attention)
      productPair(*sample_.attention);
    else
      for (const std::string &dim : kernel_.dimensions)
        tiles(dim);
    if (random_.chance(50))
      add("cores", {"auto", "1", "2", std::to_string(random_.between(1, machine_.cubeCores))});
    for (const char *buffer : {"l1", "l0", "acc", "out", "ub"})
      if (random_.chance(35))
        add(std::string("buffers.") + buffer, copies());
    for (const Parameter &parameter : kernel_.parameters)
      if (!parameter.isScalar() && random_.chance(8))
        add(fmt::format("buffers.{}.{}", random_.oneOf({"l1", "l0", "ub"}), parameter.name),
            copies());
    if (random_.chance(50))
      add("order", {"rows", "columns", "zigzag", "swizzle(2)", "swizzle(3)"});
    if (isProduct && random_.chance(sample_.attention ? 20 : 50))
      add("store", {"after", "overlapped"});
    if (kernel_.hasPooling() && random_.chance(75))
      add("fuse", {"windows", "windows", "windows", "all", "none"});
    else if (!sample_.attention && random_.chance(50))
      add("fuse", {"all", "none", "rows", "rows"});
    if (kernel_.hasReduction() && random_.chance(50))
      add("reduce", {"whole", "two_pass", "online"});
    if (isProduct && !sample_.attention && random_.chance(20))
      add("bias", {"vector", "table"});
    if (isProduct && random_.chance(20))
      add("skew", {"none", "stages"});
    if (isProduct && random_.chance(sample_.attention ? 4 : 15))
      keep();
    if (sample_.taps > 0 && random_.chance(60))
      windows();
  }

private:
  /// Of a buffer. The proof of the flags follows all combinations of slots, of which a loop over
  /// two products has many.
  std::vector<std::string> copies() {
    return sample_.attention ? std::vector<std::string>{random_.oneOf({"1", "2", "2", "2", "3"})}
                             : std::vector<std::string>{"1", "2", "3"};
  }

  /// A panel as deep as the product of this sample or deeper, and the order that it needs.
  void keep() {
    int64_t deepest = 1, step = 1;
    for (const auto &[dim, extent] : sample_.dims)
      if (const DimensionRole role = roleOf(kernel_, dim, &machine_.cube); role.isReduction) {
        deepest = std::max(deepest, extent);
        step = std::lcm(step, role.multiple);
      }
    const bool isOfA = random_.chance(50);
    const int64_t depth = step * ((deepest + step - 1) / step + random_.below(3));
    std::erase_if(sample_.choices, [](const auto &choice) { return choice.first == "order"; });
    sample_.choices.emplace_back("order", isOfA ? "rows" : "columns");
    if (random_.chance(50))
      sample_.choices.emplace_back("buffers.panel", random_.oneOf({"1", "2"}));
    sample_.choices.emplace_back("keep", fmt::format("{}({})", isOfA ? "A" : "B", depth));
  }

  /// Windows that the cube core loads, with a stage that has room for a block of channels.
  void windows() {
    const auto block = static_cast<int64_t>(32 / sizeInBytes(sample_.operandType));
    for (const std::string &dim : kernel_.dimensions) {
      const DimensionRole role = roleOf(kernel_, dim, &machine_.cube);
      if (!role.isReduction)
        continue;
      const int64_t tile = role.multiple * random_.oneOf({1, 2, 3, 4}),
                    stage = (sample_.taps * block + tile - 1) / tile * tile;
      const auto isOfDim = [&](const std::string &key) {
        return key == "keep" || key.ends_with("." + dim);
      };
      std::erase_if(sample_.choices, [&](const auto &choice) { return isOfDim(choice.first); });
      std::erase_if(sample_.kernel.schedule, [&](const auto &it) { return isOfDim(it.key); });
      sample_.choices.emplace_back("tile." + dim, std::to_string(tile));
      sample_.choices.emplace_back("stage." + dim, std::to_string(stage));
    }
    sample_.choices.emplace_back(
        "window", random_.oneOf({std::string("direct"), fmt::format("direct({})", 2 * block),
                                 fmt::format("direct({})", 4 * block)}));
  }

  /// Mostly in one loop, for which a stage has the depth of the first product and a tile the
  /// columns of the second.
  void productPair(const ProductPair &pair) {
    if (random_.chance(80))
      add("fuse", random_.chance(75) ? std::vector<std::string>{"products"}
                                     : std::vector<std::string>{"all", "none", "rows"});
    const auto unitOf = [&](const std::string &dim) {
      return roleOf(kernel_, dim, &machine_.cube).multiple;
    };
    const auto wholes = [&](const std::string &dim) {
      for (const auto &[known, extent] : sample_.dims)
        if (known == dim)
          return (extent + unitOf(dim) - 1) / unitOf(dim);
      return int64_t(1);
    };
    const auto tile = [&](const std::string &dim, int64_t units) {
      add("tile." + dim, {std::to_string(units * unitOf(dim))});
    };
    const int64_t depth = wholes(pair.depth), inTile = random_.oneOf({depth, depth, int64_t(4)});
    if (random_.chance(75)) {
      tile(pair.depth, std::min(inTile, depth));
      add("stage." + pair.depth,
          {std::to_string(unitOf(pair.depth) * ((depth + inTile - 1) / inTile) *
                          std::min(inTile, depth))});
    }
    if (pair.width != pair.depth && random_.chance(75))
      tile(pair.width, wholes(pair.width));
    if (random_.chance(80))
      tile(pair.rows, random_.oneOf({1, 1, 2, 3, 4, 6, 8}));
    if (pair.columns != pair.rows && random_.chance(80))
      tile(pair.columns, random_.oneOf({1, 1, 2, 3, 4, 5, 8, 16, 32}));
    if (random_.chance(70))
      add("preload", {random_.oneOf({"1", "1", "2", "2", "2", "3", "4"})});
    for (const std::string &dim : {pair.rows, pair.columns})
      if (random_.chance(15))
        add("grid." + dim, {"1", "2", "3", "5"});
  }

  void tiles(const std::string &dim) {
    const DimensionRole role = roleOf(kernel_, dim, &machine_.cube);
    if (!role.isOutput && !role.isReduction && !role.isReduced)
      return;
    if (random_.chance(60)) {
      // Some of them hold whole rows.
      const auto extent =
          std::ranges::find(sample_.dims, dim, [](const auto &it) { return it.first; });
      const int64_t whole = extent == sample_.dims.end()
                                ? 1
                                : (extent->second + role.multiple - 1) / role.multiple,
                    parts = random_.oneOf({1, 1, 2, 3, 4, 5, 8}),
                    tile = role.multiple * (random_.chance(15) ? whole : parts);
      std::vector<std::string> words = {std::to_string(tile), std::to_string(2 * tile)};
      if (role.mayFit())
        words.push_back("auto");
      add("tile." + dim, words);
      if (role.isReduction && random_.chance(60))
        add("stage." + dim,
            {std::to_string(2 * tile), std::to_string(4 * tile), std::to_string(6 * tile)});
    }
    if (random_.chance(role.isReduction || role.isDivided ? 25 : 10))
      add("grid." + dim, {"1", "2", "3", "5"});
  }

  /// Some of the words: as alternatives of the text, as a choice of the command line, or both.
  void add(const std::string &key, std::vector<std::string> words) {
    std::string ignored;
    std::erase_if(words, [&](const std::string &word) {
      return !checkChoice(kernel_, &machine_.cube, key, word, ignored);
    });
    if (words.empty())
      return;
    std::vector<std::string> chosen;
    for (int64_t i = random_.between(1, 2); i > 0; --i) {
      const std::string word = random_.oneOf(words);
      if (std::ranges::find(chosen, word) == chosen.end())
        chosen.push_back(word);
    }
    // What two products need of each other is easily broken, and only choices can be withdrawn.
    const bool isInText = random_.chance(sample_.attention ? 10 : 50);
    // A stage in the text has to hold whole tiles of the text; on the command line of the choice.
    if (isInText && !key.starts_with("stage."))
      sample_.kernel.schedule.push_back({key, chosen});
    else
      sample_.choices.emplace_back(key, chosen.back());
  }

  Random &random_;
  Sample &sample_;
  const Kernel &kernel_;
  const Machine machine_;
};

} // namespace

std::string_view spelling(Fill fill) {
  constexpr std::string_view words[] = {"integers", "uniform", "normal",
                                        "special",  "strewn",  "whole"};
  return words[static_cast<size_t>(fill)];
}

std::string drawPoison(Random &random, Sample &sample, const std::string &dim, int64_t extent,
                       const std::string &variable) {
  const int64_t from = random.chance(15) ? 0 : random.chance(15) ? extent : random.below(extent);
  sample.poison = Poison{dim, from};
  sample.kernel.parameters.push_back({"bound", ElementType::i32, {}, std::to_string(from)});
  return fmt::format("{} < bound", variable);
}

void drawMachine(Random &random, Sample &sample) {
  sample.machine = random.oneOf(
      {"ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4", "ascend950pr", "ascend950dt"});
  // Its cube has no others.
  const bool isForCoupled =
      sample.operandType != ElementType::f32 && sample.operandType != ElementType::bf16;
  if (random.chance(40) && isForCoupled)
    sample.machine = "ascend310p3";
  const auto scale = [&](const char *path, std::vector<std::string> values) {
    if (random.chance(sample.attention ? 5 : 15))
      sample.overrides.push_back({path, random.oneOf(values)});
  };
  scale("memories.l1.bytes", {"*0.25", "*0.5", "*2"});
  scale("memories.l0a.bytes", {"*0.5", "*0.25", "*2"});
  scale("memories.l0b.bytes", {"*0.5", "*0.25", "*2"});
  scale("memories.l0c.bytes", {"*0.25", "*0.5", "*2"});
  scale("memories.ub.bytes", {"*0.125", "*0.25", "*0.5", "*2"});
  scale("memories.l1.alignment", {"64", "256"});
  scale("memories.l0a.alignment", {"1024", "64"});
  scale("memories.l0b.alignment", {"2048"});
  scale("memories.l0c.alignment", {"512", "4096"});
  scale("memories.ub.alignment", {"64", "256"});
  scale("packet_bytes", {"128", "256"});
  scale("cube.m", {"8", "32", "24", "4"});
  scale("cube.n", {"8", "32", "48", "4"});
  scale("cube.max_extent", {"64", "160"});
  for (const char *type : {"f16", "bf16", "i8", "f32"})
    scale((std::string("cube.depth.") + type).c_str(), {"8", "16", "32", "12"});
  scale("cube_cores", {"1", "2", "3", "5"});
  scale("links.gm_l1.bytes_per_cycle", {"*0.3", "*3"});
  scale("cube.startup_cycles", {"*10", "1"});
  scale("queue_depth", {"1", "2", "4"});
}

void drawSchedule(Random &random, Sample &sample) {
  Diagnostics diagnostics;
  std::unique_ptr<SourceFile> file;
  const auto program = checkProgram("sample.mmk", text(sample.kernel), diagnostics, file);
  if (program) // else the trial reports it
    ScheduleDraw(random, sample, *program->kernels[0]).run();
}

Sample draw(const Series &series, uint64_t number) {
  Random random(series.seed, number);
  Sample sample;
  sample.seed = series.seed;
  sample.number = number;
  const bool areAll = series.kernels == Series::Kernels::all;
  const int64_t kind = random.below(100);
  if (areAll ? kind < 10 : series.kernels == Series::Kernels::attention)
    drawAttention(random, sample);
  else if (areAll ? kind < 18 : series.kernels == Series::Kernels::convolution)
    drawConvolution(random, sample);
  else if (series.kernels == Series::Kernels::integers)
    drawIntegerKernel(random, sample);
  else
    drawKernel(random, sample);
  drawMachine(random, sample);
  drawSchedule(random, sample);
  sample.also = {random.chance(30), random.chance(25), random.chance(12), random.chance(2),
                 random.chance(50)};
  sample.quick = random.chance(85);
  sample.lowPages = random.chance(50);
  sample.threads = static_cast<unsigned>(random.between(2, 5));
  return sample;
}

std::string commandLine(const Sample &sample, const std::vector<std::string> &inputs) {
  std::string line;
  for (const auto &[dim, extent] : sample.dims)
    line += fmt::format(" {}={}", dim, extent);
  line += " --machine " + sample.machine;
  for (const MachineOverride &each : sample.overrides)
    line += fmt::format(" --machine-set '{}={}'", each.path, each.value);
  for (const auto &[key, word] : sample.choices)
    line += fmt::format(" --set '{}={}'", key, word);
  if (sample.fill != Fill::strewn && sample.fill != Fill::whole && !sample.poison)
    line += fmt::format(" --data {} --seed {}", spelling(sample.fill), sample.number);
  for (const std::string &input : inputs)
    line += " --input " + input;
  return line;
}

} // namespace mmk::hunt
