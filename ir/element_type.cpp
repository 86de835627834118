#include "ir/element_type.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace mmk {

Type typeOf(ElementType type, MLIRContext *context) {
  const ElementTraits &traits = traitsOf(type);
  if (!traits.semantics)
    return IntegerType::get(context, traits.bits);
  const FloatType floats[] = {Float32Type::get(context), Float16Type::get(context),
                              BFloat16Type::get(context)};
  for (FloatType known : floats)
    if (&known.getFloatSemantics() == traits.semantics)
      return known;
  llvm_unreachable("an MLIR type for each float of the table");
}

std::optional<ElementType> elementTypeOf(Type type) {
  auto isIt = [&](ElementType candidate) { return typeOf(candidate, type.getContext()) == type; };
  for (ElementType candidate : languageTypes)
    if (isIt(candidate))
      return candidate;
  return isIt(ElementType::boolean) ? std::optional(ElementType::boolean) : std::nullopt;
}

} // namespace mmk
