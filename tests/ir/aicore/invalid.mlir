// Every message of the verifiers of the aicore dialect, one wrong program each.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{'aicore.kernel' op expected at least one core, found 0}}
aicore.kernel @k dims [] args [] results [] cores 0 buffers {} {
}

// -----

// expected-error @+1 {{'aicore.kernel' op expected 3 arguments (dimensions, parameters, results), found 1}}
aicore.kernel @k dims ["M"] args [#mmk.named<"a"["M"]>] results [#mmk.named<"c"["M"]>] cores 1 buffers {} {
^bb0(%m: index):
}

// -----

// expected-error @+1 {{'aicore.kernel' op expected its first arguments, the dimensions, to be of type index}}
aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: f32):
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

// expected-error @+1 {{'aicore.kernel' op "a" has 1 dimensions, but its type is 'memref<?x?xf16, #aicore.space<gm>>'}}
aicore.kernel @k dims [] args [#mmk.named<"a"["M"]>] results [] cores 1 buffers {} {
^bb0(%a: !gm):
}

// -----

// A result is a tensor, never a scalar.
// expected-error @+1 {{'aicore.kernel' op "c" has 1 dimensions, but its type is 'f32'}}
aicore.kernel @k dims [] args [] results [#mmk.named<"c"["M"]>] cores 1 buffers {} {
^bb0(%c: f32):
}

// -----

// expected-error @+1 {{'aicore.kernel' op expected a list of merged dimensions, found 1 : i64}}
aicore.kernel @k dims [] args [] results [] cores 1 buffers {} {
} attributes {merged = 1}

// -----

// One tensor, whose number is 0.
// expected-error @+1 {{expected merged dimensions to be a tensor of its 1, the first and the last of its dimensions, found array<i64: 1, 0, 1>}}
aicore.kernel @k dims ["M", "N"] args [#mmk.named<"a"["M", "N"]>] results [] cores 1 buffers {} {
^bb0(%M: index, %N: index, %a: memref<?x?xf32>):
} attributes {merged = [array<i64: 1, 0, 1>]}

// -----

// expected-error @+1 {{expected merged dimensions to be a tensor of its 1, the first and the last of its dimensions, found array<i64: 0, 1, 2>}}
aicore.kernel @k dims ["M", "N"] args [#mmk.named<"a"["M", "N"]>] results [] cores 1 buffers {} {
^bb0(%M: index, %N: index, %a: memref<?x?xf32>):
} attributes {merged = [array<i64: 0, 1, 2>]}

// -----

!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims [] args [] results [] cores 1 buffers {} {
  // expected-error @+1 {{'aicore.alloc' op is an instruction outside of any aicore.phase}}
  %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  // expected-error @+1 {{'aicore.workspace' op expected one extent for each dimension of a dynamic shape, found 1 for 'memref<?x?xf16, #aicore.space<gm>>'}}
  %w = aicore.workspace "w" [%m] : !gm
}

// -----

// Its shape is never static: it is given by the extents.
aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  // expected-error @+1 {{'aicore.workspace' op expected one extent for each dimension of a dynamic shape, found 1 for 'memref<64xf16, #aicore.space<gm>>'}}
  %w = aicore.workspace "w" [%m] : memref<64xf16, #aicore.space<gm>>
}

// -----

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%m: index):
  // expected-error @+1 {{'aicore.workspace' op expected a tensor in gm}}
  %w = aicore.workspace "w" [%m] : memref<?xf16, #aicore.space<l1>>
}

// -----

aicore.kernel @k dims [] args [] results [] cores 1 buffers {} {
  // expected-error @+1 {{'aicore.phase' op expected one index argument, the number of the block}}
  aicore.phase {
    aicore.barrier cube
  }
}

// -----

