"""Small graphs and the most kernels that a plan of them may have. By name: kernels, inputs, outputs,
nodes in ONNX's text form (opset 18). The names are those of the acceptance cases of the kernelizer's
specification; what is one kernel here was several in the system that it describes. OFFERED has the
kernels of that system: the plan may be better, but they are among the candidates."""

SMALL = "float[8,16] x"
AXIS1 = "axes = Constant <value_ints = [1]> ()"

CASES = {
    "KZ-T-K1 exp": (1, SMALL, "float[8,16] y", "y = Exp (x)"),
    "KZ-T-K2 neg of exp": (1, SMALL, "float[8,16] y", "a = Exp (x) y = Neg (a)"),
    "KZ-T-K3 a value on the way is stored": (1, SMALL, "float[8,16] a, float[8,16] y", "a = Exp (x) y = Neg (a)"),
    "KZ-T-K4 two functions of one value": (1, SMALL, "float[8,16] p, float[8,16] q", """
        a = Exp (x) p = Neg (a) q = Sqrt (a)"""),
    "KZ-T-K5 a sum": (1, "float[8,16] x, float[8,16] y", "float[8,16] z", "z = Add (x, y)"),
    "KZ-T-K6 one tensor twice": (1, SMALL, "float[8,16] z", "z = Add (x, x)"),
    "KZ-T-K7 a constant": (1, SMALL, "float[8,16] z", "c = Constant <value_float = 2.5> () z = Mul (x, c)"),
    "KZ-T-K8 constants are nobody's home": (2, "float[4] x, float[8] y", "float[4] a, float[8] b", """
        c = Constant <value_float = 2.5> () a = Mul (x, c) b = Mul (y, c)"""),
    "KZ-T-K9 permute": (1, SMALL, "float[16,8] y", "y = Transpose <perm = [1, 0]> (x)"),
    "KZ-T-K10 sum of rows": (1, SMALL, "float[8] y", f"{AXIS1} y = ReduceSum <keepdims = 0> (x, axes)"),
    "KZ-T-K11 sum of columns": (1, SMALL, "float[16] y", """
        axes = Constant <value_ints = [0]> () y = ReduceSum <keepdims = 0> (x, axes)"""),
    "KZ-T-K12 sum of all": (1, SMALL, "float y", "y = ReduceSum <keepdims = 0> (x)"),
    "KZ-T-K13 softmax": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} m = ReduceMax (x, axes) d = Sub (x, m) e = Exp (d) s = ReduceSum (e, axes) y = Div (e, s)"""),
    "KZ-T-K14 layer norm": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} mu = ReduceMean (x, axes) d = Sub (x, mu) dd = Mul (d, d) v = ReduceMean (dd, axes)
        eps = Constant <value_float = 0.00001> () ve = Add (v, eps) r = Sqrt (ve) y = Div (d, r)"""),
    "KZ-T-K15 product as a sum of products": (1, "float[4,8,1] a, float[1,8,16] b", "float[4,16] y", f"""
        p = Mul (a, b) {AXIS1} y = ReduceSum <keepdims = 0> (p, axes)"""),
    "KZ-T-K16 relu of product and bias": (1, "float[4,8] a, float[8,16] b, float[16] c", "float[4,16] y", """
        m = MatMul (a, b) s = Add (m, c) y = Relu (s)"""),
    "KZ-T-K17 product and bias": (1, "float[4,8] a, float[8,16] b, float[16] c", "float[4,16] y", """
        m = MatMul (a, b) y = Add (c, m)"""),
    "KZ-T-K18 reductions of two tensors": (1, "float[8,16] x, float[8,16] y", "float[8] z", f"""
        {AXIS1} s = ReduceSum <keepdims = 0> (x, axes) m = ReduceMax <keepdims = 0> (y, axes) z = Add (s, m)"""),
    "KZ-T-K19 a reduction of a reduction": (1, "float[4,8,2] x", "float[4] y", f"""
        last = Constant <value_ints = [2]> () s = ReduceSum <keepdims = 0> (x, last)
        {AXIS1} y = ReduceMax <keepdims = 0> (s, axes)"""),
    "KZ-T-K20 expand of exp": (1, "float[4,1] x", "float[4,8] y", """
        e = Exp (x) to = Constant <value_ints = [4, 8]> () y = Expand (e, to)"""),
    "KZ-T-K21 expand": (1, "float[4,1] x", "float[4,8] y", "to = Constant <value_ints = [4, 8]> () y = Expand (x, to)"),
    "KZ-T-K22 expand of a cast": (1, "float16[4,1] x", "float[4,8] y", """
        c = Cast <to = 1> (x) to = Constant <value_ints = [4, 8]> () y = Expand (c, to)"""),
    "KZ-T-K23 padding of exp": (1, "float[4] x", "float[6] y", """
        e = Exp (x) pads = Constant <value_ints = [1, 1]> () y = Pad (e, pads)"""),
    "KZ-T-K26 permuted and negated": (2, SMALL, "float[16,8] p, float[8,16] q", """
        e = Exp (x) p = Transpose <perm = [1, 0]> (e) q = Neg (e)"""),
    "KZ-T-K27 two forms of one sum": (1, "float[4,8] x", "float[4,1] p, float[2,2] q", f"""
        {AXIS1} r = ReduceSum <keepdims = 0> (x, axes)
        column = Constant <value_ints = [4, 1]> () p = Reshape (r, column)
        square = Constant <value_ints = [2, 2]> () q = Reshape (r, square)"""),
    "KZ-T-K28 perceptron": (2, "float[4,8] x, float[8,16] w1, float[16,2] w2", "float[4,2] y", """
        h = MatMul (x, w1) r = Relu (h) y = MatMul (r, w2)"""),
    "KZ-T-K29 attention": (1, "float[4,8] q, float[4,8] k, float[4,8] v", "float[4,8] y", """
        kt = Transpose <perm = [1, 0]> (k) s = MatMul (q, kt) c = Constant <value_float = 0.35> ()
        scaled = Mul (s, c) p = Softmax <axis = -1> (scaled) y = MatMul (p, v)"""),
    "KZ-T-K30 exp once": (1, SMALL, "float[8,16] y", "e = Exp (x) p = Mul (e, e) y = Add (p, e)"),
    "KZ-T-K31 scaled sum": (1, SMALL, "float[8] y", f"""
        {AXIS1} s = ReduceSum <keepdims = 0> (x, axes) c = Constant <value_float = 0.125> () y = Mul (s, c)"""),
    "KZ-T-K32 rows and their sum": (1, SMALL, "float[8,16] e, float[8] s", f"""
        e = Exp (x) {AXIS1} s = ReduceSum <keepdims = 0> (e, axes)"""),
    "KZ-T-K33 rows negated and their sum": (1, SMALL, "float[8,16] n, float[8] s", f"""
        e = Exp (x) {AXIS1} s = ReduceSum <keepdims = 0> (e, axes) n = Neg (e)"""),
    "KZ-T-K34 a full tensor": (0, SMALL, "float[4] y, float[8,16] z", """
        shape = Constant <value_ints = [4]> () y = ConstantOfShape <value = float[1] {3}> (shape) z = Identity (x)"""),
    "KZ-T-K35 a constant": (0, SMALL, "float y, float[8,16] z", """
        y = Constant <value_float = 3.0> () z = Identity (x)"""),
    "KZ-T-K36 a function of a constant": (0, SMALL, "float y, float[8,16] z", """
        c = Constant <value_float = 1.5> () y = Exp (c) z = Identity (x)"""),
    "KZ-T-K37 halves of one tensor": (1, "float[8] x", "float[4] y", """
        a, b = Split <num_outputs = 2> (x) y = Add (a, b)"""),
    "KZ-T-K38 two values and their product": (2, "float[8,16] x, float[8,16] y",
                                         "float[8,16] p, float[8,16] q, float[8,16] r", """
        a = Exp (x) c = Exp (y) p = Neg (a) q = Neg (c) r = Mul (a, c)"""),
    "KZ-T-K39 stacked": (1, "float[1,4] x, float[1,4] y", "float[2,4] s", "s = Concat <axis = 0> (x, y)"),
    "KZ-T-K40 stacked with what it is made of": (1, "float[1,16] x", "float[2,16] y", """
        e = Exp (x) y = Concat <axis = 0> (e, x)"""),
    "KZ-T-K41 a sum of what is stacked": (2, "float[1,16] x", "float[1,16] b, float[2,16] s", f"""
        a = Exp (x) b = Neg (a) {AXIS1} r = ReduceSum (b, axes) to = Constant <value_ints = [1, 16]> ()
        wide = Expand (r, to) s = Concat <axis = 0> (a, wide)"""),
    "KZ-T-K42 stacked with a function of an output": (2, "float[1,16] x", "float[1,16] b, float[2,16] s", """
        a = Exp (x) b = Neg (a) c = Sqrt (b) s = Concat <axis = 0> (a, c)"""),
    "KZ-T-K43 sum over a stack": (1, "float[1,4] x, float[1,4] y", "float[4] z", """
        s = Concat <axis = 0> (x, y) axes = Constant <value_ints = [0]> () z = ReduceSum <keepdims = 0> (s, axes)"""),
    "KZ-T-K44 exp of an open size": (1, "float[n] x", "float[n] y", "y = Exp (x)"),
    "KZ-T-K45 a sum of an open size": (1, "float[n] x, float[n] y", "float[n] z", "z = Add (x, y)"),
    "KZ-T-K46 expand beside an open size": (1, "float[n,1] x", "float[n,8] y", """
        to = Constant <value_ints = [1, 8]> () y = Expand (x, to)"""),
    "KZ-T-K47 padding to twice an open size": (1, "float[n] x", "float[m] y", """
        n = Shape (x) none = Constant <value_ints = [0]> () pads = Concat <axis = 0> (none, n) y = Pad (x, pads)"""),
    "KZ-T-S9 a part whose length is one of a list of sizes": (1, "float[n,8] x, float[t] y", "float[m] z", """
        s = Shape (x) i = Constant <value_ints = [0]> () n = Gather (s, i) none = Constant <value_ints = [0]> ()
        p = Slice (y, none, n) z = Neg (p)"""),
    "KZ-T-S10 a shape of numbers and an open size": (1, "float[n,6] x", "float[a,b,c] y", """
        n = Shape <start = 0, end = 1> (x) two = Constant <value_ints = [2]> () three = Constant <value_ints = [3]> ()
        s = Concat <axis = 0> (two, n, three) r = Reshape (x, s) y = Neg (r)"""),
    "KZ-T-S11 a buffer of rank 0": (1, "float[4] x, float c", "float[4] z", "z = Mul (x, c)"),
    "KZ-T-K49 an input is an output": (0, SMALL, "float[8,16] y", "y = Identity (x)"),
    "KZ-T-K50 permuted sum": (1, "float[4,8,2] x", "float[8,4] y", """
        last = Constant <value_ints = [2]> () s = ReduceSum <keepdims = 0> (x, last)
        y = Transpose <perm = [1, 0]> (s)"""),
    "KZ-T-K51 rows divided by their sum": (1, SMALL, "float[8,16] y", f"""
        {AXIS1} s = ReduceSum (x, axes) y = Div (x, s)"""),
    "KZ-T-K52 a sum and its root": (1, SMALL, "float[8] r, float[8] o", f"""
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

# By case: kernels that are candidates, `SHAPES READ -> SHAPE MADE {ops}`. Operands of one shape are
# told apart by their number only.
OFFERED = {
    "KZ-T-K1 ": ("8x16 -> 8x16 {exp}",),
    "KZ-T-K2 ": ("8x16 -> 8x16 {exp, neg}",),
    "KZ-T-K3 ": ("8x16 -> 8x16 {exp}", "8x16 -> 8x16 {neg}", "8x16 -> 8x16 {exp, neg}"),
    "KZ-T-K4 ": ("8x16 -> 8x16 {exp, neg}", "8x16 -> 8x16 {exp, sqrt}"),
    "KZ-T-K5 ": ("8x16, 8x16 -> 8x16 {add}",),
    "KZ-T-K6 ": ("8x16 -> 8x16 {add}",),
    "KZ-T-K7 ": ("8x16 -> 8x16 {literal, mul}",),
    "KZ-T-K8 ": ("4 -> 4 {literal, mul}", "8 -> 8 {literal, mul}"),
    "KZ-T-K12 ": ("8x16 -> 1 {reduce_sum}",),
    "KZ-T-K13 ": ("8x16 -> 8 {reduce_max}", "8x16, 8 -> 8 {sub, exp, reduce_sum}",
                  "8x16, 8, 8 -> 8x16 {sub, exp, div}"),
    "KZ-T-K14 ": ("8x16 -> 8x1 {reduce_sum, literal, mul}",
                  "8x16, 8x1 -> 8x1 {sub, mul, reduce_sum, literal, mul}", "8x16, 8x1 -> 8x16 {sub}"),
    "KZ-T-K15 ": ("4x8x1, 1x8x16 -> 4x16 {contract}",),
    "KZ-T-K16 ": ("4x8, 8x16, 16 -> 4x16 {contract, add, literal, max}",),
    "KZ-T-K17 ": ("4x8, 8x16, 16 -> 4x16 {contract, add}",),
    "KZ-T-K18 ": ("8x16, 8x16 -> 8 {reduce_sum, reduce_max, add}",),
    "KZ-T-K19 ": ("4x8x2 -> 4 {reduce_sum, reduce_max}",),
    "KZ-T-K20 ": ("4x1 -> 4x1 {exp}", "4x1 -> 4x8 {}"),
    "KZ-T-K22 ": ("4x1 -> 4x8 {cast}",),
    "KZ-T-K23 ": ("4 -> 6 {literal, exp, where}",),
    "KZ-T-K26 ": ("8x16 -> 8x16 {exp, neg}", "8x16 -> 16x8 {exp}"),
    "KZ-T-K27 ": ("4x8 -> 4 {reduce_sum}", "4 -> 4x1 {}", "4 -> 2x2 {}"),
    "KZ-T-K28 ": ("4x8, 8x16 -> 4x16 {contract, literal, max}", "4x16, 16x2 -> 4x2 {contract}"),
    "KZ-T-K29 ": ("4x8, 4x8 -> 4x4 {contract, literal, mul}", "4x4 -> 4 {reduce_max}",
                  "4x4, 4 -> 4 {sub, exp, reduce_sum}", "4x4, 4 -> 4x4 {div}", "4x4, 4x8 -> 4x8 {contract}"),
    "KZ-T-K30 ": ("8x16 -> 8x16 {exp, mul, add}",),
    "KZ-T-K31 ": ("8x16 -> 8 {reduce_sum, literal, mul}",),
    "KZ-T-K32 ": ("8x16 -> 8x16 {exp}", "8x16 -> 8 {reduce_sum}"),
    "KZ-T-K33 ": ("8x16 -> 8x16 {exp, neg}", "8x16 -> 8 {exp, reduce_sum}"),
    "KZ-T-K37 ": ("8 -> 4 {add}",),
    "KZ-T-K38 ": ("8x16 -> 8x16 {exp, neg}", "8x16 -> 8x16 {exp}", "8x16, 8x16 -> 8x16 {mul}"),
    "KZ-T-K41 ": ("1x16 -> 1x16 {exp, neg}", "1x16 -> 1 {reduce_sum}"),
    "KZ-T-K42 ": ("1x16, 1x16 -> 2x16 {sqrt, literal, where, exp, where}",),
    "KZ-T-K44 ": ("n -> n {exp}",),
    "KZ-T-K45 ": ("n, n -> n {add}",),
    "KZ-T-K46 ": ("nx1 -> nx8 {}",),
    "KZ-T-K47 ": ("n -> 2*n {literal, where}",),
    "KZ-T-K50 ": ("4x8x2 -> 8x4 {reduce_sum}",),
    "KZ-T-K51 ": ("8x16 -> 8 {reduce_sum}", "8x16, 8 -> 8x16 {div}"),
    "KZ-T-K52 ": ("8x16 -> 8 {reduce_sum}", "8 -> 8 {sqrt}"),
}
