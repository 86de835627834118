// Activations and other functions that every kernel may call, written in the language itself.
//
// Each keeps NaN: min and max propagate it, and a comparison, which NaN fails, leads to the branch
// that computes with it. Each is right for large |x|, where an exponential leaves f32.

fn square(x) = x * x;
fn reciprocal(x) = 1 / x;
fn rsqrt(x) = 1 / sqrt(x);

fn clamp(x, low, high) = min(max(x, low), high);
fn relu(x) = max(x, 0);
fn relu6(x) = clamp(x, 0, 6);
fn leaky_relu(x, alpha) = select(x >= 0, x, alpha * x);

// For x > 0 the exponential is not used; the clamp keeps it finite.
fn elu(x, alpha) = select(x > 0, x, alpha * expm1(min(x, 0)));
fn celu(x, alpha) = select(x > 0, x, alpha * expm1(min(x, 0) / alpha));
fn selu(x) = 1.0507009873554805 * elu(x, 1.6732632423543772);

// Far below zero exp(-x) is infinite, and the quotient is 0, as it should be.
fn sigmoid(x) = 1 / (1 + exp(-x));
fn silu(x) = x / (1 + exp(-x));
fn swish(x, beta) = x / (1 + exp(-beta * x));

// log(1 + exp(x)), with an exponent that is never positive.
fn softplus(x) = max(x, 0) + log1p(exp(-abs(x)));
fn log_sigmoid(x) = min(x, 0) - log1p(exp(-abs(x)));

// -(y log(p) + (1 - y) log(1 - p)) of probabilities, and the same of p = sigmoid(x). As in PyTorch, a
// logarithm is not below -100.
fn binary_cross_entropy(p, y) = -(y * max(log(p), -100) + (1 - y) * max(log1p(-p), -100));
fn binary_cross_entropy_with_logits(x, y) = max(x, 0) - x * y + log1p(exp(-abs(x)));

// x tanh(softplus(x)): of e = exp(x), tanh(log(1 + e)) is n / (n + 2), n = e (e + 2). From 20 on it
// is 1 in f32, and the square of a larger e would soon be infinite.
fn mish(x) =
    x * (exp(min(x, 20)) * (exp(min(x, 20)) + 2) / (exp(min(x, 20)) * (exp(min(x, 20)) + 2) + 2));
fn softsign(x) = x / (1 + abs(x));

fn gelu(x) = 0.5 * x * (1 + erf(x * 0.7071067811865476));
fn gelu_tanh(x) = 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));

fn hardsigmoid(x) = clamp(x / 6 + 0.5, 0, 1);
fn hardswish(x) = x * hardsigmoid(x);
fn hardtanh(x) = clamp(x, -1, 1);

// Reductions. Each is over the dimensions in its brackets, all together.

// The largest of a row is taken off first, so that no exponential is above 1. Over nothing, or over
// -inf alone, that is 0, and so is each weight; of any other row the sum is at least 1.
fn softmax[D](x) = exp(x - above_none(max[D](x))) / max(sum[D](exp(x - above_none(max[D](x)))), 1);
fn log_softmax[D](x) =
    x - above_none(max[D](x)) - log(max(sum[D](exp(x - above_none(max[D](x)))), 1));
fn above_none(x) = select(x == -inf, 0, x);

// An infinite one is not taken off: of a row of -inf the result is -inf, of one with inf it is inf.
fn logsumexp[D](x) = finite_or_zero(max[D](x)) + log(sum[D](exp(x - finite_or_zero(max[D](x)))));
fn finite_or_zero(x) = select(abs(x) == inf, 0, x);

fn variance[D](x) = mean[D](square(x - mean[D](x)));
fn layer_norm[D](x, weight, bias, epsilon) =
    (x - mean[D](x)) * rsqrt(variance[D](x) + epsilon) * weight + bias;
fn rms_norm[D](x, weight, epsilon) = x * rsqrt(mean[D](square(x)) + epsilon) * weight;
fn l2_normalize[D](x, epsilon) = x / max(sqrt(sum[D](square(x))), epsilon);

// Windows of k x k elements, every s rows and columns, and each element k x k times.
fn max_pool(x[B, C, H, W], k: int, s: int)[n, c, p: (H - k) / s + 1, q: (W - k) / s + 1] =
    max[r: k, t: k](x[n, c, s*p + r, s*q + t]);
fn avg_pool(x[B, C, H, W], k: int, s: int)[n, c, p: (H - k) / s + 1, q: (W - k) / s + 1] =
    mean[r: k, t: k](x[n, c, s*p + r, s*q + t]);

