"""The light networks of the ONNX data: as shipped against the recorded outputs, and with random
weights against the interpreter at every node and against ONNX Runtime."""
import re
import tempfile
import unittest

import numpy
import support


class LightNetworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.need_data()

    def test_recorded_outputs(self):
        """As shipped; the recorded input is arange(n) / n."""
        for network in support.networks():
            with self.subTest(network):
                model = support.LIGHT / f"light_{network}.onnx"
                expected = support.LIGHT / f"light_{network}_output_0.pb"
                info = support.zyxc("inspect", model)
                image = re.search(r"input (\S*data_0): ", info)[1]
                text = support.zyxc("run", model, "--quiet", "--input", f"{image}=arange",
                                    "--expect", f"@{expected}")
                self.assertIn("as expected", text)

    def test_every_node_against_interpreter(self):
        for network in support.networks():
            with self.subTest(network):
                text = support.zyxc("verify", support.random_model(network), "--per-node",
                                    "--rtol=1e-3")
                nodes = int(re.search(r"verified (\d+) nodes", text)[1])
                self.assertGreater(nodes, support.NETWORKS[network]["convs"])

    def test_outputs_against_onnxruntime(self):
        for network in support.networks():
            with self.subTest(network), tempfile.TemporaryDirectory() as folder:
                model = support.random_model(network)
                info = support.zyxc("inspect", model)
                image = re.search(r"input (\S*data_0): ", info)[1]
                pixels = numpy.random.default_rng(1).normal(size=(1, 3, 224, 224))
                pixels = pixels.astype(numpy.float32)
                numpy.save(f"{folder}/x.npy", pixels)
                support.zyxc("run", model, "--quiet", "--input", f"{image}=@{folder}/x.npy",
                             "--output", f"{folder}/y.npy")
                actual = numpy.load(f"{folder}/y.npy")
                (expected,) = support.onnxruntime_outputs(model, {image: pixels}).values()
                self.assertGreater(numpy.std(expected), 0, "a constant output tests nothing")
                scale = numpy.sqrt(numpy.mean(expected**2))
                numpy.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-3 * scale)

    def test_kernel_counts(self):
        """Every convolution is one kernel with its neighbours: recorded counts, and no elementwise
        kernel where a neighbour can take it."""
        for network in support.networks():
            with self.subTest(network):
                done = support.run_zyxc(
                    ["run", support.random_model(network), "--quiet", "--plan",
                     "--dump-after=kernels"], 0)
                kernels = {match[1]: match[0] for match in re.finditer(
                    r"zyxk\.kernel @(\w+).*?\n}", done.stderr, re.DOTALL)}
                launches = re.findall(r"^  (\w+)\(", done.stdout.split("steps:\n")[1], re.MULTILINE)
                lone = [name for name in launches
                        if not re.search(r" = (reduce|contract) ", kernels[name])]
                counts = support.NETWORKS[network]
                self.assertLessEqual(len(launches), counts["launches"])
                self.assertLessEqual(len(lone), counts["elementwise"], lone)
                print(f"{network}: {len(launches)} launches, {counts['convs']} convolutions")


if __name__ == "__main__":
    unittest.main()
