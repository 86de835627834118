// The comparison is computed once for a row, and its selection in a loop and behind it: each of them
// inverted it.
// mmk run selection_of_a_hoisted_comparison.mmk B=1 M=1 N=1 --machine host --data integers --seed 16426
kernel sample(a: f16[B, M, N]) -> y2: bf16[B, M, N] {
  let r0 = max[B, N](a);
  y2 = select((r0 <= 0.5), r0, rsqrt(a));
}
