"""tools/gpu-check without a GPU: what it makes of programs that pass, fail, crash and hang."""
import argparse
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev/gpucheck"))
sys.dont_write_bytecode = True

import compiletimes
import pack
import program
import run
import table
import vulkan

# A zyxc that passes on `good`, fails on `bad`, has no device for Vulkan, and times.
ZYXC = """\
#!{python}
import pathlib, sys
words = sys.argv[1:]
if words == ["doctor"]:
    print("zyxc 0")
elif words[1] == "compile" and "bad" not in words[2]:
    steps = ["lower", "convert", "translate", "optimize", "emit", "assemble"]
    print("\\t".join(["kernel", "least_ms", "median_ms", *steps]))
    print("\\t".join(["@good", "70.25", "71", "1", "2", "3", "4", "5", "55.04"]))
elif words[1] == "bundle":
    out = pathlib.Path(words[words.index("--out") + 1])
    out.mkdir(parents=True)
    (out / "k.json").write_text('{{"compile_ms": {{"emit": 40, "assemble": 30}}}}')
elif "vulkan" in words:
    print("no Vulkan device")
    sys.exit(10)
elif "bad" in words[2]:
    print("@bad: port y differs")
    sys.exit(5)
elif "host" in words[2]:
    print("its schedule is #zyxk.contract, which is for the host; sm_90a takes #zyxk.mma")
    sys.exit(4)
else:
    print("40 sizes agree")
"""

# A bench whose cases are good, slow, wrong, hang, crash, and good again.
BENCH = """\
import json, os, sys, time
good = {"status": "ok", "us": 100.0, "peer_us": 101.0, "bytes": 1e9, "error": 1e-4}
for name, bundle in json.load(open(sys.argv[1])):
    print("START " + name, flush=True)
    if name == "hangs":
        time.sleep(60)
    if name == "crashes":
        sys.stderr.write("illegal address\\n")
        os._exit(1)
    result = dict(good)
    if name == "slow":
        result["us"] = 200.0
    if name == "wrong":
        result = {"status": "FAIL", "detail": "wrong: relative error 1"}
    print("RESULT " + json.dumps(result), flush=True)
"""


