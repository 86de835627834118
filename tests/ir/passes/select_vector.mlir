// Vector instructions for the regions of elements.
// RUN: mmk-opt %s --aicore-select-vector | FileCheck %s

!tile = memref<32x64xf32, #aicore.space<ub>>
!half = memref<32x64xf16, #aicore.space<ub>>
!row = memref<1x64xf32, #aicore.space<ub>>
!byte = memref<32x64xi8, #aicore.space<ub>>

// Later instructions overwrite their operand at its last use; all of them work in the output.
// CHECK-LABEL: aicore.kernel @in_the_output
// CHECK-NOT:     scratch
// CHECK:         aicore.vector ins(%x_ub[%c0] full, %bias_ub[%c0] row : {{.*}}) outs(%y_ub[%c0] : {{.*}}) size(%c16, %c32) {
// CHECK-NEXT:    ^bb0(%x: !aicore.tile<f32>, %bias: !aicore.tile<f32>, %y: !aicore.tile<f32>):
// CHECK-NEXT:      aicore.vec add %x, %bias -> %y : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec exp %y -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
// A scalar is the last operand of a commutative instruction.
// CHECK-NEXT:      aicore.vec mul %y, %alpha -> %y : !aicore.tile<f32>, f32 -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec sub %cst, %y -> %y : f32, !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.yield
// CHECK-NEXT:    }
aicore.kernel @in_the_output dims ["M"] args [#mmk.named<"alpha">] results [] cores 1 buffers {} {
^bb0(%m: index, %alpha: f32):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %bias = aicore.alloc "bias" of "ub" copies 1 : !row
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full, %bias[%c0] row : !tile, !row) outs(%y[%c0] : !tile) size(%c16, %c32) {
    ^bb0(%a: f32, %b: f32):
      %one = arith.constant 1.0 : f32
      %s = arith.addf %a, %b : f32
      %e = math.exp %s : f32
      %p = arith.mulf %alpha, %e : f32
      %d = arith.subf %one, %p : f32
      aicore.yield %d : f32
    }
  }
}

// Two values are alive at once: the second takes scratch. An input is only read.
// CHECK-LABEL: aicore.kernel @scratch
// CHECK:         %y_ub = aicore.alloc "y"
// CHECK-NEXT:    %scratch_ub = aicore.alloc "scratch" of "scratch" copies 1 : memref<32x64xf32, #aicore.space<ub>>
// CHECK:         aicore.vector ins(%x_ub[%c0] full : {{.*}}) outs(%y_ub[%c0] : {{.*}}) scratch(%scratch_ub[0] : memref<32x64xf32, #aicore.space<ub>>) size(
// CHECK-NEXT:    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>, %scratch: !aicore.tile<f32>):
// CHECK-NEXT:      aicore.vec exp %x -> %y :
// CHECK-NEXT:      aicore.vec abs %x -> %scratch :
// CHECK-NEXT:      aicore.vec add %y, %scratch -> %y :
// CHECK-NEXT:      aicore.vec neg %x -> %scratch :
// CHECK-NEXT:      aicore.vec div %y, %scratch -> %y :
aicore.kernel @scratch dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %e = math.exp %a : f32
      %b = math.absf %a : f32
      %s = arith.addf %e, %b : f32
      %n = arith.negf %a : f32
      %q = arith.divf %s, %n : f32
      aicore.yield %q : f32
    }
  }
}

