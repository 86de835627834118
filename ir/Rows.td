// The program of a row group: reductions of the same rows, with the elementwise work between and
// behind them, as one operation on one element of each tensor.
#ifndef MMK_IR_ROWS_TD
#define MMK_IR_ROWS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "AicoreTypes.td"
include "Mmk.td"

def Mmk_SpaceDimsAttr : TypedArrayAttrBase<DenseI64ArrayAttr, "dimensions of the space of each tensor">;

def Mmk_RowsOp : Mmk_Op<"rows", [Pure, SingleBlock]> {
  let summary = "what a row group computes";
  let description = [{
    The region computes one iteration of the space of its `mmk.fusion_group`, from an element of each
    tensor. `along` says which dimension of the space each dimension of a tensor is, -1 for one of
    extent 1 that the space has not. `mmk.row_reduce` combines elements of all iterations that the group
    reduces; `mmk.row_elements` gives an element of each result, of which `to` says the dimensions.
    ```mlir
    %y = mmk.rows %x along [array<i64: 0, 1>] to [array<i64: 0, 1>] {
    ^bb0(%e: f32):
      %sum = mmk.row_reduce add %e from 0.0 : f32 : (f32) -> f32
      %q = arith.divf %e, %sum : f32
      mmk.row_elements %q : f32
    } : (tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
    Where `grid` divides rows, an operation with `parts` reduces them in so many parts of each
    dimension, and one with `combines` goes over the results of such parts.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Mmk_SpaceDimsAttr:$along,
                       Mmk_SpaceDimsAttr:$to, OptionalAttr<DenseI64ArrayAttr>:$parts,
                       UnitAttr:$combines);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `along` $along `to` $to (`parts` $parts^)? (`combines` $combines^)? $body attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions of the space that a tensor has.
    ::llvm::ArrayRef<int64_t> dimsOfInput(unsigned number) {
      return ::mlir::cast<::mlir::DenseI64ArrayAttr>(getAlong()[number]).asArrayRef();
    }
    ::llvm::ArrayRef<int64_t> dimsOfResult(unsigned number) {
      return ::mlir::cast<::mlir::DenseI64ArrayAttr>(getTo()[number]).asArrayRef();
    }
    ::mlir::Block &block() { return getBody().front(); }
    /// What the region gives, an element of each result.
    ::mlir::OperandRange elements() { return block().getTerminator()->getOperands(); }
    /// Whether it has cumulative sums.
    bool hasScan();
  }];
}

def Mmk_RowReduceOp : Mmk_Op<"row_reduce", [Pure, HasParent<"RowsOp">, AllTypesMatch<["element", "result"]>]> {
  let summary = "the elements of all iterations that a row group reduces, combined to one";
  let description = [{
    argmax and argmin also give the position of the element. A `scan` has a result for each iteration:
    of the elements up to its own. `identity` is the result of no elements.
  }];
  let arguments = (ins Aicore_ReduceKind:$kind, AnyType:$element, TypedAttrInterface:$identity,
                       UnitAttr:$scan);
  let results = (outs AnyType:$result, Optional<AnyType>:$position);
  let assemblyFormat = [{
    $kind (`scan` $scan^)? $element `from` $identity attr-dict `:` functional-type($element, results)
  }];
  let hasVerifier = 1;
}

def Mmk_RowElementsOp : Mmk_Op<"row_elements", [Pure, Terminator, HasParent<"RowsOp">]> {
  let summary = "an element of each result of a mmk.rows";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // MMK_IR_ROWS_TD
