// Wrong programs, one for each message of the verifiers.
// RUN: mmk-opt %s -split-input-file -verify-diagnostics

// Each operand has scratch in its own memory.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l1>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected the scratch of A in l0a, found l1}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l1>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// The other operand, too.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0a>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected the scratch of B in l0b, found l0a}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0a>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A step of 0 would not end.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected a positive step, found 0}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 0 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A tensor that runs along no size is a window.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected A and B to run along its rows}}
    cpu.product %a[%m, %m] along [-1, -1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// And a window runs along none.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected the tensor of its window to run along no size}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) window affine_map<(m, k) -> (m, k)> digits [1, 1] (%m, %m, %m, %m) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// Of its digits each has an extent, and rows and columns have a position.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected a window of 2 digits, 4 operands and 2 indices}}
    cpu.product %a[%m, %m] along [-1, -1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) window affine_map<(m, k) -> (m, k)> digits [1, 1] (%m, %m) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// The sum comes first.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected 2 elements in its region, found 1}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// One element for each output.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected to yield one element for each of its 1 outputs}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s, %e : f32, f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// The store does not convert.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected to yield elements of the type of their tensors, found 'i32' for 'memref<?x?xf32, #aicore.space<gm>>'}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: i32, %e: f32):
      cpu.yield %s : i32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A tensor without offsets.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected 1 offsets, found 0}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A tensor with more offsets than dimensions.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op found 1 offsets too many}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m, %m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A tile with one dimension that no tensor has.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected a dimension along each of its 2 sizes for each of its 1 tensors, found 1}}
    cpu.product %a[%m, %m] along [0, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// Rows alone.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op expected along to name the dimension of the rows and of the columns}}
    cpu.product %a[%m, %m] along [0], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A diagonal.
aicore.kernel @product dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %a_l0 = aicore.alloc "a" of "scratch" copies 1 : memref<128x64xf16, #aicore.space<l0a>>
    %b_l0 = aicore.alloc "b" of "scratch" copies 1 : memref<64x64xf16, #aicore.space<l0b>>
    %acc = aicore.alloc "acc" of "scratch" copies 1 : memref<128x64xf32, #aicore.space<l0c>>
    // expected-error @+1 {{'cpu.product' op rows and columns both run along dimension 1}}
    cpu.product %a[%m, %m] along [1, 1], %a[%m, %m] along [0, 1] size(%m, %m, %m) step 64 ins(%v[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%a_l0, %b_l0, %acc) {
    ^bb0(%s: f32, %e: f32):
      cpu.yield %s : f32
    } : memref<?x?xf16, #aicore.space<gm>>, memref<?x?xf16, #aicore.space<gm>>, memref<128x64xf16, #aicore.space<l0a>>, memref<64x64xf16, #aicore.space<l0b>>, memref<128x64xf32, #aicore.space<l0c>>
  }
}

// -----

// A reduction of a dimension that the space does not have.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op reduces size 2 of 2}}
    cpu.rows size(%m, %m) reduce [2] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Nothing is reduced.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op expected to reduce one of its sizes}}
    cpu.rows size(%m, %m) reduce [] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A tensor with fewer dimensions along than sizes.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op expected a dimension along each of its 2 sizes for each of its 1 tensors, found 1}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A tensor of rows without offsets.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op expected 1 offsets, found 0}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A tensor of rows with more offsets than dimensions.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op found 1 offsets too many}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m, %m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A dimension that a tensor of rows does not have.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op along names dimension 2 of a tensor of rank 2}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 2] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A diagonal.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.rows' op two sizes run along dimension 1 of a tensor}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [1, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Scratch of rows in another memory.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<l1>>
    // expected-error @+1 {{'cpu.rows' op expected the scratch in ub, found l1}}
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      %s = cpu.reduce add %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<l1>>
  }
}

// -----

