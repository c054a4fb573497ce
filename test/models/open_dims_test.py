"""Models with dims without a size: one plan for all values, against ONNX Runtime."""
import unittest

import numpy
import support
from onnx import helper, TensorProto
from small_model import SmallModelTest

f32 = numpy.float32
node = helper.make_node


def weights(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(f32) / f32(4)


class OpenDimsTest(SmallModelTest):
    def model(self, nodes, inputs, constants=(), outputs=("y",)):
        """A model whose inputs have these dims: numbers, names, or None. Returns its path."""
        return self.write([helper.make_tensor_value_info(name, TensorProto.FLOAT, list(dims))
                           for name, dims in inputs.items()], nodes, constants, outputs)

    def plan(self, *arguments):
        path = self.model(*arguments)
        plan = self.folder / "model.zyxp"
        support.zyxc("compile", path, "-o", plan)
        return path, plan

    def run_plan(self, plan, inputs, expect=0):
        """The output y for these inputs; with another exit code the message."""
        arguments = self.input_files(inputs)
        out = self.folder / "out.npy"
        if expect:
            return support.zyxc_error("run", plan, *arguments, expect=expect)
        support.zyxc("run", plan, "--quiet", *arguments, f"--output=@{out}")
        return numpy.load(out)

    def agrees_at(self, sizes, nodes, inputs, constants=(), tolerance=1e-4):
        """One plan at each set of sizes against ONNX Runtime, and against the interpreter at many."""
        path, plan = self.plan(nodes, inputs, constants)
        for number, values in enumerate(sizes):
            given = {name: weights(*(values.get(dim, dim) for dim in dims), seed=number)
                     for name, dims in inputs.items()}
            (expected,) = support.onnxruntime_outputs(path, given).values()
            actual = self.run_plan(plan, given)
            numpy.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance,
                                          err_msg=str(values))
        self.assertIn("all agree", support.zyxc("verify", path, "--open"))


SIZES = [{"N": n, "T": t} for n, t in ((1, 1), (2, 7), (5, 16), (3, 33))]


