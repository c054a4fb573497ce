"""Small networks of equal layers, and of layers that are almost equal, for layers_test.py."""
import random

import numpy
from onnx import TensorProto, helper, numpy_helper
from transformer import transformer

WIDTH = 64


class Network:
    """Builds an ONNX model node by node; names of nodes are those of their results."""

    def __init__(self, shape, **more_inputs):
        self.inputs = {"x": shape, **more_inputs}
        self.nodes, self.constants = [], []
        self.random = numpy.random.default_rng(7)

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), f"w{len(self.constants)}"))
        return self.constants[-1].name

    def weight(self, *shape):
        scale = 1 / numpy.sqrt(numpy.prod(shape) / shape[-1])
        return self.constant((self.random.standard_normal(shape) * scale).astype(numpy.float32))

    def op(self, kind, *inputs, **attributes):
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x):
        return self.op("Add", self.op("MatMul", x, self.weight(WIDTH, WIDTH)), self.weight(WIDTH))

    def model(self, *outputs):
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "network", [info(*item) for item in
                                    ((name, TensorProto.FLOAT, shape) for name, shape in self.inputs.items())],
            [info(name, TensorProto.FLOAT, None) for name in outputs], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def residual(layers, channels):
    """Convolutions with batch norms, which are folded into their weights."""
    net = Network([1, channels, 8, 8])
    x = "x"
    for _ in range(layers):
        y = x
        for last in (False, True):
            y = net.op("Conv", y, net.weight(channels, channels, 3, 3), pads=[1, 1, 1, 1])
            scale, variance = (net.constant(net.random.uniform(0.5, 1.5, channels).astype(numpy.float32))
                               for _ in range(2))
            y = net.op("BatchNormalization", y, scale, net.weight(channels), net.weight(channels), variance)
            y = y if last else net.op("Relu", y)
        x = net.op("Relu", net.op("Add", y, x))
    return net.model(net.op("ReduceMean", x, net.constant(numpy.array([2, 3])), keepdims=0))


def one_for_all(layers):
    """Every layer has the same weights."""
    net = Network([4, WIDTH])
    weight, bias, x = net.weight(WIDTH, WIDTH), net.weight(WIDTH), "x"
    for _ in range(layers):
        x = net.op("Tanh", net.op("Add", net.op("MatMul", x, weight), bias))
    return net.model(net.op("Exp", x))


def scalars(layers):
    """Layers that differ in a number."""
    net = Network([WIDTH, WIDTH])
    x = "x"
    for index in range(layers):
        y = net.op("Relu", net.op("MatMul", x, net.weight(WIDTH, WIDTH)))
        x = net.op("Add", x, net.op("Mul", y, net.constant(numpy.float32(0.1 * index + 0.05))))
    return net.model(x)


def alternating(layers):
    net = Network([WIDTH, WIDTH])
    x = "x"
    for index in range(layers):
        x = net.op("Relu" if index % 2 else "Tanh", net.linear(x))
    return net.model(net.op("Exp", x))


