"""lit's configuration: what is a test, and the tools that its RUN lines name."""
import os
import pathlib

import lit.formats

source = pathlib.Path(config.zyxc_source_dir)
build = pathlib.Path(config.zyxc_build_dir)

config.name = "zyxc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "fuzz", "bench", "Inputs"]
config.test_source_root = str(source / "test")
config.test_exec_root = str(build / "test")

# The built tools come before anything installed.
path = [str(build / "bin"), config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
for name in ("HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%source", str(source)))
config.substitutions.append(("%python", config.python))

# Tests that read the ONNX test data say `REQUIRES: test-data`.
data = os.environ.get("ZYXC_TEST_DATA")
if data and pathlib.Path(data).is_dir():
    config.available_features.add("test-data")
    config.environment["ZYXC_TEST_DATA"] = data
    config.substitutions.append(("%data", data))
