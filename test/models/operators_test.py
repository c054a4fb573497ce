"""Operators with many forms against ONNX Runtime on random values, and what they refuse."""
import itertools
import unittest

import numpy
from onnx import helper
from small_model import SmallModelTest

f32 = numpy.float32
node = helper.make_node
random = numpy.random.default_rng(1)


def values(*shape, low=-1.0, high=1.0):
    return random.uniform(low, high, shape).astype(f32)


def small(dtype, *shape):
    info = numpy.iinfo(dtype)
    return random.integers(info.min, info.max + 1, shape).astype(dtype)


def seven_bits(*shape):
    """int8 weights that ONNX Runtime computes with exactly on every processor: without VNNI it adds
    two products of u8 and i8 in 16 bits, which saturate."""
    return small(numpy.int8, *shape) // numpy.int8(2)


class Quantized(SmallModelTest):
    opset = 21

    def test_product_per_row_and_column(self):
        nodes = [node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"])]
        constants = {"as": f32(0.02), "az": numpy.uint8(120), "bs": values(5, low=0.01, high=0.03),
                     "bz": small(numpy.uint8, 5), "ys": f32(0.11), "yz": numpy.uint8(90)}
        inputs = {"a": small(numpy.uint8, 4, 7), "b": small(numpy.uint8, 7, 5)}
        self.agrees(nodes, inputs, constants)

    def test_integers(self):
        self.agrees([node("MatMulInteger", ["a", "b", "az", "bz"], ["y"])],
                    {"a": small(numpy.uint8, 3, 4, 6), "b": seven_bits(6, 5)},
                    {"az": numpy.uint8(3), "bz": numpy.int8(-7)})
        self.agrees([node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], pads=[1, 0, 1, 2],
                          strides=[2, 1], group=2)],
                    {"x": small(numpy.uint8, 1, 4, 7, 6)},
                    {"w": small(numpy.uint8, 6, 2, 3, 2), "xz": numpy.uint8(100),
                     "wz": numpy.uint8(17)})

    def test_convolution_per_channel(self):
        nodes = [node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"],
                      pads=[1, 1, 1, 1])]
        self.agrees(nodes, {"x": small(numpy.uint8, 1, 3, 6, 6)},
                    {"xs": f32(0.01), "xz": numpy.uint8(128), "w": seven_bits(4, 3, 3, 3),
                     "ws": values(4, low=0.002, high=0.01), "wz": numpy.zeros(4, numpy.int8),
                     "ys": f32(0.02), "yz": numpy.uint8(128),
                     "b": random.integers(-500, 500, 4).astype(numpy.int32)})

    def test_there_and_back(self):
        for axis, shape in ((1, (4,)), (-1, (6,)), (0, ())):
            nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=axis),
                     node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=axis)]
            self.agrees(nodes, {"x": values(3, 4, 6, low=-9, high=9)},
                        {"s": numpy.asarray(values(*shape, low=0.02, high=0.1), f32),
                         "z": numpy.asarray(random.integers(-20, 20, shape), numpy.int8)})
        nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1, block_size=3),
                 node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1, block_size=3)]
        self.agrees(nodes, {"x": values(2, 7, low=-9, high=9)},
                    {"s": values(2, 3, low=0.02, high=0.1), "z": small(numpy.uint8, 2, 3)})

    def test_dynamic(self):
        for x in (values(5, 7), values(5, low=1, high=2), numpy.zeros(4, f32)):
            self.agrees([node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])], {"x": x},
                        outputs=("y", "s", "z"))

    def test_what_is_refused(self):
        nodes = [node("QuantizeLinear", ["x", "s"], ["y"], "quantize", axis=1)]
        for text in ("'quantize'", "a scale or zero point of shape 3"):
            self.fails(3, text, nodes, {"x": values(2, 4)}, {"s": values(3)})


class Corners(SmallModelTest):
    def test_triangles_beyond_the_corners(self):
        for k in (-2**63, -2**62, -4, -3, 0, 4, 5, 2**31, 2**62, 2**63 - 1):
            for upper in (0, 1):
                with self.subTest(k=k, upper=upper):
                    nodes = [node("Trilu", ["x", "k"], ["y"], upper=upper)]
                    self.agrees(nodes, {"x": values(3, 4)}, {"k": numpy.array(k, numpy.int64)},
                                targets=("cpu",))


