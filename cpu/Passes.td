// The passes that lower the tiles of a kernel to the CPU (cpu/lower.cpp).
#ifndef MMK_CPU_PASSES_TD
#define MMK_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CpuLower : Pass<"cpu-lower", "::mlir::ModuleOp"> {
  let summary = "make one operation of each tile, from global memory to global memory";
  let description = [{
    mmk.kernel becomes aicore.kernel, each fusion group a phase. A product and the elementwise operation that
    takes its result become one cpu.product over the whole depth, with scratch of one copy; an
    elementwise operation alone becomes a cpu.elementwise, and a row group a cpu.rows.
    ```mlir
    scf.for %i {                               scf.for %i {
      scf.for %ks { scf.for %kb {                cpu.product %a[..], %b[..] size(..) step 512
        linalg.contract ...                        ins(%bias[..]) outs(%c[..]) {
      } }                                =>      ^bb0(%sum: f32, %v: f32):
      linalg.generic (add bias)                    %y = arith.addf %sum, %v
      tensor.insert_slice ...                      cpu.yield %y
    }                                            }
                                               }
    ```
    The splits of a reduction are summed in place: each is added to the first, which
    the operation on the sum then reads.
    ```mlir
                                               scf.for %s = 1 to %splits {
      linalg.reduce %splits                =>     cpu.elementwise ins(%p[0, ..], %p[%s, ..])
      linalg.generic (add bias)                    outs(%p[0, ..]) { add }
                                               }
                                               cpu.elementwise ins(%p[0, ..], %bias[..]) outs(..)
    ```
  }];
  let dependentDialects = ["::mmk::cpu::CpuDialect", "::mmk::aicore::AicoreDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def CpuPackConstants : Pass<"cpu-pack-constants", "::mlir::ModuleOp"> {
  let summary = "read constant operands of products from panels";
  let description = [{
    A parameter that is `const` comes packed where all its uses are the right operand of products
    over its whole depth, or all are the left one; any other comes as its rows.
    ```mlir
    // args [.., #mmk.named<"w"["K", "N"] const>]
    cpu.product %x[..], %w[..]            cpu.product %x[..], %w[..]
      ...                            =>     ... {packed}
    ```
  }];
}

#endif
