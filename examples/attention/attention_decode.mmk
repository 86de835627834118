// One step of decoding: a few new queries, and a cache of keys and values whose first `length` places
// are filled.
kernel attention_decode(
  q:      f16[B, H, M, D],
  k:      f16[B, G, N, D],
  v:      f16[B, G, N, D],
  length: i32[B],
  group:  int = 4,
  scale:  f32 = 0.08838834764831845
) -> o: f16[B, H, M, D] {

  require H == G * group;
  let s[b, h, i, j] = scale * sum[d](q[b, h, i, d] * k[b, h / group, j, d]);
  let p[b, h, i, j] = softmax[j | j < length[b]](s[b, h, i, j]);
  o[b, h, i, d] = sum[j | j < length[b]](cast<f16>(p[b, h, i, j]) * v[b, h / group, j, d]);

  case one    { B = 1; H = 4; G = 1; M = 1; N = 3; D = 1; }
  case ragged { B = 3; H = 8; G = 2; M = 2; N = 117; D = 40; }
  case layer  { B = 60; H = 32; G = 8; M = 1; N = 512; D = 128; }
  case long   { B = 1; H = 8; G = 2; M = 1; N = 32768; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}

// The same of one new query, with the heads of a group as the rows of a matrix in the text: in q[B, H, 1, D]
// they follow each other. attention_decode has these rows, too, as it requires whole groups.
kernel attention_decode_group(
  q:      f16[B, G, R, D],
  k:      f16[B, G, N, D],
  v:      f16[B, G, N, D],
  length: i32[B],
  scale:  f32 = 0.08838834764831845
) -> o: f16[B, G, R, D] {

  let s[b, g, r, j] = scale * sum[d](q[b, g, r, d] * k[b, g, j, d]);
  let p[b, g, r, j] = softmax[j | j < length[b]](s[b, g, r, j]);
  o[b, g, r, d] = sum[j | j < length[b]](cast<f16>(p[b, g, r, j]) * v[b, g, j, d]);

  case one    { B = 1; G = 1; R = 1; N = 3; D = 1; }
  case ragged { B = 3; G = 2; R = 4; N = 117; D = 40; }
  case layer  { B = 60; G = 8; R = 4; N = 512; D = 128; }
  case long   { B = 1; G = 2; R = 4; N = 32768; D = 128; }
  check { rtol = 1e-2; atol = 1e-3; }
}
