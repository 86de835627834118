// Every fault of a phase's flags, and the message of the proof on it. The machine has two events
// for each pair of pipes and two cross-core flags.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --aicore-verify-sync

// Nothing orders the load and the load_l0 that reads its data.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      // expected-note @+1 {{this load on mte2 of the cube core fills slot 0 of a in l1}}
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      // expected-error @+1 {{the load_l0 from slot 0 of a in l1 may start before the load that fills it has ended: nothing makes mte1 wait for mte2 here}}
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
    }
  }
}

// -----

// Filled before it is read, but filled again while it is read: breaks from the second iteration on.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      scf.for %i = %c0 to %K step %c16 {
        // expected-error @+1 {{the load into slot 0 of a in l1 may start before the load_l0 that still reads it has ended: nothing makes mte2 wait for mte1 here}}
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
        aicore.set_flag [mte2 -> mte1] 0 + %c0
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
        // expected-note @+1 {{this load_l0 on mte1 of the cube core reads slot 0 of a in l1}}
        aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
      }
    }
  }
}

// -----

// Two copies, but only one of them is waited for: the third iteration fills the first slot again.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 2 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.set_flag [mte1 -> mte2] 0 + %c1
      scf.for %i = %c0 to %K step %c16 {
        %n = arith.divsi %i, %c16 : index
        %s = aicore.slot %n of %a : memref<16x16xf16, #aicore.space<l1>>
        %one = arith.cmpi eq, %s, %c1 : index
        scf.if %one {
          aicore.wait_flag [mte1 -> mte2] 0 + %c1
        }
        // expected-error @+1 {{the load into slot 0 of a in l1 may start before the load_l0 that still reads it has ended: nothing makes mte2 wait for mte1 here}}
        aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%s] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
        aicore.set_flag [mte2 -> mte1] 0 + %s
        aicore.wait_flag [mte2 -> mte1] 0 + %s
        // expected-note @+1 {{this load_l0 on mte1 of the cube core reads slot 0 of a in l1}}
        aicore.load_l0 %a[%s] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
        scf.if %one {
          aicore.set_flag [mte1 -> mte2] 0 + %c1
        }
      }
      aicore.wait_flag [mte1 -> mte2] 0 + %c1
    }
  }
}

// -----

// Two buffers of the same bytes, one after the other, need an order, too.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %b = aicore.alloc "b" of "l1" copies 1 at 256 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      // expected-note @+1 {{this load_l0 on mte1 of the cube core reads slot 0 of a in l1}}
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
      // expected-error @+1 {{the load into slot 0 of b in l1 may start before the load_l0 that still reads slot 0 of a in l1, in the same bytes, has ended: nothing makes mte2 wait for mte1 here}}
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %b[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
    }
  }
}

// -----

// On the path that is not taken nothing waits.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      // expected-note @+1 {{this load on mte2 of the cube core fills slot 0 of a in l1}}
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c0] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      %some = arith.cmpi sgt, %K, %c16 : index
      scf.if %some {
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
      }
      // expected-error @+1 {{the load_l0 from slot 0 of a in l1 may start before the load that fills it has ended: nothing makes mte1 wait for mte2 here}}
      aicore.load_l0 %a[%c0] at(%c0, %c0) size(%c16, %c16) -> %a0[%c0] : memref<16x16xf16, #aicore.space<l1>> -> memref<16x16xf16, #aicore.space<l0a>>
    }
  }
}

// -----

// Two pipes fill one slot.
#m = #aicore.machine<"test", coupled, cores = 1, vector_cores = 1, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %y = aicore.alloc "y" of "ub" copies 1 at 0 : memref<16x16xf32, #aicore.space<ub>>
      %acc = aicore.alloc "acc" of "acc" copies 1 at 0 : memref<16x16xf32, #aicore.space<l0c>>
      // expected-note @+1 {{this load on mte2 of the cube core fills slot 0 of y in ub}}
      aicore.load %c[%c0, %c0] along [0, 1] size(%c16, %c16) -> %y[%c0] pad 1 : memref<?x?xf32, #aicore.space<gm>> -> memref<16x16xf32, #aicore.space<ub>>
      // expected-error @+1 {{the drain into slot 0 of y in ub may start before the load that also fills it has ended: nothing makes vector wait for mte2 here}}
      aicore.drain %acc[%c0] at(%c0) size(%c16, %c16) -> %y[%c0] : memref<16x16xf32, #aicore.space<l0c>> -> memref<16x16xf32, #aicore.space<ub>>
    }
  }
}

