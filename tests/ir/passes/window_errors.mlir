// The windows that the cube core cannot load, and what does not go with `window = direct`.
// RUN: mmk-opt %s -verify-diagnostics -split-input-file --mmk-apply-variant

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 64 + d3, d2 + d4, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its stride is 64, and the load's 1 to 63; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 * 256, d2 + d4, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its dilation is 256, and the load's 1 to 255; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3, d2 + d4 - 256, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its padding is 256, and the load's 0 to 255; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 1.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its padding is not zero; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d3, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its taps are not in the order of its tensor; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2 + d4, d1 + d3, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its pixels are not in the order of its tensor; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "O"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, it reads a part of the channels of its tensor; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3, d2 + d4, d5 + 1)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, an index of it has taps but no pixels; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2 + d3, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, its depth has two dimensions of channels; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, d2, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, it has taps along more than two dimensions; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 floordiv 2 + d3, d2 + d4, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, an index of it is no sum of multiples of variables; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d2, d3 + d4, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct loads windows of an image, but of the window of this product, an index of it has two variables of pixels or of taps; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = 24 is not a multiple of 16, the channels of 32 bytes; nearest legal: 16, 32}}
  mmk.choice "window" = ["direct(24)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct goes over the channels of an image, which grid.RSC = 2 divides; nearest legal: grid.RSC = 1, window = unfolded}}
  mmk.choice "window" = ["direct"]
  mmk.choice "grid.RSC" = [2]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct holds lines of an image in L1, where keep = A(512) holds a panel; nearest legal: keep = none, window = unfolded}}
  mmk.choice "window" = ["direct"]
  mmk.choice "keep" = ["A(512)"]
}
}

// -----

#machine = #aicore.machine<"tiny", split, cores = 4, vector_cores = 2, memories = {bt = [1024, 64], gm = [1099511627776, 512], l0a = [65536, 512], l0b = [65536, 512], l0c = [131072, 1024], l1 = [524288, 32], ub = [65536, 32]}, cube = 16 x 16, max_extent = 4095, depth = {f16 = 16, i8 = 32}, event_ids = 6, cross_flags = 16>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3 - 1, d2 + d4 - 1, d5)>
#id = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {aicore.machine = #machine} {
mmk.kernel @k dims ["B", "H", "W", "C", "R", "S", "O", "P", "Q", "NPQ", "RSC"]
    args [#mmk.named<"x"["B", "H", "W", "C"]>, #mmk.named<"w"["R", "S", "C", "O"]>]
    results [#mmk.named<"y"["B", "P", "Q", "O"]>] {
^bb0(%x: tensor<?x?x?x?xf16>, %w: tensor<?x?x?x?xf16>):
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 0.0 : f16
  %b = mmk.dim "B"
  %p = mmk.dim "P"
  %q = mmk.dim "Q"
  %r = mmk.dim "R"
  %s = mmk.dim "S"
  %c = mmk.dim "C"
  %o = mmk.dim "O"
  %npq = mmk.dim "NPQ"
  %windows = mmk.window %x at #window ["B", "P", "Q", "R", "S", "C"] pad %pad : f16 : tensor<?x?x?x?xf16> -> tensor<?x?x?x?x?x?xf16>
  %empty = tensor.empty(%b, %p, %q, %r, %s, %c) : tensor<?x?x?x?x?x?xf16>
  %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%windows : tensor<?x?x?x?x?x?xf16>) outs(%empty : tensor<?x?x?x?x?x?xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<?x?x?x?x?x?xf16>
  %left = tensor.collapse_shape %copy [[0, 1, 2], [3, 4, 5]] {mmk.dims = ["NPQ", "RSC"]} : tensor<?x?x?x?x?x?xf16> into tensor<?x?xf16>
  %right = tensor.collapse_shape %w [[0, 1, 2], [3]] {mmk.dims = ["RSC", "O"]} : tensor<?x?x?x?xf16> into tensor<?x?xf16>
  %sums = tensor.empty(%npq, %o) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%left, %right : tensor<?x?xf16>, tensor<?x?xf16>) outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tensor.expand_shape %acc [[0, 1, 2], [3]] output_shape [%b, %p, %q, %o] : tensor<?x?xf32> into tensor<?x?x?x?xf32>
  mmk.return %y : tensor<?x?x?x?xf32>
} schedule {
  // expected-error @+1 {{window = direct(0) is not legal; expected unfolded, direct or direct(n)}}
  mmk.choice "window" = ["direct(0)"]
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
  // expected-error @+1 {{window = direct is about a product of windows, and this kernel has none; legal: unfolded}}
  mmk.choice "window" = ["direct"]
}
}
