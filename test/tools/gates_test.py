"""Each gate is proved able to fail: small trees with one fault each, reports with failures."""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEV = ROOT / "tools" / "dev"
sys.path.insert(0, str(DEV / "gates"))
sys.dont_write_bytecode = True

from counts import Counts, from_closing_line, from_junit, from_lit, from_unittest, judged  # noqa: E402

LAYERS = """
runtime/support         :
dialects/zyx/IR    MLIR : runtime/support
compiler/egraph         : runtime/support
compiler/driver    MLIR : compiler/egraph dialects/zyx/IR
"""


class TreeTest(unittest.TestCase):
    """A test with a small source tree of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def run_tool(self, name, *arguments):
        done = subprocess.run(
            [DEV / name, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr


class LayersTest(TreeTest):
    def check(self, name, text):
        self.write(name, text)
        table = self.write("layers.txt", LAYERS)
        return self.run_tool("check-layers", "--root", self.root, "--table", table)

    def test_accepts_what_the_table_allows(self):
        code, out = self.check(
            "compiler/driver/A.cpp",
            """\
            #include "compiler/egraph/EGraph.h"
            #include "mlir/IR/BuiltinOps.h"
            #include "runtime/support/Status.h"
            #include <vector>
            """,
        )
        self.assertEqual(code, 0, out)

    def test_refuses_an_upward_include(self):
        code, out = self.check("runtime/support/A.h", '\n#include "compiler/egraph/EGraph.h"\n')
        self.assertEqual(code, 1)
        self.assertIn("runtime/support/A.h:2: 'runtime/support' may not include", out)

    def test_refuses_mlir_in_a_free_folder(self):
        for header in ("mlir/IR/BuiltinOps.h", "llvm/ADT/SmallVector.h"):
            code, out = self.check("compiler/egraph/A.cpp", f'#include "{header}"\n')
            self.assertEqual(code, 1)
            self.assertIn("free of MLIR and LLVM", out)

    def test_refuses_a_folder_without_a_place(self):
        code, out = self.check("compiler/misc/A.cpp", "int x;\n")
        self.assertEqual(code, 1)
        self.assertIn("not named", out)

    def test_refuses_an_include_that_is_not_from_the_root(self):
        code, out = self.check("compiler/egraph/A.cpp", '#include "EGraph.h"\n')
        self.assertEqual(code, 1)
        self.assertIn("from the root", out)

    def test_refuses_an_empty_tree(self):
        table = self.write("layers.txt", LAYERS)
        code, _ = self.run_tool("check-layers", "--root", self.root, "--table", table)
        self.assertEqual(code, 1)


class SizesTest(TreeTest):
    def check(self, ratchet="", *arguments):
        path = self.root.parent / f"{self.root.name}.ratchet"
        path.write_text(ratchet)
        self.addCleanup(path.unlink, missing_ok=True)
        code, out = self.run_tool("check-sizes", "--root", self.root, "--ratchet", path, *arguments)
        return code, out, path.read_text()

    def test_accepts_small_files(self):
        self.write("a.cpp", "int f() {\n" + "  g();\n" * 60 + "}\n")
        code, out, _ = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("1 functions", out)

    def test_refuses_a_long_function(self):
        body = "  if (x) {\n    g('{', \"}\");\n  }\n" * 30
        self.write("a.cpp", f"namespace n {{\nclass C {{\n  int f() const {{\n{body}  }}\n}};\n}}\n")
        code, out, _ = self.check()
        self.assertEqual(code, 1)
        self.assertIn("a.cpp:f: 92 lines, the cap is 70", out)

    def test_refuses_a_long_python_function(self):
        self.write("a.py", "def f():\n" + "    g()\n" * 80)
        code, out, _ = self.check()
        self.assertEqual(code, 1)
        self.assertIn("a.py:f: 81 lines", out)

    def test_refuses_long_files(self):
        for name, lines in (("a.h", 401), ("a.cpp", 1001), ("test/a.mlir", 151)):
            self.write(name, "\n" * lines)
            code, out, _ = self.check()
            self.assertEqual(code, 1)
            self.assertIn(f"{name}: {lines} lines", out)

    def test_refuses_a_full_folder(self):
        for number in range(26):
            self.write(f"src/{number}.txt", "")
        code, out, _ = self.check()
        self.assertEqual(code, 1)
        self.assertIn("src: 26 folder", out)

    def test_ratchet_holds_and_shrinks(self):
        self.write("a.h", "\n" * 500)
        self.assertEqual(self.check("lines a.h 500 # reason\n")[0], 0)
        self.assertIn("grew", self.check("lines a.h 490\n")[1])
        code, out, _ = self.check("lines a.h 510\n")
        self.assertEqual(code, 1)
        self.assertIn("shrank", out)
        code, _, ratchet = self.check("lines a.h 510 # reason\n", "--update")
        self.assertEqual((code, ratchet), (0, "lines a.h 500 # reason\n"))
        code, _, ratchet = self.check("lines a.h 490\n", "--update")
        self.assertEqual((code, ratchet), (1, "lines a.h 490\n"))


class FormatTest(TreeTest):
    def test_refuses_another_layout(self):
        good = self.write("a.cpp", "int f() {\n  return 1;\n}\n")
        bad = self.write("b.cpp", "int  f ( )\n{ return 1; }\n")
        self.write(".clang-format", (ROOT / ".clang-format").read_text())
        self.assertEqual(self.run_tool("format", "--check", good)[0], 0)
        code, out = self.run_tool("format", "--check", good, bad)
        self.assertEqual(code, 1)
        self.assertIn("b.cpp: not laid out", out)


class CountsTest(unittest.TestCase):
    def test_lit(self):
        report = '{"tests": [%s]}' % ", ".join(
            '{"name": "n", "code": "%s"}' % code
            for code in ("PASS", "XFAIL", "FAIL", "XPASS", "TIMEOUT", "UNRESOLVED", "UNSUPPORTED")
        )
        self.assertEqual(from_lit(report), Counts(2, 4, 1))

    def test_junit(self):
        report = """<testsuites><testsuite>
          <testcase classname="p.global" name="one/section"/>
          <testcase classname="p.global" name="one/other"><failure/></testcase>
          <testcase classname="p.global" name="two"><error/></testcase>
          <testcase classname="p.global" name="three"/>
        </testsuite></testsuites>"""
        self.assertEqual(from_junit(report), Counts(1, 2, 0))

    def test_unittest(self):
        text = "..\nRan 9 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=3)\n"
        self.assertEqual(from_unittest(text), Counts(3, 3, 3))
        self.assertEqual(from_unittest("Traceback ...\n"), Counts())

    def test_closing_line(self):
        self.assertEqual(from_closing_line("a: 9 passed\n3 passed, 2 failed, 1 skipped\n"),
                         Counts(3, 2, 1))
        self.assertEqual(from_closing_line("3 passed, 2 failed, 1 skipped\nTraceback ...\n"),
                         Counts())
        self.assertEqual(from_closing_line(""), Counts())

    def test_a_runner_that_ran_nothing_or_crashed_has_failed(self):
        self.assertEqual(judged(Counts(), 0), Counts(failed=1))
        self.assertEqual(judged(Counts(5, 0, 0), -11), Counts(5, 1, 0))
        self.assertEqual(judged(Counts(5, 2, 0), 1), Counts(5, 2, 0))
        self.assertEqual(judged(Counts(5, 0, 1), 0), Counts(5, 0, 1))


if __name__ == "__main__":
    unittest.main()
