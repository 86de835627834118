// The weights of attention over short sequences: the softmax of each row of scores, and the
// logarithm of its sum of exponentials. The scores stay on the chip.
kernel attention_weights(
  q:     f16[B, M, D],
  k:     f16[B, N, D],
  scale: f32 = 0.125
) -> p: f16[B, M, N], l: f32[B, M] {

  let s = scale * (q @ transpose(k));
  p = cast<f16>(softmax[N](s));
  l = logsumexp[N](s);

  case one    { B = 1; M = 1; N = 1; D = 1; }
  case ragged { B = 3; M = 133; N = 201; D = 40; }
  case layer  { B = 48; M = 197; N = 197; D = 64; }
  case short  { B = 32; M = 512; N = 512; D = 64; }
  check { rtol = 1e-2; atol = 1e-3; }
}
