"""Small graphs and the most kernels that a plan of them may have. By name: kernels, inputs, outputs,
nodes in ONNX's text form (opset 18). The names are those of the acceptance cases of the kernelizer's
specification; what is one kernel here was several in the system that it describes."""

SMALL = "float[8,16] x"
AXIS1 = "axes = Constant <value_ints = [1]> ()"

CASES = {
    "K1 exp": (1, SMALL, "float[8,16] y", "y = Exp (x)"),
    "K2 neg of exp": (1, SMALL, "float[8,16] y", "a = Exp (x) y = Neg (a)"),
    "K3 a value on the way is stored": (1, SMALL, "float[8,16] a, float[8,16] y", "a = Exp (x) y = Neg (a)"),
    "K4 two functions of one value": (1, SMALL, "float[8,16] p, float[8,16] q", """
        a = Exp (x) p = Neg (a) q = Sqrt (a)"""),
    "K5 a sum": (1, "float[8,16] x, float[8,16] y", "float[8,16] z", "z = Add (x, y)"),
    "K6 one tensor twice": (1, SMALL, "float[8,16] z", "z = Add (x, x)"),
    "K7 a constant": (1, SMALL, "float[8,16] z", "c = Constant <value_float = 2.5> () z = Mul (x, c)"),
    "K8 constants are nobody's home": (2, "float[4] x, float[8] y", "float[4] a, float[8] b", """
        c = Constant <value_float = 2.5> () a = Mul (x, c) b = Mul (y, c)"""),
    "K9 permute": (1, SMALL, "float[16,8] y", "y = Transpose <perm = [1, 0]> (x)"),
    "K10 sum of rows": (1, SMALL, "float[8] y", f"{AXIS1} y = ReduceSum <keepdims = 0> (x, axes)"),
    "K11 sum of columns": (1, SMALL, "float[16] y", """
        axes = Constant <value_ints = [0]> () y = ReduceSum <keepdims = 0> (x, axes)"""),
    "K12 sum of all": (1, SMALL, "float y", "y = ReduceSum <keepdims = 0> (x)"),
    "K13 softmax": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} m = ReduceMax (x, axes) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, axes) y = Div (e, s)"""),
    "K14 layer norm": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} mu = ReduceMean (x, axes) d = Sub (x, mu) dd = Mul (d, d) v = ReduceMean (dd, axes)
        eps = Constant <value_float = 0.00001> () ve = Add (v, eps) r = Sqrt (ve) y = Div (d, r)"""),
    "K15 product as a sum of products": (1, "float[4,8,1] a, float[1,8,16] b", "float[4,16] y", f"""
        p = Mul (a, b) {AXIS1} y = ReduceSum <keepdims = 0> (p, axes)"""),
    "K16 relu of product and bias": (1, "float[4,8] a, float[8,16] b, float[16] c", "float[4,16] y", """
        m = MatMul (a, b) s = Add (m, c) y = Relu (s)"""),
    "K17 product and bias": (1, "float[4,8] a, float[8,16] b, float[16] c", "float[4,16] y", """
        m = MatMul (a, b) y = Add (c, m)"""),
    "K18 reductions of two tensors": (1, "float[8,16] x, float[8,16] y", "float[8] z", f"""
        {AXIS1} s = ReduceSum <keepdims = 0> (x, axes) m = ReduceMax <keepdims = 0> (y, axes) z = Add (s, m)"""),
    "K19 a reduction of a reduction": (1, "float[4,8,2] x", "float[4] y", f"""
        last = Constant <value_ints = [2]> () s = ReduceSum <keepdims = 0> (x, last)
        {AXIS1} y = ReduceMax <keepdims = 0> (s, axes)"""),
    "K20 expand of exp": (1, "float[4,1] x", "float[4,8] y", """
        e = Exp (x) to = Constant <value_ints = [4, 8]> () y = Expand (e, to)"""),
    "K21 expand": (1, "float[4,1] x", "float[4,8] y", "to = Constant <value_ints = [4, 8]> () y = Expand (x, to)"),
    "K23 padding of exp": (1, "float[4] x", "float[6] y", """
        e = Exp (x) pads = Constant <value_ints = [1, 1]> () y = Pad (e, pads)"""),
    "K26 permuted and negated": (2, SMALL, "float[16,8] p, float[8,16] q", """
        e = Exp (x) p = Transpose <perm = [1, 0]> (e) q = Neg (e)"""),
    "K28 perceptron": (2, "float[4,8] x, float[8,16] w1, float[16,2] w2", "float[4,2] y", """
        h = MatMul (x, w1) r = Relu (h) y = MatMul (r, w2)"""),
    "K30 exp once": (1, SMALL, "float[8,16] y", "e = Exp (x) p = Mul (e, e) y = Add (p, e)"),
    "K31 scaled sum": (1, SMALL, "float[8] y", f"""
        {AXIS1} s = ReduceSum <keepdims = 0> (x, axes) c = Constant <value_float = 0.125> () y = Mul (s, c)"""),
    "K32 rows and their sum": (1, SMALL, "float[8,16] e, float[8] s", f"""
        e = Exp (x) {AXIS1} s = ReduceSum <keepdims = 0> (e, axes)"""),
    "K33 rows negated and their sum": (2, SMALL, "float[8,16] n, float[8] s", f"""
        e = Exp (x) {AXIS1} s = ReduceSum <keepdims = 0> (e, axes) n = Neg (e)"""),
    "K36 a function of a constant": (0, SMALL, "float y, float[8,16] z", """
        c = Constant <value_float = 1.5> () y = Exp (c) z = Identity (x)"""),
    "K37 halves of one tensor": (1, "float[8] x", "float[4] y", """
        a, b = Split <num_outputs = 2> (x) y = Add (a, b)"""),
    "K38 two values and their product": (2, "float[8,16] x, float[8,16] y",
                                         "float[8,16] p, float[8,16] q, float[8,16] r", """
        a = Exp (x) c = Exp (y) p = Neg (a) q = Neg (c) r = Mul (a, c)"""),
    "K40 stacked with what it is made of": (1, "float[1,16] x", "float[2,16] y", """
        e = Exp (x) y = Concat <axis = 0> (e, x)"""),
    "K41 a sum of what is stacked": (3, "float[1,16] x", "float[1,16] b, float[2,16] s", f"""
        a = Exp (x) b = Neg (a) {AXIS1} r = ReduceSum (b, axes) to = Constant <value_ints = [1, 16]> ()
        wide = Expand (r, to) s = Concat <axis = 0> (a, wide)"""),
    "K42 stacked with a function of an output": (2, "float[1,16] x", "float[1,16] b, float[2,16] s", """
        a = Exp (x) b = Neg (a) c = Sqrt (b) s = Concat <axis = 0> (a, c)"""),
    "K43 sum over a stack": (1, "float[1,4] x, float[1,4] y", "float[4] z", """
        s = Concat <axis = 0> (x, y) axes = Constant <value_ints = [0]> () z = ReduceSum <keepdims = 0> (s, axes)"""),
    "K50 permuted sum": (1, "float[4,8,2] x", "float[8,4] y", """
        last = Constant <value_ints = [2]> () s = ReduceSum <keepdims = 0> (x, last)
        y = Transpose <perm = [1, 0]> (s)"""),
    "K51 rows divided by their sum": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} s = ReduceSum (x, axes) y = Div (x, s)"""),
    "K52 a sum and its root": (1, SMALL, "float[8] r, float[8] o", f"""
        {AXIS1} r = ReduceSum <keepdims = 0> (x, axes) o = Sqrt (r)"""),
    "mlp layer with bias and gelu": (1, "float[128,768] x, float[768,3072] w, float[3072] b", "float[128,3072] y", """
        product = MatMul (x, w) sum = Add (product, b)
        root = Constant <value_float = 1.4142135> () scaled = Div (sum, root) erf = Erf (scaled)
        one = Constant <value_float = 1.0> () shifted = Add (erf, one) twice = Mul (sum, shifted)
        half = Constant <value_float = 0.5> () y = Mul (twice, half)"""),
    "layer norm and residual": (1, "float[128,768] x, float[128,768] r, float[768] s, float[768] b",
                                "float[128,768] y", """
        sum = Add (x, r) y = LayerNormalization <axis = -1> (sum, s, b)"""),
    "softmax": (1, "float[96,200] x", "float[96,200] y", "y = Softmax <axis = -1> (x)"),
    "log-sum-exp": (1, "float[96,200] x", "float[96] y", f"""
        {AXIS1} max = ReduceMax (x, axes) less = Sub (x, max) e = Exp (less)
        sum = ReduceSum <keepdims = 0> (e, axes) log = Log (sum) flat = Squeeze (max, axes) y = Add (log, flat)"""),
    "softmax cross-entropy": (1, "float[96,200] x, int64[96] t", "float y", "y = SoftmaxCrossEntropyLoss (x, t)"),
    "softmax cross-entropy of each row": (1, "float[96,200] x, int64[96] t", "float[96] y", """
        y = SoftmaxCrossEntropyLoss <reduction = "none"> (x, t)"""),
    "step of adam": (1, "float[512,300] p, float[512,300] g, float[512,300] m, float[512,300] v",
                     "float[512,300] p1, float[512,300] m1, float[512,300] v1", """
        b1 = Constant <value_float = 0.9> () c1 = Constant <value_float = 0.1> ()
        b2 = Constant <value_float = 0.999> () c2 = Constant <value_float = 0.001> ()
        eps = Constant <value_float = 0.00000001> () lr = Constant <value_float = 0.001> ()
        m2 = Mul (m, b1) g1 = Mul (g, c1) m1 = Add (m2, g1)
        v2 = Mul (v, b2) gg = Mul (g, g) g2 = Mul (gg, c2) v1 = Add (v2, g2)
        root = Sqrt (v1) below = Add (root, eps) step = Div (m1, below) scaled = Mul (step, lr) p1 = Sub (p, scaled)"""),
    "a sum and a maximum of the same rows": (1, "float[4000,100] x", "float[4000] s, float[4000] m", f"""
        {AXIS1} s = ReduceSum <keepdims = 0> (x, axes) m = ReduceMax <keepdims = 0> (x, axes)"""),
    "bottleneck of a residual network": (3, """
        float[1,256,28,28] x, float[64,256,1,1] w1, float[64] b1, float[64,64,3,3] w2, float[64] b2,
        float[256,64,1,1] w3, float[256] b3""", "float[1,256,28,28] y", """
        c1 = Conv (x, w1, b1) r1 = Relu (c1) c2 = Conv <pads = [1, 1, 1, 1]> (r1, w2, b2) r2 = Relu (c2)
        c3 = Conv (r2, w3, b3) sum = Add (c3, x) y = Relu (sum)"""),
}