// A word that names no combination.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      // expected-error @+1 {{median is no kind of reduction}}
      %s = cpu.reduce median %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A position is a result.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.reduce' op expected the position as its second result}}
      %s = cpu.reduce argmin %e from 0.0 : f32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A sum is nowhere.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.reduce' op expected no position}}
      %s, %p = cpu.reduce add %e from 0.0 : f32 -> f32, i32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A position in two dimensions.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %m) reduce [0, 1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.reduce' op has a position along one dimension only}}
      %s, %p = cpu.reduce argmax %e from 0.0 : f32 -> f32, i32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// The identity is an element.
aicore.kernel @rows dims ["M"] args [#mmk.named<"x"["M", "M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.rows size(%m, %m) reduce [1] ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m] along [0, -1] : memref<?xf32, #aicore.space<gm>>) scratch(%row) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.reduce' op expected an identity of the type of its elements, found 'i32'}}
      %s = cpu.reduce add %e from 0 : i32 -> f32
      cpu.yield %s : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// There are two sizes.
aicore.kernel @sums dims ["M"] args [#mmk.named<"x"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"y"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %y: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.cumulate' op sums along size 2 of 2}}
    cpu.cumulate size(%m, %m) sum 2 ins(%x[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) outs(%y[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%row) : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Elements are needed.
aicore.kernel @sums dims ["M"] args [#mmk.named<"x"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"y"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %y: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.cumulate' op expected one input, or two, and one output, found 0 and 1}}
    cpu.cumulate size(%m, %m) sum 1 ins() outs(%y[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%row) : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Sums have the type of their elements.
aicore.kernel @sums dims ["M"] args [#mmk.named<"x"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"y"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xi32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %y: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.cumulate' op expected elements of one type, found 'memref<?x?xi32, #aicore.space<gm>>' and 'memref<?x?xf32, #aicore.space<gm>>'}}
    cpu.cumulate size(%m, %m) sum 1 ins(%x[%m, %m] along [0, 1] : memref<?x?xi32, #aicore.space<gm>>) outs(%y[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%row) : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A narrow type is converted before.
aicore.kernel @sums dims ["M"] args [#mmk.named<"x"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"y"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf16, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %y: memref<?x?xf16, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.cumulate' op sums f32 and i32, not 'f16'}}
    cpu.cumulate size(%m, %m) sum 1 ins(%x[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) outs(%y[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) scratch(%row) : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// One sum precedes all elements of a row.
aicore.kernel @sums dims ["M"] args [#mmk.named<"x"["M", "M"]>, #mmk.named<"v"["M"]>] results [#mmk.named<"y"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?xf32, #aicore.space<gm>>, %y: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %row = aicore.alloc "row" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.cumulate' op expected sums before the first element that do not vary along size 1}}
    cpu.cumulate size(%m, %m) sum 1 ins(%x[%m, %m] along [0, 1], %v[%m] along [-1, 0] : memref<?x?xf32, #aicore.space<gm>>, memref<?xf32, #aicore.space<gm>>) outs(%y[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%row) : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A tile has rows and columns.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    cpu.elementwise size(%m, %m) ins(%x[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.position' op is one along size 2 of 2}}
      %p = cpu.position 2 from %m
      cpu.yield %e : f32
    }
  }
}

// -----

// An element is computed from its input.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    cpu.elementwise size(%m, %m) ins(%x[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.gather' op expected an input that varies along no size}}
      %g = cpu.gather %e at %m : f32
      cpu.yield %e : f32
    }
  }
}

// -----

// So is an element of a run.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    cpu.elementwise size(%m, %m) ins(%x[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) {
    ^bb0(%e: f32):
      %here = arith.constant true
      // expected-error @+1 {{'cpu.gather_run' op expected an input that varies along no size}}
      %g = cpu.gather_run %e at %m step 1 stride %m where %here, %m below %m else %e : f32
      cpu.yield %e : f32
    }
  }
}

// -----

// A run goes on.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    cpu.elementwise size(%m, %m) ins(%x[%m] along [-1, -1] : memref<?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) {
    ^bb0(%e: f32):
      %here = arith.constant true
      // expected-error @+1 {{'cpu.gather_run' op expected a positive step, found 0}}
      %g = cpu.gather_run %e at %m step 0 stride %m where %here, %m below %m else %e : f32
      cpu.yield %e : f32
    }
  }
}

// -----

// A number has no address.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    cpu.elementwise size(%m, %m) ins(%x[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) outs(%y[%m] along [-1, 0] : memref<?xf32, #aicore.space<gm>>) {
    ^bb0(%e: f32):
      %s = arith.addf %e, %e : f32
      // expected-error @+1 {{'cpu.gather' op expected an input of its tile, found another value}}
      %g = cpu.gather %s at %m : f32
      cpu.yield %e : f32
    }
  }
}

