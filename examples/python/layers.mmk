// The layers of train.py and their gradients. A kernel of gradients finds its operands by name: the parameters
// and results of the layer, and grad_NAME for the gradient of a result; its own results are grad_NAME, too.

kernel linear(x: f32[M, K], w: f32[K, N], bias: f32[N], slope: f32) -> y: f32[M, N] {
  y = leaky_relu(x @ w + bias, slope);
}

kernel linear_gradients(
  x:      f32[M, K],
  w:      f32[K, N],
  y:      f32[M, N],
  grad_y: f32[M, N],
  slope:  f32
) -> grad_x: f32[M, K], grad_w: f32[K, N], grad_bias: f32[N] {

  let g = select(y > 0, grad_y, slope * grad_y);
  grad_x = g @ transpose(w);
  grad_w = transpose(x) @ g;
  grad_bias[j] = sum[i](g[i, j]);
}

// Each row of q attends to the rows of k and v of its sequence b; l is the logarithm of the sum of exponentials.
kernel attention(
  q:     f32[B, M, D],
  k:     f32[B, N, D],
  v:     f32[B, N, E],
  scale: f32
) -> o: f32[B, M, E], l: f32[B, M] {

  let s[b, i, j] = scale * sum[d](q[b, i, d] * k[b, j, d]);
  let p[b, i, j] = softmax[j](s[b, i, j]);
  o[b, i, e] = sum[j](p[b, i, j] * v[b, j, e]);
  l[b, i] = logsumexp[j](s[b, i, j]);
}

kernel attention_queries(
  q:      f32[B, M, D],
  k:      f32[B, N, D],
  v:      f32[B, N, E],
  scale:  f32,
  o:      f32[B, M, E],
  l:      f32[B, M],
  grad_o: f32[B, M, E]
) -> grad_q: f32[B, M, D] {

  let delta[b, i] = sum[e](o[b, i, e] * grad_o[b, i, e]);
  let s[b, i, j] = scale * sum[d](q[b, i, d] * k[b, j, d]);
  let p[b, i, j] = exp(s[b, i, j] - l[b, i]);
  let dp[b, i, j] = sum[e](grad_o[b, i, e] * v[b, j, e]);
  let ds[b, i, j] = scale * p[b, i, j] * (dp[b, i, j] - delta[b, i]);
  grad_q[b, i, d] = sum[j](ds[b, i, j] * k[b, j, d]);
}

kernel attention_keys(
  q:      f32[B, M, D],
  k:      f32[B, N, D],
  v:      f32[B, N, E],
  scale:  f32,
  o:      f32[B, M, E],
  l:      f32[B, M],
  grad_o: f32[B, M, E]
) -> grad_k: f32[B, N, D], grad_v: f32[B, N, E] {

  let delta[b, i] = sum[e](o[b, i, e] * grad_o[b, i, e]);
  let s[b, j, i] = scale * sum[d](k[b, j, d] * q[b, i, d]);
  let p[b, j, i] = exp(s[b, j, i] - l[b, i]);
  let dp[b, j, i] = sum[e](v[b, j, e] * grad_o[b, i, e]);
  let ds[b, j, i] = scale * p[b, j, i] * (dp[b, j, i] - delta[b, i]);
  grad_k[b, j, d] = sum[i](ds[b, j, i] * q[b, i, d]);
  grad_v[b, j, e] = sum[i](p[b, j, i] * grad_o[b, i, e]);
}
