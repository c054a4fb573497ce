"""A small network with trained weights (text direction, from the package rapidocr-onnxruntime) on
images made here: outputs agree with ONNX Runtime to 1e-4."""
import importlib.util
import pathlib
import tempfile
import unittest

import numpy
import support

# A 5 x 7 font for a few letters: what the network was trained to see is text.
GLYPHS = {
    "A": "01110 10001 10001 11111 10001 10001 10001", "E": "11111 10000 10000 11110 10000 10000 11111",
    "F": "11111 10000 10000 11110 10000 10000 10000", "L": "10000 10000 10000 10000 10000 10000 11111",
    "P": "11110 10001 10001 11110 10000 10000 10000", "R": "11110 10001 10001 11110 10100 10010 10001",
    "T": "11111 00100 00100 00100 00100 00100 00100", "Y": "10001 10001 01010 00100 00100 00100 00100",
}


def picture(text, upside_down):
    """Black text on white, 3 x 48 x 192, scaled as the package does: (x / 255 - 0.5) / 0.5."""
    image = numpy.ones((48, 192), numpy.float32)
    for i, letter in enumerate(text):
        rows = [[int(bit) for bit in row] for row in GLYPHS[letter].split()]
        glyph = numpy.kron(numpy.array(rows), numpy.ones((4, 4)))
        image[10:38, 6 + 24 * i:26 + 24 * i] = 1 - glyph
    if upside_down:
        image = image[::-1, ::-1]
    return numpy.repeat(((image - 0.5) / 0.5)[None], 3, axis=0).astype(numpy.float32)


def model_file():
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    if spec is None:
        raise unittest.SkipTest("the package rapidocr-onnxruntime is not installed")
    folder = pathlib.Path(spec.submodule_search_locations[0])
    return folder / "models/ch_ppocr_mobile_v2.0_cls_infer.onnx"


class TextDirection(unittest.TestCase):
    def test_agrees_with_onnxruntime(self):
        model = model_file()
        answers = set()
        for text in ("TRAPLEY", "PARTLEF", "TRAFFEY"):
            for upside_down in (False, True):
                batch = picture(text, upside_down)[None]
                with self.subTest(text=text, upside_down=upside_down), \
                        tempfile.TemporaryDirectory() as folder:
                    numpy.save(f"{folder}/x.npy", batch)
                    support.zyxc("run", model, "--quiet", "--input", f"x=@{folder}/x.npy",
                                 "--output", f"{folder}/y.npy")
                    actual = numpy.load(f"{folder}/y.npy")
                    (expected,) = support.onnxruntime_outputs(model, {"x": batch}).values()
                    numpy.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4)
                    answers.add(int(actual.argmax()))
        self.assertEqual(answers, {0, 1}, "the network tells upright from turned text")


if __name__ == "__main__":
    unittest.main()
