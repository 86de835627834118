// A constant is read from panels where every use allows it.
// RUN: mmk-opt %s --cpu-pack-constants | FileCheck %s

!gm = memref<?x?xf16, #aicore.space<gm>>
!gm_out = memref<?x?xf32, #aicore.space<gm>>
!a_l0 = memref<128x64xf16, #aicore.space<l0a>>
!b_l0 = memref<64x64xf16, #aicore.space<l0b>>
!acc = memref<128x64xf32, #aicore.space<l0c>>

// `w` is the right operand of two products; `u` is that of one and the left of another; `v` begins
// within its depth; `t` is read in two orders; `q` in tiles that begin within vectors; `p` is no
// constant. `l` is the left operand of a product, `s` that of one in tiles that begin within vectors.
// CHECK-LABEL: aicore.kernel @constants
aicore.kernel @constants dims ["M"]
    args [#mmk.named<"x"["M", "M"]>, #mmk.named<"w"["M", "M"] const>, #mmk.named<"u"["M", "M"] const>,
          #mmk.named<"v"["M", "M"] const>, #mmk.named<"t"["M", "M"] const>, #mmk.named<"q"["M", "M"] const>, #mmk.named<"p"["M", "M"]>,
          #mmk.named<"l"["M", "M"] const>, #mmk.named<"s"["M", "M"] const>]
    results [#mmk.named<"c"["M", "M"]>] cores 1 buffers {} {
^bb0(%m: index, %x: !gm, %w: !gm, %u: !gm, %v: !gm, %t: !gm, %q: !gm, %p: !gm, %l: !gm, %s: !gm, %c: !gm_out):
  %zero = arith.constant 0 : index
  aicore.phase {
  ^bb0(%block: index):
    %width = arith.constant 48 : index
    %narrow = arith.constant 40 : index
    %column = arith.muli %block, %width : index
    %within = arith.muli %block, %narrow : index
    %a = aicore.alloc "a" of "scratch" copies 1 : !a_l0
    %b = aicore.alloc "b" of "scratch" copies 1 : !b_l0
    %acc = aicore.alloc "acc" of "scratch" copies 1 : !acc
    // CHECK: cpu.product %x[{{.*}}, %w[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>> {packed}
    cpu.product %x[%m, %zero] along [0, 1], %w[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %w[{{.*}} step 128
    // CHECK: } : {{.*}}#aicore.space<l0c>> {packed}
    cpu.product %x[%m, %zero] along [0, 1], %w[%zero, %column] along [0, 1] size(%m, %m, %m) step 128 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %u[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %x[%m, %zero] along [0, 1], %u[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %u[{{.*}}, %p[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %u[%m, %zero] along [0, 1], %p[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %v[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %x[%m, %zero] along [0, 1], %v[%m, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %t[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %x[%m, %zero] along [0, 1], %t[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %t[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %x[%m, %zero] along [0, 1], %t[%zero, %column] along [1, 0] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %x[{{.*}}, %q[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %x[%m, %zero] along [0, 1], %q[%zero, %within] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %l[{{.*}}, %p[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %l[%column, %zero] along [0, 1], %p[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
    // CHECK: cpu.product %s[{{.*}}, %p[{{.*}} step 64
    // CHECK: } : {{.*}}#aicore.space<l0c>>{{$}}
    cpu.product %s[%within, %zero] along [0, 1], %p[%zero, %column] along [0, 1] size(%m, %m, %m) step 64 ins() outs(%c[%m, %block] along [0, 1] : !gm_out) scratch(%a, %b, %acc) {
    ^bb0(%sum: f32):
      cpu.yield %sum : f32
    } : !gm, !gm, !a_l0, !b_l0, !acc
  }
}
