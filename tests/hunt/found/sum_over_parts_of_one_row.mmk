// A reduction over an outer dimension by tiles of one row: the product of both extents stood before the phase,
// and the proof of its flags took an extent for any number.
// mmk run sum_over_parts_of_one_row.mmk B=1 M=1 N=1 --machine ascend910b3 --machine-set 'memories.ub.bytes=*0.125' --data integers --seed 646
kernel k(a: i32[B, M, N]) -> y: f32[B, M, N], z: f32[B, M, N] {
  y = min[B, N](a);
  let s = sum[B, M](a);
  z = s;
}
