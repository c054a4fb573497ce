"""tools/dev/onnx-node-tests with a runner that prints what a case needs: what counts as a failure."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class OnnxNodeTests(unittest.TestCase):
    def run_tool(self, printed, expected, code=0, closing="0 passed, 0 failed, 0 skipped"):
        """Exit status and output of the tool where the runner prints `printed`."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "node").mkdir()
            runner = folder / "zyxc-onnx-node"
            lines = "\n".join([*printed, closing])
            runner.write_text(f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\nexit {code}\n")
            runner.chmod(0o755)
            (folder / "expected.txt").write_text(expected)
            done = subprocess.run(
                [ROOT / "tools/dev/onnx-node-tests", "--quiet", "--jobs", "1", "--data", folder,
                 "--expected", folder / "expected.txt"],
                capture_output=True, text=True, check=False,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        return done.returncode, done.stdout

    def closes(self, status, last, *arguments, **options):
        ended, text = self.run_tool(*arguments, **options)
        self.assertEqual((ended, text.splitlines()[-1]), (status, last), text)
        return text

    def test_what_is_expected(self):
        self.closes(0, "1 passed, 0 failed, 2 skipped",
                    ["pass: test_a (A)", "unsupported: test_b (B): no", "FAIL: test_c (C): wrong"],
                    "unsupported op:B later\nFAIL node/test_[c] rounds twice\n")

    def test_a_listed_case_that_passes(self):
        text = self.closes(1, "0 passed, 1 failed, 0 skipped", ["pass: test_a (A)"],
                           "unsupported node/test_a* later\n")
        self.assertIn("node/test_a (A): passes, but is listed", text)

    def test_cases_that_are_not_listed(self):
        self.closes(1, "0 passed, 2 failed, 0 skipped",
                    ["unsupported: test_a (A): no", "FAIL: test_b (unknown): signal 11"], "")

    def test_another_outcome_than_listed(self):
        self.closes(1, "0 passed, 1 failed, 0 skipped", ["FAIL: test_a (A): wrong"],
                    "unsupported op:A later\n")

    def test_a_runner_that_crashes(self):
        self.closes(1, "1 passed, 1 failed, 0 skipped", ["pass: test_a (A)"], "", code=139)

    def test_a_runner_that_stops_early(self):
        self.closes(1, "1 passed, 1 failed, 0 skipped", ["pass: test_a (A)"], "", closing="")

    def test_no_case_at_all(self):
        self.closes(1, "0 passed, 1 failed, 0 skipped", [], "")

    def test_an_entry_without_a_reason(self):
        self.assertEqual(self.run_tool(["pass: test_a (A)"], "FAIL node/test_a\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
