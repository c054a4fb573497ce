"""Attention op by op, as exporters write it: one kernel, and the values of ONNX Runtime."""
import math
import re
import unittest

import numpy
import small_model
import support
from onnx import helper
from transformer import transformer


class Attention:
    """The nodes of softmax(q k^T * scale + mask) v, part by part."""

    def __init__(self, queries=17, keys=33, depth=20, width=24, batch=2, heads=3, groups=None,
                 dtype=numpy.float32, seed=0):
        random = numpy.random.default_rng(seed)
        groups = groups or heads
        self.batch, self.heads, self.groups, self.keys = batch, heads, groups, keys
        self.nodes, self.constants, self.dtype = [], {}, dtype
        self.inputs = {
            name: random.normal(size=(batch, count, rows, columns)).astype(dtype)
            for name, count, rows, columns in (("q", heads, queries, depth), ("k", groups, keys, depth),
                                               ("v", groups, keys, width))}
        self.random = random
        self.scale = 1 / math.sqrt(depth)

    def add(self, op, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def constant(self, name, value):
        self.constants[name] = numpy.asarray(value)
        return name

    def number(self, name, value):
        return self.constant(name, numpy.asarray(value, self.dtype))

    def given(self, name, value):
        self.inputs[name] = value
        return name

    def repeated(self, name):
        """Each head of keys or values once for every head of queries that shares it."""
        if self.groups == self.heads:
            return name
        _, groups, keys, columns = self.inputs[name].shape
        each = self.heads // self.groups
        axes = self.constant("axes", numpy.array([2]))
        shape = self.constant(f"{name}.each", numpy.array([self.batch, groups, each, keys, columns]))
        flat = self.constant(f"{name}.all", numpy.array([self.batch, self.heads, keys, columns]))
        wide = self.add("Expand", f"{name}.wide", self.add("Unsqueeze", f"{name}.one", name, axes), shape)
        return self.add("Reshape", f"{name}.heads", wide, flat)

    def scores(self, query="q", key=None):
        key = key or self.repeated("k")
        return self.add("MatMul", "scores", query, self.add("Transpose", "kt", key, perm=[0, 1, 3, 2]))

    def scaled(self, x):
        return self.add("Mul", f"{x}.scaled", x, self.number("scale", self.scale))

    def attend(self, logits, name="y"):
        return self.add("MatMul", name, self.add("Softmax", "weights", logits, axis=-1),
                        self.repeated("v"))

    def usual(self):
        self.attend(self.scaled(self.scores()))
        return self


class AttentionTest(small_model.SmallModelTest):
    def launches(self, path, *options):
        """The family of each launch of a run."""
        text = support.zyxc("run", path, "--quiet", "--plan", *options)
        steps = text[text.index("\nsteps:"):]
        return re.findall(r"^  ([a-z]+)\d+_\w+\(", steps, re.M)

    def path_of(self, built):
        declared = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in built.inputs.items()]
        return self.write(declared, built.nodes, built.constants, ("y",))

    def is_one_kernel(self, built, *options):
        self.assertEqual(self.launches(self.path_of(built), *options), ["attention"])

    def check_values(self, built, tolerance=2e-5):
        path = self.path_of(built)
        (expected,) = support.onnxruntime_outputs(path, built.inputs).values()
        for options in ((), ("--threads=1", "--target=cpu:x86-64-v3")):
            actual = self.values([path, "--quiet", *self.input_files(built.inputs)], *options)
            numpy.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)

    def check_one(self, built, tolerance=2e-5):
        self.is_one_kernel(built)
        self.check_values(built, tolerance)

    def test_lengths_and_heads_of_any_size(self):
        sure = ((17, 33, 20, 24), (64, 64, 64, 64), (2, 3, 2, 2), (31, 200, 64, 100))
        # Of these some are no attention, and some cost as much as three kernels.
        others = ((65, 129, 13, 80), (128, 1, 8, 8), (16, 16, 1, 16), (1, 40, 64, 64), (300, 130, 33, 1))
        for queries, keys, depth, width in sure + others:
            with self.subTest(queries=queries, keys=keys, depth=depth, width=width):
                built = Attention(queries, keys, depth, width).usual()
                if (queries, keys, depth, width) in sure:
                    self.is_one_kernel(built)
                self.check_values(built)

    def test_scale_anywhere(self):
        for where in ("queries", "keys", "scores", "quotient", "both"):
            with self.subTest(where):
                built = Attention()
                if where == "queries":
                    scores = built.scores(query=built.scaled("q"))
                elif where == "keys":
                    scores = built.scores(key=built.scaled("k"))
                elif where == "scores":
                    scores = built.scaled(built.scores())
                elif where == "quotient":
                    scores = built.add("Div", "divided", built.scores(), built.number("root", 1 / built.scale))
                else:
                    built.scale = math.sqrt(built.scale)
                    scores = built.scores(query=built.scaled("q"), key=built.scaled("k"))
                built.attend(scores)
                self.check_one(built)

    def test_added_masks(self):
        for shape in ((2, 1, 1, 33), (1, 1, 17, 33), (2, 3, 17, 33), (17, 33), (2, 1, 17, 1)):
            for value in (-math.inf, -1e9, numpy.finfo(numpy.float32).min):
                with self.subTest(shape=shape, value=value):
                    built = Attention()
                    hidden = built.random.random(shape) < 0.3
                    mask = built.given("mask", numpy.where(hidden, value, 0).astype(numpy.float32))
                    built.attend(built.add("Add", "masked", built.scaled(built.scores()), mask))
                    self.check_one(built)

    def test_boolean_masks(self):
        """Random rows of which some see no key: NaN there, in the plain graph, too."""
        for shape in ((2, 1, 1, 33), (1, 1, 17, 33), (2, 3, 17, 33)):
            with self.subTest(shape):
                built = Attention()
                visible = built.random.random(shape) < 0.5
                visible[..., -1:, :] = False
                mask = built.given("mask", visible)
                lowest = built.number("lowest", -math.inf)
                built.attend(built.scaled(built.add("Where", "masked", mask, built.scores(), lowest)))
                self.check_one(built)

    def test_causal_by_constants_and_by_positions(self):
        for computed in (False, True):
            with self.subTest(computed):
                built = Attention(queries=40, keys=40)
                if computed:
                    count = built.constant("count", numpy.int64(40))
                    positions = built.add("Range", "positions", built.constant("zero", numpy.int64(0)), count,
                                          built.constant("one", numpy.int64(1)))
                    rows = built.add("Unsqueeze", "rows", positions,
                                     built.constant("last", numpy.array([1])))
                    visible = built.add("LessOrEqual", "visible", positions, rows)
                else:
                    visible = built.constant("visible", numpy.tri(40, dtype=bool))
                lowest = built.number("lowest", -math.inf)
                built.attend(built.add("Where", "masked", visible, built.scaled(built.scores()), lowest))
                self.check_one(built)

    def test_groups_of_heads(self):
        for heads, groups in ((6, 2), (4, 1)):
            with self.subTest(heads=heads, groups=groups):
                built = Attention(heads=heads, groups=groups).usual()
                self.check_one(built)

    def test_joined_heads_and_a_residual(self):
        built = Attention()
        built.attend(built.scaled(built.scores()), "heads")
        rows = built.add("Transpose", "rows", "heads", perm=[0, 2, 1, 3])
        joined = built.add("Reshape", "joined", rows, built.constant("shape", numpy.array([2, 17, 72])))
        residual = built.given("residual", built.random.normal(size=(2, 17, 72)).astype(numpy.float32))
        built.add("Add", "y", joined, residual)
        self.check_one(built)

    def test_half_precision(self):
        built = Attention(dtype=numpy.float16).usual()
        self.is_one_kernel(built)
        self.check_values(built, tolerance=4e-3)

    def test_double_precision(self):
        built = Attention(dtype=numpy.float64).usual()
        self.check_one(built, tolerance=1e-12)

    def test_the_softmax_may_be_wider_than_the_products(self):
        built = Attention(dtype=numpy.float16)
        wide = built.add("Cast", "wide", built.scaled(built.scores()), to=1)
        weights = built.add("Softmax", "weights", wide, axis=-1)
        narrow = built.add("Cast", "narrow", weights, to=10)
        built.add("MatMul", "y", narrow, "v")
        self.is_one_kernel(built)
        self.check_values(built, tolerance=4e-3)

    def test_weights_that_are_an_output_are_stored(self):
        built = Attention().usual()
        declared = [helper.make_tensor_value_info(name, 1, value.shape)
                    for name, value in built.inputs.items()]
        path = self.write(declared, built.nodes, built.constants, ("y", "weights"))
        support.zyxc("verify", path)

    def test_each_op_rounds_at_level_exact(self):
        built = Attention().usual()
        path = self.path_of(built)
        self.assertNotIn("attention", self.launches(path, "--numerics=exact"))
        support.zyxc("verify", path, "--numerics=exact")

    def test_layers_of_a_transformer(self):
        """A layer is two norms, one to three projections, attention, and three products with what follows."""
        for masked in (False, True):
            with self.subTest(masked=masked):
                path = self.folder / "layers.onnx"
                path.write_bytes(transformer(3, masked=masked).SerializeToString())
                launches = self.launches(path)
                counts = {family: launches.count(family) for family in set(launches)}
                self.assertIn(counts.pop("contract"), (12, 15, 18))
                self.assertEqual(counts, {"attention": 3, "row": 7})
                support.zyxc("verify", path)


if __name__ == "__main__":
    unittest.main()