// Only scratch is wide enough: two copies of one buffer. Other vector work of the phase uses the
// same.
// CHECK-LABEL: aicore.kernel @shared_scratch
// CHECK:         %scratch_ub = aicore.alloc "scratch" of "scratch" copies 2 : memref<32x64xf32, #aicore.space<ub>>
// CHECK-NOT:     aicore.alloc
// CHECK:         aicore.vector {{.*}} scratch(%scratch_ub[0], %scratch_ub[1] :
// CHECK-NEXT:    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f16>, %scratch: !aicore.tile<f32>, %scratch_0: !aicore.tile<f32>):
// CHECK-NEXT:      aicore.vec exp %x -> %scratch :
// CHECK-NEXT:      aicore.vec abs %x -> %scratch_0 :
// CHECK-NEXT:      aicore.vec add %scratch, %scratch_0 -> %scratch :
// CHECK-NEXT:      aicore.vec cast_narrow %scratch -> %y : !aicore.tile<f32> -> !aicore.tile<f16>
// CHECK:         aicore.vector {{.*}} scratch(%scratch_ub[0] :
// CHECK-NEXT:    ^bb0(%y: !aicore.tile<f16>, %y_0: !aicore.tile<f16>, %scratch: !aicore.tile<f32>):
// CHECK-NEXT:      aicore.vec cast %y -> %scratch : !aicore.tile<f16> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec sqrt %scratch -> %scratch :
// CHECK-NEXT:      aicore.vec cast_narrow %scratch -> %y_0 : !aicore.tile<f32> -> !aicore.tile<f16>
aicore.kernel @shared_scratch dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !half
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !half) size(%m, %m) {
    ^bb0(%a: f32):
      %e = math.exp %a : f32
      %b = math.absf %a : f32
      %s = arith.addf %e, %b : f32
      %n = arith.truncf %s : f32 to f16
      aicore.yield %n : f16
    }
    aicore.vector ins(%y[%c0] full : !half) outs(%y[%c0] : !half) size(%m, %m) {
    ^bb0(%a: f16):
      %w = arith.extf %a : f16 to f32
      %r = math.sqrt %w : f32
      %n = arith.truncf %r : f32 to f16
      aicore.yield %n : f16
    }
  }
}

// A mask has a bit for each element.
// CHECK-LABEL: aicore.kernel @masks
// CHECK:         %mask_ub = aicore.alloc "mask" of "scratch" copies 2 : memref<32x8xi8, #aicore.space<ub>>
// CHECK:         aicore.vector {{.*}} scratch(%mask_ub[0], %mask_ub[1] :
// CHECK-NEXT:    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<f32>, %mask: !aicore.tile<i1>, %[[OTHER:.*]]: !aicore.tile<i1>):
// CHECK-NEXT:      aicore.vec compare oge %x, %cst{{.*}} -> %mask : !aicore.tile<f32>, f32 -> !aicore.tile<i1>
// CHECK-NEXT:      aicore.vec compare uno %x, %x -> %[[OTHER]] : !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<i1>
// CHECK-NEXT:      aicore.vec or %mask, %[[OTHER]] -> %mask : !aicore.tile<i1>, !aicore.tile<i1> -> !aicore.tile<i1>
// CHECK-NEXT:      aicore.vec select %mask, %cst{{.*}}, %x -> %y : !aicore.tile<i1>, f32, !aicore.tile<f32> -> !aicore.tile<f32>
aicore.kernel @masks dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %limit = arith.constant 8.0 : f32
      %zero = arith.constant 0.0 : f32
      %high = arith.cmpf oge, %a, %limit : f32
      %nan = arith.cmpf uno, %a, %a : f32
      %out = arith.ori %high, %nan : i1
      %r = arith.select %out, %zero, %a : f32
      aicore.yield %r : f32
    }
  }
}

// Forms of several operations. The first relu's limit is -0, which is no relu. An operation with
// another use is computed in addition to the instruction that covers it.
// CHECK-LABEL: aicore.kernel @patterns
// CHECK-NOT:     "mask"
// CHECK:           aicore.vec max %x, %cst{{.*}} -> %y :
// CHECK-NEXT:      aicore.vec relu %y -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec mul %y, %alpha -> %scratch :
// CHECK-NEXT:      aicore.vec leaky_relu %y, %alpha -> %y : !aicore.tile<f32>, f32 -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec add %y, %scratch -> %y :
aicore.kernel @patterns dims ["M"] args [#mmk.named<"alpha">] results [] cores 1 buffers {} {
^bb0(%m: index, %alpha: f32):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %minus = arith.constant -0.0 : f32
      %zero = arith.constant 0.0 : f32
      %n = arith.maximumf %a, %minus : f32
      %r = arith.maximumf %zero, %n : f32
      %p = arith.cmpf oge, %r, %zero : f32
      %s = arith.mulf %alpha, %r : f32
      %l = arith.select %p, %r, %s : f32
      %t = arith.addf %l, %s : f32
      aicore.yield %t : f32
    }
  }
}

