"""How many kernels a plan has, and which ones it was chosen from: what belongs together is one kernel.
Each plan is compared with the interpreter, too."""
import json
import re
import unittest

import onnx
import onnx.parser
import small_model
import support
from fusion_cases import CASES, OFFERED
from transformer import transformer


def candidates(dump):
    """Each candidate of a dump as in OFFERED."""
    found = []
    for program in re.findall(r"^\w+ axes\(.*?^\}", dump, re.MULTILINE | re.DOTALL):
        ports = re.findall(r"%p\d+: (\w+) \w+\[([^\]]*)\]", program)
        read, made = (", ".join(shape.replace(",", "x").replace(" ", "") or "1"
                                for mode, shape in ports if mode == wanted) for wanted in ("in", "out"))
        ops = re.findall(r"^  %\d+ = (\w+)", program, re.MULTILINE)
        found.append(f"{read} -> {made} {{{', '.join(op for op in ops if op != 'load')}}}")
    return found


class KernelCountsTest(small_model.SmallModelTest):
    def explain(self, path):
        """Lines of the plan that launch a kernel, those at load left out, and the candidates."""
        done = support.run_zyxc(["explain", path, "--dump-after=candidates"], expect=0)
        launches = [line for line in done.stdout.splitlines() if re.match(r"\w+_[0-9a-f]{8}: ", line)]
        return launches, candidates(done.stderr)

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
                launches, offered = self.explain(path)
                self.assertLessEqual(len(launches), most, "\n".join(launches))
                for kernel in OFFERED.get(re.match(r"(KZ-T-\w+ )?", name).group(), ()):
                    self.assertIn(kernel, offered)
                support.zyxc("verify", path, *(["--open"] if "[n" in inputs else []))

    def test_offers_are_of_cases(self):
        for key in OFFERED:
            self.assertEqual(sum(name.startswith(key) for name in CASES), 1, key)

    def test_levels_that_each_read_the_last_one_twice(self):
        """KZ-T-K48: e = f(a), a = e + transpose(e), again and again. A kernel that looks through all
        levels must not compute each of them twice as often as the one above it."""
        functions = ("Exp", "Neg", "Tanh", "Abs")
        for levels in (4, 8, 10, 24):
            with self.subTest(levels=levels):
                nodes = "\n".join(
                    f"e{i} = {functions[i % 4]} (a{i})\nt{i} = Transpose <perm = [1, 0]> (e{i})\n"
                    f"a{i + 1} = Add (e{i}, t{i})" for i in range(levels))
                path = self.parsed("float[4,4] a0", f"float[4,4] a{levels}", nodes)
                kernels = json.loads(support.zyxc("explain", path, "--json"))["parts"][0]["kernels"]
                self.assertLessEqual(sum(kernel["values"] for kernel in kernels), 4 * levels + len(kernels))
                self.assertLessEqual(sum(kernel["ports"] for kernel in kernels), 2 * len(kernels))
                support.zyxc("verify", path)

    def test_a_layer_of_a_transformer(self):
        """Before attention a norm and the joined projections, attention, the projection behind it with
        the residual, a norm, and two products: seven kernels. The model ends with one more norm."""
        for layers in (1, 2):
            path = self.folder / f"layers{layers}.onnx"
            path.write_bytes(transformer(layers, hidden=768, heads=12, length=128).SerializeToString())
            launches, _ = self.explain(path)
            self.assertLessEqual(len(launches), 7 * layers + 1, "\n".join(launches))


if __name__ == "__main__":
    unittest.main()
