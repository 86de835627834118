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
fn elu(x, alpha) = select(x > 0, x, alpha * (exp(min(x, 0)) - 1));
fn selu(x) = 1.0507009873554805 * elu(x, 1.6732632423543772);

// Far below zero exp(-x) is infinite, and the quotient is 0, as it should be.
fn sigmoid(x) = 1 / (1 + exp(-x));
fn silu(x) = x / (1 + exp(-x));
fn swish(x, beta) = x / (1 + exp(-beta * x));

// log(1 + exp(x)), with an exponent that is never positive.
fn softplus(x) = max(x, 0) + log(1 + exp(-abs(x)));

// x tanh(softplus(x)): of e = exp(x), tanh(log(1 + e)) is n / (n + 2), n = e (e + 2). From 20 on it
// is 1 in f32, and the square of a larger e would soon be infinite.
fn mish(x) = x * (exp(min(x, 20)) * (exp(min(x, 20)) + 2)
                  / (exp(min(x, 20)) * (exp(min(x, 20)) + 2) + 2));
fn softsign(x) = x / (1 + abs(x));

fn gelu(x) = 0.5 * x * (1 + erf(x * 0.7071067811865476));
fn gelu_tanh(x) = 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));

fn hardsigmoid(x) = clamp(x / 6 + 0.5, 0, 1);
fn hardswish(x) = x * hardsigmoid(x);
fn hardtanh(x) = clamp(x, -1, 1);

// Reductions. Each is over the dimensions in its brackets, all together.

// The largest of a row is taken off first, so that no exponential is above 1.
fn softmax[D](x) = exp(x - max[D](x)) / sum[D](exp(x - max[D](x)));
fn log_softmax[D](x) = x - max[D](x) - log(sum[D](exp(x - max[D](x))));

// An infinite one is not: of a row of -inf the result is -inf, of one with inf it is inf.
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
fn upsample(x[B, C, H, W], k: int)[n, c, p: k*H, q: k*W] = x[n, c, p / k, q / k];

// Each element is 0 with the probability p; the others make up for those.
fn dropout[D](x, p, seed) = select(random[D](seed) >= p, x / (1 - p), 0);