aicore.kernel @k dims [] args [] results [] cores 1 buffers {} {
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.phase' op expected to stand directly in an aicore.kernel}}
    aicore.phase {
    ^bb0(%inner: index):
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.vector_cores' op expected one index argument, the number of the vector core}}
    aicore.vector_cores 2 {
      aicore.barrier vector
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.vector_cores' op expected at least one vector core, found 0}}
    aicore.vector_cores 0 {
    ^bb0(%v: index):
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.vector_cores' op expected at least one vector core, found -2}}
    aicore.vector_cores -2 {
    ^bb0(%v: index):
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.vector_cores' op stands inside of another aicore.vector_cores}}
      aicore.vector_cores 2 {
      ^bb0(%w: index):
      }
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected two dimensions, rows and columns, found 'memref<64xf16, #aicore.space<ub>>'}}
    %b = aicore.alloc "b" of "ub" copies 1 : memref<64xf16, #aicore.space<ub>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // Sizes in memory are bytes: no bits, and no index, whose width in memory is undefined.
    // expected-error @+1 {{'aicore.alloc' op expected elements of whole bytes, found 'i1'}}
    %b = aicore.alloc "b" of "ub" copies 1 : memref<1x64xi1, #aicore.space<ub>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected elements of whole bytes, found 'index'}}
    %b = aicore.alloc "b" of "ub" copies 1 : memref<1x64xindex, #aicore.space<ub>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected at least one copy, found 0}}
    %b = aicore.alloc "b" of "ub" copies 0 : !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected at least one copy, found -1}}
    %b = aicore.alloc "b" of "ub" copies -1 : !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // A buffer's extents are known when it is made.
    // expected-error @+1 {{'aicore.alloc' op result #0 must be statically shaped memref}}
    %b = aicore.alloc "b" of "ub" copies 1 : !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.load' op expected source in gm, found ub}}
    aicore.load %ub16[%i, %i] along [0, 1] size(%i, %i) -> %l1[%i] pad 16 : !ub16 -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load' op expected target in l1 or ub, found l0a}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %l0a[%i] pad 16 : !gm -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected 2 offsets, found 1}}
    aicore.load %a[%i] along [0, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected along to name a dimension for each of its 2 sizes, found 1}}
    aicore.load %a[%i, %i] along [0] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op along names dimension 2 of a tensor of rank 2}}
    aicore.load %a[%i, %i] along [0, 2] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // -1 is "none"; there is nothing below it.
    // expected-error @+1 {{'aicore.load' op along names dimension -2 of a tensor of rank 2}}
    aicore.load %a[%i, %i] along [-2, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op two dimensions of its view run along dimension 1}}
    aicore.load %a[%i, %i] along [1, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // A transfer does not convert.
    // expected-error @+1 {{'aicore.load' op expected equal element types, found 'f16' and 'f32'}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %ub[%i] pad 1 : !gm -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected a positive pad, found 0}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %l1[%i] pad 0 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected a positive pad, found -16}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %l1[%i] pad -16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.load' op stands inside of aicore.vector_cores, but l1 is a memory of the cube core}}
      aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

// A buffer has rows and columns; without an aicore.alloc the instruction checks it.
aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>, #mmk.named<"line"["64"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm, %line: memref<64xf16, #aicore.space<l1>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.load' op expected two dimensions of target, found 'memref<64xf16, #aicore.space<l1>>'}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %line[%i] pad 16 : !gm -> memref<64xf16, #aicore.space<l1>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.store' op expected source in ub, found l1}}
    aicore.store %l1[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) : !l1 -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.store' op expected target in gm, found ub}}
    aicore.store %ub16[%i] -> %ub16[%i, %i] along [0, 1] size(%i, %i) : !ub16 -> !ub16
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.store' op two dimensions of its view run along dimension 0}}
    aicore.store %ub16[%i] -> %a[%i, %i] along [0, 0] size(%i, %i) : !ub16 -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.store' op expected equal element types, found 'f32' and 'f16'}}
    aicore.store %ub[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) : !ub -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load_l0' op expected source in l1, found ub}}
    aicore.load_l0 %ub16[%i] at(%i, %i) size(%i, %i) -> %l0a[%i] : !ub16 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.load_l0' op expected target in l0a or l0b or bt, found ub}}
    aicore.load_l0 %l1[%i] at(%i, %i) size(%i, %i) -> %ub16[%i] : !l1 -> !ub16
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %other = aicore.alloc "b" of "l0" copies 1 : memref<64x64xf32, #aicore.space<l0b>>
    // expected-error @+1 {{'aicore.load_l0' op expected equal element types, found 'f16' and 'f32'}}
    aicore.load_l0 %l1[%i] at(%i, %i) size(%i, %i) -> %other[%i] : !l1 -> memref<64x64xf32, #aicore.space<l0b>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.load_l0' op stands inside of aicore.vector_cores, but mte1 is a pipe of the cube core}}
      aicore.load_l0 %l1[%i] at(%i, %i) size(%i, %i) -> %l0a[%i] : !l1 -> !l0a
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %first = arith.constant true
    // expected-error @+1 {{'aicore.mmad' op expected A in l0a, found l1}}
    aicore.mmad %l1[%i], %l0b[%i] -> %l0c[%i] size(%i, %i, %i) first(%first) : !l1, !l0b -> !l0c
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %first = arith.constant true
    // expected-error @+1 {{'aicore.mmad' op expected B in l0b, found l0a}}
    aicore.mmad %l0a[%i], %l0a[%i] -> %l0c[%i] size(%i, %i, %i) first(%first) : !l0a, !l0a -> !l0c
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %first = arith.constant true
    // expected-error @+1 {{'aicore.mmad' op expected the accumulator in l0c, found ub}}
    aicore.mmad %l0a[%i], %l0b[%i] -> %ub[%i] size(%i, %i, %i) first(%first) : !l0a, !l0b -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %other = aicore.alloc "b" of "l0" copies 1 : memref<64x64xbf16, #aicore.space<l0b>>
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %first = arith.constant true
    // expected-error @+1 {{'aicore.mmad' op expected equal element types, found 'f16' and 'bf16'}}
    aicore.mmad %l0a[%i], %other[%i] -> %l0c[%i] size(%i, %i, %i) first(%first) : !l0a, memref<64x64xbf16, #aicore.space<l0b>> -> !l0c
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %other = aicore.alloc "b" of "l0" copies 1 : memref<32x64xf16, #aicore.space<l0b>>
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %first = arith.constant true
    // The depths differ: 64 of A, 32 of B.
    // expected-error @+1 {{'aicore.mmad' op expected m x k times k x n into m x n, found 'memref<128x64xf16, #aicore.space<l0a>>' times 'memref<32x64xf16, #aicore.space<l0b>>' into 'memref<128x64xf32, #aicore.space<l0c>>'}}
    aicore.mmad %l0a[%i], %other[%i] -> %l0c[%i] size(%i, %i, %i) first(%first) : !l0a, memref<32x64xf16, #aicore.space<l0b>> -> !l0c
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %other = aicore.alloc "acc" of "l0" copies 1 : memref<64x64xf32, #aicore.space<l0c>>
    %first = arith.constant true
    // Rows of the accumulator.
    // expected-error @+1 {{'aicore.mmad' op expected m x k times k x n into m x n}}
    aicore.mmad %l0a[%i], %l0b[%i] -> %other[%i] size(%i, %i, %i) first(%first) : !l0a, !l0b -> memref<64x64xf32, #aicore.space<l0c>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %other = aicore.alloc "acc" of "l0" copies 1 : memref<128x32xf32, #aicore.space<l0c>>
    %first = arith.constant true
    // Columns of the accumulator.
    // expected-error @+1 {{'aicore.mmad' op expected m x k times k x n into m x n}}
    aicore.mmad %l0a[%i], %l0b[%i] -> %other[%i] size(%i, %i, %i) first(%first) : !l0a, !l0b -> memref<128x32xf32, #aicore.space<l0c>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %other = aicore.alloc "acc" of "l0" copies 1 : memref<128x64xf16, #aicore.space<l0c>>
    %first = arith.constant true
    // Floats add up in f32.
    // expected-error @+1 {{'aicore.mmad' op expected an accumulator of 'f32', found 'f16'}}
    aicore.mmad %l0a[%i], %l0b[%i] -> %other[%i] size(%i, %i, %i) first(%first) : !l0a, !l0b -> memref<128x64xf16, #aicore.space<l0c>>
  }
}

