"""The page of `zyxc explain --html`: its structure, without a browser, and in a headless Chromium what is drawn,
what a click shows, and that nothing is asked of a network."""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy
import support
from onnx import TensorProto, helper, numpy_helper

SHAPES = support.ROOT / "docs/examples/shapes.onnx"
LOOP = support.ROOT / "test/e2e/control/nested.mlir"
VOID = {"meta", "input", "link", "br", "hr", "img"}
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
# Runs in the page and leaves its result in the document.
DRIVER = support.ROOT / "test/models/explain_page_driver.js"


class PageParser(html.parser.HTMLParser):
    """Checks that elements are closed in order, and keeps scripts and references."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.scripts = {}
        self.references = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.references += [values[key] for key in ("src", "href", "action") if key in values]
        if tag not in VOID:
            self.open.append((tag, values.get("id")))

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag, f"</{tag}> closes <{opened}>"

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.scripts[self.open[-1][1]] = data


def page_of(folder, model, *options):
    """The text of the page, and the document of --json."""
    path = pathlib.Path(folder) / "page.html"
    out = support.zyxc("explain", model, "--html", path, "--json", *options)
    return path.read_text(encoding="utf-8"), json.loads(out)


def hostile_model(folder):
    """Nodes whose names would end a script, an element or a string."""
    names = ["</script><script>alert(1)</script>", "<!--", "a\"b'c&amp;", "line\nbreak", "\u2028\u00e9\u4e2d"]
    nodes = [helper.make_node("Relu" if i % 2 else "Neg", [f"t{i}"], [f"t{i + 1}"], name)
             for i, name in enumerate(names)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("t0", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info(f"t{len(names)}", TensorProto.FLOAT, [2, 3])])
    path = pathlib.Path(folder) / "hostile.onnx"
    path.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 13)]).SerializeToString())
    return path, names


def long_model(folder, layers=500):
    """Two nodes a layer, and a way around each eighth one."""
    numbers = numpy.random.default_rng(1)
    nodes, constants, last, skip = [], [], "x", "x"
    for i in range(layers):
        constants.append(numpy_helper.from_array(
            numbers.standard_normal((1, 8)).astype(numpy.float32), f"w{i}"))
        other = skip if i % 8 == 7 else f"w{i}"
        nodes.append(helper.make_node("Add", [last, other], [f"a{i}"], f"layer{i}/add"))
        nodes.append(helper.make_node("Softmax", [f"a{i}"], [f"s{i}"], f"layer{i}/softmax"))
        last, skip = f"s{i}", f"s{i}" if i % 8 == 7 else skip
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [4, 8])],
                              [value(last, TensorProto.FLOAT, [4, 8])], constants)
    path = pathlib.Path(folder) / "long.onnx"
    path.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 13)]).SerializeToString())
    return path


class PageTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def networks(self):
        return [support.LIGHT / f"light_{name}.onnx" for name in support.networks()
                ] if support.LIGHT.is_dir() else []


class StructureTest(PageTest):
    def check_page(self, page, document):
        self.assertTrue(page.startswith("<!doctype html>"))
        parser = PageParser()
        parser.feed(page)
        parser.close()
        self.assertEqual(parser.open, [], "elements that are not closed")
        self.assertEqual(json.loads(parser.scripts["explanation"]), document)
        self.assertEqual(parser.references, [], "references to other files")
        frame = page.replace(parser.scripts["explanation"], "").replace(parser.scripts["places"], "")
        self.assertIsNone(re.search(r"https?:|@import|url\(|fetch\(|XMLHttpRequest|WebSocket", frame))
        self.assertIn("default-src 'none'", frame)
        families = {kernel["family"] for part in document["parts"] for kernel in part["kernels"]}
        for family in families - {""}:
            self.assertEqual(frame.count(f"--{family}: #"), 2, f"colours of {family}, light and dark")
        places = json.loads(parser.scripts["places"])
        self.assertEqual(len(places), len(document["parts"]))
        for part, place in zip(document["parts"], places):
            ends = len(part["inputs"]) + len(part["outputs"])
            nodes = [node for node in part["nodes"] if node["state"] != "constant"]
            self.check_places(place["model"], len(nodes) + ends)
            self.check_places(place["kernels"], len(part["kernels"]) + ends)
        return parser

    def check_places(self, place, boxes):
        self.assertEqual(len(place["boxes"]), boxes)
        for first, second, *points in place["edges"]:
            self.assertLess(first, second)
            self.assertLess(place["boxes"][first][1], place["boxes"][second][1], "edges lead down")
            self.assertEqual(points[0], place["boxes"][first][0])
            self.assertEqual(points[-2], place["boxes"][second][0])

    def test_examples(self):
        for model in (SHAPES, LOOP, *self.networks()):
            with self.subTest(model.name):
                page, document = page_of(self.folder, model)
                self.check_page(page, document)

    def test_one_node(self):
        page, document = page_of(self.folder, SHAPES, "--node", "pool1")
        self.check_page(page, document)
        self.assertEqual([kernel["nodes"][0]["node"] for part in document["parts"]
                          for kernel in part["kernels"]], [document["parts"][0]["nodes"][0]["id"]])

    def test_names_are_data(self):
        model, names = hostile_model(self.folder)
        page, document = page_of(self.folder, model)
        self.check_page(page, document)
        self.assertEqual([node["name"] for node in document["parts"][0]["nodes"]], names)

    def test_a_thousand_nodes(self):
        page, document = page_of(self.folder, long_model(self.folder))
        self.check_page(page, document)
        self.assertEqual(len(document["parts"][0]["nodes"]), 1000)

    def test_same_page_each_time(self):
        self.assertEqual(page_of(self.folder, SHAPES)[0], page_of(self.folder, SHAPES, "--threads=1")[0])


class BrowserTest(PageTest):
    def setUp(self):
        super().setUp()
        if BROWSER is None:
            self.skipTest("no chromium: install the packages of the group test (tools/dev/packages.txt)")

    def browse(self, page, address=""):
        """What the driver found in the page, and the addresses that the browser asked for."""
        log = self.folder / "net.json"
        path = self.folder / "driven.html"
        driver = DRIVER.read_text(encoding="utf-8")
        path.write_text(page.replace("</body>", f"<script>{driver}</script></body>"), encoding="utf-8")
        done = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--no-first-run", "--window-size=1500,900",
             "--host-resolver-rules=MAP * ~NOTFOUND",  # what it asks for itself stays here, too
             f"--user-data-dir={self.folder / 'profile'}", f"--log-net-log={log}",
             "--virtual-time-budget=20000", "--dump-dom", f"{path.as_uri()}{address}"],
            capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        parser = PageParser()
        parser.feed(done.stdout)
        self.assertIn("driver-result", parser.scripts, done.stdout[-3000:])
        result = json.loads(parser.scripts["driver-result"])
        self.assertEqual(result["errors"], [])
        return result, self.addresses(log)

    @staticmethod
    def addresses(log):
        """Addresses that the page asked a network for; the browser's own requests have no origin."""
        text = log.read_text(encoding="utf-8", errors="replace")
        try:
            events = json.loads(text)["events"]
        except json.JSONDecodeError:  # a browser that is ended at once leaves the list open
            events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
        requests = [event["params"] for event in events if "initiator" in event.get("params", {})]
        return {request["url"] for request in requests if request["initiator"] != "not an origin"}

    def check_in_browser(self, model, *options):
        page, document = page_of(self.folder, model, *options)
        result, addresses = self.browse(page)
        part = document["parts"][0]
        ends = [f"input {port['name']}" for port in part["inputs"]], [
            f"output {port['name']}" for port in part["outputs"]]
        nodes = [f"node {node['id']}" for node in part["nodes"] if node["state"] != "constant"]
        kernels = [f"kernel {kernel['id']}" for kernel in part["kernels"]]
        self.assertEqual(result["drawn"]["model"], [*ends[0], *nodes, *ends[1]])
        self.assertEqual(result["drawn"]["kernels"], [*ends[0], *kernels, *ends[1]])
        self.assertEqual(result["outside"], [], "boxes without a size or a place")
        # Each click marks the counterparts and tells of them.
        by_id = {kernel["id"]: kernel for kernel in part["kernels"]}
        clicked = {click["key"]: click for click in result["clicks"]}
        self.assertTrue(clicked)
        for node in part["nodes"]:
            if f"node {node['id']}" not in clicked:
                continue
            click = clicked[f"node {node['id']}"]
            expected = {f"kernel {member['kernel']}" for member in node["kernels"]}
            self.assertEqual(set(click["linked"]), expected)
            self.assertIn(node["name"], click["title"])
            for member in node["kernels"]:
                kernel = by_id[member["kernel"]]
                self.assertIn(kernel["name"] or kernel["what"], click["text"])
            self.assertTrue(not expected or click["inSight"], "its kernel is in sight")
        for kernel in part["kernels"]:
            click = clicked.get(f"kernel {kernel['id']}")
            if click:
                self.assertEqual(set(click["linked"]), {f"node {m['node']}" for m in kernel["nodes"]} &
                                 set(nodes))
                self.assertEqual(click["rows"], len(kernel["rejected"]))
        self.assertEqual(result["resources"], [], "the page asked for other files")
        self.assertEqual(addresses, set(), "a request left the file")
        return result, document

    def test_examples(self):
        result, document = self.check_in_browser(SHAPES)
        self.assertIn("proved optimal", result["summary"])
        self.assertEqual(result["found"], ["conv1", "conv2"])  # of a search for "conv"
        self.assertEqual(result["searched"], "conv2")  # by an arrow and Enter
        self.assertNotEqual(result["moved"], result["unmoved"])
        self.assertGreater(result["zoomed"], 1.1)
        self.assertNotEqual(result["light"], result["dark"])

    def test_regions(self):
        result, document = self.check_in_browser(LOOP)
        self.assertEqual(result["parts"], len(document["parts"]))
        self.assertEqual(result["secondPart"], len(document["parts"][1]["kernels"]))

    def test_names_are_data(self):
        model, names = hostile_model(self.folder)
        result, _ = self.check_in_browser(model)
        self.assertEqual(len(result["drawn"]["model"]), len(names) + 2)

    def test_the_address_selects(self):
        page, document = page_of(self.folder, SHAPES)
        result, _ = self.browse(page, "#node=pool2")
        self.assertEqual(result["atStart"], "pool2")

    def test_a_request_would_be_seen(self):
        page, _ = page_of(self.folder, SHAPES)
        image = '<img src="http://zyxc.invalid/image.png"></body>'
        damaged = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
        result, addresses = self.browse(damaged.replace("</body>", image))
        self.assertEqual(addresses, {"http://zyxc.invalid/image.png"})
        self.assertEqual(self.browse(page.replace("</body>", image))[1], set(), "the policy forbids it")

    def test_networks(self):
        for model in self.networks():
            with self.subTest(model.name):
                self.check_in_browser(model)


if __name__ == "__main__":
    unittest.main()
