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
    // expected-error @+1 {{'cpu.product' op expected two dimensions along for each of its 1 tensors, found 1}}
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
