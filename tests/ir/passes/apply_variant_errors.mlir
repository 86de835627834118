// The errors of apply-variant, with the legal choices; those of bias = table are of fuse-epilogue.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-apply-variant --mmk-fuse-epilogue

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [256]
  mmk.choice "tile.N" = [256]
  // expected-error @+1 {{the variant breaks the rule tile.M * tile.N <= 32768: tile.M = 256, tile.N = 256}}
  mmk.require "tile.M * tile.N <= 32768" {
    %tm = mmk.chosen "tile.M"
    %tn = mmk.chosen "tile.N"
    %mn = arith.muli %tm, %tn : index
    %limit = arith.constant 32768 : index
    %ok = arith.cmpi sle, %mn, %limit : index
    mmk.yield %ok : i1
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // A rule that cannot be computed is broken: division by zero, and a directive that is not chosen.
  mmk.choice "tile.M" = [256]
  // expected-error @+1 {{the variant breaks the rule tile.M / (tile.M - 256) > grid.N: tile.M = 256, grid.N = nothing}}
  mmk.require "tile.M / (tile.M - 256) > grid.N" {
    %tm = mmk.chosen "tile.M"
    %c256 = arith.constant 256 : index
    %rest = arith.subi %tm, %c256 : index
    %quotient = arith.divsi %tm, %rest : index
    %gn = mmk.chosen "grid.N"
    %ok = arith.cmpi sgt, %quotient, %gn : index
    mmk.yield %ok : i1
  }
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{cores = 5, but tiny has 4}}
  mmk.choice "cores" = [5]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{cores = 0 is not legal; expected auto or a positive number}}
  mmk.choice "cores" = [0]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{preload = -1 is not legal; expected a number of 0 or more}}
  mmk.choice "preload" = [-1]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{tile.M = -64 is not legal; expected a positive number}}
  mmk.choice "tile.M" = [-64]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // An iteration works on a copy: a buffer has at least one, and slots are numbers modulo it.
  // expected-error @+1 {{buffers.l1 = 0 is not legal; expected a positive number}}
  mmk.choice "buffers.l1" = [0]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{tile.K = wide is not legal; expected a positive number}}
  mmk.choice "tile.K" = ["wide"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{order = spiral is not legal; expected rows, columns, zigzag or swizzle(n)}}
  mmk.choice "order" = ["spiral"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{order = swizzle(0) is not legal; expected rows, columns, zigzag or swizzle(n)}}
  mmk.choice "order" = ["swizzle(0)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{fuse = maybe is not legal; expected all, none, rows, products or windows}}
  mmk.choice "fuse" = ["maybe"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{store = never is not legal; expected after or overlapped}}
  mmk.choice "store" = ["never"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{tyle.M is no directive; legal: cores, grid, tile, stage, extent, buffers, keep, bias, skew, window, store, order, reduce, preload, through, fuse}}
  mmk.choice "tyle.M" = [64]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.K" = [64]
  // expected-error @+1 {{stage.K = 96 is not a multiple of tile.K = 64; nearest legal: 64, 128}}
  mmk.choice "stage.K" = [96]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // Below one tile there is no other neighbour.
  mmk.choice "tile.K" = [64]
  // expected-error @+1 {{stage.K = 32 is not a multiple of tile.K = 64; nearest legal: 64}}
  mmk.choice "stage.K" = [32]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{stage.M: only a reduction dimension has stages; legal: K}}
  mmk.choice "stage.M" = [64]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.N" = [16]
  // expected-error @+1 {{store = overlapped drains the accumulator in two parts of at least 16 columns, but tile.N = 16; nearest legal: store = after, tile.N = 32}}
  mmk.choice "store" = ["overlapped"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "128"]>] results [#mmk.named<"c"["M", "128"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x128xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %empty = tensor.empty(%m) : tensor<?x128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x128xf16>) outs(%fill : tensor<?x128xf32>) -> tensor<?x128xf32>
  mmk.return %acc : tensor<?x128xf32>
} schedule {
  // expected-error @+1 {{store = overlapped drains the accumulator in two parts of 128 columns, but the product has 128; nearest legal: store = after}}
  mmk.choice "store" = ["overlapped"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{the grid has 2 rectangles for each of 3 splits of the reduction, but there are only 4 cores}}
  mmk.choice "cores" = [4]
  mmk.choice "grid.N" = [2]
  mmk.choice "grid.K" = [3]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{the grid has 6 rectangles, but there are only 4 cores}}
  mmk.choice "cores" = [4]
  mmk.choice "grid.M" = [2]
  mmk.choice "grid.N" = [3]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>):
  %zero = arith.constant 0 : i32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  // expected-error @+1 {{tiny has no cube instruction for 'i8' operands}}
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%fill : tensor<?x?xi32>) -> tensor<?x?xi32>
  mmk.return %acc : tensor<?x?xi32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %four = arith.constant 4 : index
  %x = tensor.empty(%m, %four) : tensor<?x?xf16>
  %w = tensor.empty(%four, %n) : tensor<?x?xf16>
  // expected-error @+1 {{'linalg.contract' op expected each of its 3 dimensions to be one of a parameter or a mmk.dim}}
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#transposed = affine_map<(m, n, k) -> (n, m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["N", "M"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.contract' op expected rows and columns as its last dimensions, and one reduction}}
  %acc = linalg.contract indexing_maps = [#a, #b, #transposed]
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
}
}

