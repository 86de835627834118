module {
aicore.kernel @k dims ["N"] args [#mmk.named<"x"["N"]>] results [#mmk.named<"c"["N"]>] cores 1 buffers {} {
^bb0(%n: index, %x: memref<?xf32, #aicore.space<gm>>, %c: memref<?xf32, #aicore.space<gm>>):
  aicore.phase {
  ^bb0(%block: index):
    aicore.set_flag [mte2 -> vector] 0 + %n
    aicore.wait_flag [mte2 -> vector] 0 + %n
  }
}
}