// -----

// A vector has one dimension.
aicore.kernel @elements dims ["M"] args [#mmk.named<"x"["M"]>] results [#mmk.named<"y"["M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: memref<?xf32, #aicore.space<gm>>, %y: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    // expected-error @+1 {{'cpu.stride' op names dimension 1 of a tensor of rank 1}}
    %s = cpu.stride %x 1 : memref<?xf32, #aicore.space<gm>>
  }
}

// -----

// Weight, ratio and factor come before the outputs.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected to yield one element for each of its 0 outputs, behind those of its rows}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      cpu.yield %e : f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// An output of the rows does not run along their columns.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected outputs with one element for each row}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %e, %e, %e : f16, f32, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Weights are multiplied with V as they are.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected weights of the type of 'memref<?x?xf16, #aicore.space<gm>>'}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      cpu.yield %e, %e, %e : f32, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Sums are of f32, and so is what multiplies them.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected ratio and factor to be f32}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %w, %e : f16, f16, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Only a sum is rescaled.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      // expected-error @+1 {{'cpu.reduce' op expected a sum of f32 in a cpu.chain, where it is times a ratio}}
      %t = cpu.reduce max %e from 0.0 : f32 times %e -> f32
      %w = arith.truncf %t : f32 to f16
      cpu.yield %w, %e, %e : f16, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Each product of scores has two operands and a depth.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected as many A as B and depths, found 1, 1 and 2}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m, %m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %e, %e : f16, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// Each product of weights has columns and a region behind it.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected as many V as columns and regions behind them, found 1, 2 and 1}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m, %m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %e, %e : f16, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// A region behind a product is of that product.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected each region behind a product to take an element of that}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %e, %e : f16, f32, f32
    }, {
      %y = arith.constant 0.0 : f32
      cpu.yield %y : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}

// -----

// All results behind the products come from their regions.
aicore.kernel @chain dims ["M"] args [#mmk.named<"a"["M", "M"]>, #mmk.named<"v"["M", "M"]>] results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %a: memref<?x?xf32, #aicore.space<gm>>, %v: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    %s = aicore.alloc "chain" of "scratch" copies 1 : memref<1x64xf32, #aicore.space<ub>>
    // expected-error @+1 {{'cpu.chain' op expected regions behind its products that take 0 inputs and yield 2 results, found 0 and 1}}
    cpu.chain size(%m of %m, %m) a(%a[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>) b(%a[%m, %m] along [1, 0] : memref<?x?xf32, #aicore.space<gm>>) depths(%m) v(%v[%m, %m] along [0, 1] : memref<?x?xf16, #aicore.space<gm>>) columns(%m) ins() outs() behind() results(%c[%m, %m] along [0, 1], %c[%m, %m] along [0, 1] : memref<?x?xf32, #aicore.space<gm>>, memref<?x?xf32, #aicore.space<gm>>) scratch(%s) {
    ^bb0(%e: f32):
      %w = arith.truncf %e : f32 to f16
      cpu.yield %w, %e, %e : f16, f32, f32
    }, {
    ^bb0(%p: f32):
      cpu.yield %p : f32
    } : memref<1x64xf32, #aicore.space<ub>>
  }
}
