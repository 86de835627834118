// What the passes before make for the AI core, and not for a CPU.
// RUN: mmk-opt %s -verify-diagnostics --cpu-lower

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {

mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf16>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %y = mmk.fusion_group tile [16, 32] steps [16, 16, 16, 16] {
  ^bb0(%block: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
    %loop = scf.for %j = %c0 to %m step %c1 iter_args(%out = %empty) -> (tensor<?x?xf32>) {
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
      %stages = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          %first = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %first : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %others = scf.for %ks = %c0 to %n step %c1 iter_args(%sum = %fill) -> (tensor<?x?xf32>) {
        %steps = scf.for %kb = %c0 to %n step %c1 iter_args(%part = %sum) -> (tensor<?x?xf32>) {
          // expected-error @+1 {{'linalg.contract' op is a second product of its fusion group; a CPU computes one}}
          %second = linalg.contract indexing_maps = [#a, #b, #c]
              ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%part : tensor<?x?xf32>) -> tensor<?x?xf32>
          scf.yield %second : tensor<?x?xf32>
        }
        scf.yield %steps : tensor<?x?xf32>
      }
      %both = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%stages, %others : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
      ^bb0(%e: f32, %f: f32, %o: f32):
        %p = arith.mulf %e, %f : f32
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      %insert = tensor.insert_slice %both into %out[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %insert : tensor<?x?xf32>
    }
    mmk.yield %loop : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
}
}