class Layers(OpenDimsTest):
    def test_loops_and_scans(self):
        def infos(*names):
            return [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["T"]) for name in names]

        go = [helper.make_tensor_value_info(name, TensorProto.BOOL, []) for name in ("go", "go2")]
        body = helper.make_graph(
            [node("Gather", ["x", "i"], ["row"]), node("Add", ["v", "row"], ["a"]),
             node("Tanh", ["a"], ["v2"]), node("Identity", ["go"], ["go2"]),
             node("Identity", ["v2"], ["o"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), go[0], *infos("v")],
            [go[1], *infos("v2", "o")])
        zeros = [node("ReduceSum", ["x", "first"], ["s"], keepdims=0), node("Sub", ["s", "s"], ["v0"])]
        count = [node("Shape", ["x"], ["n1"], start=0, end=1), node("Squeeze", ["n1"], ["n"])]
        self.agrees_at(SIZES, [*zeros, *count, node("Loop", ["n", "", "v0"], ["last", "y"], body=body)],
                       {"x": ("N", "T")}, {"first": numpy.array([0])})
        body = helper.make_graph(
            [node("Add", ["v", "row"], ["a"]), node("Tanh", ["a"], ["v2"]),
             node("Identity", ["v2"], ["o"])], "body", infos("v", "row"), infos("v2", "o"))
        self.agrees_at(SIZES, [*zeros, node("Scan", ["v0", "x"], ["last", "y"], body=body,
                                            num_scan_inputs=1, scan_input_directions=[1])],
                       {"x": ("N", "T")}, {"first": numpy.array([0])})

    def test_recurrent_layers(self):
        for op, gates in (("GRU", 3), ("LSTM", 4)):
            constants = {"w": weights(2, gates * 6, 4), "r": weights(2, gates * 6, 6),
                         "b": weights(2, gates * 12)}
            with self.subTest(op=op):
                self.agrees_at(SIZES, [node(op, ["x", "w", "r", "b"], ["y"], hidden_size=6,
                                            direction="bidirectional")],
                               {"x": ("T", "N", 4)}, constants)

    def test_elementwise_and_softmax(self):
        nodes = [node("Mul", ["x", "s"], ["a"]), node("Softmax", ["a"], ["y"], axis=-1)]
        self.agrees_at(SIZES, nodes, {"x": ("N", "T")}, {"s": f32(3)})

    def test_a_perceptron(self):
        nodes = [node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "b"], ["c"]),
                 node("Relu", ["c"], ["d"]), node("MatMul", ["d", "v"], ["y"])]
        self.agrees_at(SIZES, nodes, {"x": ("N", 24)},
                       {"w": weights(24, 40), "b": weights(40), "v": weights(40, 10)})

    def test_convolution_of_any_image(self):
        nodes = [node("Conv", ["x", "w", "b"], ["a"], strides=[2, 1], pads=[1, 1, 1, 1]),
                 node("Relu", ["a"], ["c"]),
                 node("MaxPool", ["c"], ["d"], kernel_shape=[2, 2], strides=[2, 2]),
                 node("GlobalAveragePool", ["d"], ["e"]), node("Flatten", ["e"], ["y"])]
        sizes = [{"N": n, "H": h, "W": w} for n, h, w in ((1, 8, 8), (3, 9, 14), (2, 21, 5))]
        self.agrees_at(sizes, nodes, {"x": ("N", 3, "H", "W")},
                       {"w": weights(8, 3, 3, 3), "b": weights(8)})

    def test_layer_norm(self):
        nodes = [node("LayerNormalization", ["x", "g", "b"], ["y"], axis=-1)]
        self.agrees_at(SIZES, nodes, {"x": ("N", "T", 20)}, {"g": weights(20), "b": weights(20)})

    def test_joined_dims(self):
        nodes = [node("Concat", ["x", "z"], ["a"], axis=0), node("Transpose", ["a"], ["y"])]
        self.agrees_at(SIZES, nodes, {"x": ("N", 4), "z": ("T", 4)})

    def test_a_mean_divides_by_the_size(self):
        nodes = [node("ReduceMean", ["x", "axes"], ["y"], keepdims=0)]
        self.agrees_at(SIZES, nodes, {"x": ("N", "T")}, {"axes": numpy.array([0])})


    def test_many_dims(self):
        dims = tuple("ABCDEFGHIJ")
        path, plan = self.plan([node("Neg", ["x"], ["y"])], {"x": dims})
        x = weights(1, 2, 1, 3, 1, 2, 1, 1, 2, 1)
        numpy.testing.assert_array_equal(self.run_plan(plan, {"x": x}), -x)

    def test_sine_and_cosine_of_one_value(self):
        # LLVM makes one call of them, which a plan must know.
        nodes = [node("Sin", ["x"], ["a"]), node("Cos", ["x"], ["b"]), node("Add", ["a", "b"], ["y"])]
        self.agrees_at(SIZES, nodes, {"x": ("N", "T")})

    def test_a_size_that_is_too_long(self):
        """The product of seven sums has 128 terms: refused in one line, with the node's name."""
        nodes = []
        inputs = {}
        for i in range(7):
            inputs |= {f"a{i}": (f"first_dim_{i}",), f"b{i}": (f"second_dim_{i}",)}
            nodes.append(node("Concat", [f"a{i}", f"b{i}"], [f"c{i}"], axis=0))
        value = "c0"
        for i in range(1, 7):
            nodes += [node("Unsqueeze", [value, "last"], [f"u{i}"]),
                      node("Mul", [f"u{i}", f"c{i}"], [f"m{i}"], name=f"outer{i}"),
                      node("Reshape", [f"m{i}", "flat"], [f"f{i}"], name=f"flat{i}")]
            value = f"f{i}"
        path = self.model([*nodes, node("Neg", [value], ["y"])], inputs,
                          {"last": numpy.array([1]), "flat": numpy.array([-1])})
        text = support.zyxc_error("compile", path, "-o", self.folder / "p.zyxp", expect=4)
        self.assertEqual(text.count("\n"), 1, text)


