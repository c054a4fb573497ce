"""Small models on which public tensor compilers went wrong, with the right values on each target.

Cases are numbered as in the list that they come from; ELSEWHERE says where the others are. The kernels of
15, 17 to 20 and 30 run on simulated GPUs and on Vulkan in test/regress/known-faults.
"""
import re
import unittest

import numpy
import support
from onnx import helper, TensorProto
from small_model import SmallModelTest

f32 = numpy.float32
node = helper.make_node
NAN = numpy.nan
TARGETS = ("interp", "cpu", "cpu:x86-64-v3")
CASES = 30
# Bits of inf, -inf, NaN, -0.0, the smallest denormal and the largest number, where a type has them, and
# the extremes of integers.
SPECIAL = {
    TensorProto.FLOAT16: (numpy.uint16, 0x7C00, 0xFC00, 0x7E00, 0x8000, 1, 0x7BFF),
    TensorProto.BFLOAT16: (numpy.uint16, 0x7F80, 0xFF80, 0x7FC0, 0x8000, 1, 0x7F7F),
    TensorProto.FLOAT: (numpy.uint32, 0x7F800000, 0xFF800000, 0x7FC00000, 1 << 31, 1, 0x7F7FFFFF),
    TensorProto.DOUBLE: (numpy.uint64, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 1 << 63, 1,
                         0x7FEFFFFFFFFFFFFF),
    TensorProto.FLOAT8E5M2: (numpy.uint8, 0x7C, 0xFC, 0x7E, 0x80, 1, 0x7B),
    TensorProto.FLOAT8E4M3FN: (numpy.uint8, 0x7F, 0xFF, 0x80, 1, 0x7E),
    TensorProto.INT8: (numpy.uint8, 0x7F, 0x80, 0xFF),
    TensorProto.INT16: (numpy.uint16, 0x7FFF, 0x8000, 0xFFFF),
    TensorProto.INT32: (numpy.uint32, 0x7FFFFFFF, 1 << 31, 0xFFFFFFFF),
    TensorProto.INT64: (numpy.uint64, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
}
# Case: the file that has it, or why there is none.
ELSEWHERE = {
    1: "no test: Unique has a result whose size depends on values, which zyxc does not support",
    9: "no test: temporaries of a product lie in the plan's memory, never on the stack",
    10: "test/passes/kernel/verify-schedule.mlir",
    28: "no test: no pipeline of zyxc runs MLIR's canonicalize",
    29: "test/regress/known-faults/subtract-epilogue.mlir",
}


class KnownFaults(SmallModelTest):
    def test_all_cases_have_a_place(self):
        here = {int(found[1]) for found in map(re.compile(r"test_(\d+)_").match, dir(self)) if found}
        self.assertEqual(sorted([*here, *ELSEWHERE]), list(range(1, CASES + 1)))
        for place in ELSEWHERE.values():
            self.assertTrue(place.startswith("no test: ") or (support.ROOT / place).is_file(), place)

    def test_02_difference_that_rounds(self):
        nodes = [node("Add", ["x", "one"], ["t"]), node("Sub", ["x", "t"], ["y"])]
        x = numpy.array([0, 1, 1e9, -1e9], f32)
        for numerics in ("exact", "reorder", "approx"):
            self.check([-1, -1, 0, 0], nodes, {"x": x}, {"one": f32(1)},
                       [f"--numerics={numerics}"])

    def test_03_embedding_of_half_floats(self):
        rows = numpy.arange(50 * 16, dtype=numpy.float16).reshape(50, 16)
        index = numpy.array([[0, 49, -1], [-50, 7, 7]])
        self.check(rows[index], [node("Gather", ["rows", "i"], ["y"])], {"i": index},
                   {"rows": rows})

    def test_04_shape_from_an_input(self):
        nodes = [node("ConstantOfShape", ["s"], ["t"]), node("Unsqueeze", ["t", "axes"], ["y"])]
        self.check(numpy.zeros((2, 1, 3), f32), nodes, {"s": numpy.array([2, 3])},
                   {"axes": numpy.array([1])})

    def test_05_batched_product_of_any_size(self):
        random = numpy.random.default_rng(1)
        for size in (1, 7, 128):
            a = random.integers(-4, 5, (1, 12, size, 64)).astype(f32)
            b = random.integers(-4, 5, (1, 12, 64, size)).astype(f32)
            self.check(a @ b, [node("MatMul", ["a", "b"], ["y"])], {"a": a, "b": b})

    def test_06_kernel_longer_than_the_input(self):
        random = numpy.random.default_rng(1)
        x = random.integers(-2, 3, (1, 8, 39)).astype(f32)
        w = random.integers(-2, 3, (4, 4, 128)).astype(f32)
        padded = numpy.pad(x, ((0, 0), (0, 0), (64, 64)))
        expected = numpy.zeros((1, 4, 40), f32)
        for out in range(4):
            group = padded[0, out // 2 * 4:out // 2 * 4 + 4]
            for at in range(40):
                expected[0, out, at] = (group[:, at:at + 128] * w[out]).sum()
        self.check(expected, [node("Conv", ["x", "w"], ["y"], group=2, pads=[64, 64])],
                   {"x": x}, {"w": w})

    def test_07_expand_by_an_input(self):
        self.check(numpy.full((2, 3), 5, f32), [node("Expand", ["x", "s"], ["y"])],
                   {"x": f32(5), "s": numpy.array([2, 3])})

    def test_08_reshape_with_unknown_sizes(self):
        nodes = [node("Reshape", ["x", "s"], ["y"])]
        shape = {"s": numpy.array([-1, 17, 31])}
        x = numpy.arange(34 * 31, dtype=f32).reshape(34, 31)
        self.check(x.reshape(2, 17, 31), nodes, {"x": x}, shape)
        for text in ("155 elements of 5x31", "[-1,17,31]"):
            self.fails(3, text, nodes, {"x": x[:5]}, shape)

    def test_11_unknown_operators(self):
        nodes = [node("Relu", ["x"], ["a"]),
                 node("NoSuchOp", ["a"], ["b"], "middle", domain="com.microsoft"),
                 node("NoSuchOp", ["b"], ["y"], "last")]
        for text in ("com.microsoft.NoSuchOp", "'middle'", "'last'"):
            self.fails(4, text, nodes, {"x": numpy.zeros(2, f32)})

    def test_12_shape_is_clipped(self):
        self.check([2, 3, 4], [node("Shape", ["x"], ["y"], start=-10)],
                   {"x": numpy.zeros((2, 3, 4), f32)})

    def test_13_arity(self):
        self.fails(3, "BitwiseNot", [node("BitwiseNot", ["x", "x"], ["y"])],
                   {"x": numpy.zeros(2, numpy.int32)})

    def test_14_transposed_convolution_in_groups(self):
        self.check([[[[20]], [[300]]]], [node("ConvTranspose", ["x", "w"], ["y"], group=2)],
                   {"x": numpy.array([2, 3], f32).reshape(1, 2, 1, 1)},
                   {"w": numpy.array([10, 100], f32).reshape(2, 1, 1, 1)})

    def test_15_integers_wrap(self):
        nodes = [node("Add", [f"t{i}"] * 2, [f"t{i + 1}" if i < 39 else "y"]) for i in range(40)]
        x = numpy.array([40, 3, -1, 1 << 30], numpy.int32)
        self.check(numpy.zeros(4, numpy.int32), nodes, {"t0": x}, targets=TARGETS)
        x = numpy.array([77777, -99999, 46341], numpy.int32)
        self.check(x * x * x, [node("Mul", ["x", "x"], ["a"]), node("Mul", ["a", "x"], ["y"])],
                   {"x": x}, targets=TARGETS)

    def test_16_pairs_that_change_nothing(self):
        x = numpy.linspace(-1, 1, 37 * 21).astype(numpy.float16).reshape(37, 21, 1, 1, 1)
        z = numpy.arange(43, dtype=numpy.float16).reshape(1, 43, 1, 1)
        bounds = {"from": numpy.array([2]), "to": numpy.array([30]), "axis": numpy.array([0])}
        first = [node("Sin", ["x"], ["s"]), node("Neg", ["s"], ["n"])]
        pair = [node("Split", ["n"], ["p", "q"], axis=0, num_outputs=2),
                node("Concat", ["p", "q"], ["j"], axis=0)]
        results = []
        for middle, value in (([], "n"), (pair, "j")):
            last = [node("Slice", [value, "from", "to", "axis"], ["c"]),
                    node("ReduceMean", ["z"], ["m"]), node("Add", ["c", "m"], ["y"])]
            results.append(self.values(self.save(first + middle + last, {"x": x, "z": z}, bounds)))
        numpy.testing.assert_array_equal(*results)

    def test_17_nan_in_a_maximum(self):
        nodes = [node("ReduceMax", ["x"], ["y"], keepdims=1)]
        self.check([[NAN]], nodes, {"x": numpy.array([[1, NAN, 2, 3, 4, 5, 6, 7]], f32)},
                   targets=TARGETS)
        for length in (8, 33, 1000):
            for at in sorted({0, 1, length // 2, length - 1}):
                x = numpy.arange(length, dtype=f32)[None]
                x[0, at] = NAN
                self.check([[NAN]], nodes, {"x": x}, targets=TARGETS)

    def test_18_nan_beside_a_scalar(self):
        x = numpy.array([1, NAN, 9], f32)
        self.check([5, NAN, 9], [node("Max", ["x", "c"], ["y"])], {"x": x}, {"c": f32(5)})
        self.check([1, NAN, 5], [node("Min", ["x", "c"], ["y"])], {"x": x}, {"c": f32(5)})

    def test_19_clip(self):
        x = {"x": numpy.array([1, NAN, 9], f32)}
        bounds = {"low": f32(5), "high": f32(2)}
        self.check([5, NAN, 9], [node("Clip", ["x", "low"], ["y"])], x, bounds)
        self.check([1, NAN, 2], [node("Clip", ["x", "", "high"], ["y"])], x, bounds)
        self.check([2, NAN, 2], [node("Clip", ["x", "low", "high"], ["y"])], x, bounds)

    def test_20_casts_out_of_range(self):
        for to, value, expected in ((numpy.uint32, -3, 0), (numpy.uint8, 300, 255),
                                    (numpy.int32, NAN, 0), (numpy.int8, -1e30, -128),
                                    (numpy.int64, numpy.inf, (1 << 63) - 1)):
            target = helper.np_dtype_to_tensor_dtype(numpy.dtype(to))
            self.check(numpy.full(17, expected, to), [node("Cast", ["x"], ["y"], to=target)],
                       {"x": numpy.full(17, value, f32)}, targets=TARGETS)

    def test_21_nothing_at_all(self):
        self.check(numpy.zeros((0, 6), f32), [node("Tile", ["x", "r"], ["y"])],
                   {"x": numpy.ones((2, 3), f32)}, {"r": numpy.array([0, 2])})
        for a, b in (((3, 0, 4), (4, 5)), ((3, 0), (0, 5)), ((0, 2, 3), (0, 3, 4))):
            a, b = numpy.ones(a, f32), numpy.ones(b, f32)
            self.check(a @ b, [node("MatMul", ["a", "b"], ["y"])], {"a": a, "b": b})
        between = [node("Relu", ["x"], ["r"]), node("MatMul", ["r", "w"], ["m"]),
                   node("Exp", ["m"], ["y"])]
        self.check(numpy.zeros((0, 3, 5), f32), between, {"x": numpy.ones((0, 3, 4), f32)},
                   {"w": numpy.ones((4, 5), f32)})

    def test_22_convolution_with_a_scalar(self):
        self.fails(3, "weight", [node("Conv", ["x", "w"], ["y"], "conv")],
                   {"x": numpy.ones((1, 3, 8, 8), f32)}, {"w": f32(2)})

    def test_23_flags_of_a_product_out_of_range(self):
        self.opset = 6
        for flags, text in (({"broadcast": -436, "transB": 823}, "transB must be 0 or 1, not 823"),
                            ({"broadcast": -436}, "broadcast must be 0 or 1, not -436")):
            self.fails(3, text, [node("Gemm", ["a", "b", "c"], ["y"], **flags)],
                       {"a": numpy.ones((2, 3), f32), "b": numpy.ones((3, 4), f32)},
                       {"c": numpy.ones(4, f32)})

    def test_24_constant_of_shape_without_value(self):
        self.check(numpy.zeros((2, 3), f32), [node("ConstantOfShape", ["s"], ["y"])], {},
                   {"s": numpy.array([2, 3])})

    def test_25_transpose_of_unit_axes(self):
        x = numpy.arange(6, dtype=f32).reshape(2, 3, 1, 1)
        self.check(x.transpose(2, 3, 1, 0), [node("Transpose", ["x"], ["y"], perm=[2, 3, 1, 0])],
                   {"x": x})

    def test_26_scalar_of_axes(self):
        x = numpy.arange(6, dtype=f32).reshape(2, 3)
        self.check(x.sum(1, keepdims=True), [node("ReduceSum", ["x", "a"], ["y"])], {"x": x},
                   {"a": numpy.array(1)})

    def test_27_duplicates_are_read_before_any_write(self):
        nodes = [node("Add", ["i", "ten"], ["at"]), node("Gather", ["x", "at"], ["old"]),
                 node("Add", ["old", "old"], ["new"]),
                 node("ScatterElements", ["x", "at", "new"], ["y"], axis=0)]
        x = numpy.array([3, 5, 7], f32)
        ten = {"ten": numpy.array(10)}
        self.check([6, 5, 7], nodes, {"x": x, "i": numpy.array([-10, -10])}, ten)
        nodes[-1] = node("ScatterND", ["x", "places", "new"], ["y"])
        nodes.insert(1, node("Unsqueeze", ["at", "last"], ["places"]))
        self.check([6, 5, 7], nodes, {"x": x, "i": numpy.array([[-10, -10]])},
                   {**ten, "last": numpy.array([2])})

    def test_30_special_numbers(self):
        """Each as a constant in memory, and as one in code: Where takes it beside a computed value."""
        self.opset = 26
        for kind, bits in SPECIAL.items():
            stored = numpy.array(bits[1:], bits[0])
            to = helper.np_dtype_to_tensor_dtype(stored.dtype)
            nodes = [node("BitCast", ["x"], ["f"], to=kind)]
            for i, number in enumerate(stored):
                value = helper.make_tensor(f"c{i}", kind, [], number.tobytes(), raw=True)
                nodes += [node("Constant", [], [f"c{i}"], value=value),
                          node("Where", ["m", f"c{i}", "f"], [f"w{i}"])]
            all_numbers = helper.make_tensor("all", kind, stored.shape, stored.tobytes(), raw=True)
            names = ["all", *(f"w{i}" for i in range(len(stored)))]
            nodes += [node("Constant", [], ["all"], value=all_numbers),
                      node("Concat", names, ["j"], axis=0), node("BitCast", ["j"], ["y"], to=to)]
            mask = numpy.array([True, False, True])
            x = numpy.full(3, stored[-1])
            expected = [stored, *(numpy.where(mask, number, x) for number in stored)]
            self.check(numpy.concatenate(expected), nodes, {"x": x, "m": mask}, targets=TARGETS)


if __name__ == "__main__":
    unittest.main()