// The same with `padding` rows and columns on each side, which are no maximum, and zeros of a mean.
fn max_pool2d(x[B, C, H, W], k: int, stride: int, padding: int)
    [n, c, p: (H + 2*padding - k) / stride + 1, q: (W + 2*padding - k) / stride + 1] =
    max[r: k, t: k](pad(x, -inf)[n, c, stride*p + r - padding, stride*q + t - padding]);
fn avg_pool2d(x[B, C, H, W], k: int, stride: int, padding: int)
    [n, c, p: (H + 2*padding - k) / stride + 1, q: (W + 2*padding - k) / stride + 1] =
    mean[r: k, t: k](pad(x, 0)[n, c, stride*p + r - padding, stride*q + t - padding]);
fn upsample(x[B, C, H, W], k: int)[n, c, p: k*H, q: k*W] = x[n, c, p / k, q / k];

// Convolutions, with `padding` zeros on each side of each spatial dimension. They are products, so
// that both operands have one type.
fn conv1d(x[B, C, W], w[O, C, S], stride: int, padding: int, dilation: int)
    [n, o, q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1] =
    sum[c, s](pad(x, 0)[n, c, stride*q + dilation*s - padding] * w[o, c, s]);
fn conv2d(x[B, C, H, W], w[O, C, R, S], stride: int, padding: int, dilation: int)
    [n, o, p: (H + 2*padding - dilation*(R - 1) - 1) / stride + 1,
     q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1] =
    sum[c, r, s](pad(x, 0)[n, c, stride*p + dilation*r - padding, stride*q + dilation*s - padding]
                 * w[o, c, r, s]);
fn conv3d(x[B, C, D, H, W], w[O, C, T, R, S], stride: int, padding: int, dilation: int)
    [n, o, d: (D + 2*padding - dilation*(T - 1) - 1) / stride + 1,
     p: (H + 2*padding - dilation*(R - 1) - 1) / stride + 1,
     q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1] =
    sum[c, t, r, s](pad(x, 0)[n, c, stride*d + dilation*t - padding,
                              stride*p + dilation*r - padding, stride*q + dilation*s - padding]
                    * w[o, c, t, r, s]);

// Channels last, and weights with the results last.
fn conv2d_nhwc(x[B, H, W, C], w[R, S, C, O], stride: int, padding: int, dilation: int)
    [n, p: (H + 2*padding - dilation*(R - 1) - 1) / stride + 1,
     q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1, o] =
    sum[r, s, c](pad(x, 0)[n, stride*p + dilation*r - padding, stride*q + dilation*s - padding, c]
                 * w[r, s, c, o]);

// G groups of channels, each with its own results: the memory of [B, G*C, H, W] and [G*O, C, R, S].
fn grouped_conv2d(x[B, G, C, H, W], w[G, O, C, R, S], stride: int, padding: int, dilation: int)
    [n, g, o, p: (H + 2*padding - dilation*(R - 1) - 1) / stride + 1,
     q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1] =
    sum[c, r, s](pad(x, 0)[n, g, c, stride*p + dilation*r - padding,
                           stride*q + dilation*s - padding]
                 * w[g, o, c, r, s]);
// Each channel by itself.
fn depthwise_conv2d(x[B, C, H, W], w[C, R, S], stride: int, padding: int, dilation: int)
    [n, c, p: (H + 2*padding - dilation*(R - 1) - 1) / stride + 1,
     q: (W + 2*padding - dilation*(S - 1) - 1) / stride + 1] =
    sum[r, s](pad(x, 0)[n, c, stride*p + dilation*r - padding, stride*q + dilation*s - padding]
              * w[c, r, s]);

// The gradient of conv2d to x. Results of one phase, p % stride and q % stride, take the same taps:
// every stride-th one. So only taps that are there are multiplied.
fn conv_transpose2d(x[B, C, H, W], w[C, O, R, S], stride: int, padding: int)
    [n, o, p: stride*(H - 1) + R - 2*padding, q: stride*(W - 1) + S - 2*padding] =
    conv_transpose2d_phases(x, w, stride, padding)[n, o, p / stride, p % stride, q / stride,
                                                   q % stride];
fn conv_transpose2d_phases(x[B, C, H, W], w[C, O, R, S], stride: int, padding: int)
    [n, o, u: (stride*H + R - 2*padding - 1) / stride, a: stride,
     v: (stride*W + S - 2*padding - 1) / stride, b: stride] =
    sum[c, r: (R + stride - 1) / stride, s: (S + stride - 1) / stride](
        pad(x, 0)[n, c, u + (a + padding) / stride - r, v + (b + padding) / stride - s]
        * pad(w, 0)[c, o, stride*r + (a + padding) % stride, stride*s + (b + padding) % stride]);

// Each element is 0 with the probability p; the others make up for those.
fn dropout[D](x, p, seed) = select(random[D](seed) >= p, x / (1 - p), 0);
