"""Each form, in each of its spellings, takes the kernels that it should, and they compute what the
interpreter does. The forms stand in the folder forms/, by topic."""
import concurrent.futures
import importlib
import os
import pathlib
import re
import unittest

import onnx
import onnx.parser
import small_model
import support
from forms.table import CONSTANTS, Spelling

TOPICS = ("norms", "attention", "products", "movement", "chains")


def model_of(form, spelling):
    """The ONNX model of a spelling, with the constants that it names."""
    nodes = re.sub(r"\)\s+(?=[\w, ]+ = [A-Z])", ")\n", spelling.nodes.strip())
    used = [text for name, text in CONSTANTS.items() if re.search(rf"\b{name}\b", nodes)]
    constants = f"<{', '.join(used)}>" if used else ""
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> '
                                   f"g ({form.inputs}) => ({form.outputs}) {constants} {{\n{nodes}\n}}")


def kernels_of(path):
    """Verifies a model; the kernels of its plan, those at load left out."""
    done = support.run_zyxc(["verify", path, "--dump-after=plan", "--threads=1"], expect=0)
    return [line for line in done.stderr.splitlines() if re.match(r"\w+_[0-9a-f]{8}: ", line)]


class RecognitionTest(small_model.SmallModelTest):
    def check_topic(self, topic):
        cases = []
        for form_name, form in importlib.import_module(f"forms.{topic}").FORMS.items():
            for name, spelling in form.spellings.items():
                spelling = Spelling(spelling) if isinstance(spelling, str) else spelling
                path = self.folder / f"{len(cases)}.onnx"
                path.write_bytes(model_of(form, spelling).SerializeToString())
                cases.append((f"{form_name}: {name}", spelling, path))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [pool.submit(kernels_of, path) for _, _, path in cases]
        for (name, spelling, _), kernels in zip(cases, found):
            with self.subTest(name):
                self.assertEqual(len(kernels.result()), spelling.kernels, "\n".join(kernels.result()))
                self.assertEqual(bool(spelling.reason), spelling.kernels != 1, "a reason, and only where it is needed")

    def test_all_topics_are_tested(self):
        files = pathlib.Path(__file__).parent.glob("forms/*.py")
        self.assertEqual({file.stem for file in files}, {"table", *TOPICS})


for each in TOPICS:
    setattr(RecognitionTest, f"test_{each}", lambda self, topic=each: self.check_topic(topic))


if __name__ == "__main__":
    unittest.main()
