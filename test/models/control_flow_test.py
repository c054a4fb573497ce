"""If, Loop and Scan against ONNX Runtime: what is known when a model is compiled, and what is not."""
import unittest

import numpy
from onnx import helper, numpy_helper, TensorProto
import support
from small_model import SmallModelTest

f32 = numpy.float32
node = helper.make_node
X = numpy.array([[1, -2, 3], [4, 5, -6]], f32)


def value(name, data_type=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, data_type, shape)


def graph(nodes, outputs, inputs=(), constants=()):
    return helper.make_graph(nodes, "inner", list(inputs), [value(name) for name in outputs],
                             [numpy_helper.from_array(numpy.asarray(data), name)
                              for name, data in dict(constants).items()])


def branches(then_nodes, else_nodes, output="b"):
    return {"then_branch": graph(then_nodes, [output]), "else_branch": graph(else_nodes, [output])}


class If(SmallModelTest):
    def rate(self, *nodes, **attributes):
        """An If on whether the input `rate` is 16000."""
        return [node("Equal", ["rate", "k"], ["is16"]), *nodes,
                node("If", ["is16"], ["y"], "choice", **attributes)]

    def test_a_known_condition(self):
        # Both branches read x of the graph around and use one name, with different shapes.
        nodes = self.rate(**branches([node("Transpose", ["x"], ["b"])], [node("Neg", ["x"], ["b"])]))
        for rate in (16000, 8000):
            self.agrees(nodes, {"x": X, "rate": numpy.array(rate)}, {"k": numpy.array(16000)})

    def test_nested_branches(self):
        inner = branches([node("Add", ["t", "x"], ["b"])], [node("Sub", ["t", "x"], ["b"])])
        outer = branches([node("Exp", ["x"], ["t"]), node("Not", ["is16"], ["no"]),
                          node("If", ["no"], ["b"], **inner)], [node("Abs", ["x"], ["b"])])
        self.agrees(self.rate(**outer), {"x": X, "rate": numpy.array(16000)},
                    {"k": numpy.array(16000)})

    def test_a_branch_that_is_not_taken(self):
        unknown = node("NoSuchOp", ["x"], ["b"], "wild", domain="com.example")
        nodes = self.rate(**branches([node("Neg", ["x"], ["b"])], [unknown]))
        constants = {"k": numpy.array(16000)}
        self.check(-X, nodes, {"x": X, "rate": numpy.array(16000)}, constants)
        for text in ("'choice' (If)", "'wild'", "com.example.NoSuchOp"):
            self.fails(4, text, nodes, {"x": X, "rate": numpy.array(8000)}, constants)

    def test_a_condition_of_the_run(self):
        for sign in (1, -1):
            nodes = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "z"], ["c"]),
                     node("If", ["c"], ["y"], "choice",
                          **branches([node("Neg", ["x"], ["b"])], [node("Exp", ["x"], ["b"])]))]
            self.agrees(nodes, {"x": X * f32(sign)}, {"z": f32(0)})

    def test_branches_that_are_worth_a_branch(self):
        # One of them takes a product, so only the branch that is taken runs; it nests, and both
        # use one initializer that the graph around uses, too.
        inner = branches([node("Softmax", ["x"], ["b"])], [node("Sub", ["x", "w"], ["b"])])
        outer = branches([node("MatMul", ["x", "m"], ["p"]), node("Add", ["p", "w"], ["b"])],
                         [node("Greater", ["s", "low"], ["c2"]), node("If", ["c2"], ["b"], **inner)])
        for factor in (1, -1, -9):
            nodes = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "z"], ["c"]),
                     node("If", ["c"], ["b0"], "choice", **outer), node("Mul", ["b0", "w"], ["y"])]
            self.agrees(nodes, {"x": X * f32(factor) + f32(1)},
                        {"z": f32(0), "low": f32(-20), "w": f32([1, 2, 3]),
                         "m": numpy.arange(9, dtype=f32).reshape(3, 3)})
            self.assertIn("zyx.if", support.zyxc_error(
                "run", *self.save(nodes, {"x": X}, {
                    "z": f32(0), "low": f32(-20), "w": f32([1, 2, 3]),
                    "m": numpy.arange(9, dtype=f32).reshape(3, 3)}), "--dump-after", "import"))

    def test_branches_of_two_shapes(self):
        nodes = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "z"], ["c"]),
                 node("If", ["c"], ["y"], "choice",
                      **branches([node("Neg", ["x"], ["b"])], [node("Transpose", ["x"], ["b"])]))]
        for text in ("node 'choice' (If)", "f32[2,3] or f32[3,2]", "make the condition known"):
            self.fails(4, text, nodes, {"x": X}, {"z": f32(0)})


