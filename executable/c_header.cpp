#include "executable/c_header.h"

#include "codegen/plan.h"
#include "codegen/program.h"
#include "executable/executable.h"
#include "ir/element_type.h"
#include "ir/merged_dims.h"
#include "runtime/core.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstddef>

using namespace llvm;

namespace mmk {
namespace {

// The structures in the text below are those of runtime/abi.h.
static_assert(sizeof(KernelArguments) == 5 * sizeof(void *));
static_assert(offsetof(KernelArguments, scalars) == 8 && offsetof(KernelArguments, tensors) == 16 &&
              offsetof(KernelArguments, strides) == 24 && offsetof(KernelArguments, plan) == 32);
static_assert(offsetof(CoreMemories, ubStride) == 8 && offsetof(CoreMemories, memory) == 16 &&
              offsetof(CoreMemories, step) == 16 + 8 * memories &&
              sizeof(CoreMemories) == 16 + 8 * (memories + 2));

/// A name of the kernel, changed if C or C++ does not allow it.
std::string nameInC(StringRef name) {
  static const StringSet<> taken = {
      "alignas",   "alignof",  "and",      "asm",      "auto",     "bool",     "break",
      "case",      "catch",    "char",     "class",    "compl",    "concept",  "const",
      "continue",  "decltype", "default",  "delete",   "do",       "double",   "else",
      "enum",      "explicit", "export",   "extern",   "false",    "float",    "for",
      "friend",    "goto",     "if",       "inline",   "int",      "long",     "mutable",
      "namespace", "new",      "not",      "nullptr",  "operator", "or",       "private",
      "protected", "public",   "register", "requires", "restrict", "return",   "short",
      "signed",    "sizeof",   "static",   "struct",   "switch",   "template", "this",
      "throw",     "true",     "try",      "typedef",  "typeid",   "typename", "union",
      "unsigned",  "using",    "virtual",  "void",     "volatile", "while",    "xor"};
  std::string spelled = taken.contains(name) ? (name + "_").str() : name.str();
  llvm::replace(spelled, '.', '_'); // a role of a dimension, "s.i"
  return spelled;
}

/// A parameter or a result.
struct Argument {
  std::string name;              ///< in C
  mlir::Type element;            ///< f32 or i32 for a scalar
  std::vector<std::string> dims; ///< as declared
  bool isScalar = false, isResult = false;
  bool isWhole() const { return isScalar && element.isInteger(32); }
  const ElementTraits &traits() const { return traitsOf(*elementTypeOf(element)); }
};

class Writer {
public:
  Writer(aicore::KernelOp kernel, const Machine &machine, std::string variant, std::string cpu,
         const DerivedInC &derived)
      : kernel(kernel), derived(derived), name(nameInC(kernel.getSymName())),
        variant(std::move(variant)), cpu(std::move(cpu)), machineName(machine.name),
        layout(machine, blockGlobalBytes(kernel)) {
    for (auto phase : kernel.getBody().getOps<aicore::PhaseOp>())
      planSizes.push_back(PhasePlan(phase).size());
    mlir::Block &body = kernel.getBody().front();
    const size_t dims = kernel.getDims().size();
    auto add = [&](mlir::ArrayAttr names, bool isResult) {
      for (auto named : names.getAsRange<ir::NamedAttr>()) {
        Argument &argument = arguments.emplace_back();
        const mlir::Type type = body.getArgument(dims + arguments.size() - 1).getType();
        argument.name = nameInC(named.getName().getValue());
        argument.isResult = isResult;
        argument.isScalar = !isa<mlir::MemRefType>(type);
        argument.element = argument.isScalar ? type : cast<mlir::MemRefType>(type).getElementType();
        for (mlir::StringAttr dim : named.getDims())
          argument.dims.push_back(dim.getValue().str());
      }
    };
    add(kernel.getArgs(), false);
    add(kernel.getResults(), true);
  }

  std::string write() {
    comment();
    declarations();
    structure();
    function();
    out << "#endif\n";
    return text;
  }

private:
  void comment();
  void declarations();
  void structure();
  void function();
  size_t workspaces();
  void argumentArrays();
  void emptyCall();
  void denseStrides();
  void allocations();
  void phases();
  void rememberedPlans();

  /// What a dimension follows from; null where from none.
  const DerivedInC::Dimension *derivedAs(StringRef dim) const {
    const auto found = find_if(derived.dimensions,
                               [&](const DerivedInC::Dimension &each) { return each.name == dim; });
    return found == derived.dimensions.end() ? nullptr : &*found;
  }

