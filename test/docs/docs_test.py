"""The documents say what is true: links resolve, paths exist, options and exit codes are the
program's, the README's run gives what the README shows, and the examples of lit tests pass."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ZYXC = pathlib.Path(os.environ.get("ZYXC", ROOT / "build/dev/bin/zyxc"))
DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("test/**/*.md")]
    if path.is_file()
)
FOLDERS = ("runtime", "dialects", "passes", "compiler", "tools", "test", "docs")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*command):
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


class LinksTest(unittest.TestCase):
    def test_relative_links_resolve(self):
        broken = []
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:", target):
                    continue
                if not (document.parent / target.split("#")[0]).exists():
                    broken.append(f"{document.relative_to(ROOT)}: {target}")
        self.assertEqual(broken, [])

    def test_named_paths_exist(self):
        missing = []
        for document in DOCUMENTS:
            for word in re.findall(r"`([^`\n]+)`", document.read_text(encoding="utf-8")):
                path = word.split(" ")[0].split(":")[0]
                if path.split("/")[0] not in FOLDERS or "/" not in path or "*" in path:
                    continue
                if not (ROOT / path).exists():
                    missing.append(f"{document.relative_to(ROOT)}: {path}")
        self.assertEqual(missing, [])


class ReadmeTest(unittest.TestCase):
    def test_is_short(self):
        self.assertLess(read("README.md").count("\n"), 150)

    def test_commands_exist(self):
        text = read("README.md")
        for command in ("tools/quickstart", "tools/check"):
            self.assertIn(f"\n    {command} ", text)
            self.assertTrue((ROOT / command).stat().st_mode & 0o100, f"{command} is not executable")

    def test_runs_give_what_is_shown(self):
        """Each `$ command` of a console block is run; numbers of its output may differ."""
        blocks = re.findall(r"```console\n(.*?)```", read("README.md"), re.DOTALL)
        runs = [run for block in blocks for run in re.split(r"^\$ ", block, flags=re.M)[1:]]
        self.assertTrue(runs, "the README shows no run")
        for shown in runs:
            command, _, expected = shown.partition("\n")
            program, *arguments = command.split()
            self.assertEqual(program, "build/release/bin/zyxc")
            code, out, err = run(ZYXC, *arguments)
            self.assertEqual(code, 0, err)
            self.assertTrue(expected.strip(), f"the README shows no output of: {command}")
            number = r"-?\d+(\.\d*)?(e[-+]?\d+)?"
            self.assertEqual(*(re.sub(number, "N", text.strip()) for text in (out, expected)))


class CommandLineTest(unittest.TestCase):
    def options(self, command):
        code, out, err = run(ZYXC, *command.split(), "--help")
        self.assertEqual(code, 0, err)
        found = set(re.findall(r"^ +(--[a-z][a-z-]*)", out, re.MULTILINE))
        return found - {"--help", "--help-list", "--help-hidden", "--help-list-hidden", "--version"}

    def test_options_are_those_of_the_program(self):
        documented = {}
        section = read("docs/cli.md").split("## Options\n", 1)[1].split("\n## ", 1)[0]
        for option, commands in re.findall(r"^\| `(--[a-z-]+)[^|]*(?:\\\|[^|]*)*\| ([^|]*) \|",
                                           section, re.MULTILINE):
            for command in commands.split(", "):
                documented.setdefault(command, set()).add(option)
        self.assertGreaterEqual(set(documented), {"run", "inspect", "verify"})
        for command, options in documented.items():
            self.assertEqual(self.options(command), options, f"options of zyxc {command}")

    def test_exit_codes_are_those_of_the_source(self):
        source = read("runtime/support/Status.h")
        enum = re.search(r"enum class ErrorCode.*?\{(.*?)\};", source, re.DOTALL).group(1)
        codes = {name: int(value) for name, value in re.findall(r"^\s*(\w+) = (\d+)", enum, re.M)}
        section = read("docs/cli.md").split("## Exit codes\n", 1)[1]
        shown = {name: int(value) for value, name in re.findall(r"^\| (\d+) \| `(\w+)`", section, re.M)}
        self.assertEqual(shown, codes)

    def test_steps_are_those_of_the_pipeline(self):
        code, _, err = run(ZYXC, "run", "docs/examples/shapes.onnx", "--stop-after=no-such-step")
        self.assertEqual(code, 2, err)
        steps = err.split("steps are ", 1)[1].strip().split(", ")
        table = re.findall(r"^\| `([a-z]+)` \|", read("docs/pipeline.md"), re.MULTILINE)
        self.assertEqual(table, steps)

    def test_scalar_ops_are_those_of_the_interpreter(self):
        source = read("compiler/interp/kernel/ScalarTable.cpp")
        known = set(re.findall(r'"(?:arith|math)\.([a-z0-9_]+)"', source))
        section = read("docs/kernels.md").split("### Scalar ops\n", 1)[1].split("\n### ", 1)[0]
        shown = set(re.findall(r"[a-z0-9_]+", " ".join(re.findall(r"`([^`]*)`", section))))
        self.assertGreater(len(known), 60)
        self.assertEqual(known - shown, set())

    def test_scalar_ops_are_written_as_shown(self):
        section = read("docs/kernels.md").split("### Scalar ops\n", 1)[1].split("\n### ", 1)[0]
        texts = re.findall(r"^\| `((?:arith|math)\.[^`]*)` \|", section, re.MULTILINE)
        self.assertGreater(len(texts), 8)
        for text in texts:
            types = {name: re.search(r": (\w+)", text).group(1) for name in
                     re.findall(r"%\w", text)}
            if "arith.select" in text:
                types["%c"] = "i1"
            arguments = ", ".join(f"{name}: {kind}" for name, kind in types.items())
            body = f"func.func @f({arguments}) {{\n  %r = {text}\n  return\n}}\n"
            with self.subTest(text), tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(body)
                file.flush()
                code, _, errors = run(ZYXC.parent / "zyx-opt", file.name)
                self.assertEqual(code, 0, errors)


class ExamplesTest(unittest.TestCase):
    def test_lit_examples_pass(self):
        """Each block of docs/testing.md with a RUN line is a lit test that passes."""
        blocks = re.findall(r"```mlir\n(.*?)```", read("docs/testing.md"), re.DOTALL)
        self.assertGreaterEqual(len(blocks), 5)
        done = subprocess.run(
            ["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True
        )
        path = os.pathsep.join([str(ZYXC.parent), done.stdout.strip(), os.environ["PATH"]])
        for block in blocks:
            command = re.match(r"// RUN: (.*)", block).group(1)
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "example.mlir"
                file.write_text(block)
                shell = "set -o pipefail; " + command.replace("%s", str(file))
                done = subprocess.run(
                    ["bash", "-c", shell], capture_output=True, text=True,
                    env={**os.environ, "PATH": path}, check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_custom_kernels_run_as_shown(self):
        """Each `$ command` of docs/custom-kernels.md gives what is shown."""
        document = read("docs/custom-kernels.md")
        shown = re.findall(r"```mlir\n(.*?)```", document, re.DOTALL)
        self.assertEqual(len(shown), 1)
        self.assertIn(shown[0], read("docs/examples/custom/twice.mlir"))
        blocks = re.findall(r"```console\n(.*?)```", document, re.DOTALL)
        runs = [run for block in blocks for run in re.split(r"^\$ ", block, flags=re.M)[1:]]
        self.assertGreaterEqual(len(runs), 3)
        path = os.pathsep.join([str(ZYXC.parent), os.environ["PATH"]])
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "docs").symlink_to(ROOT / "docs")
            for shown in runs:
                command, _, expected = shown.partition("\n")
                done = subprocess.run(
                    command.split(), cwd=folder, capture_output=True, text=True,
                    env={**os.environ, "PATH": path}, check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                largest = r"largest difference [^)]*"
                self.assertEqual(*(re.sub(largest, "", text) for text in (done.stdout, expected)))

    def test_engine_example_is_the_tested_one(self):
        shown = re.search(r"```cpp\n(.*?)```", read("docs/egraph.md"), re.DOTALL).group(1)
        tested = read("test/unit/egraph/ExampleTest.cpp")
        self.assertEqual(shown, tested.split("// Up to here")[0])

    def test_kernels_are_read(self):
        blocks = re.findall(r"```mlir\n(.*?)```", read("docs/kernels.md"), re.DOTALL)
        kernels = [block for block in blocks if "RUN:" not in block]
        self.assertGreaterEqual(len(kernels), 2)
        for block in kernels:
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(block)
                file.flush()
                code, _, errors = run(ZYXC.parent / "zyx-opt", file.name)
            self.assertEqual(code, 0, errors)


class ChecksTest(unittest.TestCase):
    def test_stages_are_documented(self):
        code, out, err = run(sys.executable, "tools/dev/gates", "--list")
        self.assertEqual(code, 0, err)
        table = re.findall(r"^\| ([a-z-]+) \| ", read("docs/testing.md"), re.MULTILINE)
        self.assertEqual([stage for stage in table if stage != "stage"], out.split())


if __name__ == "__main__":
    unittest.main()