class Attention(OpenDimsTest):
    def test_heads_by_shapes_of_the_run(self):
        """The reshapes of an exported transformer: batch and length come from Shape."""
        heads, width = 2, 8
        nodes = [node("Shape", ["x"], ["s"]),
                 node("Gather", ["s", "zero"], ["n"], axis=0), node("Gather", ["s", "one"], ["t"], axis=0),
                 node("Unsqueeze", ["n", "axes"], ["n1"]), node("Unsqueeze", ["t", "axes"], ["t1"]),
                 node("Concat", ["n1", "t1", "hw"], ["split"], axis=0),
                 node("Concat", ["n1", "t1", "e"], ["join"], axis=0)]
        for name in "qkv":
            nodes += [node("MatMul", ["x", f"w{name}"], [f"{name}0"]),
                      node("Reshape", [f"{name}0", "split"], [f"{name}1"]),
                      node("Transpose", [f"{name}1"], [name], perm=[0, 2, 1, 3])]
        nodes += [node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
                  node("MatMul", ["q", "kt"], ["scores"]), node("Div", ["scores", "root"], ["scaled"]),
                  node("Softmax", ["scaled"], ["p"], axis=-1), node("MatMul", ["p", "v"], ["o"]),
                  node("Transpose", ["o"], ["o1"], perm=[0, 2, 1, 3]),
                  node("Reshape", ["o1", "join"], ["o2"]), node("Add", ["o2", "x"], ["y"])]
        size = heads * width
        constants = {"zero": numpy.array(0), "one": numpy.array(1), "axes": numpy.array([0]),
                     "hw": numpy.array([heads, width]), "e": numpy.array([size]),
                     "root": f32(width ** 0.5),
                     **{f"w{name}": weights(size, size, seed=ord(name)) for name in "qkv"}}
        self.agrees_at(SIZES, nodes, {"x": ("N", "T", size)}, constants)


class Slices(OpenDimsTest):
    """Bounds that leave the axis are clamped, at every size."""
    many = [{"N": n, "M": m} for n in (1, 2, 5, 8) for m in (0, 1, 5, 30)]

    def slices(self, *slices):
        nodes, constants = [], {"axis": numpy.array([0])}
        for i, bounds in enumerate(slices):
            names = [f"{name}{i}" for name in ("start", "end", "step")]
            constants |= {name: numpy.array([bound]) for name, bound in zip(names, bounds)}
            nodes.append(node("Slice", ["x", names[0], names[1], "axis", names[2]], [f"part{i}"]))
        parts = [f"part{i}" for i in range(len(slices))]
        nodes.append(node("Concat", parts, ["y"], axis=0))
        self.agrees_at([{"N": n} for n in (1, 2, 5, 8, 17)], nodes, {"x": ("N", 3)}, constants)

    def test_numbers(self):
        self.slices((5, 9, 1), (-5, -2, 1), (2, 10**18, 3), (-3, 4, 1), (0, -3, 2), (3, 3, 1))

    def test_numbers_backwards(self):
        self.slices((-1, -10**18, -1), (8, 2, -2), (-4, -9, -1), (10**18, 0, -4), (-10**18, -10**18, -1))

    def last_of(self, start, end, **more):
        """x[start:end], whose ends are made of M, the number of rows of z."""
        nodes = [node("Shape", ["z"], ["M"], start=0, end=1), node("Shape", ["x"], ["N"], start=0, end=1),
                 node("Neg", ["M"], ["minus"]), node("Sub", ["N", "M"], ["rest"]),
                 node("Slice", ["x", start, end, "axis"], ["part"]),
                 node("ReduceSum", ["z"], ["sum"], keepdims=0), node("Add", ["part", "sum"], ["y"])]
        constants = {"zero": numpy.array([0]), "all": numpy.array([2**62]), "axis": numpy.array([0])}
        self.agrees_at(self.many, nodes, {"x": ("N", 3), "z": ("M", 1)}, constants)

    def test_the_last_elements(self):
        self.last_of("minus", "all")  # all of them where M is 0

    def test_without_the_last_elements(self):
        self.last_of("zero", "minus")

    def test_the_first_elements(self):
        self.last_of("zero", "M")

    def test_from_a_difference(self):
        self.last_of("rest", "all")  # counts from the end where M is larger than N

    def test_no_guard_is_left(self):
        self.plan([node("Slice", ["x", "one", "nine"], ["y"])], {"x": ("N",)},
                  {"one": numpy.array([1]), "nine": numpy.array([9])})
        text = support.zyxc("compile", self.folder / "model.onnx", "--emit=plan")
        self.assertNotIn("guard", text)

    def test_a_table_cut_to_the_length(self):
        """The rows are added to N others: N must be at most 16 then, which only a run knows."""
        nodes = [node("Shape", ["x"], ["N"], start=0, end=1), node("Slice", ["table", "zero", "N"], ["part"]),
                 node("Add", ["part", "x"], ["y"])]
        constants = {"zero": numpy.array([0]), "table": weights(16, 3)}
        self.agrees_at([{"N": n} for n in (1, 7, 16)], nodes, {"x": ("N", 3)}, constants)
        text = self.run_plan(self.folder / "model.zyxp", {"x": weights(17, 3)}, expect=2)
        self.assertIn("N = 17", text)

    def test_a_mask_cut_to_both_lengths(self):
        nodes = [node("Shape", ["x"], ["T"], start=0, end=1), node("Shape", ["z"], ["Q"], start=0, end=1),
                 node("Sub", ["T", "Q"], ["S"]), node("Slice", ["mask", "S", "T"], ["part"]),
                 node("Add", ["part", "z"], ["a"]), node("ReduceSum", ["x"], ["b"], keepdims=0),
                 node("Add", ["a", "b"], ["y"])]
        sizes = [{"T": t, "Q": q} for t, q in ((3, 1), (9, 9), (16, 5))]
        self.agrees_at(sizes, nodes, {"x": ("T", 3), "z": ("Q", 3)}, {"mask": weights(16, 3)})


