// Put behind the script of an explanation's page by explain_page_test.py: uses the page as a person
// would, by events, and leaves what it saw in an element that the test reads.
const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));

(function drive() {
  const $ = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const keys = (list) => list.map((box) => box.dataset.key);
  const title = () => $("#details h3").textContent;
  const click = (box) => box.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  const transform = (pane) => $(`#${pane} svg > g`).getAttribute("transform");
  const scale = () => Number(transform("model").match(/scale\(([^)]*)\)/)[1]);

  function isInSight(box) {
    const [inner, outer] = [box.getBoundingClientRect(), box.closest("svg").getBoundingClientRect()];
    return inner.right > outer.left && inner.left < outer.right && inner.bottom > outer.top &&
           inner.top < outer.bottom;
  }

  function clickBox(box) {
    const other = box.closest(".pane").id === "model" ? "#kernels" : "#model";
    click(box);
    const linked = all(`${other} .box.linked`);
    return {key: box.dataset.key, linked: keys(linked), title: title(),
            text: $("#details").textContent, rows: all("#details tbody tr").length,
            isSelected: box.classList.contains("selected"), inSight: linked.some(isInSight)};
  }

  const result = {errors, atStart: title(), summary: $("#summary").textContent,
                  parts: all("#part option").length};
  result.drawn = {model: keys(all("#model .box")), kernels: keys(all("#kernels .box"))};
  result.outside = keys(all(".box").filter((box) => {
    const frame = box.querySelector("rect.frame").getBBox();
    return !(frame.width > 20 && frame.height > 10) || /NaN|undefined/.test(box.outerHTML);
  }));

  // Every box of a small graph, each n-th of a large one.
  const boxes = all(".box.node, .box.kernel");
  const step = Math.ceil(boxes.length / 120);
  result.clicks = boxes.filter((box, i) => i % step === 0).map(clickBox);

  const search = $("#search");
  search.focus();
  search.value = "conv";
  search.dispatchEvent(new Event("input"));
  result.found = all("#matches li").map((item) => item.firstChild.textContent)
                     .filter((name) => /^conv\d$/.test(name));
  for (const key of ["ArrowDown", "Enter"]) {
    search.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  }
  result.searched = title();

  const svg = $("#model svg");
  result.unmoved = transform("model");
  svg.dispatchEvent(new WheelEvent("wheel", {deltaY: 120, bubbles: true, cancelable: true}));
  result.moved = transform("model");
  const before = scale();
  svg.dispatchEvent(new WheelEvent("wheel", {deltaY: -120, ctrlKey: true, bubbles: true,
                                             cancelable: true, clientX: 200, clientY: 300}));
  result.zoomed = scale() / before;

  const back = () => getComputedStyle(document.body).backgroundColor;
  result.light = back();
  $("#theme").click();
  result.dark = back();

  if (result.parts > 1) {
    $("#part").value = "1";
    $("#part").dispatchEvent(new Event("change"));
    result.secondPart = all("#kernels .box.kernel").length;
  }
  result.resources = performance.getEntriesByType("resource").map((entry) => entry.name);

  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "driver-result";
  element.textContent = JSON.stringify(result).replaceAll("<", "\\u003c");
  document.body.append(element);
})();
