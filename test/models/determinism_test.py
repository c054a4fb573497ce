"""Same model, flags and target: the same plan and kernels, byte for byte, on repeated runs and with
any number of threads."""
import unittest

import support


class Determinism(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.need_data()

    def test_plan_and_kernels(self):
        for network in support.networks():
            with self.subTest(network):
                model = support.random_model(network)
                texts = set()
                for threads in (1, 2, 2, 5):
                    texts.add(support.zyxc_error(
                        "run", model, "--quiet", f"--threads={threads}",
                        "--dump-after=plan,kernels,codegen"))
                self.assertEqual(len(texts), 1)
                (text,) = texts
                self.assertGreater(text.count("zyxk.kernel"), 10)

    def test_outputs_of_equal_thread_counts(self):
        for network in support.networks():
            with self.subTest(network):
                model = support.random_model(network)
                outputs = {support.zyxc("run", model, f"--threads={threads}").split("run: ")[1]
                           .split("\n", 1)[1] for threads in (1, 1, 2)}
                self.assertEqual(len(outputs), 1)


if __name__ == "__main__":
    unittest.main()