// -----

// Between cores only a cross-core flag orders.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %acc = aicore.alloc "acc" of "acc" copies 1 at 0 : memref<16x16xf32, #aicore.space<l0c>>
      %tile = aicore.alloc "tile" of "out" copies 1 at 0 : memref<16x16xf32, #aicore.space<gm>>
      %y = aicore.alloc "y" of "ub" copies 1 at 0 : memref<16x16xf32, #aicore.space<ub>>
      // expected-note @+1 {{this spill on fixpipe of the cube core fills slot 0 of tile in gm}}
      aicore.spill %acc[%c0] size(%c16, %c16) -> %tile[%c0] : memref<16x16xf32, #aicore.space<l0c>> -> memref<16x16xf32, #aicore.space<gm>>
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        // expected-error @+1 {{the fetch from slot 0 of tile in gm may start before the spill that fills it has ended: nothing makes mte2 of a vector core wait for fixpipe of the cube core here}}
        aicore.fetch %tile[%c0] at(%c0) size(%c16, %c16) -> %y[%c0] : memref<16x16xf32, #aicore.space<gm>> -> memref<16x16xf32, #aicore.space<ub>>
      }
    }
  }
}

// -----

// A wait without a set.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{deadlock: mte1 waits for the flag mte2 -> mte1 0, which nothing before sets}}
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
    }
  }
}

// -----

// Each kind of core waits for the other before it sets, on another pipe. Where a wait holds the core
// as a whole, neither sets.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        // expected-error @+1 {{deadlock: mte2 of a vector core waits for the cross-core flag 0 to the vector cores, which nothing before sets}}
        aicore.wait_cross mte2 from cube 0 + %c0
        aicore.set_cross mte3 to cube 1 + %c0
      }
      aicore.wait_cross mte2 from vector 1 + %c0
      aicore.set_cross fixpipe to vector 0 + %c0
    }
  }
}

// -----

// A wait orders its own pipe, also where it holds the core as a whole.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %acc = aicore.alloc "acc" of "acc" copies 1 at 0 : memref<16x16xf32, #aicore.space<l0c>>
      %tile = aicore.alloc "tile" of "out" copies 1 at 0 : memref<16x16xf32, #aicore.space<gm>>
      %y = aicore.alloc "y" of "ub" copies 1 at 0 : memref<16x16xf32, #aicore.space<ub>>
      // expected-note @+1 {{this spill on fixpipe of the cube core fills slot 0 of tile in gm}}
      aicore.spill %acc[%c0] size(%c16, %c16) -> %tile[%c0] : memref<16x16xf32, #aicore.space<l0c>> -> memref<16x16xf32, #aicore.space<gm>>
      aicore.set_cross fixpipe to vector 0 + %c0
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.wait_cross vector from cube 0 + %c0
        // expected-error @+1 {{the fetch from slot 0 of tile in gm may start before the spill that fills it has ended: nothing makes mte2 of a vector core wait for fixpipe of the cube core here}}
        aicore.fetch %tile[%c0] at(%c0) size(%c16, %c16) -> %y[%c0] : memref<16x16xf32, #aicore.space<gm>> -> memref<16x16xf32, #aicore.space<ub>>
      }
    }
  }
}

// -----

// Two waits for one set: the second comes when the loop runs.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-note @+1 {{it was set here, and has been taken down since}}
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
      scf.for %i = %c0 to %K step %c16 {
        // expected-error @+1 {{deadlock: mte1 waits for the flag mte2 -> mte1 0, which nothing sets again}}
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
      }
    }
  }
}

