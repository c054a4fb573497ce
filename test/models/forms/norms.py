"""Softmax, norms and moments: rows that are read once. See forms/table.py."""
from forms.table import Form, several

ROWS = "float[256,768] x"
AFFINE = "float[256,768] x, float[768] s, float[768] b"
IMAGES = "float[2,32,14,14] x, float[32] s, float[32] b"

CENTRED = "m = ReduceMean (x, last) d = Sub (x, m)"
SQUARES = f"{CENTRED} dd = Mul (d, d) v = ReduceMean (dd, last)"
MOMENTS = """m = ReduceMean (x, last) xx = Mul (x, x) mm = ReduceMean (xx, last) m2 = Mul (m, m)
    v = Sub (mm, m2) d = Sub (x, m)"""
AFTER = "z = Mul (n, s) y = Add (z, b)"
RMS = "xx = Mul (x, x) mm = ReduceMean (xx, last) e = Add (mm, eps)"

FORMS = {
    "softmax": Form(ROWS, "float[256,768] y", {
        "the op": "y = Softmax <axis = -1> (x)",
        "less the maximum": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) y = Div (e, s)""",
        "without the maximum": "e = Exp (x) s = ReduceSum (e, last) y = Div (e, s)",
        "times the reciprocal of the sum": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) r = Reciprocal (s)
            y = Mul (e, r)""",
        "exp of log-softmax": "l = LogSoftmax <axis = -1> (x) y = Exp (l)",
        "plus the negated maximum": """
            m = ReduceMax (x, last) n = Neg (m) d = Add (x, n) e = Exp (d) s = ReduceSum (e, last) y = Div (e, s)""",
        "of scaled logits": "t = Mul (x, half) y = Softmax <axis = -1> (t)",
        "of columns": "y = Softmax <axis = 0> (x)",
        "of a transposed tensor": """
            t = Transpose <perm = [1, 0]> (x) u = Softmax <axis = 0> (t) y = Transpose <perm = [1, 0]> (u)""",
        "of halves, in single precision": """
            h = Cast <to = 10> (x) f = Cast <to = 1> (h) p = Softmax <axis = -1> (f) n = Cast <to = 10> (p)
            y = Cast <to = 1> (n)""",
    }),
    "log-softmax": Form(ROWS, "float[256,768] y", {
        "the op": "y = LogSoftmax <axis = -1> (x)",
        "x - max - log(sum(exp(x - max)))": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) l = Log (s) y = Sub (d, l)""",
        "log(softmax(x))": "p = Softmax <axis = -1> (x) y = Log (p)",
        "x - (max + log(sum(exp(x - max))))": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) l = Log (s)
            z = Add (l, m) y = Sub (x, z)""",
        "x - logsumexp(x)": "z = ReduceLogSumExp (x, last) y = Sub (x, z)",
    }),
    "log-sum-exp": Form(ROWS, "float[256] y", {
        "the op": "y = ReduceLogSumExp <keepdims = 0> (x, last)",
        "log(sum(exp(x)))": "e = Exp (x) s = ReduceSum <keepdims = 0> (e, last) y = Log (s)",
        "max + log(sum(exp(x - max)))": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) l = Log (s)
            z = Add (l, m) y = Squeeze (z, last)""",
    }),
    "softmax and log-sum-exp": Form(ROWS, "float[256,768] y, float[256,1] z", {
        "both": """
            m = ReduceMax (x, last) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, last) y = Div (e, s)
            l = Log (s) z = Add (l, m)""",
    }),
    "layer norm": Form(ROWS, "float[256,768] y", {
        "the op": "y = LayerNormalization <axis = -1> (x, ones768)",
        "div by sqrt": f"{SQUARES} e = Add (v, eps) r = Sqrt (e) y = Div (d, r)",
        "mul by 1 / sqrt": f"{SQUARES} e = Add (v, eps) r = Sqrt (e) i = Div (one, r) y = Mul (d, i)",
        "mul by reciprocal of sqrt": f"{SQUARES} e = Add (v, eps) r = Sqrt (e) i = Reciprocal (r) y = Mul (d, i)",
        "pow(-0.5)": f"{SQUARES} e = Add (v, eps) r = Pow (e, minus_half) y = Mul (d, r)",
        "div by pow(0.5)": f"{SQUARES} e = Add (v, eps) r = Pow (e, half) y = Div (d, r)",
        "squares as pow(2)": f"""
            {CENTRED} dd = Pow (d, two) v = ReduceMean (dd, last) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "E[x^2] - E[x]^2": f"{MOMENTS} e = Add (v, eps) r = Sqrt (e) y = Div (d, r)",
        "mean as sum / n": """
            t = ReduceSum (x, last) m = Div (t, n768) d = Sub (x, m) dd = Mul (d, d) u = ReduceSum (dd, last)
            v = Div (u, n768) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "mean as sum * (1 / n)": """
            t = ReduceSum (x, last) m = Mul (t, by768) d = Sub (x, m) dd = Mul (d, d) u = ReduceSum (dd, last)
            v = Mul (u, by768) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "mean as a sum of x / n": """
            p = Mul (x, by768) m = ReduceSum (p, last) d = Sub (x, m) dd = Mul (d, d) q = Mul (dd, by768)
            v = ReduceSum (q, last) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "epsilon after the root": f"{SQUARES} r = Sqrt (v) e = Add (r, eps) y = Div (d, e)",
        "squares of a difference of its own": f"""
            {CENTRED} m1 = ReduceMean <keepdims = 0> (x, last) m2 = Unsqueeze (m1, last) d2 = Sub (x, m2)
            dd = Mul (d2, d2) v = ReduceMean (dd, last) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "the distance of mean and mean of squares as ReduceSumSquare": f"""
            {CENTRED} u = ReduceSumSquare (d, last) v = Div (u, n768) e = Add (v, eps) r = Sqrt (e) y = Div (d, r)""",
        "in single precision between halves": """
            h = Cast <to = 10> (x) f = Cast <to = 1> (h) m = ReduceMean (f, last) d = Sub (f, m) dd = Mul (d, d)
            v = ReduceMean (dd, last) e = Add (v, eps) r = Sqrt (e) q = Div (d, r) g = Cast <to = 10> (q)
            y = Cast <to = 1> (g)""",
    }),
    "layer norm with scale and bias": Form(AFFINE, "float[256,768] y", {
        "the op": "y = LayerNormalization <axis = -1> (x, s, b)",
        "div by sqrt": f"{SQUARES} e = Add (v, eps) r = Sqrt (e) n = Div (d, r) {AFTER}",
        "pow(-0.5)": f"{SQUARES} e = Add (v, eps) r = Pow (e, minus_half) n = Mul (d, r) {AFTER}",
        "E[x^2] - E[x]^2": f"{MOMENTS} e = Add (v, eps) r = Sqrt (e) n = Div (d, r) {AFTER}",
        "scale times 1 / sqrt first": f"""
            {SQUARES} e = Add (v, eps) r = Sqrt (e) i = Reciprocal (r) si = Mul (s, i) z = Mul (d, si)
            y = Add (z, b)""",
        "x * a + (b - mean * a)": f"""
            {SQUARES} e = Add (v, eps) r = Sqrt (e) i = Reciprocal (r) a = Mul (s, i) ma = Mul (m, a)
            c = Sub (b, ma) xa = Mul (x, a) y = Add (xa, c)""",
        "of a sum of two": f"""
            t = Mul (x, two) m = ReduceMean (t, last) d = Sub (t, m) dd = Mul (d, d) v = ReduceMean (dd, last)
            e = Add (v, eps) r = Sqrt (e) n = Div (d, r) {AFTER}""",
    }),
    "layer norm with its moments": Form(ROWS, "float[256,768] y, float[256,1] m, float[256,1] i", {
        "the op": "y, m, i = LayerNormalization <axis = -1> (x, ones768)",
        "1 / sqrt": f"{SQUARES} e = Add (v, eps) r = Sqrt (e) i = Reciprocal (r) y = Mul (d, i)",
    }),
    "rms norm": Form("float[256,768] x, float[768] s", "float[256,768] y", {
        "x * rsqrt * s": f"{RMS} r = Sqrt (e) i = Reciprocal (r) n = Mul (x, i) y = Mul (n, s)",
        "x / sqrt": f"{RMS} r = Sqrt (e) n = Div (x, r) y = Mul (n, s)",
        "s * x * pow(-0.5)": f"{RMS} r = Pow (e, minus_half) n = Mul (x, r) y = Mul (s, n)",
        "squares as pow(2)": """
            xx = Pow (x, two) mm = ReduceMean (xx, last) e = Add (mm, eps) r = Sqrt (e) n = Div (x, r) y = Mul (n, s)""",
        "ReduceSumSquare": """
            t = ReduceSumSquare (x, last) mm = Div (t, n768) e = Add (mm, eps) r = Sqrt (e) n = Div (x, r)
            y = Mul (n, s)""",
        "x * sqrt(n) / norm": "r = ReduceL2 (x, last) p = Mul (x, root768) n = Div (p, r) y = Mul (n, s)",
        "in single precision between halves": """
            h = Cast <to = 10> (x) f = Cast <to = 1> (h) xx = Mul (f, f) mm = ReduceMean (xx, last)
            e = Add (mm, eps) r = Sqrt (e) i = Reciprocal (r) n = Mul (f, i) g = Cast <to = 10> (n)
            w = Cast <to = 10> (s) z = Mul (g, w) y = Cast <to = 1> (z)""",
    }),
    "residual and norm, both wanted": Form(
        "float[256,768] x, float[256,768] r, float[768] s, float[768] b", "float[256,768] t, float[256,768] y", {
            "layer norm": "t = Add (x, r) y = LayerNormalization <axis = -1> (t, s, b)",
            "rms norm": """
                t = Add (x, r) tt = Mul (t, t) mm = ReduceMean (tt, last) e = Add (mm, eps) q = Sqrt (e)
                n = Div (t, q) z = Mul (n, s) y = Add (z, b)""",
        }),
    "variance": Form(ROWS, "float[256] y", {
        "mean of (x - mean)^2": f"{CENTRED} dd = Mul (d, d) y = ReduceMean <keepdims = 0> (dd, last)",
        "unbiased": f"{CENTRED} dd = Mul (d, d) u = ReduceSum <keepdims = 0> (dd, last) y = Div (u, n767)",
        "E[x^2] - E[x]^2": """
            m = ReduceMean <keepdims = 0> (x, last) xx = Mul (x, x) mm = ReduceMean <keepdims = 0> (xx, last)
            m2 = Mul (m, m) y = Sub (mm, m2)""",
        "E[x^2] - E[x]^2 with pow": """
            m = ReduceMean <keepdims = 0> (x, last) xx = Pow (x, two) mm = ReduceMean <keepdims = 0> (xx, last)
            m2 = Pow (m, two) y = Sub (mm, m2)""",
        "unbiased from sums": """
            t = ReduceSum <keepdims = 0> (x, last) q = ReduceSumSquare <keepdims = 0> (x, last) tt = Mul (t, t)
            c = Div (tt, n768) u = Sub (q, c) y = Div (u, n767)""",
        "square of the deviation": f"""
            {CENTRED} dd = Mul (d, d) v = ReduceMean <keepdims = 0> (dd, last) r = Sqrt (v) y = Mul (r, r)""",
    }),
    "variance of columns": Form(ROWS, "float[768] y", {
        "mean of (x - mean)^2": """
            m = ReduceMean (x, first) d = Sub (x, m) dd = Mul (d, d) y = ReduceMean <keepdims = 0> (dd, first)""",
        "E[x^2] - E[x]^2": """
            m = ReduceMean <keepdims = 0> (x, first) xx = Mul (x, x) mm = ReduceMean <keepdims = 0> (xx, first)
            m2 = Mul (m, m) y = Sub (mm, m2)""",
    }),
    "standard deviation": Form(ROWS, "float[256] y", {
        "root of mean of (x - mean)^2": f"""
            {CENTRED} dd = Mul (d, d) v = ReduceMean <keepdims = 0> (dd, last) y = Sqrt (v)""",
        "unbiased": f"""
            {CENTRED} dd = Mul (d, d) u = ReduceSum <keepdims = 0> (dd, last) v = Div (u, n767) y = Sqrt (v)""",
        "norm of x - mean": f"{CENTRED} q = ReduceL2 <keepdims = 0> (d, last) y = Div (q, root768)",
    }),
    "mean and variance": Form(ROWS, "float[256] m, float[256] v", {
        "mean of (x - mean)^2": """
            m = ReduceMean <keepdims = 0> (x, last) k = ReduceMean (x, last) d = Sub (x, k) dd = Mul (d, d)
            v = ReduceMean <keepdims = 0> (dd, last)""",
        "the mean unsqueezed": """
            m = ReduceMean <keepdims = 0> (x, last) k = Unsqueeze (m, last) d = Sub (x, k) dd = Mul (d, d)
            v = ReduceMean <keepdims = 0> (dd, last)""",
        "unbiased": """
            m = ReduceMean <keepdims = 0> (x, last) k = ReduceMean (x, last) d = Sub (x, k) dd = Mul (d, d)
            u = ReduceSum <keepdims = 0> (dd, last) v = Div (u, n767)""",
        "E[x^2] - E[x]^2": """
            m = ReduceMean <keepdims = 0> (x, last) xx = Mul (x, x) mm = ReduceMean <keepdims = 0> (xx, last)
            m2 = Mul (m, m) v = Sub (mm, m2)""",
        "deviation": """
            m = ReduceMean <keepdims = 0> (x, last) k = ReduceMean (x, last) d = Sub (x, k) dd = Mul (d, d)
            q = ReduceMean <keepdims = 0> (dd, last) v = Sqrt (q)""",
    }),
    "mean and variance, kept dims": Form(ROWS, "float[256,1] m, float[256,1] v", {
        "mean of (x - mean)^2": SQUARES,
        "E[x^2] - E[x]^2": """
            m = ReduceMean (x, last) xx = Mul (x, x) mm = ReduceMean (xx, last) m2 = Mul (m, m) v = Sub (mm, m2)""",
    }),
    "mean and variance of batches": Form("float[8,32,14,14] x", "float[1,32,1,1] m, float[1,32,1,1] v", {
        "mean of (x - mean)^2": """
            m = ReduceMean (x, batch_axes) d = Sub (x, m) dd = Mul (d, d) v = ReduceMean (dd, batch_axes)""",
        "E[x^2] - E[x]^2": """
            m = ReduceMean (x, batch_axes) xx = Mul (x, x) mm = ReduceMean (xx, batch_axes) m2 = Mul (m, m)
            v = Sub (mm, m2)""",
    }),
    "mean, variance, minimum and maximum": Form(
        ROWS, "float[256] m, float[256] v, float[256] low, float[256] high", {
            "four outputs": """
                m = ReduceMean <keepdims = 0> (x, last) k = ReduceMean (x, last) d = Sub (x, k) dd = Mul (d, d)
                v = ReduceMean <keepdims = 0> (dd, last) low = ReduceMin <keepdims = 0> (x, last)
                high = ReduceMax <keepdims = 0> (x, last)""",
        }),
    "group norm": Form(IMAGES, "float[2,32,14,14] y", {
        "by reshapes": """
            g = Reshape (x, groups) m = ReduceMean (g, last) d = Sub (g, m) dd = Mul (d, d) v = ReduceMean (dd, last)
            e = Add (v, eps) r = Sqrt (e) q = Div (d, r) n = Reshape (q, images) s2 = Reshape (s, channels)
            b2 = Reshape (b, channels) z = Mul (n, s2) y = Add (z, b2)""",
        "as InstanceNormalization of groups": """
            g = Reshape (x, groups) i = InstanceNormalization (g, ones8, zeros8) n = Reshape (i, images)
            s2 = Reshape (s, channels) b2 = Reshape (b, channels) z = Mul (n, s2) y = Add (z, b2)""",
    }),
    "instance norm": Form(IMAGES, "float[2,32,14,14] y", {
        "the op": "y = InstanceNormalization (x, s, b)",
        "op by op": """
            m = ReduceMean (x, image_axes) d = Sub (x, m) dd = Mul (d, d) v = ReduceMean (dd, image_axes)
            e = Add (v, eps) r = Sqrt (e) n = Div (d, r) s2 = Reshape (s, channels) b2 = Reshape (b, channels)
            z = Mul (n, s2) y = Add (z, b2)""",
    }),
    "l2 normalize": Form(ROWS, "float[256,768] y", {
        "x / norm": "r = ReduceL2 (x, last) y = Div (x, r)",
        "the op": "y = LpNormalization <axis = -1, p = 2> (x)",
        "x / max(norm, eps)": "r = ReduceL2 (x, last) m = Max (r, eps) y = Div (x, m)",
        "x / sqrt(sum(x^2))": "xx = Mul (x, x) u = ReduceSum (xx, last) r = Sqrt (u) y = Div (x, r)",
        "x * rsqrt(sum(x^2) + eps)": """
            xx = Mul (x, x) u = ReduceSum (xx, last) e = Add (u, eps) r = Pow (e, minus_half) y = Mul (x, r)""",
    }),
    "cosine similarity": Form("float[256,768] x, float[256,768] z", "float[256] y", {
        "product of norms": """
            p = Mul (x, z) t = ReduceSum <keepdims = 0> (p, last) a = ReduceL2 <keepdims = 0> (x, last)
            b = ReduceL2 <keepdims = 0> (z, last) n = Mul (a, b) y = Div (t, n)""",
        "product of norms, not below epsilon": """
            p = Mul (x, z) t = ReduceSum <keepdims = 0> (p, last) a = ReduceL2 <keepdims = 0> (x, last)
            b = ReduceL2 <keepdims = 0> (z, last) n = Mul (a, b) m = Max (n, eps) y = Div (t, m)""",
        "root of the product of sums of squares": """
            p = Mul (x, z) t = ReduceSum <keepdims = 0> (p, last) a = ReduceSumSquare <keepdims = 0> (x, last)
            b = ReduceSumSquare <keepdims = 0> (z, last) n = Mul (a, b) r = Sqrt (n) y = Div (t, r)""",
        "of normalized rows": """
            a = ReduceL2 (x, last) b = ReduceL2 (z, last) i = Div (x, a) j = Div (z, b) p = Mul (i, j)
            y = ReduceSum <keepdims = 0> (p, last)""",
    }),
}
