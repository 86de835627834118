// The scores of attention in index notation: which index is summed, which are of the result, and in
// which order. The heads come in front; the operands are read as they are.
kernel attention_scores(q: f16[B, M, H, D], k: f16[B, N, H, D]) -> s: f32[B, H, M, N] {
  s[b, h, i, j] = 0.125 * sum[d](q[b, i, h, d] * k[b, j, h, d]);

  case one    { B = 1; H = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 2; H = 3; M = 17; N = 33; D = 40; }
  case layer  { B = 4; H = 12; M = 197; N = 197; D = 64; }
  check { rtol = 1e-4; atol = 1e-4; }
}