def read_inside(layers):
    """A result of a layer in the middle is an output, and one of the second is read at the end."""
    net = Network([WIDTH, WIDTH])
    values = ["x"]
    for _ in range(layers):
        values.append(net.op("Tanh", net.linear(values[-1])))
    return net.model(net.op("Add", values[-1], values[2]), values[layers // 2])


def from_outside(layers):
    """Every layer and the end read what stands before the layers."""
    net = Network([WIDTH, WIDTH])
    outside = x = net.op("Exp", net.op("MatMul", "x", net.weight(WIDTH, WIDTH)))
    for _ in range(layers):
        x = net.op("Tanh", net.op("Add", net.op("MatMul", x, net.weight(WIDTH, WIDTH)),
                                  net.op("Mul", outside, net.weight(WIDTH))))
    return net.model(net.op("Sub", x, outside))


def computed_again(layers):
    """Every layer computes the same of another input."""
    net = Network([WIDTH, WIDTH], m=[WIDTH, WIDTH])
    x = "x"
    for _ in range(layers):
        factor = net.op("Tanh", net.op("ReduceSum", "m", net.constant(numpy.array([1]))))
        x = net.op("Tanh", net.op("Mul", net.op("MatMul", x, net.weight(WIDTH, WIDTH)), factor))
    return net.model(net.op("Exp", x))


def zeros(layers):
    """Parameters that are all zero, but for one layer."""
    net = Network([WIDTH, WIDTH])
    x = "x"
    for index in range(layers):
        bias = numpy.full(WIDTH, float(index == layers // 2), numpy.float32)
        x = net.op("Relu", net.op("Add", net.op("MatMul", x, net.weight(WIDTH, WIDTH)), net.constant(bias)))
    return net.model(net.op("Exp", x))


def equal_weights(layers):
    """The first layers use one weight twice, the others two."""
    net = Network([WIDTH, WIDTH])
    x = "x"
    for index in range(layers):
        first = net.weight(WIDTH, WIDTH)
        second = first if index < 5 else net.weight(WIDTH, WIDTH)
        x = net.op("Tanh", net.op("Add", net.op("MatMul", x, first), net.op("Exp", net.op("MatMul", x, second))))
    return net.model(net.op("Exp", x))


def two_streams(layers):
    net = Network([WIDTH, WIDTH])
    x, y = "x", net.op("Exp", "x")
    for _ in range(layers):
        x, y = (net.op("Tanh", net.op("MatMul", y, net.weight(WIDTH, WIDTH))),
                net.op("Softmax", net.op("MatMul", x, net.weight(WIDTH, WIDTH)), axis=-1))
    return net.model(net.op("Add", x, y))


def two_towers(layers):
    """Two networks beside each other: neither reads the other."""
    net = Network([4, WIDTH], y=[4, 32])
    x, y = "x", "y"
    for _ in range(layers):
        x = net.op("Softmax", net.op("MatMul", x, net.weight(WIDTH, WIDTH)), axis=-1)
        y = net.op("Tanh", net.op("MatMul", y, net.weight(32, 32)))
    return net.model(x, y)


def counted(layers):
    """Every layer adds one to a tensor, turns another one over, and adds its weight to a third."""
    net = Network([4, WIDTH], t=[4, WIDTH], u=[4, WIDTH])
    x, t, u, total = "x", "t", "u", net.weight(WIDTH, WIDTH)
    one = net.constant(numpy.float32(1))
    for _ in range(layers):
        weight = net.weight(WIDTH, WIDTH)
        x = net.op("Tanh", net.op("MatMul", x, weight))
        t, u, total = net.op("Add", t, one), net.op("Neg", u), net.op("Add", total, weight)
    return net.model(x, t, u, net.op("MatMul", x, total))


def weight_out(layers, width):
    """What the last layer makes of its weight is an output; of large weights it is made at load."""
    net = Network([4, width])
    x = "x"
    for _ in range(layers):
        weight = net.op("Exp", net.weight(width, width))
        x = net.op("Softmax", net.op("MatMul", x, weight), axis=-1)
    return net.model(x, weight)


def layer_last(layers):
    """Nothing follows the layers."""
    net = Network([WIDTH, WIDTH])
    x = "x"
    for _ in range(layers):
        x = net.op("Softmax", net.op("MatMul", x, net.weight(WIDTH, WIDTH)), axis=-1)
    return net.model(x)


def random_network(seed):
    """Layers of random ops over one to three tensors that they carry on, which may or may not meet."""
    net = Network([8, 8], y=[8, 8], z=[8, 8])
    choose = random.Random(seed)
    carried = ["x", "y", "z"][:choose.randint(1, 3)]
    net.inputs = {name: [8, 8] for name in carried}
    outside = net.op("Tanh", net.op("MatMul", "x", net.weight(8, 8)))
    shared = net.weight(8, 8)
    steps = {
        "weight": lambda a, b: net.op("MatMul", a, net.weight(8, 8)),
        "shared": lambda a, b: net.op("MatMul", a, shared),
        "scale": lambda a, b: net.op("Mul", a, net.weight(8)),
        "shift": lambda a, b: net.op("Add", a, net.weight(8)),
        "number": lambda a, b: net.op("Add", a, net.constant(numpy.float32(0.5))),
        "minus": lambda a, b: net.op("Neg", a),
        "turn": lambda a, b: net.op("Transpose", a, perm=[1, 0]),
        "softmax": lambda a, b: net.op("Softmax", a, axis=-1),
        "tanh": lambda a, b: net.op("Tanh", a),
        "sum": lambda a, b: net.op("Add", a, b),
        "larger": lambda a, b: net.op("Max", a, b),
        "outside": lambda a, b: net.op("Add", a, outside),
    }
    plan = [(choose.choice(list(steps)), choose.randrange(len(carried)), choose.randrange(len(carried)))
            for _ in range(choose.randint(2, 6))]
    swaps = len(carried) > 1 and choose.random() < 0.3
    for _ in range(choose.randint(5, 9)):
        for name, target, other in plan:
            carried[target] = steps[name](carried[target], carried[other])
        carried = [net.op("Tanh", value) for value in carried]
        carried = carried[1:] + carried[:1] if swaps else carried
    result = carried[0]
    for value in carried[1:] + [outside] * choose.randint(0, 1):
        result = net.op("Add", result, value)
    return net.model(net.op("Sigmoid", result), *carried[:choose.randint(0, len(carried))])


# The network, and how many layers are found to be equal. The first one often reads its input in
# another way than the others.
MODELS = {
    "transformer": (lambda: transformer(10), 9),
    "with a mask": (lambda: transformer(12, masked=True), 11),
    "weights that are joined at load": (lambda: transformer(8, hidden=320, heads=5), 7),
    "batch norms": (lambda: residual(10, 16), 9),
    "batch norms, computed at load": (lambda: residual(8, 96), 7),
    "one weight for all": (lambda: one_for_all(12), 11),
    "other numbers": (lambda: scalars(12), 11),
    "alternating": (lambda: alternating(16), 7),
    "read inside": (lambda: read_inside(12), 0),
    "read from outside": (lambda: from_outside(12), 12),
    "computed again": (lambda: computed_again(12), 11),
    "zeros": (lambda: zeros(12), 11),
    "equal weights": (lambda: equal_weights(12), 11),
    "two streams": (lambda: two_streams(12), 11),
    "two towers": (lambda: two_towers(9), 8),
    "counted": (lambda: counted(9), 8),
    "a weight is an output": (lambda: weight_out(9, 16), 8),
    "a large weight is an output": (lambda: weight_out(9, 300), 8),
    "layer last": (lambda: layer_last(12), 11),
    "too few": (lambda: transformer(5), 0),
}
