#include "reference/elementwise.h"

#include "reference/load_row.h"
#include "reference/operations.h"
#include "runtime/convert.h"
#include "runtime/threads.h"

#include <algorithm>
#include <set>

namespace mmk {
namespace {

/// Elements of a row block: the rows of some tens of values stay in the second-level cache.
constexpr int64_t blockElements = 1024;
/// Row blocks that a thread takes at a time, so that distribution costs little for short rows.
constexpr int64_t blocksAtOnce = 16;

/// One value of the tree, with its operands and its row.
struct Node {
  const Value *value;
  const Leaf *leaf = nullptr;   ///< or an operation on `operands`
  std::vector<size_t> operands; ///< indices of nodes
  std::vector<int64_t> strides; ///< of a leaf in the space of the result
  size_t row = 0;               ///< of the scratch memory

  bool isNumber() const { return leaf && leaf->isNumber; }
};

/// The values of a tree once each, operands first, the root last.
std::vector<Node> listNodes(const Value &root, const std::map<const Value *, Leaf> &leaves) {
  const auto leafOf = [&](const Value &value) {
    const auto leaf = leaves.find(&value);
    return leaf == leaves.end() ? nullptr : &leaf->second;
  };
  std::vector<Node> nodes;
  std::map<const Value *, size_t> index;
  for (const Value *value : operandsFirst(root, [&](const Value &each) { return leafOf(each); })) {
    Node node{value, leafOf(*value), {}, {}};
    if (!node.leaf)
      for (const Value *operand : value->operands)
        node.operands.push_back(index.at(operand));
    index.emplace(value, nodes.size());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Assigns each node a row that is free at its time; returns the number of rows. An operation never
/// overwrites its operands: that would prevent vector code.
size_t assignRows(std::vector<Node> &nodes) {
  std::vector<size_t> lastUse(nodes.size(), 0);
  for (size_t n = 0; n < nodes.size(); ++n)
    for (size_t operand : nodes[n].operands)
      lastUse[operand] = n;
  std::vector<size_t> unused;
  size_t rows = 0;
  for (size_t n = 0; n < nodes.size(); ++n) {
    // A number is written once for all blocks, so its row is never shared.
    if (unused.empty() || nodes[n].isNumber())
      nodes[n].row = rows++;
    else
      nodes[n].row = unused.back(), unused.pop_back();
    for (size_t operand : std::set(nodes[n].operands.begin(), nodes[n].operands.end()))
      if (lastUse[operand] == n && !nodes[operand].isNumber())
        unused.push_back(nodes[operand].row);
  }
  return rows;
}

class Evaluator {
public:
  Evaluator(std::vector<Node> nodes, Tensor &result)
      : nodes_(std::move(nodes)), rows_(assignRows(nodes_)), result_(result),
        extents_(result.shape) {
    forEachLeaf([&](Node &node) { node.strides = broadcastStrides(node.leaf->view, extents_); });
    mergeDimensions();
  }

  void run(unsigned threads) {
    const int64_t inner = extents_.back();
    if (result_.elements() == 0)
      return;
    const int64_t blocksOfRow = (inner + blockElements - 1) / blockElements;
    const int64_t blocks = result_.elements() / inner * blocksOfRow;
    std::vector<std::vector<double>> memory(std::max(threads, 1u));
    parallelFor((blocks + blocksAtOnce - 1) / blocksAtOnce, threads,
                [&](int64_t group, unsigned worker) {
                  if (memory[worker].empty())
                    memory[worker] = freshRows();
                  const int64_t end = std::min((group + 1) * blocksAtOnce, blocks);
                  for (int64_t block = group * blocksAtOnce; block < end; ++block)
                    evaluateBlock(block / blocksOfRow, block % blocksOfRow * blockElements,
                                  memory[worker].data());
                });
  }

private:
  /// Merges dimensions that are contiguous in every leaf, and drops those of extent 1: [1000, 4]
  /// becomes one row of 4000.
  void mergeDimensions() {
    if (extents_.empty())
      extents_.push_back(1);
    forEachLeaf([&](Node &leaf) { leaf.strides.resize(extents_.size(), 0); });
    for (size_t d = extents_.size() - 1; d-- > 0;) {
      bool joins = true;
      forEachLeaf(
          [&](Node &leaf) { joins &= leaf.strides[d] == leaf.strides[d + 1] * extents_[d + 1]; });
      const bool outerIsOne = extents_[d] == 1, innerIsOne = extents_[d + 1] == 1;
      if (!joins && !outerIsOne && !innerIsOne)
        continue;
      // The stride that remains is that of the fastest dimension with more than one element.
      const size_t gone = innerIsOne ? d + 1 : d;
      extents_[innerIsOne ? d : d + 1] = extents_[d] * extents_[d + 1];
      extents_.erase(extents_.begin() + gone);
      forEachLeaf([&](Node &leaf) { leaf.strides.erase(leaf.strides.begin() + gone); });
    }
  }

  template <typename Function> void forEachLeaf(Function function) {
    for (Node &node : nodes_)
      if (node.leaf && !node.isNumber())
        function(node);
  }

  /// Scratch memory of a thread, with the rows of numbers filled in.
  std::vector<double> freshRows() const {
    std::vector<double> rows(rows_ * blockElements);
    for (const Node &node : nodes_)
      if (node.isNumber())
        std::fill_n(rows.begin() + node.row * blockElements, blockElements, node.leaf->number);
    return rows;
  }

  void evaluateBlock(int64_t outer, int64_t begin, double *rows) const {
    const int64_t count = std::min(blockElements, extents_.back() - begin);
    for (const Node &node : nodes_) {
      double *row = rows + node.row * blockElements;
      if (!node.leaf) {
        const double *operands[3];
        for (size_t i = 0; i < node.operands.size(); ++i)
          operands[i] = rows + nodes_[node.operands[i]].row * blockElements;
        applyElementwise(*node.value, operands, row, count);
      } else if (!node.isNumber()) {
        const int64_t stride = node.strides.back();
        loadRow(node.leaf->view, offsetOf(node, outer) + begin * stride, stride, row, count);
      }
    }
    const int64_t at = outer * extents_.back() + begin;
    narrow(rows + nodes_.back().row * blockElements, result_.type,
           result_.as<char>() + at * static_cast<int64_t>(sizeInBytes(result_.type)), count);
  }

  int64_t offsetOf(const Node &leaf, int64_t outer) const {
    int64_t offset = 0;
    for (size_t d = extents_.size() - 1; d-- > 0; outer /= extents_[d])
      offset += outer % extents_[d] * leaf.strides[d];
    return offset;
  }

  std::vector<Node> nodes_;
  const size_t rows_;
  Tensor &result_;
  std::vector<int64_t> extents_;
};

} // namespace

std::vector<const Value *> operandsFirst(const Value &root,
                                         llvm::function_ref<bool(const Value &)> isLeaf) {
  std::vector<const Value *> listed, open = {&root};
  std::set<const Value *> seen;
  while (!open.empty()) {
    const Value &value = *open.back();
    const size_t before = open.size();
    if (!seen.count(&value) && !isLeaf(value))
      for (const Value *operand : value.operands)
        if (!seen.count(operand))
          open.push_back(operand);
    if (open.size() > before)
      continue;
    open.pop_back();
    if (seen.insert(&value).second)
      listed.push_back(&value);
  }
  return listed;
}

void evaluateElementwise(const Value &root, const std::map<const Value *, Leaf> &leaves,
                         Tensor &result, unsigned threads) {
  Evaluator(listNodes(root, leaves), result).run(threads);
}

bool isElementwise(Operation operation) {
  switch (operation) {
  case Operation::parameter:
  case Operation::constant:
  case Operation::product:
  case Operation::transpose:
  case Operation::reduce:
  case Operation::cumulate:
  case Operation::extent:
  case Operation::squeeze:
  case Operation::reshape:
  case Operation::access:
  case Operation::position:
  case Operation::random:
    return false;
  default:
    return true;
  }
}

} // namespace mmk