// -----

// A set without a wait.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    // expected-note @+1 {{the next phase would find it set}}
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{the flag mte2 -> mte1 0 is still set when the phase ends: nothing waits for it}}
      aicore.set_flag [mte2 -> mte1] 0 + %c0
    }
  }
}

// -----

// Two sets before the first wait.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-note @+1 {{it was set here}}
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      // expected-error @+1 {{the flag mte2 -> mte1 0 is set again before it was waited for: one of the two is lost}}
      aicore.set_flag [mte2 -> mte1] 0 + %c0
      aicore.wait_flag [mte2 -> mte1] 0 + %c0
    }
  }
}

// -----

// In program order each set has its wait, but mte2 may run ahead of mte1.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      scf.for %i = %c0 to %K step %c16 {
        // expected-error @+1 {{the flag mte2 -> mte1 0 may be set again before mte1 has waited for it: nothing makes mte2 wait for mte1 here}}
        aicore.set_flag [mte2 -> mte1] 0 + %c0
        // expected-note @+1 {{this wait may come too late}}
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
      }
    }
  }
}

// -----

// Events beyond the machine.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{there is no event 2: test has the events 0 to 1 for each pair of pipes}}
      aicore.set_flag [mte2 -> mte1] 1 + %c1
    }
  }
}

// -----

// Cross-core flags beyond the machine.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{there is no cross-core flag 2: test has the flags 0 to 1}}
      aicore.set_cross fixpipe to vector 2 + %c0
    }
  }
}

// -----

// Nothing delays the cube core: it may count beyond the flag's limit.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      scf.for %i = %c0 to %K step %c16 {
        // expected-error @+1 {{the cross-core flag 0 to the vector cores may be counted beyond 15: nothing makes fixpipe of the cube core wait until the other core has waited for it}}
        aicore.set_cross fixpipe to vector 0 + %c0
        aicore.vector_cores 2 {
        ^bb0(%v: index):
          aicore.wait_cross mte2 from cube 0 + %c0
        }
      }
    }
  }
}

// -----

// Two pipes count one flag up.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-note @+1 {{the other pipe takes it here}}
      aicore.set_cross fixpipe to vector 0 + %c0
      // expected-error @+1 {{the cross-core flag 0 to the vector cores is taken here and by another pipe, in no order: who gets which is chance}}
      aicore.set_cross mte2 to vector 0 + %c0
      aicore.vector_cores 2 {
      ^bb0(%v: index):
        aicore.wait_cross mte2 from cube 0 + %c0
        aicore.wait_cross mte2 from cube 0 + %c0
      }
    }
  }
}

// -----

// A coupled chip has one core.
#m = #aicore.machine<"test", coupled, cores = 1, vector_cores = 1, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{'aicore.set_cross' op is between cube and vector cores, which on test are one core}}
      aicore.set_cross fixpipe to vector 0 + %c0
    }
  }
}

// -----

// A slot that the buffer lacks.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %a = aicore.alloc "a" of "l1" copies 1 at 0 : memref<16x16xf16, #aicore.space<l1>>
      // expected-error @+1 {{takes a slot that its buffer has not, or that nothing is known of}}
      aicore.load %x[%c0, %c0] along [0, 1] size(%c16, %c16) -> %a[%c1] pad 16 : memref<?x?xf16, #aicore.space<gm>> -> memref<16x16xf16, #aicore.space<l1>>
    }
  }
}

// -----

// A flag whose number depends on a dimension.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{'aicore.set_flag' op takes a slot that is neither an aicore.slot nor a constant, so aicore-verify-sync cannot tell which flag it is}}
      aicore.set_flag [mte2 -> mte1] 0 + %K
    }
  }
}

// -----

// A step that depends on a dimension.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{'scf.for' op has a step that is not a positive constant, so aicore-verify-sync cannot tell which slots it takes}}
      scf.for %i = %c0 to %K step %K {
        aicore.set_flag [mte2 -> mte1] 0 + %c0
        aicore.wait_flag [mte2 -> mte1] 0 + %c0
      }
    }
  }
}

