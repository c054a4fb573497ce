"""Functions that a model defines itself, against ONNX Runtime."""
import unittest

import numpy
import support
from onnx import AttributeProto, helper, TensorProto
from small_model import SmallModelTest

f32 = numpy.float32
node = helper.make_node
SETS = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
X = numpy.array([[1, -2, 3], [4, 5, -6]], f32)


def scaled():
    """x scaled below zero by the function's alpha, plus x."""
    leaky = node("LeakyRelu", ["x"], ["t"])
    leaky.attribute.append(AttributeProto(name="alpha", type=AttributeProto.FLOAT,
                                          ref_attr_name="alpha"))
    return [leaky, node("Sum", ["t", "x"], ["y"])]


class Functions(SmallModelTest):
    def model(self, nodes, functions, sets=SETS):
        """Saves a model of x with these functions; returns the arguments of `zyxc run`."""
        graph = helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
            [helper.make_empty_tensor_value_info("y")])
        model = helper.make_model(graph, opset_imports=sets, ir_version=10, functions=functions)
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        numpy.save(self.folder / "x.npy", X)
        return [path, "--quiet", f"--input=x=@{self.folder}/x.npy"]

    def agrees_with(self, nodes, functions):
        arguments = self.model(nodes, functions)
        expected = support.onnxruntime_outputs(self.folder / "model.onnx", {"x": X})["y"]
        for target in ("interp", "cpu"):
            numpy.testing.assert_allclose(self.values(arguments, f"--target={target}"), expected,
                                          rtol=1e-6)

    def refused(self, code, text, nodes, functions):
        self.assertIn(text, support.zyxc_error("run", *self.model(nodes, functions), expect=code))

    def test_attributes_and_defaults(self):
        given = helper.make_function("own", "Scaled", ["x"], ["y"], scaled(), SETS,
                                     attributes=["alpha"])
        default = helper.make_function("own", "Half", ["x"], ["y"], scaled(), SETS,
                                       attribute_protos=[helper.make_attribute("alpha", 0.5)])
        nodes = [node("Scaled", ["x"], ["a"], domain="own", alpha=0.25),
                 node("Half", ["a"], ["b"], domain="own"),
                 node("Half", ["b"], ["c"], domain="own", alpha=2.0),
                 node("Scaled", ["c"], ["y"], domain="own")]  # without: LeakyRelu's own default
        self.agrees_with(nodes, [given, default])

    def test_functions_in_functions(self):
        twice = helper.make_function("own", "Twice", ["x"], ["y"], [node("Add", ["x", "x"], ["y"])],
                                     SETS)
        eight = helper.make_function(
            "own", "Eight", ["x"], ["y", "t"],
            [node("Twice", [a], [b], domain="own") for a, b in (("x", "s"), ("s", "t"), ("t", "y"))],
            SETS)
        nodes = [node("Eight", ["x"], ["y0", "t"], domain="own"),
                 node("Neg", ["t"], ["t2"]),
                 node("Eight", ["t2"], ["y1", "unused"], domain="own"), node("Sub", ["y0", "y1"], ["y"])]
        self.agrees_with(nodes, [twice, eight])

    def test_calls_of_one_name(self):
        body = [node("Add", ["x", "x"], ["t"]), node("Exp", ["t"], ["y"])]
        function = helper.make_function("own", "F", ["x"], ["y"], body, SETS)
        nodes = [node("F", ["x"], ["a"], "call", domain="own"), node("Neg", ["x"], ["n"]),
                 node("F", ["n"], ["b"], "call", domain="own"), node("Sub", ["a", "b"], ["y"])]
        actual = self.values(self.model(nodes, [function]))
        numpy.testing.assert_allclose(actual, numpy.exp(2 * X) - numpy.exp(-2 * X), rtol=1e-5)

    def test_subgraphs_of_a_body(self):
        def branch(op):
            return helper.make_graph([node(op, ["x"], ["b"]), node("Add", ["b", "k"], ["c"])], op, [],
                                     [helper.make_tensor_value_info("c", TensorProto.FLOAT, None)])
        body = [node("Constant", [], ["k"], value_float=3.0), node("ReduceSum", ["x"], ["s"], keepdims=0),
                node("Greater", ["s", "k"], ["more"]),
                node("If", ["more"], ["y"], then_branch=branch("Neg"), else_branch=branch("Exp"))]
        choose = helper.make_function("own", "Choose", ["x"], ["y"], body, SETS)
        self.agrees_with([node("Choose", ["x"], ["a"], domain="own"),
                          node("Choose", ["a"], ["y"], domain="own")], [choose])

    def test_what_is_refused(self):
        calls = [node("F", ["x"], ["y"], "call", domain="own")]
        loop = helper.make_function("own", "F", ["x"], ["y"], calls, SETS)
        self.refused(3, "function 'F' calls itself", calls, [loop])
        unknown = helper.make_function("own", "F", ["x"], ["y"],
                                       [node("NoSuchOp", ["x"], ["y"], "inner")], SETS)
        self.refused(4, "'call/inner'", calls, [unknown])
        other = helper.make_function("own", "F", ["x"], ["y"], [node("Neg", ["x"], ["y"])],
                                     [helper.make_opsetid("", 13)])
        self.refused(4, "function 'F' uses operator set 13", calls, [other])
        self.refused(3, "gives function 'F' 2 inputs",
                     [node("F", ["x", "x"], ["y"], "call", domain="own")],
                     [helper.make_function("own", "F", ["x"], ["y"], [node("Neg", ["x"], ["y"])], SETS)])


if __name__ == "__main__":
    unittest.main()
