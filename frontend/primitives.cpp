#include "frontend/primitives.h"

#include <algorithm>
#include <array>

namespace mmk {
namespace {

constexpr std::array functions = {
    Primitive{"abs", 1, Operation::abs},       Primitive{"exp", 1, Operation::exp},
    Primitive{"log", 1, Operation::log},       Primitive{"sqrt", 1, Operation::sqrt},
    Primitive{"log1p", 1, Operation::log1p},   Primitive{"expm1", 1, Operation::expm1},
    Primitive{"tanh", 1, Operation::tanh},     Primitive{"erf", 1, Operation::erf},
    Primitive{"floor", 1, Operation::floor},   Primitive{"ceil", 1, Operation::ceil},
    Primitive{"min", 2, Operation::minimum},   Primitive{"max", 2, Operation::maximum},
    Primitive{"select", 3, Operation::select}, Primitive{"transpose", 1, Operation::transpose},
};

constexpr std::array operators = {
    Primitive{"-", 1, Operation::negate},        Primitive{"+", 2, Operation::add},
    Primitive{"-", 2, Operation::subtract},      Primitive{"*", 2, Operation::multiply},
    Primitive{"/", 2, Operation::divide},        Primitive{"%", 2, Operation::remainder},
    Primitive{"@", 2, Operation::product},       Primitive{"==", 2, Operation::equal},
    Primitive{"!=", 2, Operation::notEqual},     Primitive{"<", 2, Operation::less},
    Primitive{"<=", 2, Operation::lessEqual},    Primitive{">", 2, Operation::greater},
    Primitive{">=", 2, Operation::greaterEqual}, Primitive{"&&", 2, Operation::logicalAnd},
    Primitive{"||", 2, Operation::logicalOr},    Primitive{"!", 1, Operation::logicalNot},
};

constexpr std::array reductions = {
    NamedReduction{"sum", Reduction::sum},        NamedReduction{"prod", Reduction::product},
    NamedReduction{"max", Reduction::maximum},    NamedReduction{"min", Reduction::minimum},
    NamedReduction{"mean", Reduction::sum, true}, NamedReduction{"any", Reduction::any},
    NamedReduction{"all", Reduction::all},        NamedReduction{"argmax", Reduction::argmax},
    NamedReduction{"argmin", Reduction::argmin},  NamedReduction{"cumsum", std::nullopt},
};

} // namespace

const Primitive *primitiveFunction(std::string_view name) {
  const auto found = std::ranges::find(functions, name, &Primitive::name);
  return found == functions.end() ? nullptr : found;
}

const NamedReduction *reductionOf(std::string_view name) {
  const auto found = std::ranges::find(reductions, name, &NamedReduction::name);
  return found == reductions.end() ? nullptr : found;
}

std::vector<std::string> reductionNames() {
  std::vector<std::string> names;
  for (const NamedReduction &each : reductions)
    names.emplace_back(each.name);
  return names;
}

std::vector<std::string> primitiveFunctionNames() {
  std::vector<std::string> names;
  for (const Primitive &primitive : functions)
    names.emplace_back(primitive.name);
  return names;
}

const Primitive *operatorOf(std::string_view symbol, size_t operands) {
  const auto found = std::ranges::find_if(operators, [&](const Primitive &primitive) {
    return primitive.name == symbol && primitive.operands == operands;
  });
  return found == operators.end() ? nullptr : found;
}

} // namespace mmk