class Images(SmallModelTest):
    opset = 19

    def test_resize(self):
        x = values(1, 2, 7, 9)
        modes = itertools.product(("nearest", "linear", "cubic"),
                                  ("half_pixel", "asymmetric", "pytorch_half_pixel"))
        for mode, transform in modes:
            for scales in ((1, 1, 2.5, 1.3), (1, 1, 0.6, 0.45)):
                with self.subTest(mode=mode, transform=transform, scales=scales):
                    self.agrees([node("Resize", ["x", "", "s"], ["y"], mode=mode,
                                      coordinate_transformation_mode=transform)], {"x": x},
                                {"s": numpy.array(scales, f32)}, targets=("interp",))
        self.agrees([node("Resize", ["x", "", "", "n"], ["y"], mode="linear", antialias=1)],
                    {"x": x}, {"n": numpy.array([1, 2, 3, 4])}, tolerance=1e-4)

    def test_grid_sample(self):
        grid = values(2, 3, 4, 2, low=-1.6, high=1.6)
        for mode, padding, corners in itertools.product(
                ("linear", "nearest", "cubic"), ("zeros", "border", "reflection"), (0, 1)):
            with self.subTest(mode=mode, padding=padding, corners=corners):
                self.opset = 20
                self.agrees([node("GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding,
                                  align_corners=corners)],
                            {"x": values(2, 3, 5, 6), "g": grid}, targets=("interp",),
                            tolerance=1e-4)

    def test_regions(self):
        rois = numpy.array([[0, 0, 9, 5], [2.5, 1, 6, 7], [8, 8, 12, 11]], f32)
        for mode in ("avg", "max"):
            self.agrees([node("RoiAlign", ["x", "r", "i"], ["y"], mode=mode, output_height=2,
                              output_width=3, sampling_ratio=2, spatial_scale=0.7)],
                        {"x": values(2, 3, 8, 9), "r": rois, "i": numpy.array([0, 1, 0])},
                        tolerance=1e-4)
        self.fails(4, "sampling_ratio 0", [node("RoiAlign", ["x", "r", "i"], ["y"])],
                   {"x": values(2, 3, 8, 9), "r": rois, "i": numpy.array([0, 1, 0])})

    def test_deformed_convolution(self):
        self.agrees([node("DeformConv", ["x", "w", "o", "b", "m"], ["y"], pads=[1, 0, 1, 2],
                          strides=[2, 1], offset_group=2, group=2, dilations=[1, 2])],
                    {"x": values(2, 4, 6, 7), "o": values(2, 24, 4, 5, low=-2, high=2),
                     "m": values(2, 12, 4, 5)},
                    {"w": values(6, 2, 2, 3), "b": values(6)}, tolerance=1e-4)

    def test_positions_of_a_max_pool(self):
        for order in (0, 1):
            self.agrees([node("MaxPool", ["x"], ["y", "i"], kernel_shape=[3, 2], strides=[2, 2],
                              pads=[1, 0, 1, 1], dilations=[1, 2], storage_order=order)],
                        {"x": values(2, 3, 7, 8)}, outputs=("y", "i"))

    def test_columns_to_image(self):
        self.agrees([node("Col2Im", ["x", "n", "b"], ["y"], strides=[2, 1], pads=[1, 0, 1, 1],
                          dilations=[1, 2])],
                    {"x": values(2, 12, 21)}, {"n": numpy.array([5, 8]), "b": numpy.array([2, 2])})


class Signals(SmallModelTest):
    opset = 20

    def test_transforms(self):
        for parts, onesided, inverse in ((1, 0, 0), (1, 1, 0), (2, 0, 0), (2, 0, 1)):
            for length in (8, 11, 5):
                with self.subTest(parts=parts, onesided=onesided, inverse=inverse, length=length):
                    self.agrees([node("DFT", ["x", "n", "a"], ["y"], onesided=onesided,
                                      inverse=inverse)], {"x": values(2, 8, 3, parts)},
                                {"n": numpy.array(length), "a": numpy.array(1)},
                                targets=("interp",))

    def test_short_time_transform(self):
        self.agrees([node("HannWindow", ["n"], ["w"]),
                     node("STFT", ["x", "s", "w"], ["y"])],
                    {"x": values(2, 128, 1)}, {"n": numpy.array(32), "s": numpy.array(12)})

    def test_attention(self):
        self.opset = 23
        q, k, v = values(2, 6, 5, 8), values(2, 2, 7, 8), values(2, 2, 7, 4)
        mask = random.random((5, 7)) < 0.6
        mask[:, 0] = True
        for attributes in ({"is_causal": 1}, {"softcap": 2.0}, {"scale": 0.3}):
            self.agrees([node("Attention", ["q", "k", "v", "m"], ["y"], **attributes)],
                        {"q": q, "k": k, "v": v, "m": mask})

    def test_classes_that_are_ignored(self):
        target = numpy.array([[0, 4], [-100, 2], [1, 1]])
        for reduction in ("none", "sum", "mean"):
            self.agrees([node("SoftmaxCrossEntropyLoss", ["x", "t", "w"], ["y", "p"],
                              reduction=reduction, ignore_index=-100)],
                        {"x": values(3, 5, 2), "t": target}, {"w": values(5, low=0.1)},
                        outputs=("y", "p"))

    def test_what_is_refused(self):
        self.fails(4, "a Fourier transform of 5000 points", [node("DFT", ["x"], ["y"], "long")],
                   {"x": values(1, 5000, 1)})
        self.fails(4, "determinants of 5x5", [node("Det", ["x"], ["y"])], {"x": values(5, 5)})


if __name__ == "__main__":
    unittest.main()
