"""Contractions and convolutions, with what stands before and after them. See forms/table.py."""
from forms.table import Form, several

X = "float[128,256] x"
W = "float[256,512] w"
QKV_SIZES = "float[128,256] x, float[256,256] wq, float[256,256] wk, float[256,256] wv"
IMAGE = "float[2,16,28,28] x"


def einsum(equation, *operands):
    return f'y = Einsum <equation = "{equation}"> ({", ".join(operands)})'


FORMS = {
    "product with bias": Form(f"{X}, {W}, float[512] b", "float[128,512] y", {
        "MatMul and Add": "p = MatMul (x, w) y = Add (p, b)",
        "Gemm": "y = Gemm (x, w, b)",
        "and relu": "p = MatMul (x, w) q = Add (p, b) y = Relu (q)",
        "and gelu": """
            p = MatMul (x, w) q = Add (p, b) t = Div (q, root2) e = Erf (t) a = Add (e, one) z = Mul (q, a)
            y = Mul (z, half)""",
        "of relu": "r = Relu (x) p = MatMul (r, w) y = Add (p, b)",
        "scaled, with a clip": "p = MatMul (x, w) q = Mul (p, half) r = Add (q, b) y = Clip (r, zero, six)",
        "as a sum of products": """
            u = Unsqueeze (x, last) p = Mul (u, w) q = ReduceSum <keepdims = 0> (p, axis1_list) y = Add (q, b)""",
        "as 1x1 convolution": """
            u = Unsqueeze (x, image_axes_new) wt = Transpose <perm = [1, 0]> (w) k = Unsqueeze (wt, image_axes_new)
            c = Conv (u, k, b) y = Squeeze (c, image_axes_new)""",
    }),
    "product of transposed factors": Form("float[256,128] x, float[512,256] w", "float[128,512] y", {
        "Gemm": "y = Gemm <transA = 1, transB = 1> (x, w)",
        "Transpose": """
            xt = Transpose <perm = [1, 0]> (x) wt = Transpose <perm = [1, 0]> (w) y = MatMul (xt, wt)""",
        "(w x)^T": "p = MatMul (w, x) y = Transpose <perm = [1, 0]> (p)",
        "as Einsum": einsum("ki,jk->ij", "x", "w"),
    }),
    "product with a residual": Form("float[128,256] x, float[256,256] w, float[128,256] r", "float[128,256] y", {
        "added": "p = MatMul (x, w) y = Add (p, r)",
        "and scaled": "p = MatMul (x, w) q = Mul (p, half) y = Add (q, r)",
    }),
    "product and norm": Form("float[128,256] x, float[256,256] w, float[128,256] r", "float[128,256] y", {
        "layer norm after it": several(2, "a row of the norm is more than a tile of the product", """
            p = MatMul (x, w) a = Add (p, r) y = LayerNormalization <axis = -1> (a, ones256)"""),
        "layer norm before it": several(2, "each row would be normalized again for each tile", """
            a = Add (x, r) n = LayerNormalization <axis = -1> (a, ones256) y = MatMul (n, w)"""),
    }),
    "product of halves": Form("float16[128,256] x, float16[256,512] w", "float16[128,512] y", {
        "MatMul": "y = MatMul (x, w)",
        "in single precision": """
            a = Cast <to = 1> (x) b = Cast <to = 1> (w) p = MatMul (a, b) y = Cast <to = 10> (p)""",
    }),
    "product of dequantized weights": Form("float[128,256] x, int8[256,512] w, float[512] s", "float[128,512] y", {
        "cast and scale": "f = Cast <to = 1> (w) g = Mul (f, s) y = MatMul (x, g)",
        "DequantizeLinear": "g = DequantizeLinear <axis = 1> (w, s) y = MatMul (x, g)",
    }),
    "queries, keys and values": Form(X, "float[2,4,64,64] q, float[2,4,64,64] k, float[2,4,64,64] v", {
        "split of one product": several(2, "outputs in another order than the product: one kernel moves all three", """
            p = MatMul (x, weight256_768) a, b, c = Split <axis = 1, num_outputs = 3> (p)
            a1 = Reshape (a, to_heads) b1 = Reshape (b, to_heads) c1 = Reshape (c, to_heads)
            q = Transpose <perm = [0, 2, 1, 3]> (a1) k = Transpose <perm = [0, 2, 1, 3]> (b1)
            v = Transpose <perm = [0, 2, 1, 3]> (c1)"""),
    }),
    "split without a copy": Form("float[128,256] x, float[256,768] w", "float[2,4,64,64] y", {
        "attention of one product": several(2, "the product and attention, which reads parts of it where they are", """
            p = MatMul (x, w) a, b, c = Split <axis = 1, num_outputs = 3> (p)
            a1 = Reshape (a, to_heads) b1 = Reshape (b, to_heads) c1 = Reshape (c, to_heads)
            q = Transpose <perm = [0, 2, 1, 3]> (a1) kt = Transpose <perm = [0, 2, 3, 1]> (b1)
            v = Transpose <perm = [0, 2, 1, 3]> (c1) s = MatMul (q, kt) l = Mul (s, eighth)
            o = Softmax <axis = -1> (l) y = MatMul (o, v)"""),
    }),
    "products joined": Form("float[1,256,196] x, float[1,256,196] z", "float[1,512,196] y", {
        "concat of two products": several(2, "each writes its part of the result", """
            a = MatMul (weight256, x) b = MatMul (weight256, z) r = Relu (a) s = Sigmoid (b)
            y = Concat <axis = 1> (r, s)"""),
    }),
    "products of one input": Form(X, "float[128,256] a, float[128,256] b", {
        "as outputs": several(2, "each output has memory of its own: one product would be copied apart", """
            p = MatMul (x, weight256) q = MatMul (x, other256) a = Relu (p) b = Relu (q)"""),
    }),
    "einsum": Form("float[8,64,48] x, float[8,48,32] z", "float[8,64,32] y", {
        "batches": einsum("bij,bjk->bik", "x", "z"),
        "MatMul": "y = MatMul (x, z)",
        "a sum of products": """
            u = Unsqueeze (x, last) w = Unsqueeze (z, axis1_list) p = Mul (u, w)
            y = ReduceSum <keepdims = 0> (p, axis2_list)""",
    }),
    "einsum of inner products": Form("float[2,4,48,32] x, float[2,4,40,32] z", "float[2,4,48,40] y", {
        "scores": einsum("bhqd,bhkd->bhqk", "x", "z"),
    }),
    "einsum over two axes": Form("float[2,48,4,32] x, float[4,32,128] z", "float[2,48,128] y", {
        "heads joined": einsum("bqhd,hde->bqe", "x", "z"),
        "reshaped": "a = Reshape (x, joined_heads) w = Reshape (z, joined_weights) y = MatMul (a, w)",
    }),
    "einsum that keeps all axes": Form("float[2,12,16,8] x, float[2,10,20,8] z", "float[2,12,16,10,20] y", {
        "pairs": einsum("bilc,bjkc->biljk", "x", "z"),
    }),
    "einsum of five axes": Form("float[2,12,16,8] x, float[2,10,20,8] z", "float[2,12,10,16,20] y", {
        "pairs": einsum("bilc,bjkc->bijlk", "x", "z"),
    }),
    "outer product": Form("float[128] x, float[256] z", "float[128,256] y", {
        "as Einsum": einsum("i,j->ij", "x", "z"),
        "by broadcast": "u = Unsqueeze (x, last) y = Mul (u, z)",
        "MatMul": "u = Unsqueeze (x, last) w = Unsqueeze (z, first) y = MatMul (u, w)",
    }),
    "inner product": Form("float[4096] x, float[4096] z", "float y", {
        "as Einsum": einsum("i,i->", "x", "z"),
        "MatMul": "y = MatMul (x, z)",
        "a sum": "p = Mul (x, z) y = ReduceSum <keepdims = 0> (p)",
    }),
    "bilinear form": Form("float[128,64] x, float[64,64] w, float[128,64] z", "float[128] y", {
        "as Einsum": several(2, "a product, and rows of it times rows", einsum("bi,ij,bj->b", "x", "w", "z")),
    }),
    "matrix times vector": Form("float[512,256] w, float[256] x", "float[512] y", {
        "MatMul": "y = MatMul (w, x)",
        "as Einsum": einsum("ij,j->i", "w", "x"),
    }),
    "convolution": Form(f"{IMAGE}, float[24,16,3,3] w, float[24] b", "float[2,24,28,28] y", {
        "with bias": "y = Conv <pads = [1, 1, 1, 1]> (x, w, b)",
        "and relu": "c = Conv <pads = [1, 1, 1, 1]> (x, w, b) y = Relu (c)",
        "bias added": """
            c = Conv <pads = [1, 1, 1, 1]> (x, w) r = Reshape (b, channels24) a = Add (c, r) y = Relu (a)""",
        "padded before": "p = Pad (x, borders) c = Conv (p, w, b) y = Relu (c)",
        "and a residual": "c = Conv <pads = [1, 1, 1, 1]> (x, w, b) s = Sigmoid (c) y = Mul (c, s)",
        "dilated": "c = Conv <pads = [2, 2, 2, 2], dilations = [2, 2]> (x, w, b) y = Relu (c)",
    }),
    "strided convolution": Form(f"{IMAGE}, float[24,16,3,3] w, float[24] b", "float[2,24,14,14] y", {
        "and relu": "c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b) y = Relu (c)",
    }),
    "grouped convolution": Form(f"{IMAGE}, float[24,4,3,3] w, float[24] b", "float[2,24,28,28] y", {
        "and relu": "c = Conv <pads = [1, 1, 1, 1], group = 4> (x, w, b) y = Relu (c)",
    }),
    "depthwise convolution": Form(f"{IMAGE}, float[16,1,3,3] w, float[16] b", "float[2,16,28,28] y", {
        "and relu": "c = Conv <pads = [1, 1, 1, 1], group = 16> (x, w, b) y = Relu (c)",
    }),
    "convolution of one dim": Form("float[2,16,100] x, float[24,16,5] w, float[24] b", "float[2,24,50] y", {
        "and relu": "c = Conv <pads = [2, 2], strides = [2]> (x, w, b) y = Relu (c)",
    }),
    "causal convolution": Form("float[2,16,100] x, float[16,1,4] w, float[16] b", "float[2,16,100] y", {
        "and silu": "c = Conv <pads = [3, 0], group = 16> (x, w, b) s = Sigmoid (c) y = Mul (c, s)",
    }),
    "convolution of three dims": Form(
        "float[1,8,6,14,14] x, float[12,8,3,3,3] w, float[12] b", "float[1,12,6,14,14] y", {
            "and relu": "c = Conv <pads = [1, 1, 1, 1, 1, 1]> (x, w, b) y = Relu (c)",
        }),
    "transposed convolution": Form("float[2,16,14,14] x, float[16,8,2,2] w, float[8] b", "float[2,8,28,28] y", {
        "and relu": several(2, "zeros are put between the elements first",
                            "c = ConvTranspose <strides = [2, 2]> (x, w, b) y = Relu (c)"),
    }),
    "convolution and batch norm": Form(IMAGE, "float[2,16,28,28] y", {
        "the op": """
            c = Conv <pads = [1, 1, 1, 1]> (x, kernel16) n = BatchNormalization (c, scale16, bias16, mean16, var16)
            y = Relu (n)""",
        "op by op": """
            c = Conv <pads = [1, 1, 1, 1]> (x, kernel16) m = Reshape (mean16, channels16) d = Sub (c, m)
            v = Reshape (var16, channels16) e = Add (v, eps) r = Sqrt (e) n = Div (d, r)
            s = Reshape (scale16, channels16) p = Mul (n, s) b = Reshape (bias16, channels16) a = Add (p, b)
            y = Relu (a)""",
        "scale and shift": """
            c = Conv <pads = [1, 1, 1, 1]> (x, kernel16) s = Reshape (scale16, channels16) p = Mul (c, s)
            b = Reshape (bias16, channels16) a = Add (p, b) y = Relu (a)""",
    }),
    "gated perceptron": Form(X, "float[128,256] y", {
        "silu(x v) * (x w)": several(2, "the joined product, and the gate", """
            g = MatMul (x, weight256) u = MatMul (x, other256) s = Sigmoid (g) a = Mul (g, s) y = Mul (a, u)"""),
    }),
    "low-rank update": Form("float[128,256] x, float[256,256] w, float[256,8] a, float[8,256] b", "float[128,256] y", {
        "x w + (x a) b": several(3, "three products", """
            p = MatMul (x, w) q = MatMul (x, a) r = MatMul (q, b) y = Add (p, r)"""),
    }),
}