def case(name, **more):
    return table.Case(name, "good.mlir", {"N": 8}, reference=None, gate=0.9, goal=1.0, **more)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.zyxc = self.folder / "zyxc"
        self.zyxc.write_text(ZYXC.format(python=sys.executable))
        self.zyxc.chmod(0o755)
        (self.folder / "bench.py").write_text(BENCH)
        (self.folder / "torch.py").write_text("")
        self.add_program("nvidia-smi", "echo Some GPU")
        kernels = self.folder / "test/kernels"
        kernels.mkdir(parents=True)
        for name in ("good", "bad"):
            (kernels / f"{name}.mlir").write_text("")
        (kernels / "inner").mkdir()
        (kernels / "inner/deep.mlir").write_text("")

    def add_program(self, name, script):
        """A shell script that is found before other programs of the name."""
        program_file = self.folder / "path" / name
        program_file.parent.mkdir(exist_ok=True)
        program_file.write_text(f"#!/bin/sh\n{script}\n")
        program_file.chmod(0o755)

    def run_steps(self, steps, cases=(), only="", **more):
        """(exit code, rows of results.tsv as dictionaries)."""
        args = argparse.Namespace(out=self.folder / "out", zyxc=self.zyxc, minutes=2, steps=steps,
                                  only=only, **more)
        path = f"{self.folder / 'path'}:{os.environ['PATH']}"
        with mock.patch.object(run, "HERE", self.folder), \
             mock.patch.object(run, "CASE_SECONDS", 2), \
             mock.patch.dict("os.environ", PYTHONPATH=str(self.folder), PATH=path), \
             mock.patch.object(table, "CASES", {each.name: each for each in cases}), \
             contextlib.redirect_stdout(io.StringIO()) as printed:
            code = run.run(self.folder, None, args)
        self.printed = printed.getvalue()
        lines = (self.folder / "out/results.tsv").read_text().splitlines()
        columns = lines[0].split("\t")
        return code, [dict(zip(columns, line.split("\t"))) for line in lines[1:]]

    def test_checks_every_kernel_and_names_what_fails(self):
        code, rows = self.run_steps("device,check,check-vulkan")
        status = {(row["step"], row["name"], row["target"]): row["status"] for row in rows}
        self.assertEqual(status[("check", "good", "sm_90a")], "ok")
        self.assertEqual(status[("check", "deep", "sm_90a")], "ok")
        self.assertEqual(status[("check", "bad", "sm_90a")], "FAIL")
        self.assertEqual(status[("check", "good", "vulkan")], "skipped")
        self.assertEqual(code, 1)
        self.assertIn("FAIL: check bad sm_90a @bad: port y differs", self.printed)

    def test_stops_where_there_is_no_gpu(self):
        self.add_program("nvidia-smi", "exit 9")
        code, rows = self.run_steps("device,check,time")
        self.assertEqual(code, 10)
        self.assertEqual([(row["step"], row["status"]) for row in rows],
                         [("device", "ok"), ("device", "skipped")])
        self.assertIn("no NVIDIA GPU", rows[1]["detail"])

    def test_skips_kernels_of_the_host(self):
        (self.folder / "test/kernels/host.mlir").write_text("")
        _, rows = self.run_steps("check", only="host|good")
        status = {row["name"]: (row["status"], row["detail"]) for row in rows}
        self.assertEqual(status["good"][0], "ok")
        self.assertEqual(status["host"][0], "skipped")
        self.assertIn("which is for the host", status["host"][1])

    def test_passes_where_nothing_fails(self):
        (self.folder / "test/kernels/bad.mlir").unlink()
        code, _ = self.run_steps("check")
        self.assertEqual(code, 0)

    def test_one_case_does_not_stop_the_rest(self):
        names = ["first", "slow", "wrong", "hangs", "crashes", "last"]
        code, rows = self.run_steps("time", [case(name) for name in names])
        compiled = [row for row in rows if row["step"] == "compile"]
        self.assertEqual({(row["value"], row["status"]) for row in compiled}, {("70", "SLOW")})
        rows = [row for row in rows if row["step"] == "time"]
        self.assertEqual([row["name"] for row in rows], names)
        status = {row["name"]: (row["status"], row["detail"]) for row in rows}
        self.assertEqual(status["first"][0], "ok")
        self.assertEqual(status["slow"][0], "SLOW")
        self.assertEqual(status["wrong"], ("FAIL", "wrong: relative error 1"))
        self.assertEqual(status["hangs"], ("FAIL", "no answer for 2 s"))
        self.assertEqual(status["crashes"], ("FAIL", "the process ended: illegal address"))
        self.assertEqual(status["last"][0], "ok")
        self.assertEqual(code, 1)

    def test_timing_needs_torch(self):
        (self.folder / "torch.py").write_text("raise ImportError")
        _, rows = self.run_steps("time", [case("first")])
        timed = [row for row in rows if row["step"] == "time"]
        self.assertEqual([row["status"] for row in timed], ["skipped"])
        self.assertIn("PyTorch is not installed", timed[0]["detail"])

    def test_a_bench_that_never_starts_is_a_failure(self):
        (self.folder / "bench.py").write_text("raise SystemExit('no context')")
        code, rows = self.run_steps("time", [case("first")])
        timed = [row for row in rows if row["step"] == "time"]
        self.assertEqual(timed[0]["detail"], "the process ended: no context")
        self.assertEqual(code, 1)

    def test_gates_against_peers_times_speeds_and_other_cases(self):
        cases = [
            case("aligned", flops=1e12),
            case("ragged", flops=5e11, against="aligned"),
            case("short", against="us"),
            case("fast", flops=1e11, against="TFLOP/s"),
        ]
        _, rows = self.run_steps("time", cases)
        found = {row["name"]: row for row in rows if row["step"] == "time"}
        self.assertEqual(found["aligned"]["unit"], "TFLOP/s")
        self.assertEqual(found["aligned"]["value"], "1e+04")
        self.assertEqual(found["aligned"]["ratio"], "1.01")
        self.assertEqual(found["ragged"]["ratio"], "0.5")
        self.assertEqual(found["ragged"]["status"], "SLOW")
        self.assertEqual((found["short"]["value"], found["short"]["status"]), ("100", "SLOW"))
        self.assertEqual((found["fast"]["ratio"], found["fast"]["status"]), ("1000", "ok"))

    def test_a_case_comes_with_the_one_that_it_is_judged_against(self):
        cases = [case("aligned", flops=1e12), case("ragged", flops=1e12, against="aligned"),
                 case("other", flops=1e12)]
        _, rows = self.run_steps("time", cases, only="ragged")
        timed = {row["name"]: row for row in rows if row["step"] == "time"}
        self.assertEqual(sorted(timed), ["aligned", "ragged"])
        self.assertEqual((timed["ragged"]["ratio"], timed["ragged"]["status"]), ("1", "ok"))

    def test_no_time_left_is_said(self):
        args_minutes = mock.patch.object(run, "CHECK_SECONDS", 0)
        with args_minutes:
            code, rows = self.run_steps("check")
        self.assertEqual({row["detail"] for row in rows}, {"no time left"})
        self.assertEqual(code, 1)

    def test_an_archive_runs_elsewhere(self):
        out = self.folder / "packed.tar.xz"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(pack.pack(ROOT, out, self.zyxc), 0)
        with tarfile.open(out) as archive:
            names = archive.getnames()
        for part in ("bin/zyxc", "tools/gpu-check", "tools/dev/gpucheck/bench.py",
                     "test/kernels/softmax.mlir"):
            self.assertIn(part, names)
        args = argparse.Namespace(out=self.folder / "out", zyxc=None, minutes=2, steps="device",
                                  only="")
        path = f"{self.folder / 'path'}:{os.environ['PATH']}"
        with contextlib.redirect_stdout(io.StringIO()), mock.patch.dict("os.environ", PATH=path):
            self.assertEqual(run.run(ROOT, out, args), 0)

    def test_vulkan_gets_what_the_machine_lacks(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "lib").mkdir()
            (root / "lib/libvulkan.so.1").write_text("")
            with mock.patch.dict("os.environ", {"PATH": "/bin"}, clear=True), \
                    mock.patch.object(vulkan, "loads", lambda library: "EGL" in library):
                variables = vulkan.environment(root, root)
            self.assertEqual(variables["LD_LIBRARY_PATH"], str(root / "lib"))
            manifest = pathlib.Path(variables["VK_DRIVER_FILES"]).read_text()
            self.assertIn('"library_path": "libEGL_nvidia.so.0"', manifest)
            with mock.patch.dict("os.environ", {"PATH": "/bin"}, clear=True), \
                    mock.patch.object(vulkan, "loads", lambda library: library == "libvulkan.so.1"):
                self.assertEqual(vulkan.environment(root, root), {"PATH": "/bin"})

    def test_compile_times_are_a_table_and_failures_are_named(self):
        args = argparse.Namespace(zyxc=self.zyxc, only="", repeat=3, assemble_for="sm_90a")
        bad = table.Case("worse", "bad.mlir", {"N": 8}, reference=None)
        with mock.patch.object(table, "CASES", {"good": case("good"), "worse": bad}), \
             contextlib.redirect_stdout(io.StringIO()) as printed:
            code = compiletimes.run(self.folder, args)
        self.assertIn("| good | 70.2 | 71.0 | 1.0 | 2.0 | 3.0 | 4.0 | 5.0 | 55.0 | 60 |",
                      printed.getvalue())
        self.assertIn("worse: @bad: port y differs", printed.getvalue())
        self.assertEqual(code, 1)

    def test_what_is_missing_is_one_line_with_its_remedy(self):
        """Of each action, run as a user runs it; in a copy, where nothing is built."""
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "tools/dev/gpucheck", copy / "tools/dev/gpucheck")
        shutil.copy(ROOT / "tools/gpu-check", copy / "tools/gpu-check")
        (copy / "torn.tar.xz").write_bytes(b"\xfd7zXZ\x00 and no more")
        with tarfile.open(copy / "empty.tar.xz", "w:xz"):
            pass
        build = "no program at build/dev/bin/zyxc or build/release/bin/zyxc or bin/zyxc: build one"
        for words, said in (
                (["compile"], build),
                (["compile", "--zyxc", "none"], "--zyxc: no program at none"),
                (["compile", "--zyxc", "tools"], "--zyxc: no program at tools"),
                (["compile", "--only", "["], "--only: "),
                (["run"], build),
                (["run", "--zyxc", "none"], "--zyxc: no program at none"),
                (["run", "none.tar.xz"], "no archive at none.tar.xz: give an archive"),
                (["run", "torn.tar.xz"], "torn.tar.xz: is no whole archive: give an"),
                (["run", "empty.tar.xz"], "empty.tar.xz: has no bin/zyxc: give an archive"),
                (["run", "--steps", "none"], "no step 'none'"),
                (["pack", "--zyxc", "none"], "--zyxc: no program at none")):
            with self.subTest(words=words):
                done = subprocess.run([copy / "tools/gpu-check", *words], cwd=copy, text=True,
                                      capture_output=True, check=False)
                lines = [line for line in done.stderr.splitlines()
                         if not line.startswith(("usage: ", " "))]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(said, lines[0])
                self.assertEqual(done.returncode, 2)

    def test_compile_takes_the_program_that_was_built(self):
        for place in ("build/release/bin", "build/dev/bin"):  # the latter goes first
            (self.folder / place).mkdir(parents=True)
            shutil.copy(self.zyxc, self.folder / place / "zyxc")
            self.assertEqual(program.find(self.folder, None),
                             (self.folder / place / "zyxc").resolve())

    def test_a_case_that_hangs_is_named(self):
        self.zyxc.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
        args = argparse.Namespace(zyxc=self.zyxc, only="", repeat=3, assemble_for="sm_90a")
        with mock.patch.object(table, "CASES", {"good": case("good")}), \
             mock.patch.object(compiletimes, "SECONDS", 1), \
             contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(compiletimes.run(self.folder, args), 1)
        self.assertIn("good: stopped after 1 s", printed.getvalue())

    def test_cases_name_files_that_exist(self):
        for each in table.CASES.values():
            with self.subTest(case=each.name):
                path = ROOT / "test/kernels" / each.file
                name = each.kernel or path.stem
                self.assertRegex(path.read_text(), rf"zyxk.kernel @{name} dims\(")


if __name__ == "__main__":
    unittest.main()