// -----

// No machine is given.
// expected-error @+1 {{expected a machine: the module has no aicore.machine, and the pass was given none}}
module {
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#id = affine_map<(m, n) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{store = overlapped is about the accumulator of a product, and this kernel has none; legal: after}}
  mmk.choice "store" = ["overlapped"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @keep_word dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{keep = C(512) is not legal; expected none, A(n) or B(n)}}
  mmk.choice "keep" = ["C(512)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @bias_word dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = cube is not legal; expected vector or table}}
  mmk.choice "bias" = ["cube"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @skew_word dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{skew = rows is not legal; expected none or stages}}
  mmk.choice "skew" = ["rows"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @elementwise dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{keep = A(512) is about an operand of a product, and this kernel has none; legal: none}}
  mmk.choice "keep" = ["A(512)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @elementwise dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{skew = stages is about the stages of a product, and this kernel has none; legal: none}}
  mmk.choice "skew" = ["stages"]
}
}

// -----

#machine = #aicore.machine<"host" kind "host", coupled, cores = 4, vector_cores = 1, memories = {l0a = [65536, 64], l0b = [65536, 64], l0c = [131072, 64], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @keep_on_host dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{keep = A(512) fills L1, which on host is a cache that no program fills; legal: none}}
  mmk.choice "keep" = ["A(512)"]
}
}

// -----

#machine = #aicore.machine<"host" kind "host", coupled, cores = 4, vector_cores = 1, memories = {l0a = [65536, 64], l0b = [65536, 64], l0c = [131072, 64], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @skew_on_host dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{skew = stages is about cores that share the lines of global memory, which on host have caches of their own; legal: none}}
  mmk.choice "skew" = ["stages"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @keep_across dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  mmk.choice "keep" = ["A(512)"]
  // expected-error @+1 {{keep = A(512) needs the order to go along rows of tiles, but order = zigzag; nearest legal: order = rows, keep = none}}
  mmk.choice "order" = ["zigzag"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @keep_depth dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  mmk.choice "order" = ["columns"]
  // expected-error @+1 {{keep = B(500): the depth 500 is not a multiple of 16, the cube's depth for 'f16'; nearest legal: 496, 512}}
  mmk.choice "keep" = ["B(500)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @keep_literal dims ["M", "N"]
    args [#mmk.named<"a"["M", "600"]>, #mmk.named<"b"["600", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x600xf16>, %b: tensor<600x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x600xf16>, tensor<600x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{keep = A(512) holds panels up to a depth of 512, but the product is 600 deep; nearest legal: 608}}
  mmk.choice "keep" = ["A(512)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @no_table dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table needs a bias table, which tiny has not; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @elementwise dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %s = arith.addf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table is about what is added to a product, and this kernel has none; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @of_i32 dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %bias: tensor<?xf32>):
  %zero = arith.constant 0 : i32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%fill : tensor<?x?xi32>) -> tensor<?x?xi32>
  mmk.return %acc : tensor<?x?xi32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but acc is of i32; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @nothing_added dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %s = arith.negf %e : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but nothing is added to acc itself; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @used_twice dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %s : tensor<?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %f: f32, %out: f32):
    %p = arith.mulf %e, %f : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  mmk.return %y : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but acc is also used without what is added to it; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @of_a_column dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["M"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but what is added to acc is no row that all of its rows share; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @of_f16 dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %bias : tensor<?x?xf32>, tensor<?xf16>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f16, %out: f32):
    %w = arith.extf %r : f16 to f32
    %sum = arith.addf %e, %w : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but what is added to acc is of f16; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#column = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @computed dims ["M", "K", "N"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>, #mmk.named<"bias"["N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %short = tensor.empty(%n) : tensor<?xf32>
  %twice = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%bias : tensor<?xf32>) outs(%short : tensor<?xf32>) {
  ^bb0(%e: f32, %out: f32):
    %p = arith.addf %e, %e : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %twice : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %r: f32, %out: f32):
    %sum = arith.addf %e, %r : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  mmk.return %s : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{bias = table takes a row of f32 that is added to a product, but what is added to acc is computed, and no parameter; legal: vector}}
  mmk.choice "bias" = ["table"]
}
}

