"""Where results go: files all or nothing, devices and pipes as they are, standard output that cannot
be written."""
import os
import pathlib
import resource
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import numpy
import support

IDENTITY = """func.func @main(%a: tensor<{0}xf32>) -> tensor<{0}xf32> {{
  %0 = zyx.neg %a : tensor<{0}xf32> -> tensor<{0}xf32>
  return %0 : tensor<{0}xf32>
}}
"""
INPUT = 3


class Output(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "m.mlir").write_text(IDENTITY.format(4))

    def run_zyxc(self, *arguments, code=0, **options):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        done = subprocess.run([str(support.ZYXC), *arguments], cwd=self.folder, text=True,
                              timeout=60, check=False, **streams)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".tmp")])
        return done

    def save_to(self, name, code=0, **options):
        return self.run_zyxc("run", "m.mlir", "--input=ones", f"--output=@{name}", code=code,
                             **options)

    def test_link_stays_a_link(self):
        numpy.save(self.folder / "file.npy", numpy.zeros(1))
        os.symlink("file.npy", self.folder / "link.npy")
        self.save_to("link.npy")
        self.assertTrue((self.folder / "link.npy").is_symlink())
        self.assertEqual(numpy.load(self.folder / "file.npy").tolist(), [-1] * 4)

    def test_pipe_stays_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        self.assertIn("pipe", self.save_to("pipe", INPUT).stderr)  # no reader
        reader = os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.save_to("pipe")
        self.assertTrue(os.read(reader, 100).startswith(b"\x93NUMPY"))
        os.close(reader)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "pipe").st_mode))

    def test_places_that_take_no_file(self):
        os.symlink("loop", self.folder / "loop")
        os.symlink("nowhere", self.folder / "broken")
        (self.folder / "folder").mkdir()
        for name in ("loop", "broken", "folder", "nothing/y.npy", ""):
            self.assertIn(f"'{name}'", self.save_to(name, INPUT).stderr)
        self.assertTrue((self.folder / "loop").is_symlink())

    def test_file_size_limit(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))
        self.assertIn("y.npy", self.save_to("y.npy", INPUT, preexec_fn=limit).stderr)
        self.assertFalse((self.folder / "y.npy").exists())

    def test_closed_streams(self):
        """A closed standard output is an error; files are whole whatever is closed."""
        for closed in ((1,), (0, 1, 2), (2,)):
            self.save_to("y.npy", stdout=None, stderr=None, code=INPUT if 1 in closed else 0,
                         preexec_fn=lambda: [os.close(fd) for fd in closed])
            self.assertEqual(numpy.load(self.folder / "y.npy").tolist(), [-1] * 4)

    def test_reader_that_has_gone(self):
        (self.folder / "m.mlir").write_text(IDENTITY.format(900))  # more text than a buffer holds
        for arguments in (["run", "m.mlir", "--input=ones", "--output=@y.npy"], ["--help"],
                          ["run", "--help"], ["inspect", "m.mlir", "--json"]):
            reader, writer = os.pipe()
            os.close(reader)
            self.assertEqual(self.run_zyxc(*arguments, stdout=writer, code=INPUT).stderr, "")
            os.close(writer)
        self.assertEqual(len(numpy.load(self.folder / "y.npy")), 900)

    def test_full_standard_output(self):
        if not stat.S_ISCHR(os.stat("/dev/full").st_mode):
            self.skipTest("/dev/full is not there")
        for arguments in (["run", "m.mlir"], ["doctor"], ["--version"], ["inspect", "m.mlir"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                error = self.run_zyxc(*arguments, stdout=full, code=INPUT).stderr
            self.assertEqual(error.count("\n"), 1, error)
            self.assertIn("standard output", error)

    def test_interrupt_leaves_nothing(self):
        (self.folder / "m.mlir").write_text(IDENTITY.format(1 << 25))
        before = sorted(os.listdir(self.folder))
        for delay in (0.1, 0.5, 1, 2):
            process = subprocess.Popen(
                [str(support.ZYXC), "run", "m.mlir", "--quiet", "--input=ones",
                 "--output=@y.npy"], cwd=self.folder, stdout=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
            left = sorted(set(os.listdir(self.folder)) - set(before))
            self.assertIn(left, ([], ["y.npy"]))
            if left:
                self.assertEqual(os.path.getsize(self.folder / "y.npy"), 4 * (1 << 25) + 128)
                os.unlink(self.folder / "y.npy")


if __name__ == "__main__":
    unittest.main()