// -----

!a = memref<128x64xi8, #aicore.space<l0a>>
!b = memref<64x64xi8, #aicore.space<l0b>>
!acc = memref<128x64xf32, #aicore.space<l0c>>
aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %a = aicore.alloc "a" of "l0" copies 1 : !a
    %b = aicore.alloc "b" of "l0" copies 1 : !b
    %acc = aicore.alloc "acc" of "acc" copies 1 : !acc
    %first = arith.constant true
    // Integers add up in i32.
    // expected-error @+1 {{'aicore.mmad' op expected an accumulator of 'i32', found 'f32'}}
    aicore.mmad %a[%i], %b[%i] -> %acc[%i] size(%i, %i, %i) first(%first) : !a, !b -> !acc
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %l0b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %first = arith.constant true
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.mmad' op stands inside of aicore.vector_cores, but cube is a pipe of the cube core}}
      aicore.mmad %l0a[%i], %l0b[%i] -> %l0c[%i] size(%i, %i, %i) first(%first) : !l0a, !l0b -> !l0c
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.fixpipe' op expected source in l0c, found ub}}
    aicore.fixpipe %ub[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) : !ub -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.fixpipe' op expected target in gm, found ub}}
    aicore.fixpipe %l0c[%i] -> %ub[%i, %i] along [0, 1] size(%i, %i) : !l0c -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op expected 2 offsets, found 3}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i, %i] along [0, 1] size(%i, %i) : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xi32, #aicore.space<gm>>
!l0c = memref<128x64xi32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op expected sums of f32 for relu, found 'i32'}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) relu : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op has relu and leaky_relu; expected one of them}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) relu leaky_relu(%slope bits 32) : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xbf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op expected sums of f32 and a result of f16 for leaky_relu, found 'f32' and 'bf16'}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) leaky_relu(%slope bits 32) : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xi32, #aicore.space<gm>>
!l0c = memref<128x64xi32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op expected sums of f32 and a result of f16 for leaky_relu, found 'i32' and 'i32'}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) leaky_relu(%slope bits 32) : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op expected 1 to 32 bits of the slope, found 33}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) leaky_relu(%slope bits 33) : !l0c -> !gm
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

module attributes {aicore.machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 leaky_relu 19>} {
aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op takes 32 bits of the slope, but the fixpipe of tiny takes 19}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) leaky_relu(%slope bits 32) : !l0c -> !gm
  }
}
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

