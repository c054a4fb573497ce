// A drawing in a pane: boxes and edges at the places that zyxc computed, moved by dragging and
// scrolling, zoomed by Ctrl and scrolling, by two fingers or by buttons, with an overview beside.

const boxHeight = 40;

class Graph {
  /** boxes: as in Part; place: of this drawing; onHover and onSelect get a key, or null. */
  constructor(pane, boxes, place, onHover, onSelect) {
    this.pane = pane;
    this.boxes = boxes;
    this.place = place;
    this.onHover = onHover;
    this.onSelect = onSelect;
    this.svg = pane.querySelector("svg").cloneNode(false); // without the listeners of another part
    pane.querySelector("svg").replaceWith(this.svg);
    this.view = this.svg.appendChild(this.make("g", {}));
    this.elements = new Map();
    this.edges = [];
    this.x = this.y = 0;
    this.scale = 1;
    this.draw();
    this.listen();
    this.overview = new Overview(this);
    this.addButtons();
  }

  make(name, attributes, text) {
    const element = document.createElementNS(this.svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    if (text !== undefined) {
      element.textContent = text;
    }
    return element;
  }

  draw() {
    const edges = this.view.appendChild(this.make("g", {}));
    for (const [from, to, ...points] of this.place.edges) {
      const element = edges.appendChild(this.make("path", {class: "edge", d: Graph.path(points)}));
      this.edges.push({from: this.boxes[from].key, to: this.boxes[to].key, element});
    }
    const boxes = this.view.appendChild(this.make("g", {}));
    this.boxes.forEach((box, i) => boxes.appendChild(this.drawBox(box, this.place.boxes[i])));
  }

  /** A smooth line through x, y, x, y, .. that leaves and enters from above and below. */
  static path(points) {
    let text = `M${points[0]} ${points[1]}`;
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x, y] = points.slice(i - 2, i + 2);
      const middle = (y0 + y) / 2;
      text += x0 === x ? `V${y}` : `C${x0} ${middle} ${x} ${middle} ${x} ${y}`;
    }
    return text;
  }

  /** As much of a text as fits: of a name the end, which says more than its beginning. */
  static cut(text, width, letter, isName) {
    const most = Math.floor((width - 24) / letter);
    if (text.length <= most) {
      return text;
    }
    return isName ? `\u2026${text.slice(text.length - most + 1)}` : `${text.slice(0, most - 1)}\u2026`;
  }

  drawBox(box, [x, y, width]) {
    const isEnd = box.kind === "input" || box.kind === "output";
    const group = this.make("g", {
      class: `box ${box.kind}${isEnd ? " end" : ""}${box.idle ? " idle" : ""}`,
      transform: `translate(${x - width / 2} ${y - boxHeight / 2})`,
      tabindex: -1, role: "button", "data-key": box.key,
      "aria-label": `${box.kind} ${box.label}`,
    });
    group.append(this.make("title", {}, `${box.label}\n${box.sub}`));
    group.append(this.make("rect", {class: "frame", width, height: boxHeight, rx: isEnd ? 20 : 5}));
    if (box.color) {
      group.append(this.make("rect", {class: "stripe", width: 4, height: boxHeight - 12, x: 5,
                                      y: 6, rx: 2, style: `fill: ${box.color}`}));
    }
    if (box.share > 0) {
      group.append(this.make("rect", {class: "cost", height: 3, x: 14, y: boxHeight - 5, rx: 1.5,
                                      width: Math.max(2, box.share * (width - 24)),
                                      style: `fill: ${box.color}`}));
    }
    const middle = width / 2 + (box.color ? 3 : 0);
    group.append(this.make("text", {x: middle, y: 16}, Graph.cut(box.label, width, 6.6, box.kind !== "kernel")));
    group.append(this.make("text", {x: middle, y: 30, class: "sub"},
                           Graph.cut(box.sub, width, 5.7, false)));
    this.elements.set(box.key, group);
    return group;
  }

  //--- Moving -------------------------------------------------------------------------------------

  show() {
    this.view.setAttribute("transform",
                           `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.overview.draw();
  }

  /** Zooms; what is at a point of the pane stays there. */
  zoom(by, x = this.svg.clientWidth / 2, y = this.svg.clientHeight / 2) {
    const scale = Math.min(3, Math.max(0.01, this.scale * by));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.show();
  }

  /** The room for the drawing: beside it is the overview. */
  room() {
    return [Math.max(60, this.svg.clientWidth - 80), Math.max(60, this.svg.clientHeight - 70)];
  }

  fit() {
    const [width, height] = this.room();
    this.scale = Math.min(1.2, width / Math.max(1, this.place.width),
                          height / Math.max(1, this.place.height));
    this.x = 20 + (width - this.place.width * this.scale) / 2;
    this.y = 40;
    this.show();
  }

  /** The first box in the middle, as much around it as can be read. */
  start() {
    const [width] = this.room();
    const top = this.place.boxes.length ? this.place.boxes[0][0] : 0;
    this.scale = Math.min(1, Math.max(0.6, width / Math.max(1, this.place.width)));
    this.x = 20 + width / 2 - top * this.scale;
    this.y = 40;
    this.show();
  }

  /** Moves the first of these boxes into sight, unless one of them is. */
  reveal(keys) {
    const centers = this.boxes.flatMap(
        (box, i) => keys.includes(box.key) ? [this.place.boxes[i]] : []);
    const [width, height] = this.room();
    const isSeen = ([x, y]) => {
      const [left, top] = [x * this.scale + this.x, y * this.scale + this.y];
      return left > 20 && left < width && top > 30 && top < height + 30;
    };
    if (centers.length === 0 || (this.scale > 0.45 && centers.some(isSeen))) {
      return;
    }
    this.scale = Math.max(this.scale, 0.75);
    this.x = width / 2 - centers[0][0] * this.scale;
    this.y = height / 2 - centers[0][1] * this.scale;
    this.show();
  }

  //--- What is marked -----------------------------------------------------------------------------

  mark(selected, linked) {
    for (const [key, element] of this.elements) {
      element.classList.toggle("selected", selected === key);
      element.classList.toggle("linked", linked.includes(key));
    }
    let isMarked = false;
    const marked = new Set(linked.concat(selected || []).filter((key) => this.elements.has(key)));
    for (const edge of this.edges) {
      const isLit = marked.has(edge.from) || marked.has(edge.to);
      edge.element.classList.toggle("lit", isLit);
      isMarked = isMarked || isLit;
    }
    this.svg.classList.toggle("focused", marked.size > 0);
  }

  //--- Input --------------------------------------------------------------------------------------

  listen() {
    const keyOf = (event) => {
      const box = event.target.closest(".box");
      return box ? box.dataset.key : null;
    };
    this.svg.addEventListener("pointerover", (event) => this.onHover(keyOf(event)));
    this.svg.addEventListener("pointerleave", () => this.onHover(null));
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const box = this.svg.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY * lines / 300), event.clientX - box.left,
                  event.clientY - box.top);
        return;
      }
      this.x -= (event.shiftKey ? event.deltaY : event.deltaX) * lines;
      this.y -= (event.shiftKey ? 0 : event.deltaY) * lines;
      this.show();
    }, {passive: false});
    this.listenToPointers(keyOf);
    this.svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  listenToPointers(keyOf) {
    const pointers = new Map(); // id: place
    let moved = 0;
    this.svg.addEventListener("pointerdown", (event) => {
      moved = pointers.size ? moved : 0;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        return;
      }
      const now = [event.clientX, event.clientY];
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (moved > 3 && !this.svg.hasPointerCapture(event.pointerId)) {
        this.svg.setPointerCapture(event.pointerId);
        this.svg.classList.add("dragged");
      }
      const other = [...pointers].find(([id]) => id !== event.pointerId);
      pointers.set(event.pointerId, now);
      if (other) {
        const distance = (a) => Math.max(1, Math.hypot(a[0] - other[1][0], a[1] - other[1][1]));
        const box = this.svg.getBoundingClientRect();
        this.zoom(distance(now) / distance(before), other[1][0] - box.left,
                  other[1][1] - box.top);
      } else if (moved > 3) {
        this.x += now[0] - before[0];
        this.y += now[1] - before[1];
        this.show();
      }
    });
    for (const name of ["pointerup", "pointercancel"]) {
      this.svg.addEventListener(name, (event) => {
        pointers.delete(event.pointerId);
        this.svg.classList.remove("dragged");
      });
    }
    this.svg.addEventListener("click", (event) => {
      if (moved <= 3) {
        this.onSelect(keyOf(event));
      }
      moved = 0;
    });
  }

  onKey(event) {
    const steps = {ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [60, 0], ArrowRight: [-60, 0],
                   PageUp: [0, this.svg.clientHeight * 0.8],
                   PageDown: [0, -this.svg.clientHeight * 0.8]};
    if (steps[event.key]) {
      this.x += steps[event.key][0];
      this.y += steps[event.key][1];
      this.show();
      event.preventDefault();
    } else if (event.key === "+" || event.key === "-") {
      this.zoom(event.key === "+" ? 1.25 : 0.8);
    } else if (event.key === "f") {
      this.fit();
    }
  }

  addButtons() {
    const old = this.pane.querySelector(".zoom");
    const row = document.createElement("div");
    row.className = "zoom";
    for (const [text, title, act] of [["+", "zoom in (+)", () => this.zoom(1.25)],
                                      ["\u2212", "zoom out (-)", () => this.zoom(0.8)],
                                      ["\u2922", "show all (f)", () => this.fit()]]) {
      const button = row.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = text;
      button.title = title;
      button.addEventListener("click", act);
    }
    if (old) {
      old.replaceWith(row);
    } else {
      this.pane.append(row);
    }
  }
}

/** The whole drawing, small, with the part that the pane shows; a click moves there. */
class Overview {
  constructor(graph) {
    this.graph = graph;
    const old = graph.pane.querySelector("canvas");
    this.canvas = old.cloneNode(false);
    old.replaceWith(this.canvas);
    const move = (event) => {
      if (event.buttons & 1) {
        const box = this.canvas.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) / this.across,
                        (event.clientY - box.top) / this.down];
        graph.x = graph.svg.clientWidth / 2 - x * graph.scale;
        graph.y = graph.svg.clientHeight / 2 - y * graph.scale;
        graph.show();
      }
    };
    this.canvas.addEventListener("pointerdown", move);
    this.canvas.addEventListener("pointermove", move);
  }

  draw() {
    const {place, svg} = this.graph;
    const [most, mostWidth, mostHeight] = [0.15, 56, Math.max(40, svg.clientHeight - 62)];
    this.across = Math.min(most, mostWidth / Math.max(1, place.width));
    this.down = Math.min(most, mostHeight / Math.max(1, place.height));
    const width = Math.max(6, Math.ceil(place.width * this.across));
    const height = Math.ceil(place.height * this.down);
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    pen.scale(dense, dense);
    this.graph.boxes.forEach((box, i) => {
      const [x, y, boxWidth] = place.boxes[i];
      const classes = this.graph.elements.get(box.key).classList;
      const isMarked = classes.contains("selected") || classes.contains("linked");
      pen.fillStyle = isMarked ? color("--accent") : color("--edge");
      pen.fillRect((x - boxWidth / 2) * this.across, (y - boxHeight / 2) * this.down,
                   Math.max(2, boxWidth * this.across),
                   Math.max(isMarked ? 3 : 1, boxHeight * this.down));
    });
    const {x, y, scale} = this.graph;
    pen.strokeStyle = color("--accent");
    const edge = (at, by, most) => Math.min(most - 0.5, Math.max(0.5, at / scale * by));
    const [left, top] = [edge(-x, this.across, width), edge(-y, this.down, height)];
    pen.strokeRect(left, top, edge(svg.clientWidth - x, this.across, width) - left,
                   edge(svg.clientHeight - y, this.down, height) - top);
  }
}
