#include "ascendc/comparison.h"

#include <utility>

namespace mmk::ascendc {

using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

static constexpr Mode eq = {"EQ", "=="}, ne = {"NE", "!="}, lt = {"LT", "<"}, le = {"LE", "<="},
                      gt = {"GT", ">"}, ge = {"GE", ">="};

static constexpr std::pair<CmpFPredicate, Comparison> ofFloats[] = {
    {CmpFPredicate::OEQ, {eq}},           {CmpFPredicate::UNE, {ne}},
    {CmpFPredicate::OGT, {gt}},           {CmpFPredicate::OGE, {ge}},
    {CmpFPredicate::OLT, {lt}},           {CmpFPredicate::OLE, {le}},
    {CmpFPredicate::UGT, {le, {}, true}}, {CmpFPredicate::UGE, {lt, {}, true}},
    {CmpFPredicate::ULT, {ge, {}, true}}, {CmpFPredicate::ULE, {gt, {}, true}},
    {CmpFPredicate::ONE, {lt, gt}},       {CmpFPredicate::UEQ, {lt, gt, true}},
    {CmpFPredicate::ORD, {le, ge}},       {CmpFPredicate::UNO, {le, ge, true}},
};
static constexpr std::pair<CmpIPredicate, Comparison> ofIntegers[] = {
    {CmpIPredicate::eq, {eq}},  {CmpIPredicate::ne, {ne}},  {CmpIPredicate::slt, {lt}},
    {CmpIPredicate::sle, {le}}, {CmpIPredicate::sgt, {gt}}, {CmpIPredicate::sge, {ge}},
};

template <typename Table, typename Predicate>
static Comparison found(const Table &table, Predicate predicate) {
  for (const auto &[each, comparison] : table)
    if (each == predicate)
      return comparison;
  return {};
}

Comparison comparisonOf(CmpFPredicate predicate) { return found(ofFloats, predicate); }
Comparison comparisonOf(CmpIPredicate predicate) { return found(ofIntegers, predicate); }

static Mode swapped(const Mode &mode) {
  for (auto [one, another] : {std::pair(lt, gt), std::pair(le, ge)})
    if (mode.name == one.name || mode.name == another.name)
      return mode.name == one.name ? another : one;
  return mode;
}

Comparison swapped(const Comparison &comparison) {
  return {swapped(comparison.mode), swapped(comparison.other), comparison.isNegated};
}

} // namespace mmk::ascendc