// -----

// An unknown instruction is refused.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      // expected-error @+1 {{'scf.execute_region' op is not known to aicore-verify-sync, which cannot tell what it needs to wait for}}
      scf.execute_region {
        aicore.barrier cube
        scf.yield
      }
    }
  }
}

// -----

// A buffer in gm, taken like a tensor.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [4096, 32], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [#mmk.named<"x"["K", "K"]>] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %x: memref<?x?xf16, #aicore.space<gm>>, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    aicore.phase {
      ^bb0(%block: index):
      %tile = aicore.alloc "tile" of "out" copies 1 at 0 : memref<16x16xf32, #aicore.space<gm>>
      %y = aicore.alloc "y" of "ub" copies 1 at 0 : memref<16x16xf32, #aicore.space<ub>>
      // expected-error @+1 {{'aicore.load' op takes a buffer without a slot}}
      aicore.load %tile[%c0, %c0] along [0, 1] size(%c16, %c16) -> %y[%c0] pad 1 : memref<16x16xf32, #aicore.space<gm>> -> memref<16x16xf32, #aicore.space<ub>>
    }
  }
}

// -----

// expected-error @+1 {{expected a machine; run mmk-apply-variant first}}
module {
}

// -----

// One part is waited for, the other is not.
#m = #aicore.machine<"test", split, cores = 1, vector_cores = 2, memories = {l1 = [4096, 32], l0a = [4096, 32], l0b = [4096, 32], l0c = [8192, 1024], ub = [4096, 32], gm = [4096, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16 : i64}, event_ids = 2, cross_flags = 2>
module attributes {aicore.machine = #m} {
  aicore.kernel @k dims ["K"] args [] results [#mmk.named<"c"["K", "K"]>] cores 1 buffers {} {
  ^bb0(%K: index, %c: memref<?x?xf32, #aicore.space<gm>>):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %true = arith.constant true
    aicore.phase {
      ^bb0(%block: index):
      %a0 = aicore.alloc "a" of "l0" copies 1 at 0 : memref<16x16xf16, #aicore.space<l0a>>
      %b0 = aicore.alloc "b" of "l0" copies 1 at 0 : memref<16x32xf16, #aicore.space<l0b>>
      %acc = aicore.alloc "acc" of "acc" copies 1 parts 2 at 0 : memref<16x32xf32, #aicore.space<l0c>>
      aicore.mmad %a0[%c0], %b0[%c0] -> %acc[%c0] part 0 size(%c16, %c16, %c16) first(%true) : memref<16x16xf16, #aicore.space<l0a>>, memref<16x32xf16, #aicore.space<l0b>> -> memref<16x32xf32, #aicore.space<l0c>>
      aicore.set_flag [cube -> fixpipe] 0 + %c0
      // expected-note @+1 {{this mmad on cube of the cube core fills slot 0 of part 1 of acc in l0c}}
      aicore.mmad %a0[%c0], %b0[%c0] -> %acc[%c0] part 1 size(%c16, %c16, %c16) first(%true) : memref<16x16xf16, #aicore.space<l0a>>, memref<16x32xf16, #aicore.space<l0b>> -> memref<16x32xf32, #aicore.space<l0c>>
      aicore.wait_flag [cube -> fixpipe] 0 + %c0
      aicore.fixpipe %acc[%c0] part 0 -> %c[%c0, %c0] along [0, 1] size(%c16, %c16) : memref<16x32xf32, #aicore.space<l0c>> -> memref<?x?xf32, #aicore.space<gm>>
      // expected-error @+1 {{the fixpipe from slot 0 of part 1 of acc in l0c may start before the mmad that fills it has ended: nothing makes fixpipe wait for cube here}}
      aicore.fixpipe %acc[%c0] part 1 -> %c[%c0, %c16] along [0, 1] size(%c16, %c16) : memref<16x32xf32, #aicore.space<l0c>> -> memref<?x?xf32, #aicore.space<gm>>
    }
  }
}
