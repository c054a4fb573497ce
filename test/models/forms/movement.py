"""What moves, finds, orders and pools elements. See forms/table.py."""
from forms.table import Form, several

IMAGE = "float[2,16,28,28] x"

FORMS = {
    "transpose": Form("float[256,768] x", "float[768,256] y", {
        "two axes": "y = Transpose <perm = [1, 0]> (x)",
        "and a function": "e = Exp (x) y = Transpose <perm = [1, 0]> (e)",
        "and a bias": "t = Transpose <perm = [1, 0]> (x) y = Add (t, ones256)",
        "as Einsum": """y = Einsum <equation = "ij->ji"> (x)""",
    }),
    "permutation": Form("float[2,48,4,32] x", "float[2,4,48,32] y", {
        "heads": "y = Transpose <perm = [0, 2, 1, 3]> (x)",
        "twice": "t = Transpose <perm = [3, 2, 1, 0]> (x) y = Transpose <perm = [3, 1, 2, 0]> (t)",
    }),
    "space to depth": Form("float[2,16,28,28] x", "float[2,64,14,14] y", {
        "the op": "y = SpaceToDepth <blocksize = 2> (x)",
        "by reshapes": """
            r = Reshape (x, blocks) t = Transpose <perm = [0, 3, 5, 1, 2, 4]> (r) y = Reshape (t, deep)""",
    }),
    "reshape": Form("float[256,768] x", "float[768,256] y", {
        "of an input": several(0, "the output is the input's memory", "y = Reshape (x, n768_256)"),
    }),
    "diagonal": Form("float[256,256] x", "float[256] y", {
        "as Einsum": """y = Einsum <equation = "ii->i"> (x)""",
    }),
    "trace": Form("float[256,256] x", "float y", {
        "as Einsum": """y = Einsum <equation = "ii->"> (x)""",
    }),
    "embedding": Form("int64[2,48] t, float[1000,64] w, float[48,64] p", "float[2,48,64] y", {
        "gather and positions": "g = Gather (w, t) y = Add (g, p)",
        "scaled": "g = Gather (w, t) h = Mul (g, eight) y = Add (h, p)",
        "gather of positions, too": """
            i = Range (zero_i, count48, one_i) q = Gather (p, i) g = Gather (w, t) y = Add (g, q)""",
        "and layer norm": "g = Gather (w, t) a = Add (g, p) y = LayerNormalization <axis = -1> (a, ones64)",
        "one-hot times the table": "h = OneHot (t, depth1000, off_on) g = MatMul (h, w) y = Add (g, p)",
    }),
    "rows picked": Form("int64[48] t, float[1000,64] w", "float[48,64] y", {
        "gather": "y = Gather (w, t)",
        "gather of elements": """
            i = Unsqueeze (t, last) j = Expand (i, shape_48_64) y = GatherElements <axis = 0> (w, j)""",
        "gather by vectors": "i = Unsqueeze (t, last) y = GatherND (w, i)",
    }),
    "rows placed": Form("float[1000,64] w, int64[48] t, float[48,64] u", "float[1000,64] y", {
        "by vectors": several(2, "the routine reads places, which are made from indices first",
                              "i = Unsqueeze (t, last) y = ScatterND (w, i, u)"),
        "added": several(2, "the routine reads places, which are made from indices first",
                         """i = Unsqueeze (t, last) y = ScatterND <reduction = "add"> (w, i, u)"""),
    }),
    "prefix sum": Form("float[256,768] x", "float[256,768] y", {
        "the op": "y = CumSum (x, axis1)",
        "of squares": several(2, "a scan reads what is stored", "xx = Mul (x, x) y = CumSum (xx, axis1)"),
        "and a scale": several(2, "a scan stores what it makes", "c = CumSum (x, axis1) y = Mul (c, half)"),
        "of columns": "y = CumSum (x, axis0)",
    }),
    "largest five": Form("float[96,200] x", "float[96,5] y, int64[96,5] i", {
        "the op": several(3, "positions of sorted rows, and what is taken from them",
                          "y, i = TopK <axis = -1> (x, five)"),
    }),
    "largest five, values": Form("float[96,200] x", "float[96,5] y", {
        "the op": several(2, "positions of sorted rows, and what is taken from them",
                          "y, i = TopK <axis = -1> (x, five)"),
    }),
    "largest": Form("float[96,200] x", "int64[96] y", {
        "argmax": "y = ArgMax <axis = 1, keepdims = 0> (x)",
        "argmax of softmax": "p = Softmax <axis = -1> (x) y = ArgMax <axis = 1, keepdims = 0> (p)",
    }),
    "maximum and its place": Form("float[96,200] x", "float[96] m, int64[96] i", {
        "two reductions": "m = ReduceMax <keepdims = 0> (x, last) i = ArgMax <axis = 1, keepdims = 0> (x)",
    }),
    "max pool": Form(IMAGE, "float[2,16,14,14] y", {
        "the op": "y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)",
        "3x3, padded": "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x)",
        "of relu": "r = Relu (x) y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)",
        "by a reshape": "r = Reshape (x, pooled) y = ReduceMax <keepdims = 0> (r, pool_axes)",
    }),
    "mean pool": Form(IMAGE, "float[2,16,14,14] y", {
        "the op": "y = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (x)",
        "3x3, padded, the border not counted": """
            y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x)""",
        "3x3, padded, the border counted": """
            y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], count_include_pad = 1> (x)""",
        "by a reshape": "r = Reshape (x, pooled) y = ReduceMean <keepdims = 0> (r, pool_axes)",
    }),
    "global mean pool": Form(IMAGE, "float[2,16] y", {
        "the op": "p = GlobalAveragePool (x) y = Flatten (p)",
        "ReduceMean": "y = ReduceMean <keepdims = 0> (x, image_axes)",
        "of relu": "r = Relu (x) p = GlobalAveragePool (r) y = Flatten (p)",
    }),
    "resize": Form("float[2,16,14,14] x", "float[2,16,28,28] y", {
        "nearest": """y = Resize <mode = "nearest"> (x, none, twice)""",
    }),
    "pad": Form(IMAGE, "float[2,16,30,30] y", {
        "the op": "y = Pad (x, borders)",
        "of relu": "r = Relu (x) y = Pad (r, borders)",
        "reflected": """y = Pad <mode = "reflect"> (x, borders)""",
    }),
    "concat": Form("float[2,16,14,14] x, float[2,24,14,14] z", "float[2,40,14,14] y", {
        "of inputs": "y = Concat <axis = 1> (x, z)",
        "of functions": "a = Relu (x) b = Sigmoid (z) y = Concat <axis = 1> (a, b)",
        "and a function": "c = Concat <axis = 1> (x, z) y = Relu (c)",
    }),
    "split": Form("float[256,768] x", "float[256,256] a, float[256,256] b, float[256,256] c", {
        "functions of each part": """
            p, q, r = Split <axis = 1, num_outputs = 3> (x) a = Exp (p) b = Exp (q) c = Exp (r)""",
    }),
    "triangle": Form("float[4,96,96] x", "float[4,96,96] y", {
        "the op": "y = Trilu <upper = 0> (x)",
        "compared positions": """
            i = Range (zero_i, count96, one_i) r = Unsqueeze (i, second) c = LessOrEqual (i, r) y = Where (c, x, zero)""",
    }),
}
