"""Networks of equal layers: what is found for one layer is used for all, and layers that differ in a
constant, an attribute or a shape are not mixed up."""
import re
import unittest

import numpy
import small_model
import support
from layer_models import MODELS, random_network
from transformer import Transformer, transformer

LAYERS = 10


class RepeatedLayers(small_model.SmallModelTest):
    def path_of(self, model):
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    def agrees_with_onnxruntime(self, model, **inputs):
        path = self.path_of(model)
        inputs["x"] = numpy.random.default_rng(5).standard_normal((1, 32, 64)).astype(numpy.float32)
        (expected,) = support.onnxruntime_outputs(path, inputs).values()
        actual = self.values([path, "--quiet", *self.input_files(inputs)])
        numpy.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)

    def dump(self, path, step, *options):
        return support.zyxc_error("run", path, f"--stop-after={step}", f"--dump-after={step}", *options)

    def parts(self, path):
        """How many parts of all layers were chosen on their own, and how many of them differ."""
        line = re.search(r"chosen in (\d+) parts, (\d+) of them different",
                         self.dump(path, "choose", "--disable=layers"))
        self.assertIsNotNone(line)
        return int(line[1]), int(line[2])

    def test_equal_layers(self):
        model = transformer(LAYERS)
        self.agrees_with_onnxruntime(model)
        self.assertEqual(self.parts(self.path_of(model)), (LAYERS, 3))

    def test_a_mask_for_all_layers(self):
        model = transformer(LAYERS, masked=True)
        mask = (numpy.arange(32) < 20).astype(numpy.float32).reshape(1, 1, 1, 32)
        self.agrees_with_onnxruntime(model, mask=mask)
        parts, distinct = self.parts(self.path_of(model))
        self.assertGreaterEqual(parts, LAYERS)
        self.assertLessEqual(distinct, 4)

    def test_the_choice_costs_what_that_of_the_whole_costs(self):
        path = self.path_of(transformer(LAYERS))
        certificates = [re.search(r"cost (\d+) ps, lower bound (\d+) ps, proved", text).groups()
                        for text in (self.dump(path, "choose", "--disable=layers"),
                                     self.dump(path, "choose", "--disable=layers,borders"))]
        self.assertEqual(certificates[0], certificates[1])

    def test_kernels_are_those_of_few_layers(self):
        kernels = [len(re.findall("zyxk.kernel", self.dump(self.path_of(transformer(n)), "kernels")))
                   for n in (LAYERS, 2 * LAYERS)]
        self.assertEqual(kernels[0], kernels[1])

    def test_the_first_layer_needs_no_kernels_of_its_own(self):
        kernels = [len(re.findall("zyxk.kernel", self.dump(self.path_of(transformer(n)), "kernels")))
                   for n in (1, 4)]
        self.assertEqual(kernels, [6, 6])

    def test_the_graph_of_few_layers_can_be_printed(self):
        self.assertIn("func.func", self.dump(self.path_of(transformer(LAYERS)), "rules"))

    def test_layers_that_differ(self):
        for place, other in ((4, {"scale": 0.75}), (5, {"epsilon": 0.25}), (6, {"width": 96}),
                             (7, {"activation": "Relu"})):
            with self.subTest(other):
                built = Transformer()
                for index in range(LAYERS):
                    built.layer(index, **(other if index == place else {}))
                self.agrees_with_onnxruntime(built.model())

    def test_the_plan_is_the_same_again(self):
        path = self.path_of(transformer(LAYERS))
        texts = {self.dump(path, "plan", f"--threads={threads}") for threads in (1, 1, 3)}
        self.assertEqual(len(texts), 1)

    def plan(self, path, *options):
        """The plan without the names of its nodes and the numbers in those of its kernels."""
        text = support.zyxc("compile", path, "--emit=plan", *options)
        return re.sub(r"\b([a-z]+)\d+(_[0-9a-f]{8})", r"\1\2", re.sub(r"  // .*", "", text))

    def equal_layers(self, path):
        found = re.search(r"(\d+) layers of \d+ ops, of which 3 are read", self.dump(path, "layers"))
        return int(found[1]) if found else 0

    def test_layers_that_are_left_out(self):
        for name, (build, layers) in MODELS.items():
            with self.subTest(name):
                path = self.path_of(build())
                self.assertEqual(self.equal_layers(path), layers)
                self.assertIn("all agree with the interpreter", support.zyxc("verify", path))

    def test_random_layers(self):
        seeds = range(1000 if support.LONG else 30)
        found = 0
        for seed in seeds:
            with self.subTest(seed=seed):
                path = self.path_of(random_network(seed))
                found += self.equal_layers(path) > 0
                self.assertIn("all agree with the interpreter", support.zyxc("verify", path))
        self.assertGreater(found, len(seeds) // 4)

    def test_layers_that_are_left_out_on_a_gpu(self):
        for name in ("transformer", "batch norms", "two streams"):
            with self.subTest(name):
                text = support.zyxc("verify", self.path_of(MODELS[name][0]()),
                                    "--target=cuda:sm_90", "--simulate")
                self.assertIn("all agree with the interpreter", text)

    def test_layers_are_continued(self):
        """Not read again because few of them could not stand for all."""
        for name in ("transformer", "with a mask", "weights that are joined at load", "batch norms",
                     "one weight for all", "alternating"):
            with self.subTest(name):
                text = support.zyxc_error("compile", self.path_of(MODELS[name][0]()), "--emit=plan",
                                          "--dump-after=layers")
                self.assertEqual(text.count("// after layers"), 1)

    def test_the_plan_is_that_of_all_layers(self):
        for name in ("transformer", "with a mask", "weights that are joined at load", "batch norms",
                     "batch norms, computed at load", "alternating", "read from outside",
                     "computed again", "two streams", "layer last", "one weight for all"):
            with self.subTest(name):
                path = self.path_of(MODELS[name][0]())
                self.assertEqual(self.plan(path), self.plan(path, "--disable=layers"))

    def test_names_are_those_of_all_layers(self):
        path = self.path_of(transformer(10))
        texts = [support.zyxc("compile", path, "--emit=plan", *options)
                 for options in ([], ["--disable=layers"])]
        self.assertEqual(texts[0], texts[1])

    def test_no_layer_is_left_out_of_an_explanation(self):
        text = support.zyxc("explain", self.path_of(transformer(10)))
        for layer in range(10):
            self.assertIn(f"layer{layer}.norm2", text)


if __name__ == "__main__":
    unittest.main()
