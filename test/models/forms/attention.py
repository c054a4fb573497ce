"""softmax(q k^T * scale + mask) v, whatever the order of its parts: one kernel. See forms/table.py.

attention_test.py has sizes, types and exact values; these are the ways to write it."""
from forms.table import Form, several

QKV = "float[2,4,48,32] q, float[2,4,48,32] k, float[2,4,48,32] v"
OUT = "float[2,4,48,32] y"
KT = "kt = Transpose <perm = [0, 1, 3, 2]> (k)"
SCORES = f"{KT} s = MatMul (q, kt)"
SCALED = f"{SCORES} l = Mul (s, scale)"
CAUSAL = """i = Range (zero_i, count48, one_i) r = Unsqueeze (i, second)"""
GROUPED = "float[2,4,48,32] q, float[2,2,48,32] k, float[2,2,48,32] v"
REPEAT = """k1 = Unsqueeze (k, third) k2 = Expand (k1, each) kk = Reshape (k2, all_heads)
    v1 = Unsqueeze (v, third) v2 = Expand (v1, each) vv = Reshape (v2, all_heads)"""


def attend(logits):
    return f"p = Softmax <axis = -1> ({logits}) y = MatMul (p, v)"


FORMS = {
    "attention": Form(QKV, OUT, {
        "scale on the scores": f"{SCALED} {attend('l')}",
        "scores divided": f"{SCORES} l = Div (s, root32) {attend('l')}",
        "no scale": f"{SCORES} {attend('s')}",
        "scale on q": f"{KT} t = Mul (q, scale) s = MatMul (t, kt) {attend('s')}",
        "q divided": f"{KT} t = Div (q, root32) s = MatMul (t, kt) {attend('s')}",
        "scale on k": f"t = Mul (k, scale) kt = Transpose <perm = [0, 1, 3, 2]> (t) s = MatMul (q, kt) {attend('s')}",
        "scale on k after its transpose": f"{KT} t = Mul (kt, scale) s = MatMul (q, t) {attend('s')}",
        "root of the scale on both": f"""
            {KT} a = Mul (q, root_scale) b = Mul (kt, root_scale) s = MatMul (a, b) {attend('s')}""",
        "as Einsum": f"""
            s = Einsum <equation = "bhqd,bhkd->bhqk"> (q, k) l = Mul (s, scale) p = Softmax <axis = -1> (l)
            y = Einsum <equation = "bhqk,bhkd->bhqd"> (p, v)""",
        "softmax op by op": f"""
            {SCALED} m = ReduceMax (l, last) d = Sub (l, m) e = Exp (d) u = ReduceSum (e, last) p = Div (e, u)
            y = MatMul (p, v)""",
        "softmax without the maximum": several(3, "its powers may overflow, those of attention do not", f"""
            {SCALED} e = Exp (l) u = ReduceSum (e, last) p = Div (e, u) y = MatMul (p, v)"""),
        "divided after the product": f"""
            {SCALED} m = ReduceMax (l, last) d = Sub (l, m) e = Exp (d) u = ReduceSum (e, last) w = MatMul (e, v)
            y = Div (w, u)""",
        "weights as products with the reciprocal": f"""
            {SCALED} m = ReduceMax (l, last) d = Sub (l, m) e = Exp (d) u = ReduceSum (e, last) r = Reciprocal (u)
            p = Mul (e, r) y = MatMul (p, v)""",
        "transposed: (k q^T), softmax over rows": f"""
            qt = Transpose <perm = [0, 1, 3, 2]> (q) s = MatMul (k, qt) l = Mul (s, scale)
            p = Softmax <axis = 2> (l) pt = Transpose <perm = [0, 1, 3, 2]> (p) y = MatMul (pt, v)""",
        "batches and heads as one": f"""
            q3 = Reshape (q, flat_heads) k3 = Reshape (k, flat_heads) v3 = Reshape (v, flat_heads)
            kt = Transpose <perm = [0, 2, 1]> (k3) s = MatMul (q3, kt) l = Mul (s, scale)
            p = Softmax <axis = -1> (l) o = MatMul (p, v3) y = Reshape (o, heads)""",
        "softmax of flattened rows": f"""
            {SCALED} f = Reshape (l, flat_rows) g = Softmax <axis = -1> (f) p = Reshape (g, scores_shape)
            y = MatMul (p, v)""",
        "dropout at inference": f"""
            {SCALED} p = Softmax <axis = -1> (l) w = Dropout (p) y = MatMul (w, v)""",
    }),
    "attention of layers as rows": Form(
        "float[2,48,4,32] q, float[2,48,4,32] k, float[2,48,4,32] v", "float[2,48,128] y", {
            "permuted": """
                qh = Transpose <perm = [0, 2, 1, 3]> (q) kt = Transpose <perm = [0, 2, 3, 1]> (k)
                vh = Transpose <perm = [0, 2, 1, 3]> (v) s = MatMul (qh, kt) l = Mul (s, scale)
                p = Softmax <axis = -1> (l) o = MatMul (p, vh) r = Transpose <perm = [0, 2, 1, 3]> (o)
                y = Reshape (r, joined_heads)""",
            "k permuted twice": """
                qh = Transpose <perm = [0, 2, 1, 3]> (q) kh = Transpose <perm = [0, 2, 1, 3]> (k)
                kt = Transpose <perm = [0, 1, 3, 2]> (kh) vh = Transpose <perm = [0, 2, 1, 3]> (v)
                s = MatMul (qh, kt) l = Div (s, root32) p = Softmax <axis = -1> (l) o = MatMul (p, vh)
                r = Transpose <perm = [0, 2, 1, 3]> (o) y = Reshape (r, joined_heads)""",
            "as Einsum": """
                s = Einsum <equation = "bqhd,bkhd->bhqk"> (q, k) l = Mul (s, scale) p = Softmax <axis = -1> (l)
                o = Einsum <equation = "bhqk,bkhd->bqhd"> (p, v) y = Reshape (o, joined_heads)""",
        }),
    "attention with an added mask": Form(f"{QKV}, float[2,1,1,48] mask", OUT, {
        "after the scale": f"{SCALED} a = Add (l, mask) {attend('a')}",
        "before the scale": f"{SCORES} t = Add (s, mask) a = Mul (t, scale) {attend('a')}",
        "(1 - mask) * -10000": f"{SCALED} i = Sub (one, mask) n = Mul (i, minus_10000) a = Add (l, n) {attend('a')}",
        "expanded first": f"{SCALED} w = Expand (mask, scores_shape) a = Add (l, w) {attend('a')}",
    }),
    "attention with a selected mask": Form(f"{QKV}, bool[2,1,48,48] mask", OUT, {
        "where": f"{SCALED} a = Where (mask, l, minus_inf) {attend('a')}",
        "where not": f"{SCALED} n = Not (mask) a = Where (n, lowest, l) {attend('a')}",
        "as an addend": f"{SCALED} n = Where (mask, zero, minus_inf) a = Add (l, n) {attend('a')}",
        "where, before the scale": f"{SCORES} t = Where (mask, s, minus_inf) a = Mul (t, scale) {attend('a')}",
        "cast to an addend": f"""
            {SCALED} f = Cast <to = 1> (mask) i = Sub (one, f) n = Mul (i, lowest) a = Add (l, n) {attend('a')}""",
    }),
    "attention with bias and mask": Form(f"{QKV}, float[1,4,48,48] bias, bool[2,1,1,48] mask", OUT, {
        "bias, then mask": f"{SCALED} b = Add (l, bias) a = Where (mask, b, minus_inf) {attend('a')}",
        "bias plus mask": f"""
            {SCALED} n = Where (mask, zero, minus_inf) b = Add (bias, n) a = Add (l, b) {attend('a')}""",
    }),
    "causal attention": Form(QKV, OUT, {
        "positions compared": f"{SCALED} {CAUSAL} c = LessOrEqual (i, r) a = Where (c, l, minus_inf) {attend('a')}",
        "positions compared, the other way": f"{SCALED} {CAUSAL} c = Greater (i, r) a = Where (c, lowest, l) {attend('a')}",
        "a triangle of ones": f"""
            {SCALED} o = ConstantOfShape <value = bool[1] {{1}}> (square48) c = Trilu <upper = 0> (o)
            a = Where (c, l, minus_inf) {attend('a')}""",
        "an addend": f"""
            {SCALED} {CAUSAL} c = LessOrEqual (i, r) n = Where (c, zero, minus_inf) a = Add (l, n) {attend('a')}""",
    }),
    "attention with sloped bias (ALiBi)": Form(f"{QKV}, float[4,1,1] slopes", OUT, {
        "slopes times distances": f"""
            {SCALED} {CAUSAL} di = Sub (i, r) df = Cast <to = 1> (di) b = Mul (df, slopes) a = Add (l, b) {attend('a')}""",
    }),
    "attention with capped scores": Form(QKV, OUT, {
        "tanh": f"{SCALED} t = Div (l, fifty) u = Tanh (t) a = Mul (u, fifty) {attend('a')}",
    }),
    "attention of halves": Form(
        "float16[2,4,48,32] q, float16[2,4,48,32] k, float16[2,4,48,32] v", "float16[2,4,48,32] y", {
            "softmax in single precision": f"""
                {SCORES} f = Cast <to = 1> (s) l = Mul (f, scale) p = Softmax <axis = -1> (l) h = Cast <to = 10> (p)
                y = MatMul (h, v)""",
            "all in single precision": f"""
                qf = Cast <to = 1> (q) kf = Cast <to = 1> (k) vf = Cast <to = 1> (v)
                kt = Transpose <perm = [0, 1, 3, 2]> (kf) s = MatMul (qf, kt) l = Mul (s, scale)
                p = Softmax <axis = -1> (l) o = MatMul (p, vf) y = Cast <to = 10> (o)""",
            "in halves": f"{SCORES} h = Cast <to = 10> (scale) l = Mul (s, h) p = Softmax <axis = -1> (l) y = MatMul (p, v)",
        }),
    "attention of grouped heads": Form(GROUPED, OUT, {
        "expand and reshape": f"""
            {REPEAT} kt = Transpose <perm = [0, 1, 3, 2]> (kk) s = MatMul (q, kt) l = Mul (s, scale)
            p = Softmax <axis = -1> (l) y = MatMul (p, vv)""",
        "queries in five dims": """
            q5 = Reshape (q, grouped_heads) k5 = Unsqueeze (k, third) v5 = Unsqueeze (v, third)
            kt = Transpose <perm = [0, 1, 2, 4, 3]> (k5) s = MatMul (q5, kt) l = Mul (s, scale)
            p = Softmax <axis = -1> (l) o = MatMul (p, v5) y = Reshape (o, heads)""",
        "concatenated heads": """
            ka, kb = Split <axis = 1, num_outputs = 2> (k) va, vb = Split <axis = 1, num_outputs = 2> (v)
            kk = Concat <axis = 1> (ka, ka, kb, kb) vv = Concat <axis = 1> (va, va, vb, vb)
            kt = Transpose <perm = [0, 1, 3, 2]> (kk) s = MatMul (q, kt) l = Mul (s, scale)
            p = Softmax <axis = -1> (l) y = MatMul (p, vv)""",
    }),
    "attention over a cache": Form(
        "float[1,4,1,32] q, float[1,4,63,32] pk, float[1,4,63,32] pv, float[1,4,1,32] k, float[1,4,1,32] v",
        "float[1,4,1,32] y, float[1,4,64,32] kk, float[1,4,64,32] vv", {
            "keys and values are outputs": several(5, "two copies into outputs; for one query three kernels cost less than attention", """
                kk = Concat <axis = 2> (pk, k) vv = Concat <axis = 2> (pv, v)
                kt = Transpose <perm = [0, 1, 3, 2]> (kk) s = MatMul (q, kt) l = Mul (s, scale)
                p = Softmax <axis = -1> (l) y = MatMul (p, vv)"""),
        }),
    "attention with rotated positions": Form(
        "float[2,4,48,32] q, float[2,4,48,32] k, float[2,4,48,32] v, float[48,32] cos, float[48,32] sin", OUT, {
            "halves swapped by concat": f"""
                qa, qb = Split <axis = 3, num_outputs = 2> (q) qn = Neg (qb) qs = Concat <axis = 3> (qn, qa)
                q1 = Mul (q, cos) q2 = Mul (qs, sin) qr = Add (q1, q2)
                ka, kb = Split <axis = 3, num_outputs = 2> (k) kn = Neg (kb) ks = Concat <axis = 3> (kn, ka)
                k1 = Mul (k, cos) k2 = Mul (ks, sin) kr = Add (k1, k2)
                kt = Transpose <perm = [0, 1, 3, 2]> (kr) s = MatMul (qr, kt) l = Mul (s, scale) {attend('l')}""",
        }),
}
