#include "ascendc/comparison.h"

namespace mmk::ascendc {

using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

Comparison comparisonOf(CmpFPredicate predicate) {
  switch (predicate) {
  case CmpFPredicate::OEQ:
    return {"EQ"};
  case CmpFPredicate::OGT:
    return {"GT"};
  case CmpFPredicate::OGE:
    return {"GE"};
  case CmpFPredicate::OLT:
    return {"LT"};
  case CmpFPredicate::OLE:
    return {"LE"};
  case CmpFPredicate::UNE:
    return {"NE"};
  case CmpFPredicate::UGT:
    return {"LE", nullptr, true};
  case CmpFPredicate::UGE:
    return {"LT", nullptr, true};
  case CmpFPredicate::ULT:
    return {"GE", nullptr, true};
  case CmpFPredicate::ULE:
    return {"GT", nullptr, true};
  case CmpFPredicate::ONE:
    return {"LT", "GT"};
  case CmpFPredicate::UEQ:
    return {"LT", "GT", true};
  case CmpFPredicate::ORD:
    return {"LE", "GE"};
  case CmpFPredicate::UNO:
    return {"LE", "GE", true};
  default:
    return {};
  }
}

Comparison comparisonOf(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return {"EQ"};
  case CmpIPredicate::ne:
    return {"NE"};
  case CmpIPredicate::slt:
    return {"LT"};
  case CmpIPredicate::sle:
    return {"LE"};
  case CmpIPredicate::sgt:
    return {"GT"};
  case CmpIPredicate::sge:
    return {"GE"};
  default:
    return {};
  }
}

} // namespace mmk::ascendc
