// Activations and other functions that every kernel may call, written in the language itself.
//
// Each keeps NaN: min and max propagate it, and no comparison hides it. Each is right for large
// |x| too: exp gets no argument that overflows where the result would not.

fn square(x) = x * x;
fn reciprocal(x) = 1 / x;
fn rsqrt(x) = 1 / sqrt(x);

fn clamp(x, low, high) = min(max(x, low), high);
fn relu(x) = max(x, 0);
fn relu6(x) = clamp(x, 0, 6);
fn leaky_relu(x, alpha) = select(x >= 0, x, alpha * x);

// exp is only asked for x <= 0 where its result is used; expm1 near 0 is not needed in f32 terms.
fn elu(x, alpha) = select(x > 0, x, alpha * (exp(min(x, 0)) - 1));
fn selu(x) = 1.0507009873554805 * elu(x, 1.6732632423543772);

// tanh saturates instead of overflowing, and this is the same function as 1 / (1 + exp(-x)).
fn sigmoid(x) = 0.5 * tanh(0.5 * x) + 0.5;
fn silu(x) = x * sigmoid(x);
fn swish(x, beta) = x * sigmoid(beta * x);
fn mish(x) = x * tanh(softplus(x));

// log(1 + exp(x)), with the exponent kept at or below 0.
fn softplus(x) = max(x, 0) + log(1 + exp(-abs(x)));
fn softsign(x) = x / (1 + abs(x));

fn gelu(x) = 0.5 * x * (1 + erf(x * 0.7071067811865476));
fn gelu_tanh(x) = 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));

fn hard_sigmoid(x) = clamp(x / 6 + 0.5, 0, 1);
fn hardswish(x) = x * hard_sigmoid(x);
fn hard_tanh(x) = clamp(x, -1, 1);