// Where the slope is an element, there is no such instruction.
// CHECK-LABEL: aicore.kernel @no_leaky_relu
// CHECK:           aicore.vec compare oge %x, %cst -> %mask :
// CHECK-NEXT:      aicore.vec mul %x, %x -> %y :
// CHECK-NEXT:      aicore.vec select %mask, %x, %y -> %y :
aicore.kernel @no_leaky_relu dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %p = arith.cmpf oge, %a, %zero : f32
      %s = arith.mulf %a, %a : f32
      %l = arith.select %p, %a, %s : f32
      aicore.yield %l : f32
    }
  }
}

// Values that depend on scalars only are computed by the scalar unit, before.
// CHECK-LABEL: aicore.kernel @scalars
// CHECK:         %[[NEG:.*]] = arith.negf %alpha : f32
// CHECK-NEXT:    aicore.vector
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      aicore.vec mul %x, %[[NEG]] -> %y :
// CHECK-NEXT:      aicore.yield
aicore.kernel @scalars dims ["M"] args [#mmk.named<"alpha">] results [] cores 1 buffers {} {
^bb0(%m: index, %alpha: f32):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %n = arith.negf %alpha : f32
      %p = arith.mulf %n, %a : f32
      aicore.yield %p : f32
    }
  }
}

// A condition may be the same for all elements, or a constant.
// CHECK-LABEL: aicore.kernel @scalar_condition
// CHECK:         %[[ANY:.*]] = arith.cmpf ogt, %alpha,
// CHECK:           aicore.vec neg %x -> %y :
// CHECK-NEXT:      aicore.vec select %[[ANY]], %y, %x -> %y : i1, !aicore.tile<f32>, !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec select %true, %y, %alpha -> %y : i1, !aicore.tile<f32>, f32 -> !aicore.tile<f32>
aicore.kernel @scalar_condition dims ["M"] args [#mmk.named<"alpha">] results [] cores 1 buffers {} {
^bb0(%m: index, %alpha: f32):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %one = arith.constant 1.0 : f32
      %true = arith.constant true
      %any = arith.cmpf ogt, %alpha, %one : f32
      %n = arith.negf %a : f32
      %s = arith.select %any, %n, %a : f32
      %t = arith.select %true, %s, %alpha : f32
      aicore.yield %t : f32
    }
  }
}

// An output that no instruction can write by itself is copied: an input, a scalar, the value of
// another output.
// CHECK-LABEL: aicore.kernel @copies
// CHECK:           aicore.vec exp %x -> %y : !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec copy %y -> %z : !aicore.tile<f32> -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec copy %cst -> %u : f32 -> !aicore.tile<f32>
// CHECK-NEXT:      aicore.vec copy %x -> %v : !aicore.tile<f32> -> !aicore.tile<f32>
aicore.kernel @copies dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    %z = aicore.alloc "z" of "out" copies 1 : !tile
    %u = aicore.alloc "u" of "out" copies 1 : !tile
    %v = aicore.alloc "v" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0], %z[%c0], %u[%c0], %v[%c0] : !tile, !tile, !tile, !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %e = math.exp %a : f32
      aicore.yield %e, %e, %zero, %a : f32, f32, f32, f32
    }
  }
}

// The output is also the input: the first value computed from it is kept in scratch.
// CHECK-LABEL: aicore.kernel @in_place
// CHECK:           aicore.vec exp %x -> %scratch :
// CHECK-NEXT:      aicore.vec add %scratch, %x -> %x_0 :
aicore.kernel @in_place dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%x[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %e = math.exp %a : f32
      %s = arith.addf %e, %a : f32
      aicore.yield %s : f32
    }
  }
}

