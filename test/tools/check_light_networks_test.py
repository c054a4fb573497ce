"""tools/dev/check-light-networks with programs that print and refuse what a case needs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/dev/check-light-networks"
# Prints the model as its kernels, and a kernel as its code.
ZYXC = """#!/bin/sh
case "$1" in
compile) exec /bin/cat "$2" ;;
kernel) exec /bin/cat "$3" ;;
esac
"""
# Refuses code with its name in it. The code is the last argument.
JUDGE = """#!/bin/sh
for code; do :; done
case "$(/bin/cat "$code")" in
*"no %s"*) echo "first line" >&2; echo "error: refused" >&2; exit 255 ;;
esac
"""


def kernel(name, body):
    return f"zyxk.kernel @{name} ports(%x: out f32[4]) axes(i < 4) {{\n  {body}\n}}\n"


class CheckLightNetworks(unittest.TestCase):
    def run_tool(self, *models, programs=("ptxas", "spirv-val"), zyxc=ZYXC, named=()):
        """Exit status and output of the tool where models have these texts."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scripts = {"zyxc": zyxc, **{program: JUDGE % program for program in programs}}
            for program, text in scripts.items():
                (folder / program).write_text(text)
                (folder / program).chmod(0o755)
            files = [folder / f"model{i}.mlir" for i in range(len(models))]
            for file, text in zip(files, models):
                file.write_text(text)
            done = subprocess.run(
                [sys.executable, TOOL, "--jobs", "2", *files, *named], capture_output=True,
                text=True, check=False,
                env={**os.environ, "PATH": name, "ZYXC": str(folder / "zyxc"), "ZYXC_TEST_DATA": ""})
        return done.returncode, done.stdout

    def closes(self, status, last, *models, **options):
        ended, text = self.run_tool(*models, **options)
        self.assertEqual((ended, text.splitlines()[-1]), (status, last), text)
        return text

    def test_kernels_that_both_accept(self):
        text = self.closes(0, "4 passed, 0 failed, 0 skipped",
                           kernel("a_1", "store") + kernel("b_2", "load") + kernel("c_3", "store"),
                           kernel("other", "load"))
        self.assertIn(": 3 kernels, 2 distinct, 2 assembled, 2 validated, 0 failed", text)
        self.assertIn("4 kernels, 2 distinct over all networks", text)

    def test_a_kernel_that_one_refuses(self):
        text = self.closes(1, "3 passed, 1 failed, 0 skipped",
                           kernel("a", "no ptxas") + kernel("b", "store"))
        self.assertIn("2 distinct, 1 assembled, 2 validated, 1 failed", text)
        self.assertIn("  @a: assembled: ptxas exited with 255: error: refused", text)

    def test_a_kernel_that_is_not_lowered(self):
        zyxc = ZYXC.replace("kernel) ", 'kernel) echo "zyxc: error: too wide" >&2; exit 4; ')
        text = self.closes(1, "0 passed, 2 failed, 0 skipped", kernel("a", "store"), zyxc=zyxc)
        self.assertIn("  @a: validated: zyxc exited with 4: zyxc: error: too wide", text)

    def test_a_routine_is_named_and_does_not_pass(self):
        text = self.closes(0, "2 passed, 0 failed, 2 skipped",
                           kernel("a", "opaque @sort(%x) params(0)") + kernel("b", "store"))
        self.assertIn("  @a: runs the host's routine 'sort'", text)

    def test_a_program_that_is_missing(self):
        text = self.closes(0, "1 passed, 0 failed, 1 skipped", kernel("a", "store"),
                           programs=["ptxas"])
        self.assertIn("nothing is validated: spirv-val was not found", text)

    def test_models_that_give_no_kernel(self):
        self.closes(1, "0 passed, 1 failed, 0 skipped", "")
        self.closes(1, "0 passed, 1 failed, 0 skipped", kernel("a", "store"),
                    zyxc="#!/bin/sh\nexit 3\n")
        self.closes(1, "0 passed, 1 failed, 0 skipped", named=["no_network"])

    def test_without_test_data_it_skips(self):
        self.closes(77, "0 passed, 0 failed, 1 skipped", named=["squeezenet"])


if __name__ == "__main__":
    unittest.main()
