"""Saved plans of whole networks and of the modules in test/e2e: run in a process without LLVM they give
the bytes that running the model gives, for each target, and the same model gives the same file."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import support

ZYXC_RUN = support.ZYXC.parent / "zyxc-run"
TARGETS = ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v4")


def runs_here(target):
    """False where this processor cannot execute the target's code."""
    module = support.ROOT / "test/e2e/half.mlir"
    done = subprocess.run([support.ZYXC, "run", module, "--quiet", f"--target={target}"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 7):
        raise AssertionError(done.stderr)
    return done.returncode == 0


def printed_outputs(text):
    """What a run prints but its times."""
    return [line for line in text.splitlines() if not line.startswith(("compile:", "load:", "run:"))]


class SavedPlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, model, *options):
        plan = self.folder / "plan.zyxp"
        support.zyxc("compile", model, "-o", plan, *options)
        return plan

    def run_plan(self, *arguments):
        done = subprocess.run([ZYXC_RUN, *map(str, arguments)], capture_output=True, text=True,
                              timeout=1200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_networks_give_the_same_bytes(self):
        support.need_data()
        for network in support.networks():
            with self.subTest(network):
                model = support.random_model(network)
                plan = self.compile(model, "--target=cpu", "--target=cpu:x86-64-v3")
                content = plan.read_bytes()
                self.compile(model, "--target=cpu", "--target=cpu:x86-64-v3", "--threads=1")
                self.assertEqual(content, plan.read_bytes())
                for target in TARGETS[:2]:
                    expected, actual = self.folder / "expected.npy", self.folder / "actual.npy"
                    support.zyxc("run", model, "--quiet", f"--target={target}",
                                 f"--output=@{expected}")
                    name = "cpu:native" if target == "cpu" else target
                    self.run_plan(plan, "--quiet", f"--target={name}", f"--output=@{actual}")
                    self.assertEqual(expected.read_bytes(), actual.read_bytes())
                    self.assertGreater(numpy.unique(numpy.load(actual)).size, 10)

    def test_modules_print_the_same(self):
        modules = sorted((support.ROOT / "test/e2e").glob("*.mlir"))
        self.assertGreater(len(modules), 10)
        targets = [target for target in TARGETS if runs_here(target)]
        for module in modules:
            plan = self.compile(module, *(f"--target={target}" for target in targets))
            for target in targets if support.LONG else targets[:1]:
                with self.subTest(module.name, target=target):
                    expected = printed_outputs(support.zyxc("run", module, f"--target={target}"))
                    name = "cpu:native" if target == "cpu" else target
                    actual = printed_outputs(self.run_plan(plan, f"--target={name}"))
                    self.assertEqual(actual, expected)
                    self.assertTrue(any("[" in line or "." in line for line in actual))

    def test_no_compiler_is_in_the_process(self):
        plan = self.compile(support.ROOT / "test/e2e/networks.mlir")
        with subprocess.Popen([ZYXC_RUN, plan, "--repeat=1000000", "--quiet"],
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                while str(plan) not in (maps := pathlib.Path(f"/proc/{process.pid}/maps").read_text()):
                    self.assertIsNone(process.poll(), "zyxc-run ended early")
            finally:
                process.kill()
        self.assertNotRegex(maps, "LLVM|MLIR|protobuf")
        code = [line for line in maps.splitlines() if str(plan) in line and " r-xp " in line]
        self.assertLessEqual(len(code), 1)
        self.assertNotRegex(maps, "(?m)^[^ ]* rwx")


if __name__ == "__main__":
    unittest.main()