class Pools(OpenDimsTest):
    images = [{"N": n, "H": h, "W": w} for n, h, w in ((1, 4, 5), (2, 7, 7), (1, 6, 9), (1, 17, 8), (1, 3, 33))]

    def pools(self, *attributes, operators=("MaxPool", "AveragePool")):
        for operator in operators:
            for entry in attributes:
                with self.subTest(operator=operator, **entry):
                    self.agrees_at(self.images, [node(operator, ["x"], ["y"], **entry)],
                                   {"x": ("N", 2, "H", "W")})

    def test_ceil_mode(self):
        self.pools({"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
                   {"kernel_shape": [3, 2], "strides": [2, 3], "ceil_mode": 1, "pads": [1, 0, 1, 1]},
                   {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1})

    def test_padding_that_counts(self):
        self.pools({"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1, "pads": [1, 1, 1, 1],
                    "count_include_pad": 1}, operators=("AveragePool",))

    def test_as_many_windows_as_strides(self):
        self.pools({"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
                   {"kernel_shape": [2, 3], "strides": [1, 3], "auto_pad": "SAME_LOWER"},
                   {"kernel_shape": [2, 5], "strides": [2, 3], "auto_pad": "SAME_LOWER"})


class Parts(OpenDimsTest):
    def test_equal_parts_but_the_last(self):
        # Sizes that ONNX Runtime takes: none whose last part would be negative.
        for outputs in (2, 3):
            names = [f"p{i}" for i in range(outputs)]
            nodes = [node("Split", ["x"], names, num_outputs=outputs),
                     *(node("ReduceSum", [name, "axis"], [f"s{name}"]) for name in names),
                     node("Concat", [*(f"s{name}" for name in names), *names], ["y"], axis=0)]
            self.agrees_at([{"N": n} for n in (2, 3, 5, 6, 16, 17)], nodes, {"x": ("N", 3)},
                           {"axis": numpy.array([0])})

    def test_blocks_of_an_image(self):
        sizes = [{"N": 1, "H": 4, "W": 6}, {"N": 2, "H": 2, "W": 10}]
        self.agrees_at(sizes, [node("SpaceToDepth", ["x"], ["y"], blocksize=2)], {"x": ("N", 3, "H", "W")})
        text = self.run_plan(self.folder / "model.zyxp", {"x": weights(1, 3, 4, 5)}, expect=2)
        self.assertIn("W = 5", text)

    def test_images_of_blocks(self):
        sizes = [{"N": 1, "C": 4, "H": 3, "W": 5}, {"N": 2, "C": 12, "H": 1, "W": 2}]
        for mode in ("DCR", "CRD"):
            nodes = [node("DepthToSpace", ["x"], ["y"], blocksize=2, mode=mode)]
            self.agrees_at(sizes, nodes, {"x": ("N", "C", "H", "W")})
            self.assertIn("C = 6", self.run_plan(self.folder / "model.zyxp", {"x": weights(1, 6, 2, 2)},
                                                 expect=2))


class Names(OpenDimsTest):
    def test_names_that_are_no_sizes(self):
        """As expressions they would be below zero: they are names, as for ONNX Runtime."""
        for name in ("-N", "-1", "-N - 1"):
            with self.subTest(name=name):
                self.agrees_at([{name: 1}, {name: 7}], [node("Neg", ["x"], ["y"])], {"x": (name, 3)})


class Guards(OpenDimsTest):
    def test_the_same_mistake_has_the_same_code(self):
        """Inputs that do not fit are a usage error, for a model and for its plan."""
        path, plan = self.plan([node("Add", ["x", "z"], ["y"])], {"x": ("N", 3), "z": ("N", 3)})
        for x, z in ((weights(4, 3), weights(5, 3)), (weights(4, 4), weights(4, 3)),
                     (weights(4), weights(4, 3)), (weights(4, 3).astype("f8"), weights(4, 3))):
            files = self.input_files({"x": x, "z": z})
            for file in (path, plan):
                with self.subTest(x=x.shape, z=z.shape, file=file.name):
                    support.zyxc_error("run", file, *files, expect=2)

    def test_dims_that_an_op_needs_equal(self):
        _, plan = self.plan([node("Add", ["x", "z"], ["y"])], {"x": ("N", 3), "z": ("M", 3)})
        given = {"x": weights(4, 3), "z": weights(4, 3)}
        numpy.testing.assert_allclose(self.run_plan(plan, given), given["x"] + given["z"])
        text = self.run_plan(plan, {"x": weights(4, 3), "z": weights(5, 3)}, expect=2)
        for part in ("'z'", "5", "4", "axis 0"):
            self.assertIn(part, text)

    def test_dims_without_a_name(self):
        _, plan = self.plan([node("Add", ["x", "z"], ["y"])], {"x": (None,), "z": (None,)})
        given = {"x": weights(6), "z": weights(6)}
        numpy.testing.assert_allclose(self.run_plan(plan, given), given["x"] + given["z"])
        self.assertIn("'z'", self.run_plan(plan, {"x": weights(4), "z": weights(5)}, expect=2))

    def test_an_image_that_is_too_small(self):
        _, plan = self.plan([node("Conv", ["x", "w"], ["y"], name="conv1")], {"x": (1, 1, "H", 9)},
                            {"w": weights(1, 1, 5, 5)})
        self.assertEqual(self.run_plan(plan, {"x": weights(1, 1, 5, 9)}).shape, (1, 1, 1, 5))
        self.assertIn("conv1", self.run_plan(plan, {"x": weights(1, 1, 4, 9)}, expect=2))

    def test_sizes_on_the_command_line(self):
        path = self.model([node("Relu", ["x"], ["y"])], {"x": ("N", 3)})
        self.assertIn("y: f32[5,3]", support.zyxc("run", path, "--dim=N=5"))
        self.assertIn("'K'", support.zyxc_error("run", path, "--dim=K=5", expect=2))
        self.assertIn("--dim", support.zyxc_error("run", path, expect=2))


if __name__ == "__main__":
    unittest.main()