class Loop(SmallModelTest):
    BODY_INPUTS = (value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []),
                   value("v"))

    def body(self, condition, outputs=("go2", "v2")):
        """v <- 2 v + x + i, while the condition holds."""
        nodes = [node("Cast", ["i"], ["f"], to=TensorProto.FLOAT), node("Add", ["v", "v"], ["d"]),
                 node("Add", ["d", "x"], ["e"]), node("Add", ["e", "f"], ["v2"]), *condition]
        infos = [value("go2", TensorProto.BOOL, []), *(value(name) for name in outputs[1:])]
        body = graph(nodes, [], self.BODY_INPUTS)
        body.output.extend(infos)
        return body

    def model(self, condition, names=("n", "", "x")):
        loop = node("Loop", names, ["y"], "loop", body=self.body(condition))
        return [loop], {"x": X}, {"n": numpy.array(5), "limit": f32(40)}

    ALWAYS = [node("Identity", ["go"], ["go2"])]
    FIRST_TWO = [node("Less", ["i", "one"], ["go2"])]
    WHILE_SMALL = [node("ReduceMax", ["v2"], ["m"], keepdims=0), node("Less", ["m", "limit"], ["go2"])]

    def test_a_known_count(self):
        self.agrees(*self.model(self.ALWAYS))

    def test_a_count_that_is_an_input(self):
        nodes, inputs, constants = self.model(self.ALWAYS)
        inputs["n"] = constants.pop("n")
        self.agrees(nodes, inputs, constants)

    def test_an_end_that_is_known(self):
        nodes, inputs, constants = self.model(self.FIRST_TWO, ("", "", "x"))
        self.agrees(nodes, inputs, {**constants, "one": numpy.array(1)})

    def test_an_end_that_the_run_tells(self):
        self.agrees(*self.model(self.WHILE_SMALL))
        self.agrees(*self.model(self.WHILE_SMALL, ("", "", "x")))
        nodes, inputs, constants = self.model(self.WHILE_SMALL)
        self.agrees(nodes, inputs, {**constants, "n": numpy.array(3)})

    def test_a_first_condition_of_the_run(self):
        sign = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Greater", ["s", "z"], ["starts"])]
        for factor in (1, -1):
            nodes, inputs, constants = self.model(self.ALWAYS, ("n", "starts", "x"))
            inputs["x"] = X * f32(factor)
            self.agrees([*sign, *nodes], inputs, {**constants, "z": f32(0)})

    def test_a_count_that_the_run_tells(self):
        # The largest element; none above 0: no iteration.
        count = [node("ReduceMax", ["x"], ["m0"], keepdims=0), node("Cast", ["m0"], ["n"], to=7)]
        for factor in (1, 20, -0.1):
            nodes, inputs, constants = self.model(self.ALWAYS)
            del constants["n"]
            inputs["x"] = numpy.abs(X) * f32(factor)
            self.agrees([*count, *nodes], inputs, constants)
            nodes, _, _ = self.model(self.WHILE_SMALL)
            self.agrees([*count, *nodes], inputs, constants)
        nodes = [*count, node("Loop", ["n", "", "x"], ["y", "all"], "loop",
                              body=self.body(self.ALWAYS, ("go2", "v2", "e")))]
        # `zyxc run` makes what decides a shape a constant; a compiled model has none.
        path = self.save(nodes, inputs, constants, ("y", "all"))[0]
        for text in ("node 'loop' (Loop)", "it collects a result of each iteration, but only the run"):
            self.assertIn(text, support.zyxc_error(
                "compile", path, "-o", self.folder / "model.zyxp", expect=4))

    def test_long_loops(self):
        body = graph([node("Sin", ["v"], ["d"]), node("Add", ["d", "x"], ["v2"]),
                      node("Identity", ["go"], ["go2"])], [], self.BODY_INPUTS)
        body.output.extend([value("go2", TensorProto.BOOL, []), value("v2")])
        self.agrees([node("Loop", ["n", "", "x"], ["y"], "loop", body=body)],
                    {"x": X / f32(100)}, {"n": numpy.array(3000)})
        _, inputs, constants = self.model(self.ALWAYS)
        nodes = [node("Loop", ["n", "", "x"], ["y", "all"], "loop",
                      body=self.body(self.ALWAYS, ("go2", "v2", "e")))]
        self.agrees(nodes, inputs, {**constants, "n": numpy.array(30)}, ("y", "all"))

    def test_what_a_loop_cannot_carry_is_unrolled(self):
        # A shape that grows.
        body = graph([node("Concat", ["v", "x"], ["v2"], axis=0), node("Identity", ["go"], ["go2"])],
                     [], self.BODY_INPUTS)
        body.output.extend([value("go2", TensorProto.BOOL, []), value("v2")])
        nodes = [node("Loop", ["n", "", "x"], ["y"], "loop", body=body)]
        self.agrees(nodes, {"x": X}, {"n": numpy.array(20)})
        for text in ("node 'loop' (Loop)", "a loop must keep the types of what it carries"):
            self.fails(4, text, nodes, {"x": X}, {"n": numpy.array(1025)})

    def test_ends_that_collected_results_cannot_have(self):
        nodes = [node("Loop", ["n", "", "x"], ["y", "all"], "loop",
                      body=self.body(self.WHILE_SMALL, ("go2", "v2", "e")))]
        _, inputs, constants = self.model(self.WHILE_SMALL)
        self.fails(4, "only the run tells how many", nodes, inputs, constants)

    def test_collected_results(self):
        _, inputs, constants = self.model(self.ALWAYS)
        nodes = [node("Loop", ["n", "", "x"], ["y", "all"], "loop",
                      body=self.body(self.ALWAYS, ("go2", "v2", "e")))]
        self.agrees(nodes, inputs, constants, ("y", "all"))

    def test_a_loop_without_an_end(self):
        for text in ("node 'loop' (Loop)", "it never ends"):
            self.fails(4, text, *self.model(self.ALWAYS, ("", "", "x")))

    def test_counts_beyond_the_limit(self):
        # The largest integer is what exporters write for "no count": only the condition ends it.
        for count in (2**62, 2**63 - 1):
            nodes, inputs, constants = self.model(self.WHILE_SMALL)
            self.agrees(nodes, inputs, {**constants, "n": numpy.array(count)})
            nodes, inputs, constants = self.model(self.ALWAYS)
            self.fails(4, f"its count of {count} is over the limit of 2^48", nodes, inputs,
                       {**constants, "n": numpy.array(count)})

    def test_no_iteration(self):
        nodes, inputs, constants = self.model(self.ALWAYS)
        self.agrees(nodes, inputs, {**constants, "n": numpy.array(0)})
        self.agrees(nodes, inputs, {**constants, "n": numpy.array(-3)})