// A tile of scratch holds elements of any type of its size.
// CHECK-LABEL: aicore.kernel @integers
// CHECK:         aicore.alloc "scratch" of "scratch" copies 1 : memref<32x64xf32, #aicore.space<ub>>
// CHECK:         aicore.vector {{.*}} scratch(%scratch_ub[0], %scratch_ub[0] :
// CHECK-NEXT:    ^bb0(%x: !aicore.tile<f32>, %y: !aicore.tile<i8>, %scratch: !aicore.tile<f32>, %scratch_0: !aicore.tile<i32>):
// CHECK-NEXT:      aicore.vec floor %x -> %scratch :
// CHECK-NEXT:      aicore.vec cast_narrow %scratch -> %scratch_0 : !aicore.tile<f32> -> !aicore.tile<i32>
// CHECK-NEXT:      aicore.vec cast_narrow %scratch_0 -> %y : !aicore.tile<i32> -> !aicore.tile<i8>
aicore.kernel @integers dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !byte
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !byte) size(%m, %m) {
    ^bb0(%a: f32):
      %r = math.floor %a : f32
      %w = arith.fptosi %r : f32 to i32
      %n = arith.trunci %w : i32 to i8
      aicore.yield %n : i8
    }
  }
}

// A conversion to an integer rounds, and turns NaN into 0, by itself.
// CHECK-LABEL: aicore.kernel @rounds
// CHECK:           aicore.vec max %x, %{{.*}} -> %scratch :
// CHECK-NEXT:      aicore.vec cast_narrow %scratch -> %scratch_0 : !aicore.tile<f32> -> !aicore.tile<i32>
// CHECK-NEXT:      aicore.vec cast_narrow %scratch_0 -> %y : !aicore.tile<i32> -> !aicore.tile<i8>
// CHECK-NEXT:      aicore.yield
aicore.kernel @rounds dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !byte
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !byte) size(%m, %m) {
    ^bb0(%a: f32):
      %zero = arith.constant 0.0 : f32
      %low = arith.constant -128.0 : f32
      %v = arith.maximumf %a, %low : f32
      %nan = arith.cmpf uno, %v, %v : f32
      %s = arith.select %nan, %zero, %v : f32
      %r = math.roundeven %s : f32
      %w = arith.fptosi %r : f32 to i32
      %n = arith.trunci %w : i32 to i8
      aicore.yield %n : i8
    }
  }
}

// Every operation that selects an instruction of its own.
// CHECK-LABEL: aicore.kernel @all_floats
// CHECK:           aicore.vec add
// CHECK-NEXT:      aicore.vec sub
// CHECK-NEXT:      aicore.vec mul
// CHECK-NEXT:      aicore.vec div
// CHECK-NEXT:      aicore.vec max
// CHECK-NEXT:      aicore.vec min
// CHECK-NEXT:      aicore.vec abs
// CHECK-NEXT:      aicore.vec neg
// CHECK-NEXT:      aicore.vec exp
// CHECK-NEXT:      aicore.vec log
// CHECK-NEXT:      aicore.vec sqrt
// CHECK-NEXT:      aicore.vec tanh
// CHECK-NEXT:      aicore.vec erf
// CHECK-NEXT:      aicore.vec floor
// CHECK-NEXT:      aicore.vec ceil
// CHECK-NEXT:      aicore.vec round
// CHECK-NEXT:      aicore.vec compare une
// CHECK-NEXT:      aicore.vec compare ult
// CHECK-NEXT:      aicore.vec and
// CHECK-NEXT:      aicore.vec xor
// CHECK-NEXT:      aicore.vec select
aicore.kernel @all_floats dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      %1 = arith.subf %0, %a : f32
      %2 = arith.mulf %1, %a : f32
      %3 = arith.divf %2, %a : f32
      %4 = arith.maximumf %3, %a : f32
      %5 = arith.minimumf %4, %a : f32
      %6 = math.absf %5 : f32
      %7 = arith.negf %6 : f32
      %8 = math.exp %7 : f32
      %9 = math.log %8 : f32
      %10 = math.sqrt %9 : f32
      %11 = math.tanh %10 : f32
      %12 = math.erf %11 : f32
      %13 = math.floor %12 : f32
      %14 = math.ceil %13 : f32
      %15 = math.roundeven %14 : f32
      %16 = arith.cmpf une, %15, %a : f32
      %17 = arith.cmpf ult, %15, %a : f32
      %18 = arith.andi %16, %17 : i1
      %19 = arith.xori %18, %17 : i1
      %20 = arith.select %19, %15, %a : f32
      aicore.yield %20 : f32
    }
  }
}