module attributes {aicore.machine = #aicore.machine<"tiny", split, cores = 1, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>} {
aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  %slope = arith.constant 0.5 : f32
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fixpipe' op takes 19 bits of the slope, but the fixpipe of tiny does no leaky_relu}}
    aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) leaky_relu(%slope bits 19) : !l0c -> !gm
  }
}
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.fixpipe' op stands inside of aicore.vector_cores, but fixpipe is a pipe of the cube core}}
      aicore.fixpipe %l0c[%i] -> %a[%i, %i] along [0, 1] size(%i, %i) : !l0c -> !gm
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!l1 = memref<128x64xf32, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "y" of "l1" copies 1 : !l1
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    // expected-error @+1 {{'aicore.spill' op expected source in l0c or ub, found l1}}
    aicore.spill %l1[%i] size(%i, %i) -> %tile[%i] : !l1 -> !tile
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub16
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    // expected-error @+1 {{'aicore.spill' op expected equal element types, found 'f16' and 'f32'}}
    aicore.spill %ub[%i] size(%i, %i) -> %tile[%i] at(%i) : !ub16 -> !tile
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    // expected-error @+1 {{'aicore.spill' op takes a row of its target, but an accumulator is spilled as a whole}}
    aicore.spill %l0c[%i] size(%i, %i) -> %tile[%i] at(%i) : !l0c -> !tile
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "acc" of "ub" copies 1 : !ub
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    aicore.vector_cores 2 {
    ^bb0(%w: index):
      // expected-error @+1 {{'aicore.spill' op takes a column of its target, but rows of ub are spilled whole}}
      aicore.spill %ub[%i] size(%i, %i) -> %tile[%i] at(%i) column(%i) : !ub -> !tile
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x32xf32, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 parts 2 : !l0c
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    // expected-error @+1 {{'aicore.spill' op takes a column of its target, but a part has its own}}
    aicore.spill %l0c[%i] part 1 size(%i, %i) -> %tile[%i] column(%i) : !l0c -> !tile
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.spill' op expected target in gm or l1, found ub}}
    aicore.spill %l0c[%i] size(%i, %i) -> %ub[%i] : !l0c -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %other = aicore.alloc "acc" of "l0" copies 1 : memref<64x64xf32, #aicore.space<gm>>
    // expected-error @+1 {{'aicore.spill' op expected a target of the accumulator's shape, found 'memref<64x64xf32, #aicore.space<gm>>' for 'memref<128x64xf32, #aicore.space<l0c>>'}}
    aicore.spill %l0c[%i] size(%i, %i) -> %other[%i] : !l0c -> memref<64x64xf32, #aicore.space<gm>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %other = aicore.alloc "acc" of "l0" copies 1 : memref<128x64xf16, #aicore.space<gm>>
    // The operands of vector cores keep the type of the accumulator.
    // expected-error @+1 {{'aicore.spill' op expected equal element types, found 'f32' and 'f16'}}
    aicore.spill %l0c[%i] size(%i, %i) -> %other[%i] : !l0c -> memref<128x64xf16, #aicore.space<gm>>
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!tile = memref<128x64xf32, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.spill' op stands inside of aicore.vector_cores, but fixpipe is a pipe of the cube core}}
      aicore.spill %l0c[%i] size(%i, %i) -> %tile[%i] : !l0c -> !tile
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.fetch' op expected source in gm, found l0c}}
    aicore.fetch %l0c[%i] at(%i) size(%i, %i) -> %ub[%i] : !l0c -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!tile = memref<128x64xf32, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.fetch' op expected target in ub or l1, found l0c}}
    aicore.fetch %tile[%i] at(%i) size(%i, %i) -> %l0c[%i] : !tile -> !l0c
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.fetch' op expected equal element types, found 'f32' and 'f16'}}
    aicore.fetch %tile[%i] at(%i) size(%i, %i) -> %ub16[%i] : !tile -> !ub16
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf32, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.drain' op expected source in l0c, found gm}}
    aicore.drain %tile[%i] at(%i) size(%i, %i) -> %ub[%i] : !tile -> !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!tile = memref<128x64xf32, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    // expected-error @+1 {{'aicore.drain' op expected target in ub, found gm}}
    aicore.drain %l0c[%i] at(%i) size(%i, %i) -> %tile[%i] : !l0c -> !tile
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.drain' op expected equal element types, found 'f32' and 'f16'}}
    aicore.drain %l0c[%i] at(%i) size(%i, %i) -> %ub16[%i] : !l0c -> !ub16
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %row = aicore.alloc "row" of "ub" copies 1 : !row
    // The generic syntax can express an input without a slot; the custom one cannot.
    // expected-error @+1 {{'aicore.vector' op expected a slot and a broadcast for each of its 2 inputs}}
    "aicore.vector"(%ub, %row, %i, %ub, %i, %i, %i) <{operandSegmentSizes = array<i32: 2, 1, 1, 1, 0, 1, 1>, broadcasts = [#aicore.broadcast<full>, #aicore.broadcast<row>]}> ({
    ^bb0(%e: f32, %f: f32):
      aicore.yield %e : f32
    }) : (!ub, !row, index, !ub, index, index, index) -> ()
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.vector' op expected a slot and a broadcast for each of its 1 inputs}}
    "aicore.vector"(%ub, %i, %ub, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1>, broadcasts = []}> ({
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }) : (!ub, index, !ub, index, index, index) -> ()
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.vector' op expected at least one output, and a slot for each}}
    "aicore.vector"(%ub, %i, %ub, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1>, broadcasts = [#aicore.broadcast<full>]}> ({
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }) : (!ub, index, !ub, index, index) -> ()
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.vector' op expected operands in ub, found l0c}}
    aicore.vector ins(%l0c[%i] full : !l0c) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.vector' op expected operands in ub, found l0c}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%l0c[%i] : !l0c) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    // expected-error @+1 {{'aicore.vector' op expected scratch in ub, found l0c}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) scratch(%l0c[0] : !l0c) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %row = aicore.alloc "row" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.vector' op expected one element for each of its 2 inputs, found 1}}
    aicore.vector ins(%ub[%i] full, %row[%i] row : !ub, !row) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.vector' op expected elements of the type of their buffers, found 'f16' for 'memref<32x64xf32, #aicore.space<ub>>'}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%e: f16):
      %wide = arith.extf %e : f16 to f32
      aicore.yield %wide : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.vector' op expected to yield one element for each of its 1 outputs}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e, %e : f32, f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // Narrowing is an operation of the region.
    // expected-error @+1 {{'aicore.vector' op expected to yield elements of the type of their buffers, found 'f32' for 'memref<32x64xf16, #aicore.space<ub>>'}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub16[%i] : !ub16) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{expected full, row, column or single, found rows}}
    aicore.vector ins(%ub[%i] rows : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%e: f32):
      aicore.yield %e : f32
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.set_flag' op orders the pipe mte2 after itself; a pipe is in order already}}
    aicore.set_flag [mte2 -> mte2] 0 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.set_flag' op expected an event id of at least 0, found -1}}
    aicore.set_flag [mte2 -> mte1] -1 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.set_cross' op expected a flag of at least 0, found -1}}
    aicore.set_cross fixpipe to vector -1 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.set_cross' op expected the other core of the block, found cube, on which it stands}}
    aicore.set_cross fixpipe to cube 0 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.set_cross' op expected the other core of the block, found vector, on which it stands}}
      aicore.set_cross mte2 to vector 0 + %i
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.wait_flag' op orders the pipe mte2 after itself; a pipe is in order already}}
    aicore.wait_flag [mte2 -> mte2] 0 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.wait_flag' op expected an event id of at least 0, found -1}}
    aicore.wait_flag [mte2 -> mte1] -1 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.wait_cross' op expected a flag of at least 0, found -1}}
    aicore.wait_cross fixpipe from vector -1 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.wait_cross' op expected the other core of the block, found cube, on which it stands}}
    aicore.wait_cross fixpipe from cube 0 + %i
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.wait_cross' op expected the other core of the block, found vector, on which it stands}}
      aicore.wait_cross mte2 from vector 0 + %i
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<16x16xf16, #aicore.space<l1>>