class Scan(SmallModelTest):
    def scan(self, **attributes):
        body = graph([node("Add", ["s", "a"], ["s2"]), node("Mul", ["s2", "b"], ["o"])], ["s2", "o"],
                     [value("s"), value("a"), value("b")])
        return [node("Scan", ["s0", "p", "q"], ["last", "all"], "scan", body=body,
                     num_scan_inputs=2, **attributes)]

    def test_axes_and_directions(self):
        p, q = numpy.arange(12, dtype=f32).reshape(3, 4), numpy.arange(12, 24, dtype=f32).reshape(4, 3)
        inputs = {"s0": numpy.ones(4, f32), "p": p, "q": q}
        nodes = self.scan(scan_input_axes=[0, 1], scan_input_directions=[1, 0],
                          scan_output_axes=[1], scan_output_directions=[1])
        self.agrees(nodes, inputs, outputs=("last", "all"))

    def test_long_scans(self):
        p, q = numpy.arange(80, dtype=f32).reshape(20, 4), numpy.arange(80, dtype=f32).reshape(4, 20)
        inputs = {"s0": numpy.ones(4, f32), "p": p / f32(8), "q": q / f32(8)}
        for backward in (0, 1):
            nodes = self.scan(scan_input_axes=[0, 1], scan_input_directions=[1 - backward, backward],
                              scan_output_axes=[1], scan_output_directions=[backward])
            self.agrees(nodes, inputs, outputs=("last", "all"))

    def test_lengths_that_differ(self):
        inputs = {"s0": numpy.ones(4, f32), "p": numpy.ones((3, 4), f32),
                  "q": numpy.ones((2, 4), f32)}
        nodes = [*self.scan(), node("Neg", ["last"], ["y"])]
        self.fails(3, "it scans axes of 3 and 2 elements", nodes, inputs)


if __name__ == "__main__":
    unittest.main()
