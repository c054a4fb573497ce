"""Recurrent layers against ONNX Runtime: directions, lengths, states, activations, clip."""
import unittest

import numpy
from onnx import helper
from small_model import SmallModelTest

STEPS, BATCH, INPUT, HIDDEN = 5, 3, 4, 6
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
ACTIVATIONS = ("HardSigmoid", "ScaledTanh", "Softsign")


class Recurrent(SmallModelTest):
    def layer(self, op, lengths=None, peepholes=False, steps=STEPS, **attributes):
        """Nodes, inputs, constants and outputs of a model with one layer."""
        random = numpy.random.default_rng(1)
        directions = 2 if attributes.get("direction") == "bidirectional" else 1
        width = GATES[op] * HIDDEN

        def values(*shape):
            return random.uniform(-1, 1, shape).astype(numpy.float32)

        inputs = {"x": values(steps, BATCH, INPUT), "h": values(directions, BATCH, HIDDEN)}
        constants = {"w": values(directions, width, INPUT), "r": values(directions, width, HIDDEN),
                     "b": values(directions, 2 * width)}
        names = ["x", "w", "r", "b", "", "h"]
        if lengths:
            names[4] = "lengths"
            inputs["lengths"] = numpy.array(lengths, numpy.int32)
        outputs = ["y", "last"]
        if op == "LSTM":
            inputs["c"] = values(directions, BATCH, HIDDEN)
            constants["p"] = values(directions, 3 * HIDDEN)
            names += ["c", "p"] if peepholes else ["c"]
            outputs.append("cell")
        node = helper.make_node(op, names, outputs, "layer", hidden_size=HIDDEN, **attributes)
        return [node], inputs, constants, outputs

    def test_directions_and_lengths(self):
        for op in GATES:
            for direction in ("forward", "reverse", "bidirectional"):
                for lengths in (None, [5, 1, 3]):
                    targets = ("interp", "cpu") if lengths and direction == "reverse" else ("interp",)
                    with self.subTest(op=op, direction=direction, lengths=lengths):
                        self.agrees(*self.layer(op, lengths, direction=direction), targets=targets)

    def test_activations(self):
        for op, count in (("RNN", 1), ("GRU", 2), ("LSTM", 3)):
            self.agrees(*self.layer(op, activations=ACTIVATIONS[:count],
                                    activation_alpha=[0.3, 0.7][:count],
                                    activation_beta=[0.4, 0.9][:count]), targets=("interp",))

    def test_clip(self):
        for op in GATES:
            self.agrees(*self.layer(op, clip=0.3), targets=("interp",))

    def test_gated_forms(self):
        self.agrees(*self.layer("GRU", [1, 5, 4], linear_before_reset=1, direction="bidirectional"))
        self.agrees(*self.layer("LSTM", input_forget=1), targets=("interp",))
        self.agrees(*self.layer("LSTM", [1, 5, 4], peepholes=True, direction="bidirectional"))

    def test_few_steps(self):
        # These are unrolled; the layers of the tests above are loops.
        for op in GATES:
            for steps in (1, 4):
                lengths = [steps, 1, 1] if op == "GRU" else None
                with self.subTest(op=op, steps=steps):
                    self.agrees(*self.layer(op, lengths, steps=steps, direction="bidirectional"))

    def test_many_steps(self):
        self.agrees(*self.layer("RNN", steps=700))
        self.agrees(*self.layer("GRU", [700, 3, 512], steps=700, direction="reverse"))
        self.agrees(*self.layer("LSTM", steps=150, direction="bidirectional"))

    def test_what_is_refused(self):
        for code, text, model in (
                (3, "activation 'nosuch' is unknown", self.layer("RNN", activations=["NoSuch"])),
                (3, "2 activations are named, but 3", self.layer("LSTM", activations=["Tanh"] * 2)),
                (3, "direction must be", self.layer("GRU", direction="sideways"))):
            self.fails(code, text, *model[:3])
            self.fails(code, "'layer'", *model[:3])
        nodes, inputs, constants, _ = self.layer("LSTM")
        self.fails(3, "input 3 has shape 1x40", nodes, inputs,
                   {**constants, "b": numpy.zeros((1, 40), numpy.float32)})


if __name__ == "__main__":
    unittest.main()