// Both buffers have two copies, but a slot belongs to one buffer.
aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %a_l1 = aicore.alloc "a" of "l1" copies 2 : !l1
    %b_l1 = aicore.alloc "b" of "l1" copies 2 : !l1
    %slot = aicore.slot %i of %a_l1 : !l1
    // expected-error @+1 {{'aicore.load' op takes a slot of 'a' in l1 for 'b' in l1}}
    aicore.load %a[%i, %i] along [0, 1] size(%i, %i) -> %b_l1[%slot] pad 16 : !gm -> !l1
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected at least one part, found 0}}
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 0 : !acc
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>

#machine = #aicore.machine<"wide", split, cores = 1, vector_cores = 2, memories = {},
    cube = 16 x 16, max_extent = 64, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    // Parts are of whole fractals: 16 columns, 16 and 16 leave none for a fourth.
    // expected-error @+1 {{'aicore.alloc' op expected columns for 4 parts of 16 or more, found 48}}
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 4 : !acc
  }
}
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.alloc' op expected parts in l0c alone, found ub}}
    %b = aicore.alloc "b" of "ub" copies 1 parts 2 : !ub
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 : !acc
    // expected-error @+1 {{'aicore.producer_acquire' op takes part 2 of acc, which has 2}}
    aicore.producer_acquire %acc[%i] part 2 : !acc
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.producer_commit' op expected the accumulator in l0c, found ub}}
    aicore.producer_commit %b[%i] part 0 : !ub
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>
!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 : !acc
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.drain' op takes part -1 of acc, which has 2}}
    aicore.drain %acc[%i] part -1 at(%i) size(%i, %i) -> %b[%i] : !acc -> !ub
  }
}

// -----

!acc = memref<32x48xf32, #aicore.space<l0c>>
!half = memref<32x16xf32, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 : !acc
    %b = aicore.alloc "acc" of "out" copies 1 : !half
    // expected-error @+1 {{'aicore.spill' op expected a target of the accumulator's shape, as wide as a part, found 'memref<32x16xf32, #aicore.space<gm>>' for 'memref<32x48xf32, #aicore.space<l0c>>'}}
    aicore.spill %acc[%i] part 0 size(%i, %i) -> %b[%i] : !acc -> !half
  }
}

// -----

// expected-error @+1 {{'aicore.kernel' op expected limits to be numbers of its dimensions, found "J" = 64 : i64}}
aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} limits {J = 64} {
^bb0(%i: index):
}

// -----

!l1 = memref<1x64xf32, #aicore.space<l1>>
!bt = memref<1x64xf32, #aicore.space<bt>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "bias" of "l1" copies 1 : !l1
    %bt = aicore.alloc "bias" of "bt" copies 1 : !bt
    // expected-error @+1 {{'aicore.load_l0' op transposes a row into the bias table, which takes it as it is}}
    aicore.load_l0 %l1[%i] at(%i, %i) size(%i, %i) transposed -> %bt[%i] : !l1 -> !bt
  }
}

// -----

!l0a = memref<128x64xf16, #aicore.space<l0a>>
!l0b = memref<64x64xf16, #aicore.space<l0b>>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!bt = memref<1x32xf32, #aicore.space<bt>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %a = aicore.alloc "a" of "l0" copies 1 : !l0a
    %b = aicore.alloc "b" of "l0" copies 1 : !l0b
    %acc = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %bt = aicore.alloc "bias" of "bt" copies 1 : !bt
    %first = arith.constant true
    // expected-error @+1 {{'aicore.mmad' op expected a bias of one row, as wide as the accumulator, and its slot, found 'memref<1x32xf32, #aicore.space<bt>>' for 'memref<128x64xf32, #aicore.space<l0c>>'}}
    aicore.mmad %a[%i], %b[%i] -> %acc[%i] size(%i, %i, %i) first(%first) bias(%bt[%i] : !bt) : !l0a, !l0b -> !l0c
  }
}

// -----

!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.release' op expected the buffer in l1 or bt, found l0a}}
    aicore.release %a[%i] : !l0a
  }
}

// -----

!l1 = memref<128x256xf16, #aicore.space<l1>>

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  %x = tensor.empty(%i, %i) : tensor<?x?xf32>
  aicore.phase {
  ^bb0(%block: index):
  %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
  // expected-error @+1 {{'aicore.place' op expected a buffer of 'f32', found 'memref<128x256xf16, #aicore.space<l1>>'}}
  %y = aicore.place %x in %l1 : tensor<?x?xf32> in !l1
  }
}

