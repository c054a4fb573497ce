"""Tests that make a model of a few nodes and run it on each target."""
import pathlib
import tempfile
import unittest

import numpy
import support
from onnx import helper, numpy_helper


class SmallModelTest(unittest.TestCase):
    opset = 18

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def save(self, nodes, inputs, constants=(), outputs=("y",)):
        """A model with dims of the inputs unknown. Returns the arguments of `zyxc run`."""
        path = self.write([helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim)
            for name, value in inputs.items()], nodes, constants, outputs)
        return [path, "--quiet", *self.input_files(inputs)]

    def write(self, declared, nodes, constants, outputs):
        """The file of a model with these inputs; its outputs have whatever type they get."""
        graph = helper.make_graph(nodes, "g", declared,
                                  [helper.make_empty_tensor_value_info(name) for name in outputs],
                                  [numpy_helper.from_array(numpy.asarray(value), name)
                                   for name, value in dict(constants).items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                  ir_version=10)
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    def input_files(self, inputs):
        """Options that give these values as files."""
        arguments = []
        for name, value in inputs.items():
            numpy.save(self.folder / f"{name}.npy", value)
            arguments.append(f"--input={name}=@{self.folder / name}.npy")
        return arguments

    def values(self, arguments, *options):
        """The value of the only output."""
        out = self.folder / "out.npy"
        support.zyxc("run", *arguments, *options, f"--output=@{out}")
        return numpy.load(out)

    def check(self, expected, nodes, inputs, constants=(), options=(), targets=("interp", "cpu")):
        """Runs on each target; the values must be these, NaN where NaN is."""
        arguments = self.save(nodes, inputs, dict(constants))
        for target in targets:
            actual = self.values(arguments, *options, f"--target={target}")
            numpy.testing.assert_array_equal(actual, expected, target)

    def fails(self, code, text, nodes, inputs, constants=()):
        arguments = self.save(nodes, inputs, dict(constants))
        self.assertIn(text, support.zyxc_error("run", *arguments, expect=code))

    def agrees(self, nodes, inputs, constants=(), outputs=("y",), targets=("interp", "cpu"),
               tolerance=1e-5):
        """Runs on each target and compares all outputs with ONNX Runtime's."""
        arguments = self.save(nodes, inputs, constants, outputs)
        expected = support.onnxruntime_outputs(self.folder / "model.onnx", inputs)
        self.assertEqual(len(expected), len(outputs))
        files = {name: self.folder / f"{name}.out.npy" for name in outputs}
        for target in targets:
            support.zyxc("run", *arguments, f"--target={target}",
                         *(f"--output={name}=@{file}" for name, file in files.items()))
            for name, file in files.items():
                numpy.testing.assert_allclose(numpy.load(file), expected[name], rtol=tolerance,
                                              atol=tolerance, err_msg=f"{name} on {target}")