// -----

// The cube of a machine decides the granularity of tiles: 8 rows and 32 columns here.
#machine = #aicore.machine<"flat", split, cores = 4, vector_cores = 2, memories = {l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 8 x 32, max_extent = 200, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @columns dims ["M", "N", "K"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.dims = ["M", "N", "K"], mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  mmk.choice "tile.M" = [8]
  // expected-error @+1 {{tile.N = 48 is not a multiple of 32, the cube's width; nearest legal: 32, 64}}
  mmk.choice "tile.N" = [48]
}
}

// -----

#machine = #aicore.machine<"flat", split, cores = 4, vector_cores = 2, memories = {l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [65536, 32]}, cube = 8 x 32, max_extent = 200, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @extent dims ["M", "N", "K"]
    args [#mmk.named<"a"["M", "K"]>, #mmk.named<"b"["K", "N"]>] results [#mmk.named<"c"["M", "N"]>] {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %n = mmk.dim "N"
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c] {mmk.dims = ["M", "N", "K"], mmk.name = "acc"}
      ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  mmk.return %acc : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{tile.N = 224 is beyond 200, the largest extent of an instruction of the cube; nearest legal: 192}}
  mmk.choice "tile.N" = [224]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m)>

// What is kept has no rows.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %empty = tensor.empty(%m) : tensor<?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  // expected-error @+1 {{reduce.M: nothing is reduced over M; legal: N}}
  mmk.choice "reduce.M" = ["whole"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M", "N"]>] {
^bb0(%x: tensor<?x?xf32>):
  mmk.return %x : tensor<?x?xf32>
} schedule {
  // expected-error @+1 {{reduce.N: nothing is reduced over N; legal: none here}}
  mmk.choice "reduce.N" = ["two_pass"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> ()>

// One reduction has one form.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y">] {
^bb0(%x: tensor<?x?xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  mmk.return %y : tensor<f32>
} schedule {
  // expected-error @+1 {{reduce.N = two_pass and reduce.M = online are about the same rows, which are reduced over M and N; nearest legal: reduce.M = two_pass}}
  mmk.choice "reduce.N" = ["two_pass"]
  mmk.choice "reduce.M" = ["online"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> ()>

// A row is of one dimension.
module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y">] {
^bb0(%x: tensor<?x?xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  mmk.return %y : tensor<f32>
} schedule {
  // expected-error @+1 {{reduce.N = whole keeps rows along N alone on the chip, and N is reduced together with M; nearest legal: reduce.N = two_pass}}
  mmk.choice "reduce.N" = ["whole"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16}, event_ids = 6, cross_flags = 16>
#in = affine_map<(m, n) -> (m, n)>
#kept = affine_map<(m, n) -> (m)>
module attributes {aicore.machine = #machine} {
mmk.kernel @divided_whole dims ["M", "N"] args [#mmk.named<"x"["M", "N"]>] results [#mmk.named<"y"["M"]>] {
^bb0(%x: tensor<?x?xf32>):
  %zero = arith.constant 0.0 : f32
  %m = mmk.dim "M"
  %empty = tensor.empty(%m) : tensor<?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#in, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fill : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  mmk.return %y : tensor<?xf32>
} schedule {
  // expected-error @+1 {{grid.N = 4 divides rows over the cores, but reduce = whole keeps each on the chip of one; nearest legal: grid.N = 1, reduce = two_pass}}
  mmk.choice "grid.N" = [4]
  mmk.choice "reduce" = ["whole"]
}
}