// -----

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
  // expected-error @+1 {{'aicore.vector_work' op expected five index arguments: row, rows, column and columns of a window, and its number}}
  aicore.vector_work %i size(%i, %i) at(%i) steps 1 height 1 {
  ^bb0(%row: index):
  }
  }
}

// -----

aicore.kernel @k dims ["M"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
  // expected-error @+1 {{'aicore.vector_work' op expected at least one step of at least one row, found 0 of 8}}
  aicore.vector_work %i size(%i, %i) at(%i) steps 0 height 8 {
  ^bb0(%row: index, %rows: index, %column: index, %columns: index, %step: index):
  }
  }
}

// -----

// A kind of machine is one of those of the back ends.
// expected-error @+1 {{no kind of machine is named 'guest'; expected emulated, host}}
module attributes {aicore.machine = #aicore.machine<"tiny" kind "guest", coupled, cores = 1, vector_cores = 1, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {}, event_ids = 6, cross_flags = 16>} {
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    // expected-error @+1 {{'aicore.vector' op expected one tile for each of its 2 inputs, outputs, scratch tiles and registers, found 1}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile):
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    // expected-error @+1 {{'aicore.vector' op expected tiles of the elements of their buffers, found '!aicore.tile<f16>' for 'memref<32x64xf32, #aicore.space<ub>>'}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !aicore.tile<f16>, %y: !tile):
      aicore.vec cast %x -> %y : !aicore.tile<f16> -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    // expected-error @+1 {{'aicore.vector' op takes copy 1 of 'mask', which has 1}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) scratch(%mask[1] : !mask) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile, %m: !aicore.tile<i1>):
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    // expected-error @+1 {{'aicore.vector' op expected instructions to yield no elements}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield %f : f32
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    // expected-error @+1 {{'aicore.vector' op expected an instruction that writes each of its outputs}}
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      aicore.vec neg %x -> %y : !tile -> !tile
      // expected-error @+1 {{'arith.negf' op stands among vector instructions, but is none}}
      %n = arith.negf %f : f32
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op reads a tile that no instruction before it has written}}
      aicore.vec neg %y -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op writes an input}}
      aicore.vec neg %x -> %x : !tile -> !tile
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op has no instruction nag; did you mean neg}}
      aicore.vec nag %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op has no instruction rotate; legal: add, sub, mul, div, max, min, relu, leaky_relu}}
      aicore.vec rotate %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op add takes 2 operands, found 1}}
      aicore.vec add %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) scratch(%mask[0] : !mask) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile, %m: !aicore.tile<i1>):
      // expected-error @+1 {{'aicore.vec' op compare needs a predicate}}
      aicore.vec compare %x, %f -> %m : !tile, f32 -> !aicore.tile<i1>
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op neg takes no predicate}}
      aicore.vec neg olt %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) scratch(%mask[0] : !mask) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile, %m: !aicore.tile<i1>):
      // expected-error @+1 {{'aicore.vec' op has no predicate slt for 'f32'}}
      aicore.vec compare slt %x, %f -> %m : !tile, f32 -> !aicore.tile<i1>
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected a mask or a condition as operand 1, found '!aicore.tile<f32>'}}
      aicore.vec select %x, %x, %f -> %y : !tile, !tile, f32 -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected a scalar as operand 2, found '!aicore.tile<f32>'}}
      aicore.vec leaky_relu %x, %x -> %y : !tile, !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected a tile of numbers as operand 1, found 'f32'}}
      aicore.vec neg %f -> %y : f32 -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected a tile of numbers or a scalar as operand 1, found 'index'}}
      aicore.vec copy %i -> %y : index -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %h = arith.constant 1.0 : f16
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected numbers of one type, found 'f32' and 'f16'}}
      aicore.vec add %x, %h -> %y : !tile, f16 -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected to write a mask, found '!aicore.tile<f32>'}}
      aicore.vec compare olt %x, %f -> %y : !tile, f32 -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) scratch(%mask[0] : !mask) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile, %m: !aicore.tile<i1>):
      // expected-error @+1 {{'aicore.vec' op expected to write a tile of numbers, found '!aicore.tile<i1>'}}
      aicore.vec neg %x -> %m : !tile -> !aicore.tile<i1>
      aicore.vec neg %x -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!mask = memref<32x8xi8, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %f = arith.constant 1.0 : f32
    %h = arith.constant 1.0 : f16
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %mask = aicore.alloc "mask" of "scratch" copies 1 : !mask
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op expected to write 'f16' as it reads, found 'f32'}}
      aicore.vec copy %h -> %y : f16 -> !tile
      aicore.yield
    }
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.vector' op expected a copy for each of its 1 scratch tiles}}
    "aicore.vector"(%ub, %i, %ub, %i, %i) <{operandSegmentSizes = array<i32: 0, 0, 1, 1, 1, 1, 1>, broadcasts = []}> ({
    ^bb0(%y: !tile, %z: !tile):
      aicore.yield
    }) : (!ub, index, !ub, index, index) -> ()
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!tile = !aicore.tile<f32>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %ub = aicore.alloc "y" of "ub" copies 1 : !ub
    %other = builtin.unrealized_conversion_cast %i : index to !tile
    aicore.vector ins(%ub[%i] full : !ub) outs(%ub[%i] : !ub) size(%i, %i) {
    ^bb0(%x: !tile, %y: !tile):
      // expected-error @+1 {{'aicore.vec' op takes a tile that is no argument of its aicore.vector}}
      aicore.vec neg %other -> %y : !tile -> !tile
      aicore.yield
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!tile = memref<128x64xf16, #aicore.space<gm>>
!l1 = memref<128x64xf16, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "y" of "l1" copies 1 : !l1
    %tile = aicore.alloc "acc" of "out" copies 1 : !tile
    aicore.vector_cores 2 {
    ^bb0(%v: index):
      // expected-error @+1 {{'aicore.fetch' op stands inside of aicore.vector_cores, but l1 is a memory of the cube core}}
      aicore.fetch %tile[%i] at(%i) size(%i, %i) -> %l1[%i] : !tile -> !l1
    }
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected the size of its rows and of its columns, found 1}}
    aicore.load %a[%i, %i] along [0] size(%i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected a step for each of its 2 sizes, found 3}}
    aicore.load %a[%i, %i] along [0, 1] step [1, 1, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.load' op expected positive steps, found 0}}
    aicore.load %a[%i, %i] along [0, 1] step [0, 1] size(%i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!ub16 = memref<32x64xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %ub16 = aicore.alloc "y" of "ub" copies 1 : !ub16
    // expected-error @+1 {{'aicore.store' op two dimensions of its view run along dimension 1}}
    aicore.store %ub16[%i] -> %a[%i, %i] along [1, 0, 1] step [4, 1, 1] size(%i, %i, %i) : !ub16 -> !gm
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x32xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %s = aicore.alloc "s" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.reduce' op expected 2 targets, each with a slot}}
    aicore.reduce argmax %x[%i] size(%i, %i) -> %s[%i] : !row from !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %s = aicore.alloc "s" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.reduce' op expected targets of one row, found}}
    aicore.reduce add %x[%i] size(%i, %i) -> %s[%i] : !ub from !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x32xf16, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %s = aicore.alloc "s" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.reduce' op expected a target of the elements of its source, found 'memref<1x32xf16, #aicore.space<ub>>' for 'memref<32x64xf32, #aicore.space<ub>>'}}
    aicore.reduce add %x[%i] size(%i, %i) -> %s[%i] : !row from !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x32xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %x = aicore.alloc "x" of "ub" copies 1 : !ub
    %s = aicore.alloc "s" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.reduce' op expected positions of i32, found}}
    aicore.reduce argmin %x[%i] size(%i, %i) -> %s[%i], %s[%i] : !row, !row from !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>, #mmk.named<"seed">] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xf32, #aicore.space<gm>>, %seed: i32):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.window' op expected a padding of 'f32', found 'i32'}}
    aicore.window %x at affine_map<(r, c) -> (r + c)> pad %seed : i32 size(%i, %i) -> %b[%i] : memref<?xf32, #aicore.space<gm>> -> !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>, #mmk.named<"seed">] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xf32, #aicore.space<gm>>, %seed: i32):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.window' op expected 1 indices of a row, a column and 0 symbols, found affine_map<(d0, d1)[s0] -> (d0 + d1 + s0)>}}
    aicore.window %x at affine_map<(r, c)[s] -> (r + c + s)> size(%i, %i) -> %b[%i] : memref<?xf32, #aicore.space<gm>> -> !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>, #mmk.named<"seed">] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xf32, #aicore.space<gm>>, %seed: i32):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.positions' op expected a target of 'i32', found 'memref<32x64xf32, #aicore.space<ub>>'}}
    aicore.positions from %i size(%i) -> %b[%i] : !ub
  }
}

