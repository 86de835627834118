// The dialect itself, its enumerations and types, the machine, and the classes of its operations.
#ifndef MMK_IR_AICORETYPES_TD
#define MMK_IR_AICORETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "AicoreInterfaces.td"

def Aicore_Dialect : Dialect {
  let name = "aicore";
  let cppNamespace = "::mmk::aicore";
  let summary = "instructions of an Ascend-like AI core";
  let description = [{
    A block (on split chips one cube core and its vector cores) is one program, and program order
    is its meaning: running the instructions one after the other gives the right numbers. Which
    core and which pipe executes an instruction follows from the instruction; pipes and flags are
    the time and the hazards, never the meaning.

    On-chip buffers are `aicore.alloc`s in a memory space, with a number of copies; a transfer
    names the buffer and the slot (the copy): `%a_l1[%slot]`. Extents are run-time values up to
    the buffer's static shape; what a ragged edge leaves is zero up to the cube's granularity.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

// Names and dimensions, `#mmk.named<"a"["M", "K"]>`, as the mmk dialect has them.
def Aicore_NamedArrayAttr : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::mmk::ir::NamedAttr>($_self)">, "#mmk.named attribute">, "names">;

class Aicore_Op<string mnemonic, list<Trait> traits = []> : Op<Aicore_Dialect, mnemonic, traits>;

def Aicore_Space : I32EnumAttr<"Space", "memory", [
    I32EnumAttrCase<"gm", 0>, I32EnumAttrCase<"l1", 1>, I32EnumAttrCase<"l0a", 2>,
    I32EnumAttrCase<"l0b", 3>, I32EnumAttrCase<"l0c", 4>, I32EnumAttrCase<"bt", 5>,
    I32EnumAttrCase<"ub", 6>]> {
  let cppNamespace = "::mmk::aicore";
  let genSpecializedAttr = 0;
}
def Aicore_SpaceAttr : EnumAttr<Aicore_Dialect, Aicore_Space, "space"> {
  let assemblyFormat = "`<` $value `>`";
}

def Aicore_Pipe : I32EnumAttr<"Pipe", "in-order instruction queue of a core", [
    I32EnumAttrCase<"scalar", 0>, I32EnumAttrCase<"mte1", 1>, I32EnumAttrCase<"mte2", 2>,
    I32EnumAttrCase<"mte3", 3>, I32EnumAttrCase<"cube", 4>, I32EnumAttrCase<"fixpipe", 5>,
    I32EnumAttrCase<"vector", 6>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Unit : I32EnumAttr<"Unit", "core of a block", [
    I32EnumAttrCase<"cube_core", 0, "cube">, I32EnumAttrCase<"vector_core", 1, "vector">]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Topology : I32EnumAttr<"Topology", "how cube and vector cores meet", [
    I32EnumAttrCase<"split", 0>, I32EnumAttrCase<"coupled", 1>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_Broadcast : I32EnumAttr<"Broadcast", "how an operand of a vector instruction covers the tile", [
    I32EnumAttrCase<"full", 0>, I32EnumAttrCase<"row", 1>, I32EnumAttrCase<"column", 2>,
    I32EnumAttrCase<"single", 3>]> {
  let cppNamespace = "::mmk::aicore";
  let genSpecializedAttr = 0;
}

def Aicore_Covered : I32EnumAttr<"Covered", "what a condition leaves of elements", [
  I32EnumAttrCase<"all", 0>, I32EnumAttrCase<"skipped", 1>, I32EnumAttrCase<"full", 2>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines elements", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"argmax", 4>, I32EnumAttrCase<"argmin", 5>]> {
  let cppNamespace = "::mmk::aicore";
}

def Aicore_BroadcastAttr : EnumAttr<Aicore_Dialect, Aicore_Broadcast, "broadcast"> {
  let assemblyFormat = "`<` $value `>`";
}
def Aicore_BroadcastArrayAttr : TypedArrayAttrBase<Aicore_BroadcastAttr, "broadcasts">;

def Aicore_TileType : TypeDef<Aicore_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a tile in UB, as an operand of a vector instruction";
  let description = [{
    `!aicore.tile<f32>`: rows x columns of that element type in one copy of a buffer;
    `!aicore.tile<i1>`: a mask, one bit for each element.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let extraClassDeclaration = [{
    bool isMask() const { return getElement().isInteger(1); }
  }];
}

def Aicore_MachineAttr : AttrDef<Aicore_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "the figures of the machine that the passes read; on the module as `aicore.machine`";
  let description = [{
    Cores (blocks), vector cores of a block, usable bytes and alignment of each memory
    (`memories = {l1 = [524032, 32], ...}`), granularity of a cube instruction in m and n
    (`cube = 16 x 16`) and along k by operand type (`depth = {f16 = 16, ...}`), its largest extent,
    event ids for each pair of pipes, cross-core flags. `kind "host"` behind the name says which back
    end it has; without, an emulated AI core. `links` names the paths between cube and vector unit that
    avoid global memory, each with the pipe that executes it (`{l0c_ub = "fixpipe"}`). `registers`: of
    the vector unit, where it works on registers. `leaky_relu`: the fixpipe does it on the way to f16, and
    so many bits of its f32 slope count.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"::mlir::StringAttr">:$kind,
                        EnumParameter<Aicore_Topology>:$topology,
                        "int64_t":$cores, "int64_t":$vectorCores,
                        "::mlir::DictionaryAttr":$memories, "int64_t":$cubeM, "int64_t":$cubeN,
                        "int64_t":$maxExtent, "::mlir::DictionaryAttr":$depth,
                        "int64_t":$eventIds, "int64_t":$crossFlags,
                        OptionalParameter<"::mlir::DictionaryAttr">:$links,
                        DefaultValuedParameter<"int64_t", "0">:$registers,
                        DefaultValuedParameter<"int64_t", "0">:$slopeBits);
  let assemblyFormat = [{ `<` $name (`kind` $kind^)? `,` $topology `,` `cores` `=` $cores `,`
    `vector_cores` `=` $vectorCores `,` `memories` `=` $memories `,` `cube` `=` $cubeM `x` $cubeN `,`
    `max_extent` `=` $maxExtent `,` `depth` `=` $depth `,`
    `event_ids` `=` $eventIds `,` `cross_flags` `=` $crossFlags
    (`links` $links^)? (`registers` $registers^)? (`leaky_relu` $slopeBits^)? `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mmk::MachineKind getMachineKind() const;
    /// Usable bytes of a memory; 0 when the machine has none.
    int64_t capacity(Space space) const;
    /// Alignment of a buffer in it, bytes.
    int64_t alignment(Space space) const;
    /// Granularity of the cube along k for an operand type; 0 when the cube does not multiply it.
    int64_t depthOf(::mlir::Type element) const;
    /// The pipe that executes a path between cube and vector unit, "l0c_ub" or "ub_l1"; nothing where
    /// the machine has no such path.
    std::optional<Pipe> linkPipe(::llvm::StringRef link) const;
    /// Whether the cube core writes products to the memories of its vector cores.
    bool cubeFillsUb() const {
      return getTopology() == Topology::split && linkPipe("l0c_ub").has_value();
    }
    /// Rows and columns of an operand in L1 are zero-padded to multiples of this, and its buffer has
    /// room for them: the least that both m and n divide.
    int64_t padding() const;
  }];
}

class Aicore_InstructionOp<string mnemonic, list<Trait> traits = []> : Aicore_Op<mnemonic,
    !listconcat([DeclareOpInterfaceMethods<Aicore_Instruction>,
                 DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

#endif
