"""Bad model files: an error line and its exit code, or a normal run. Never a signal, never over 20
seconds or 2 GB, and no file left behind."""
import json
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import unittest

import numpy
import onnx
import support
from onnx import TensorProto, helper, numpy_helper

SECONDS = 20
BYTES = 2 << 30
INPUT, UNSUPPORTED, OUT_OF_MEMORY = 3, 4, 8


def save(folder, nodes, inputs, outputs, initializers=(), name="model.onnx"):
    """Writes a model without any check of ONNX's own."""
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    path = pathlib.Path(folder) / name
    path.write_bytes(model.SerializeToString())
    return path


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


class BadInput(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_model(self, path, codes, *arguments):
        """Runs a model within the limits; returns the error line."""
        before = set(os.listdir(self.folder))
        process = subprocess.Popen(
            [str(support.ZYXC), "run", str(path), "--quiet", *arguments], cwd=self.folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="backslashreplace",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS)))
        try:
            error = process.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"{path}: over {SECONDS} s")
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(usage.ru_maxrss * 1024, BYTES, "memory")
        self.assertIn(process.returncode, codes, error)
        self.assertEqual(set(os.listdir(self.folder)), before, "files left behind")
        if process.returncode:
            self.assertEqual(error.count("\n"), 1, f"one line, not: {error}")
            self.assertIn("zyxc: error: ", error)
        return error

    def small_model(self):
        weights = helper.make_tensor("w", TensorProto.FLOAT, [4, 3, 3, 3],
                                     numpy.ones(108, numpy.float32))
        return save(self.folder, [
            helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["y"], "relu"),
        ], [floats("x", [1, 3, 8, 8])], [floats("y", [1, 4, 8, 8])], [weights])

    def test_good_model_runs(self):
        self.run_model(self.small_model(), [0])

    def test_missing_and_empty(self):
        self.assertIn("nothing.onnx", self.run_model(self.folder / "nothing.onnx", [INPUT]))
        (self.folder / "empty.onnx").write_bytes(b"")
        self.assertIn("empty.onnx", self.run_model(self.folder / "empty.onnx", [INPUT]))

    def test_folder_and_text(self):
        self.run_model(self.folder, [INPUT])
        for name in ("folder.onnx", "folder.mlir"):
            (self.folder / name).mkdir()
            self.assertIn(name, self.run_model(self.folder / name, [INPUT]))
        path = self.folder / "text.mlir"
        path.write_text("this is no module")
        self.assertIn("text.mlir", self.run_model(path, [INPUT]))

    def test_pipes_devices_and_link_loops(self):
        for end in (".onnx", ".mlir"):
            os.mkfifo(self.folder / f"pipe{end}")
            os.symlink("/dev/zero", self.folder / f"zero{end}")
            os.symlink(f"loop{end}", self.folder / f"loop{end}")
            for name in ("pipe", "zero", "loop"):
                self.assertIn(name, self.run_model(self.folder / f"{name}{end}", [INPUT]))

    def test_deeply_nested_module(self):
        for text in ("module {" * 50000, "func.func @m(%a: " + "tuple<" * 50000,
                     "module attributes {a = " + "[" * 50000,
                     "#m = affine_map<(d) -> (" + "-" * 50000 + "d)>"):
            path = self.folder / "deep.mlir"
            path.write_text(text)
            self.assertIn("nest", self.run_model(path, [INPUT]))

    def test_bytes_and_lines_in_names(self):
        path = save(self.folder, [helper.make_node("Neg", ["QQQ"], ["y"], "QQQ")],
                    [floats("QQQ", [2])], [floats("y", [2])])
        whole = path.read_bytes()
        for name in (b"\xff\xfe\x80", b"a\nb", b"a=@", b"@a="):
            path.write_bytes(whole.replace(b"QQQ", name))
            self.run_model(path, [0])
            self.run_model(path, [0], os.fsdecode(b"--input=" + name + b"=ones"))
            self.run_model(path, [2], "--input=nothing=ones")
            done = subprocess.run([str(support.ZYXC), "inspect", str(path), "--json"],
                                  capture_output=True, check=True)
            self.assertEqual(json.loads(done.stdout)["outputs"][0]["name"], "y")
        path = self.folder / "two\nlines.onnx"
        path.write_bytes(b"x")
        self.run_model(path, [INPUT])

    def test_truncated(self):
        whole = self.small_model().read_bytes()
        path = self.folder / "cut.onnx"
        step = 1 if support.LONG else 37
        for size in range(1, len(whole), step):
            path.write_bytes(whole[:size])
            self.run_model(path, [0, INPUT, UNSUPPORTED])

    def test_random_and_flipped(self):
        whole = self.small_model().read_bytes()
        path = self.folder / "bits.onnx"
        generator = random.Random(3)
        for _ in range(500 if support.LONG else 12):
            path.write_bytes(generator.randbytes(generator.randrange(1, 2000)))
            self.run_model(path, [INPUT, UNSUPPORTED])
        for _ in range(2000 if support.LONG else 25):
            data = bytearray(whole)
            for _ in range(generator.randrange(1, 4)):
                data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            path.write_bytes(data)
            self.run_model(path, [0, 2, INPUT, UNSUPPORTED, OUT_OF_MEMORY])

    def test_wrong_arity(self):
        path = save(self.folder, [helper.make_node("Relu", ["x", "x"], ["y"], "two")],
                    [floats("x", [2])], [floats("y", [2])])
        self.assertIn("two", self.run_model(path, [INPUT, UNSUPPORTED]))

    def test_cycle(self):
        path = save(self.folder, [helper.make_node("Add", ["x", "b"], ["a"], "first"),
                                  helper.make_node("Neg", ["a"], ["b"], "second")],
                    [floats("x", [2])], [floats("b", [2])])
        error = self.run_model(path, [INPUT])
        self.assertRegex(error, "first|second")

    def test_negative_dim(self):
        path = save(self.folder, [helper.make_node("Neg", ["x"], ["y"], "n")],
                    [floats("x", [2, -3])], [floats("y", [2, 3])])
        self.assertIn("-3", self.run_model(path, [INPUT, UNSUPPORTED]))

    def huge_model(self):
        shape = helper.make_tensor("shape", TensorProto.INT64, [2], [1 << 20, 1 << 20])
        return save(self.folder, [
            helper.make_node("Expand", ["x", "shape"], ["big"], "expand"),
            helper.make_node("Exp", ["big"], ["y"], "exp"),
        ], [floats("x", [1, 1])], [floats("y", [1 << 20, 1 << 20])], [shape])

    def test_value_of_2_to_the_40_elements(self):
        error = self.run_model(self.huge_model(), [OUT_OF_MEMORY])
        self.assertIn("4.0 TiB", error)
        self.run_model(self.huge_model(), [OUT_OF_MEMORY], "--target=interp")

    def test_memory_limit(self):
        self.assertIn("--memory-limit",
                      self.run_model(self.small_model(), [OUT_OF_MEMORY], "--memory-limit=1K"))

    def external(self, location, create=None):
        if create is not None:
            (self.folder / location).write_bytes(create)
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", location), ("length", "8")):
            tensor.external_data.add(key=key, value=value)
        return save(self.folder, [helper.make_node("Add", ["x", "w"], ["y"], "add")],
                    [floats("x", [2])], [floats("y", [2])], [tensor])

    def test_external_data(self):
        self.run_model(self.external("good.bin", bytes(8)), [0])
        self.assertIn("missing.bin", self.run_model(self.external("missing.bin"), [INPUT]))
        self.assertIn("short.bin", self.run_model(self.external("short.bin", b"123"), [INPUT]))
        for outside in ("../outside.bin", "/etc/hostname"):
            self.assertIn(outside, self.run_model(self.external(outside), [INPUT]))
        os.symlink("/etc/hostname", self.folder / "link.bin")
        self.assertIn("link.bin", self.run_model(self.external("link.bin"), [INPUT]))

    def test_chain_of_10000_nodes(self):
        count = 10000
        nodes = [helper.make_node("Neg" if i % 2 else "Exp", [f"v{i}"], [f"v{i + 1}"])
                 for i in range(count)]
        path = save(self.folder, nodes, [floats("v0", [4])], [floats(f"v{count}", [4])])
        self.run_model(path, [0])

    def test_10000_nested_subgraphs(self):
        graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [], [])
        data = graph.SerializeToString()
        for _ in range(10000):  # node { attribute { g: ... } } by hand: protobuf itself stops at 100
            attribute = b"\x0a\x01g\x32" + varint(len(data)) + data + b"\xa0\x01\x05"
            node = b"\x2a" + varint(len(attribute)) + attribute
            data = b"\x0a" + varint(len(node)) + node
            if len(data) > 1 << 20:
                break
        path = self.folder / "deep.onnx"
        path.write_bytes(b"\x08\x08\x3a" + varint(len(data)) + data)
        self.run_model(path, [INPUT, UNSUPPORTED])

    def test_inputs_and_outputs_that_do_not_fit(self):
        path = save(self.folder, [helper.make_node("Exp", ["x"], ["y"])],
                    [floats("x", [1 << 20, 1 << 20])], [floats("y", [1 << 20, 1 << 20])])
        for target in ("cpu", "interp"):
            error = self.run_model(path, [OUT_OF_MEMORY], f"--target={target}")
            self.assertIn("4.0 TiB", error)
            self.assertIn(path.name, error)

    def test_values_that_decide_shapes(self):
        path = save(self.folder, [helper.make_node("ConstantOfShape", ["s"], ["y"])],
                    [helper.make_tensor_value_info("s", TensorProto.INT64, [2])],
                    [floats("y", None)])
        numpy.save(self.folder / "s.npy", numpy.array([2, 3]))
        self.run_model(path, [0], "--input=@s.npy")
        self.run_model(path, [0], "--bind=@s.npy")
        self.run_model(path, [2], "--bind=@s.npy", "--input=@s.npy")
        self.run_model(path, [UNSUPPORTED])
        numpy.save(self.folder / "s.npy", numpy.array([1 << 20, 1 << 20]))
        self.run_model(path, [OUT_OF_MEMORY], "--input=@s.npy")

    def test_a_shape_that_a_kernel_would_compute(self):
        """KZ-T-S7, KZ-B15: no kernel computes a size; a sum of an input is none, unless that is a constant."""
        model = save(self.folder, [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0),
                                   helper.make_node("Cast", ["s"], ["n"], to=TensorProto.INT64),
                                   helper.make_node("ConstantOfShape", ["n"], ["y"])],
                     [floats("x", [1, 4])], [helper.make_empty_tensor_value_info("y")])
        error = self.run_model(model, {UNSUPPORTED})
        self.assertIn("its result's shape depends on the value of input 'x'", error)

    def test_attributes_out_of_range(self):
        matrices = [floats("a", [2, 3]), floats("b", [3, 4]), floats("c", [4])]
        for flags in ({"transB": 823}, {"broadcast": -436}, {"transA": -1}):
            path = save(self.folder, [helper.make_node("Gemm", ["a", "b", "c"], ["y"], **flags)],
                        matrices, [floats("y", None)])
            self.assertIn(next(iter(flags)), self.run_model(path, [INPUT]))
        for shape, flags in (([-1, 17, 31], {}), ([7], {}), ([0, -1], {"allowzero": 1})):
            dims = helper.make_tensor("s", TensorProto.INT64, [len(shape)], shape)
            path = save(self.folder, [helper.make_node("Reshape", ["a", "s"], ["y"], **flags)],
                        matrices[:1], [floats("y", None)], [dims])
            self.assertIn(str(shape).replace(" ", ""), self.run_model(path, [INPUT]))

    def test_conv_with_a_weight_of_another_rank(self):
        for shape in ([], [4], [4, 3], [4, 3, 3], [4, 3, 0, 0]):
            weight = numpy.ones(shape, numpy.float32)
            path = save(self.folder, [helper.make_node("Conv", ["x", "w"], ["y"], "conv")],
                        [floats("x", [1, 3, 8, 8])], [floats("y", None)],
                        [numpy_helper.from_array(weight, "w")])
            self.assertIn("conv", self.run_model(path, [INPUT]))

    def test_interrupted_output(self):
        model = self.small_model()
        process = subprocess.run(
            [str(support.ZYXC), "run", str(model), "--quiet", "--output", "@nowhere/y.npy"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, INPUT, process.stderr)
        self.assertIn("nowhere/y.npy", process.stderr)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


if __name__ == "__main__":
    unittest.main()