// -----

!ub = memref<32x64xi32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>, #mmk.named<"seed">] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xf32, #aicore.space<gm>>, %seed: i32):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.random' op expected a target of 'f32', found 'memref<32x64xi32, #aicore.space<ub>>'}}
    aicore.random %seed from %i step(%i, %i) size(%i, %i) -> %b[%i] : !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<2x64xf32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    %c = aicore.alloc "c" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.scan' op expected a carry of one row, found 'memref<2x64xf32, #aicore.space<ub>>'}}
    aicore.scan %b[%i] size(%i, %i) carry %c[%i] -> %b[%i] : !ub, !row -> !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!row = memref<1x64xi32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    %c = aicore.alloc "c" of "ub" copies 1 : !row
    // expected-error @+1 {{'aicore.scan' op expected elements of 'f32', found 'memref<1x64xi32, #aicore.space<ub>>'}}
    aicore.scan %b[%i] size(%i, %i) carry %c[%i] -> %b[%i] : !ub, !row -> !ub
  }
}

// -----

!ub = memref<32x64xf32, #aicore.space<ub>>
!gm = memref<?x?x?xf32, #aicore.space<gm>>

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I", "I", "I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.load' op expected columns alone to run along the last 2 dimensions, which are joined}}
    aicore.load %x[%i, %i, %i] along [1, 2] joined 2 size(%i, %i) -> %b[%i] pad 1 : !gm -> !ub
  }
}

// -----

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.scalar_range' op expected elements of i32, found}}
    %0:2 = aicore.scalar_range %x[%i] along 0 size(%i) absent [0, 0] : memref<?xf32, #aicore.space<gm>>
  }
}

// -----

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xi32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.scalar_range' op expected 1 offsets, found 2}}
    %0:2 = aicore.scalar_range %x[%i, %i] along 0 size(%i) absent [0, 0] : memref<?xi32, #aicore.space<gm>>
  }
}