  aicore::KernelOp kernel;
  const DerivedInC &derived;
  std::string name, variant, cpu, machineName;
  CoreMemory layout;
  std::vector<size_t> planSizes; ///< of each phase
  std::vector<Argument> arguments;
  std::string text;
  raw_string_ostream out{text};
};

void Writer::comment() {
  out << "/* The kernel '" << kernel.getSymName() << "', compiled ahead of time by mmk for " << cpu
      << ":\n *   machine  " << machineName << "\n *   variant  " << variant
      << "\n *\n * Link the object that was written beside this header; nothing else of mmk is "
         "needed. Other\n"
         " * CPUs may not know its instructions. The function below runs in the thread that calls "
         "it; any\n"
         " * number of threads may call it at once. f16 and bf16 are passed as their 16 bits. */\n";
  out << "#ifndef MMK_KERNEL_" << name << "_H\n#define MMK_KERNEL_" << name
      << "_H\n\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
}

void Writer::declarations() {
  out << "#ifdef __cplusplus\n#define " << name << "_mmk_per_thread thread_local\n"
      << "extern \"C\" {\n#else\n#define " << name << "_mmk_per_thread _Thread_local\n"
      << "#endif\n\n/* What the object is called with. */\n";
  out << "struct " << name
      << "_mmk_arguments {\n  const int64_t *dims;\n  const float *scalars;\n  void *const "
         "*tensors;\n"
         "  const int64_t *const *strides;\n  const int64_t *plan;\n};\n";
  out << "struct " << name << "_mmk_core {\n  int64_t block, ub_stride;\n  char *memory["
      << memories << "];\n  void *unused[2];\n};\n";
  for (size_t i = 0; i < planSizes.size(); ++i)
    out << "void " << name << "_" << phaseName(i) << "(const struct " << name
        << "_mmk_arguments *, const struct " << name << "_mmk_core *);\nvoid " << name << "_"
        << planName(i) << "(const int64_t *dims, int64_t threads, int64_t *plan);\n";
  out << "void " << name << "_" << workspacesName
      << "(const int64_t *dims, int64_t *bytes);\n\n#ifdef __cplusplus\n}\n#endif\n\n";
}

/// Of a role of a dimension, which the schedule names: the extent that the caller gives it.
std::string meaningOf(StringRef dim, const DerivedInC::Dimension *derived) {
  if (derived)
    return " /* 0: " + derived->meaning + " */";
  const auto [value, variable] = dim.split('.');
  return variable.empty() ? ""
                          : (" /* the extent of " + value + " along " + variable + " */").str();
}

void Writer::structure() {
  out << derived.functions;
  out << "/* Strides count elements from one index of a dimension to the next; all 0: dense, in C "
         "order.\n"
         " * Those of parameters may be anything, the last one of a result is 1. Results overlap "
         "nothing\n"
         " * else. */\ntypedef struct {\n";
  for (auto dim : kernel.getDims().getAsRange<mlir::StringAttr>())
    out << "  int64_t " << nameInC(dim.getValue()) << ";"
        << meaningOf(dim.getValue(), derivedAs(dim.getValue())) << "\n";
  for (const Argument &argument : arguments) {
    if (argument.isScalar) {
      out << (argument.isWhole() ? "  int32_t " : "  float ") << argument.name << ";\n";
      continue;
    }
    out << "  " << (argument.isResult ? "" : "const ") << argument.traits().cName << " *"
        << argument.name << "; /* " << argument.traits().spelling << "["
        << join(argument.dims, ", ") << "] */\n  int64_t " << argument.name << "_strides["
        << argument.dims.size() << "];\n";
  }
  out << "} " << name << "_arguments;\n\n";
}

// The last plan is cached: computing it takes a twentieth of the time of a small product.
void Writer::rememberedPlans() {
  const size_t dims = kernel.getDims().size();
  out << "  static " << name << "_mmk_per_thread struct {\n    int is_filled;\n    int64_t dims["
      << std::max<size_t>(dims, 1) << "]";
  for (auto [i, size] : enumerate(planSizes))
    out << ", plan_" << i << "[" << size << "]";
  out << ";\n  } known; /* what follows from the dimensions of the last call */\n"
      << "  if (!known.is_filled";
  for (size_t i = 0; i < dims; ++i)
    out << " || known.dims[" << i << "] != dims[" << i << "]";
  out << ") {\n    known.is_filled = 0;\n";
  for (size_t i = 0; i < planSizes.size(); ++i)
    out << "    " << name << "_" << planName(i) << "(dims, 1, known.plan_" << i << ");\n";
  for (size_t i = 0; i < dims; ++i)
    out << "    known.dims[" << i << "] = dims[" << i << "];\n";
  out << "    known.is_filled = 1;\n  }\n";
}

void Writer::function() {
  out << "/* Memory that a call needs; given one, it allocates nothing but intermediate tensors. "
         "*/\nenum { "
      << name << "_scratch_bytes = " << layout.bytes() << " };\n\n";
  out << "/* Runs the kernel. `scratch` is that memory, aligned to 4096 bytes, or NULL. Returns 0, "
         "or -1 when\n"
         " * there is not enough memory, or -2 when a dimension is 0 and a result has elements all "
         "the same,\n"
         " * or -3 when strides keep dimensions apart that the kernel goes along as one; then "
         "nothing was written. */\n";
  out << "static inline int " << name << "(const " << name
      << "_arguments *with, void *scratch) {\n";
  argumentArrays();
  emptyCall();
  denseStrides();
  out << "  struct " << name << "_mmk_arguments all = {dims, scalars, tensors, strides, NULL};\n";
  allocations();
  rememberedPlans();
  phases();
  if (workspaces() > 0)
    out << "  for (int i = " << arguments.size() << "; i < " << arguments.size() + workspaces()
        << "; ++i)\n    free(tensors[i]);\n";
  out << "  if (!scratch)\n    free(memory);\n  return enough ? 0 : -1;\n}\n\n";
}

size_t Writer::workspaces() { return range_size(kernel.getBody().getOps<aicore::WorkspaceOp>()); }

/// The arguments as arrays: dimensions, scalars, tensors (workspaces last), strides.
void Writer::argumentArrays() {
  const auto dims = kernel.getDims().getAsRange<mlir::StringAttr>();
  for (mlir::StringAttr dim : dims)
    if (!derivedAs(dim.getValue()))
      out << "  const int64_t " << dimensionInC(dim.getValue()) << " = with->"
          << nameInC(dim.getValue()) << ";\n";
  for (const DerivedInC::Dimension &each : derived.dimensions)
    out << "  const int64_t " << dimensionInC(each.name) << " = with->" << nameInC(each.name)
        << " != 0 ? with->" << nameInC(each.name) << " : " << each.value << ";\n";
  out << "  const int64_t dims[] = {";
  ListSeparator comma;
  for (mlir::StringAttr dim : dims)
    out << comma << dimensionInC(dim.getValue());
  const bool hasWholes = any_of(arguments, [](const Argument &each) { return each.isWhole(); });
  out << "};\n  " << (hasWholes ? "" : "const ") << "float scalars[] = {";
  ListSeparator next;
  for (const Argument &argument : arguments)
    if (!argument.isResult)
      out << next
          << (argument.isScalar && !argument.isWhole() ? "with->" + argument.name
                                                       : std::string("0"));
  out << "};\n";
  // A whole scalar is passed as its bits.
  for (auto [i, argument] : enumerate(arguments))
    if (argument.isWhole())
      out << "  memcpy(&scalars[" << i << "], &with->" << argument.name << ", 4);\n";
  out << "  void *tensors[] = {";
  ListSeparator another;
  for (const Argument &argument : arguments)
    out << another << (argument.isScalar ? "NULL" : "(void *)with->" + argument.name);
  for (size_t i = 0; i < workspaces(); ++i)
    out << another << "NULL";
  out << "};\n";
  for (auto [i, argument] : enumerate(arguments)) {
    out << "  int64_t strides_" << i << "[] = {";
    ListSeparator between;
    for (size_t dim = 0; dim < argument.dims.size(); ++dim)
      out << between << "with->" << argument.name << "_strides[" << dim << "]";
    if (argument.dims.empty())
      out << "0";
    out << "};\n";
  }
  out << "  const int64_t *const strides[] = {";
  ListSeparator last;
  for (size_t i = 0; i < arguments.size(); ++i)
    out << last << "strides_" << i;
  out << "};\n";
}

/// Whether one of these dimensions is 0; empty where none has a name.
std::string isZero(ArrayRef<std::string> dims) {
  std::string text;
  for (const std::string &dim : dims)
    if (!isDigit(dim.front()))
      text += (text.empty() ? "" : " || ") + dimensionInC(dim) + " == 0";
  return text;
}

/// The code is of tiles, and has no elements to begin with where a dimension is 0.
void Writer::emptyCall() {
  std::string areEmpty;
  for (const Argument &argument : arguments)
    if (argument.isResult) {
      const std::string isEmpty = isZero(argument.dims);
      areEmpty += (areEmpty.empty() ? "(" : " && (") + (isEmpty.empty() ? "0" : isEmpty) + ")";
    }
  const auto dims = kernel.getDims().getAsValueRange<mlir::StringAttr>();
  const std::vector<std::string> all(dims.begin(), dims.end());
  if (const std::string any = isZero(all); !any.empty())
    out << "  if (" << any << ")\n    return " << areEmpty << " ? 0 : -2;\n";
}

/// Strides of all zeros stand for a dense tensor.
void Writer::denseStrides() {
  const auto spelled = [&](const std::string &dim) {
    return isDigit(dim.front()) ? dim : dimensionInC(dim);
  };
  for (auto [i, argument] : enumerate(arguments)) {
    const size_t rank = argument.dims.size();
    if (rank == 0)
      continue;
    out << "  if (";
    for (size_t dim = 0; dim < rank; ++dim)
      out << (dim ? " && " : "") << "strides_" << i << "[" << dim << "] == 0";
    out << ") {\n    strides_" << i << "[" << rank - 1 << "] = 1;\n";
    for (size_t dim = rank - 1; dim-- > 0;)
      out << "    strides_" << i << "[" << dim << "] = strides_" << i << "[" << dim + 1 << "] * "
          << spelled(argument.dims[dim + 1]) << ";\n";
    out << "  }\n";
  }
  // Dimensions that are one: strides of extents of 1 mean nothing.
  for (const aicore::MergedDims &dims : aicore::mergedDims(kernel)) {
    const size_t i = dims.tensor;
    if (i >= arguments.size())
      continue; // a workspace
    const std::vector<std::string> &names = arguments[i].dims;
    for (int64_t dim = dims.first; dim < dims.last; ++dim)
      out << "  if (" << spelled(names[dim]) << " != 1 && strides_" << i << "[" << dim
          << "] != strides_" << i << "[" << dim + 1 << "] * " << spelled(names[dim + 1])
          << ")\n    return -3;\n";
  }
}

/// Allocates the call's memory, if none was given, and that of workspaces.
void Writer::allocations() {
  out << "  char *memory = (char *)scratch;\n  int enough = 1;\n"
      << "  if (!memory)\n    memory = (char *)aligned_alloc(4096, " << name
      << "_scratch_bytes);\n  if (!memory)\n    return -1;\n";
  if (workspaces() == 0)
    return;
  out << "  int64_t bytes[" << workspaces() << "];\n  " << name << "_" << workspacesName
      << "(dims, bytes);\n  for (int i = 0; i < " << workspaces() << "; ++i) {\n    tensors["
      << arguments.size() << " + i] = aligned_alloc(64, (size_t)((bytes[i] + 64) / 64 * 64));\n"
      << "    enough = enough && tensors[" << arguments.size() << " + i];\n  }\n";
}

/// Runs every phase, block by block.
void Writer::phases() {
  for (size_t i = 0; i < planSizes.size(); ++i) {
    out << "  all.plan = known.plan_" << i << ";\n"
        << "  for (int64_t block = 0; enough && block < all.plan[" << planBlocks
        << "]; ++block) {\n"
        << "    struct " << name << "_mmk_core core = {block, " << layout.view(0).ubStride << ", {";
    ListSeparator zone;
    for (unsigned memory = 0; memory < memories; ++memory)
      out << zone << "memory + " << layout.offsetOf(memory);
    out << "}, {NULL, NULL}};\n    " << name << "_" << phaseName(i) << "(&all, &core);\n  }\n";
  }
}

} // namespace

std::string dimensionInC(StringRef name) { return "extent_" + nameInC(name); }

std::string cHeader(aicore::KernelOp kernel, const Machine &machine, const std::string &variant,
                    const std::string &cpu, const DerivedInC &derived) {
  return Writer(kernel, machine, variant, cpu, derived).write();
}

void nameAfterKernel(Module &module, aicore::KernelOp kernel) {
  const std::string prefix = nameInC(kernel.getSymName()) + "_";
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      function.setName(prefix + function.getName());
}

} // namespace mmk
