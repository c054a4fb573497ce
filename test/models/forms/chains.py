"""Elementwise ops and what joins them: one kernel each. See forms/table.py."""
from forms.table import Form, several

ROWS = "float[256,768] x"
OUT = "float[256,768] y"

FORMS = {
    "gelu": Form(ROWS, OUT, {
        "x * (1 + erf(x / sqrt(2))) / 2": """
            t = Div (x, root2) e = Erf (t) a = Add (e, one) p = Mul (x, a) y = Mul (p, half)""",
        "x / 2 * (1 + erf(x * sqrt(1/2)))": """
            t = Mul (x, root_half) e = Erf (t) a = Add (e, one) h = Mul (x, half) y = Mul (h, a)""",
        "tanh": """
            c = Pow (x, three) d = Mul (c, gelu_cubic) s = Add (x, d) u = Mul (s, gelu_scale) t = Tanh (u)
            a = Add (t, one) h = Mul (x, half) y = Mul (h, a)""",
        "tanh with products": """
            xx = Mul (x, x) c = Mul (xx, x) d = Mul (c, gelu_cubic) s = Add (x, d) u = Mul (s, gelu_scale)
            t = Tanh (u) a = Add (t, one) p = Mul (x, a) y = Mul (p, half)""",
        "x * sigmoid(1.702 x)": "t = Mul (x, gelu_quick) g = Sigmoid (t) y = Mul (x, g)",
    }),
    "silu": Form(ROWS, OUT, {
        "x * sigmoid(x)": "g = Sigmoid (x) y = Mul (x, g)",
        "x / (1 + exp(-x))": "n = Neg (x) e = Exp (n) d = Add (e, one) y = Div (x, d)",
        "x * (tanh(x / 2) + 1) / 2": "t = Mul (x, half) u = Tanh (t) a = Add (u, one) p = Mul (x, a) y = Mul (p, half)",
    }),
    "mish": Form(ROWS, OUT, {
        "the op": "y = Mish (x)",
        "x * tanh(softplus(x))": "s = Softplus (x) t = Tanh (s) y = Mul (x, t)",
        "x * tanh(log(1 + exp(x)))": "e = Exp (x) a = Add (e, one) l = Log (a) t = Tanh (l) y = Mul (x, t)",
    }),
    "hardswish": Form(ROWS, OUT, {
        "the op": "y = HardSwish (x)",
        "x * hardsigmoid(x)": "g = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, g)",
        "x * clip(x + 3, 0, 6) / 6": "a = Add (x, three) c = Clip (a, zero, six) p = Mul (x, c) y = Div (p, six)",
    }),
    "gated unit": Form("float[256,768] x", "float[256,384] y", {
        "halves of one tensor": """
            a, b = Split <axis = 1, num_outputs = 2> (x) g = Sigmoid (b) y = Mul (a, g)""",
    }),
    "dropout at inference": Form("float[256,768] x, float[256,768] r", OUT, {
        "between two ops": "a = Relu (x) d = Dropout (a) y = Add (d, r)",
    }),
    "a chain of thirty ops": Form(ROWS, OUT, {
        "sines and sums": " ".join(
            f"a{i} = Sin ({'x' if i == 0 else f'b{i - 1}'}) b{i} = Add (a{i}, x)" for i in range(15)) + " y = Neg (b14)",
    }),
    "residual and norm": Form("float[256,768] x, float[256,768] r, float[768] s, float[768] b", OUT, {
        "layer norm": "t = Add (x, r) y = LayerNormalization <axis = -1> (t, s, b)",
        "rms norm": """
            t = Add (x, r) tt = Mul (t, t) mm = ReduceMean (tt, last) e = Add (mm, eps) q = Sqrt (e)
            n = Div (t, q) z = Mul (n, s) y = Add (z, b)""",
        "dropout before it": "d = Dropout (x) t = Add (d, r) y = LayerNormalization <axis = -1> (t, s, b)",
    }),
    "softmax cross-entropy": Form("float[96,200] x, int64[96] t", "float[96] y", {
        "the op": """y = SoftmaxCrossEntropyLoss <reduction = "none"> (x, t)""",
        "one-hot times log-softmax": """
            l = LogSoftmax <axis = -1> (x) h = OneHot (t, depth200, off_on) p = Mul (l, h)
            u = ReduceSum <keepdims = 0> (p, last) y = Neg (u)""",
        "gathered log-softmax": """
            l = LogSoftmax <axis = -1> (x) i = Unsqueeze (t, last) g = GatherElements <axis = 1> (l, i)
            f = Squeeze (g, last) y = Neg (f)""",
    }),
    "squared error": Form("float[256,768] x, float[256,768] r", "float y", {
        "mean of (x - r)^2": "d = Sub (x, r) dd = Mul (d, d) y = ReduceMean <keepdims = 0> (dd)",
        "pow(2)": "d = Sub (x, r) dd = Pow (d, two) y = ReduceMean <keepdims = 0> (dd)",
    }),
    "two functions of one tensor": Form(ROWS, "float[256,768] y, float[256,768] z", {
        "sine and cosine": "y = Sin (x) z = Cos (x)",
    }),
    "quantize and dequantize": Form(ROWS, OUT, {
        "with one scale": """
            c = QuantizeLinear (x, by768, zero_u8) y = DequantizeLinear (c, by768, zero_u8)""",
    }),
    "rotated positions": Form("float[2,4,48,32] x, float[48,32] cos, float[48,32] sin", "float[2,4,48,32] y", {
        "halves swapped by concat": """
            a, b = Split <axis = 3, num_outputs = 2> (x) n = Neg (b) s = Concat <axis = 3> (n, a)
            p = Mul (x, cos) q = Mul (s, sin) y = Add (p, q)""",
    }),
}