// -----

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xi32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.scalar_range' op along names dimension 1 of a tensor of rank 1}}
    %0:2 = aicore.scalar_range %x[%i] along 1 size(%i) absent [0, 0] : memref<?xi32, #aicore.space<gm>>
  }
}

// -----

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xi32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.scalar_range' op expected the least and the greatest i32 of absent elements, found array<i64: 1, 0>}}
    %0:2 = aicore.scalar_range %x[%i] along 0 size(%i) absent [1, 0] : memref<?xi32, #aicore.space<gm>>
  }
}

// -----

aicore.kernel @k dims ["I"] args [#mmk.named<"x"["I"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %x: memref<?xi32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'aicore.scalar_range' op expected the least and the greatest i32 of absent elements, found}}
    %0:2 = aicore.scalar_range %x[%i] along 0 size(%i) absent [0, 2147483648] : memref<?xi32, #aicore.space<gm>>
  }
}

// -----

!ub = memref<1x64xi32, #aicore.space<ub>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %b = aicore.alloc "b" of "ub" copies 1 : !ub
    // expected-error @+1 {{'aicore.scalar_range' op expected source in gm, found ub}}
    %0:2 = aicore.scalar_range %b[%i, %i] along 1 size(%i) absent [0, 0] : !ub
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load3d' op expected a stride of 1 to 63 along lines and columns, found [1, 64]}}
    aicore.load3d %l1[%i] image(%i, %i) taps(%i, %i) top(%i) by(%i) first(%i) depth(%i) size(%i, %i) stride [1, 64] dilation [1, 1] left 0 block 16 -> %l0a[%i] : !l1 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load3d' op expected a stride of 1 to 63 along lines and columns, found [1]}}
    aicore.load3d %l1[%i] image(%i, %i) taps(%i, %i) top(%i) by(%i) first(%i) depth(%i) size(%i, %i) stride [1] dilation [1, 1] left 0 block 16 -> %l0a[%i] : !l1 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load3d' op expected a dilation of 1 to 255 along lines and columns, found [0, 1]}}
    aicore.load3d %l1[%i] image(%i, %i) taps(%i, %i) top(%i) by(%i) first(%i) depth(%i) size(%i, %i) stride [1, 1] dilation [0, 1] left 0 block 16 -> %l0a[%i] : !l1 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load3d' op expected 0 to 255 columns of padding, found 256}}
    aicore.load3d %l1[%i] image(%i, %i) taps(%i, %i) top(%i) by(%i) first(%i) depth(%i) size(%i, %i) stride [1, 1] dilation [1, 1] left 256 block 16 -> %l0a[%i] : !l1 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load3d' op expected blocks of 16 channels, and whole ones in 'memref<128x256xf16, #aicore.space<l1>>', found blocks of 8}}
    aicore.load3d %l1[%i] image(%i, %i) taps(%i, %i) top(%i) by(%i) first(%i) depth(%i) size(%i, %i) stride [1, 1] dilation [1, 1] left 0 block 8 -> %l0a[%i] : !l1 -> !l0a
  }
}

// -----

!gm = memref<?x?xf16, #aicore.space<gm>>
!l1 = memref<128x256xf16, #aicore.space<l1>>
!l0a = memref<128x64xf16, #aicore.space<l0a>>

aicore.kernel @k dims ["I"] args [#mmk.named<"a"["M", "K"]>] results [] cores 1 buffers {} {
^bb0(%i: index, %a: !gm):
  aicore.phase {
  ^bb0(%block: index):
    %l1 = aicore.alloc "a" of "l1" copies 1 : !l1
    %l0a = aicore.alloc "a" of "l0" copies 1 : !l0a
    // expected-error @+1 {{'aicore.load' op is clipped, but its rows run along no dimension}}
    aicore.load %a[%i, %i] along [0, -1, 1] clipped size(%i, %i, %i) -> %l1[%i] pad 16 : !gm -> !l1
  }
}

// -----

!l0c = memref<128x64xf32, #aicore.space<l0c>>
!l1 = memref<128x64xf32, #aicore.space<l1>>

aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %l1 = aicore.alloc "y" of "l1" copies 1 : !l1
    // expected-error @+1 {{'aicore.spill' op leads from l0c to l1, where only rows of ub go}}
    aicore.spill %l0c[%i] size(%i, %i) -> %l1[%i] : !l0c -> !l1
  }
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 links {l0c_ub = "fixpipe"}>
!l0c = memref<128x64xf32, #aicore.space<l0c>>
!ub = memref<64x64xf32, #aicore.space<ub>>

module attributes {aicore.machine = #machine} {
aicore.kernel @k dims ["I"] args [] results [] cores 1 buffers {} {
^bb0(%i: index):
  aicore.phase {
  ^bb0(%block: index):
    %l0c = aicore.alloc "acc" of "acc" copies 1 : !l0c
    %ub = aicore.alloc "acc" of "ub" copies 1 : !ub
    aicore.vector_cores 2 {
    ^bb0(%w: index):
      // expected-error @+1 {{'aicore.drain' op stands inside of aicore.vector_cores, but fixpipe is a pipe of the cube core}}
      aicore.drain %l0c[%i] at(%i) size(%i, %i) -> %ub[%i] : !l0c -> !ub
    }
  }
}
}

// -----

// expected-error @+1 {{expected the pipe of the link l0c_ub, found "hose"}}
#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16 links {l0c_ub = "hose"}>
