"""How many kernels a plan has: what belongs together is one kernel. Each plan is compared with the
interpreter, too."""
import re
import unittest

import onnx
import onnx.parser
import small_model
import support
from fusion_cases import CASES
from transformer import transformer


class KernelCountsTest(small_model.SmallModelTest):
    def launches(self, path, *options):
        """Lines of the plan that launch a kernel, those at load left out."""
        text = support.zyxc_error("run", path, "--stop-after=plan", "--dump-after=plan", *options)
        return [line for line in text.splitlines() if re.match(r"\w+_[0-9a-f]{8}: ", line)]

    def parsed(self, inputs, outputs, nodes):
        lines = re.sub(r"\)\s+(?=[\w, ]+ = [A-Z])", ")\n", nodes.strip())
        model = onnx.parser.parse_model(
            f'<ir_version: 8, opset_import: ["" : 18]> g ({inputs}) => ({outputs}) {{\n{lines}\n}}')
        path = self.folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    def test_cases(self):
        for name, (most, inputs, outputs, nodes) in CASES.items():
            with self.subTest(name):
                path = self.parsed(inputs, outputs, nodes)
                launches = self.launches(path)
                self.assertLessEqual(len(launches), most, "\n".join(launches))
                support.zyxc("verify", path)

    def test_a_layer_of_a_transformer(self):
        """Before attention a norm and the joined projections, attention, the projection behind it with
        the residual, a norm, and two products: seven kernels. The model ends with one more norm."""
        for layers in (1, 2):
            path = self.folder / f"layers{layers}.onnx"
            path.write_bytes(transformer(layers, hidden=768, heads=12, length=128).SerializeToString())
            launches = self.launches(path)
            self.assertLessEqual(len(launches), 7 * layers + 1, "\n".join(launches))


if __name__ == "__main__":
    unittest.main()