// CHECK-LABEL: aicore.kernel @all_integers
// CHECK:           aicore.vec cast %x -> %{{.*}} : !aicore.tile<i8> -> !aicore.tile<i32>
// CHECK-NEXT:      aicore.vec add
// CHECK-NEXT:      aicore.vec sub
// CHECK-NEXT:      aicore.vec mul
// CHECK-NEXT:      aicore.vec max
// CHECK-NEXT:      aicore.vec min
// CHECK-NEXT:      aicore.vec compare slt
// CHECK-NEXT:      aicore.vec select
// CHECK-NEXT:      aicore.vec cast %{{.*}} -> %y : !aicore.tile<i32> -> !aicore.tile<f32>
aicore.kernel @all_integers dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  %c0 = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !byte
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !byte) outs(%y[%c0] : !tile) size(%m, %m) {
    ^bb0(%a: i8):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.addi %0, %0 : i32
      %2 = arith.subi %1, %0 : i32
      %3 = arith.muli %2, %0 : i32
      %4 = arith.maxsi %3, %0 : i32
      %5 = arith.minsi %4, %0 : i32
      %6 = arith.cmpi slt, %5, %0 : i32
      %7 = arith.select %6, %5, %0 : i32
      %8 = arith.sitofp %7 : i32 to f32
      aicore.yield %8 : f32
    }
  }
}

// The gelu with tanh is a quotient with one exponential.
// CHECK-LABEL: aicore.kernel @gelu_tanh
// CHECK:         aicore.vec mul %x, %x -> %y
// CHECK-NEXT:    aicore.vec mul %y, %cst{{[_0-9]*}} -> %y
// CHECK-NEXT:    aicore.vec add %y, %cst{{[_0-9]*}} -> %y
// CHECK-NEXT:    aicore.vec mul %x, %y -> %y
// CHECK-NEXT:    aicore.vec exp %y -> %y
// CHECK-NEXT:    aicore.vec add %y, %cst{{[_0-9]*}} -> %y
// CHECK-NEXT:    aicore.vec div %x, %y -> %y
// CHECK-NEXT:    aicore.yield
aicore.kernel @gelu_tanh dims [] args [] results [] cores 1 buffers {} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%c16, %c16) {
    ^bb0(%a: f32):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %cubic = arith.constant 0.044715 : f32
      %slope = arith.constant 0.797884583 : f32
      %a2 = arith.mulf %a, %a : f32
      %a3 = arith.mulf %a2, %a : f32
      %c = arith.mulf %cubic, %a3 : f32
      %s = arith.addf %a, %c : f32
      %u = arith.mulf %slope, %s : f32
      %t = math.tanh %u : f32
      %p = arith.addf %one, %t : f32
      %h = arith.mulf %half, %a : f32
      %g = arith.mulf %h, %p : f32
      aicore.yield %g : f32
    }
  }
}

// The gelu with erf is computed as it is written.
// CHECK-LABEL: aicore.kernel @gelu_exact
// CHECK:         aicore.vec erf
// CHECK-NOT:     aicore.vec div
aicore.kernel @gelu_exact dims [] args [] results [] cores 1 buffers {} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%c16, %c16) {
    ^bb0(%a: f32):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %root = arith.constant 0.707106769 : f32
      %u = arith.mulf %root, %a : f32
      %t = math.erf %u : f32
      %p = arith.addf %one, %t : f32
      %h = arith.mulf %half, %a : f32
      %g = arith.mulf %h, %p : f32
      aicore.yield %g : f32
    }
  }
}

// With fast_math, as a quotient too.
// CHECK-LABEL: aicore.kernel @gelu_fast
// CHECK-NOT:     aicore.vec erf
// CHECK:         aicore.vec exp
// CHECK:         aicore.vec div %x
aicore.kernel @gelu_fast dims [] args [] results [] cores 1 buffers {} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !tile
    %y = aicore.alloc "y" of "out" copies 1 : !tile
    aicore.vector ins(%x[%c0] full : !tile) outs(%y[%c0] : !tile) size(%c16, %c16) {
    ^bb0(%a: f32):
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %root = arith.constant 0.707106769 : f32
      %u = arith.mulf %root, %a : f32
      %t = math.erf %u : f32
      %p = arith.addf %one, %t : f32
      %h = arith.mulf %half, %a : f32
      %g = arith.mulf %h, %p : f32
      aicore.yield %g : f32
    }
  }
} attributes {fast_math}
