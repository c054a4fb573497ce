"""Transformers of any number of equal layers, with weights of their own: pre-norm attention and a
perceptron with GELU by erf, as exporters write them."""
import math

import numpy
from onnx import TensorProto, helper, numpy_helper


class Transformer:
    """Builds the ONNX model layer by layer; `layer` is called once for each."""

    def __init__(self, hidden=64, heads=4, length=32, seed=0, masked=False):
        self.hidden, self.heads, self.length, self.masked = hidden, heads, length, masked
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.value = "x"
        if masked:  # 1 where a position counts; made into what is added to scores, once for all layers
            hidden = self.add("Sub", "mask.hidden", self.constant("mask.one", numpy.float32(1)), "mask")
            self.add("Mul", "mask.added", hidden, self.constant("mask.least", numpy.float32(-1e9)))

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def weight(self, name, *shape):
        scale = 1 / math.sqrt(shape[0])
        return self.constant(name, self.random.normal(0, scale, shape).astype(numpy.float32))

    def add(self, op, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, name, x, rows, columns):
        product = self.add("MatMul", f"{name}.product", x, self.weight(f"{name}.weight", rows, columns))
        return self.add("Add", name, product, self.weight(f"{name}.bias", columns))

    def norm(self, name, x, epsilon=1e-5):
        return self.add("LayerNormalization", name, x, self.weight(f"{name}.scale", self.hidden),
                        self.weight(f"{name}.shift", self.hidden), axis=-1, epsilon=epsilon)

    def split_heads(self, name, x, order):
        shape = self.constant(f"{name}.shape", numpy.array(
            [1, self.length, self.heads, self.hidden // self.heads], numpy.int64))
        parts = self.add("Reshape", f"{name}.parts", x, shape)
        return self.add("Transpose", f"{name}.heads", parts, perm=order)

    def attention(self, name, x, scale):
        query, key, value = (
            self.split_heads(f"{name}.{part}", self.linear(f"{name}.{part}", x, self.hidden, self.hidden),
                             order)
            for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])))
        scores = self.add("MatMul", f"{name}.scores", query, key)
        scaled = self.add("Mul", f"{name}.scaled", scores,
                          self.constant(f"{name}.scale", numpy.float32(scale)))
        if self.masked:
            scaled = self.add("Add", f"{name}.masked", scaled, "mask.added")
        weights = self.add("Softmax", f"{name}.weights", scaled, axis=-1)
        mixed = self.add("MatMul", f"{name}.mixed", weights, value)
        rows = self.add("Transpose", f"{name}.rows", mixed, perm=[0, 2, 1, 3])
        shape = self.constant(f"{name}.shape", numpy.array([1, self.length, self.hidden], numpy.int64))
        return self.linear(f"{name}.out", self.add("Reshape", f"{name}.joined", rows, shape),
                           self.hidden, self.hidden)

    def gelu(self, name, x):
        scaled = self.add("Div", f"{name}.scaled", x,
                          self.constant(f"{name}.root", numpy.float32(math.sqrt(2))))
        shifted = self.add("Add", f"{name}.shifted", self.add("Erf", f"{name}.erf", scaled),
                           self.constant(f"{name}.one", numpy.float32(1)))
        product = self.add("Mul", f"{name}.product", x, shifted)
        return self.add("Mul", name, product, self.constant(f"{name}.half", numpy.float32(0.5)))

    def layer(self, index, epsilon=1e-5, scale=None, width=None, activation="gelu"):
        """Appends a layer; the arguments are where layers may differ."""
        name = f"layer{index}"
        scale = 1 / math.sqrt(self.hidden // self.heads) if scale is None else scale
        width = 4 * self.hidden if width is None else width
        mixed = self.attention(f"{name}.attention", self.norm(f"{name}.norm1", self.value, epsilon), scale)
        middle = self.add("Add", f"{name}.middle", self.value, mixed)
        wide = self.linear(f"{name}.wide", self.norm(f"{name}.norm2", middle, epsilon), self.hidden, width)
        active = (self.gelu(f"{name}.gelu", wide) if activation == "gelu"
                  else self.add(activation, f"{name}.active", wide))
        narrow = self.linear(f"{name}.narrow", active, width, self.hidden)
        self.value = self.add("Add", f"{name}.sum", middle, narrow)

    def model(self):
        shape = [1, self.length, self.hidden]
        output = self.norm("y", self.value)
        inputs = {"x": shape, **({"mask": [1, 1, 1, self.length]} if self.masked else {})}
        graph = helper.make_graph(
            self.nodes, "transformer",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def transformer(layers, **sizes):
    """The model of so many equal layers."""
    built = Transformer(**sizes)
    for index in range(layers):
        built.layer(index)
    return built.model()
