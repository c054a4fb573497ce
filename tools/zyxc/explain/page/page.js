// What happens on the page: one part is shown, at most one box is selected, one is pointed at. The
// address says which, so that it can be kept: #node=NAME, #kernel=ID, #part=NAME.

class Page {
  constructor() {
    this.parts = explanation.parts.map((part, i) => new Part(part, i));
    this.details = new Details(document.getElementById("details"),
                               (key, part) => this.select(key, part));
    this.search = new Search(document.getElementById("search"),
                             document.getElementById("matches"), (text) => this.find(text),
                             (key) => this.select(key));
    this.selected = null;
    this.fillHeader();
    this.listen();
    this.open(0);
    this.followAddress();
  }

  fillHeader() {
    const file = explanation.model.slice(explanation.model.lastIndexOf("/") + 1);
    const title = document.getElementById("title");
    title.textContent = file + (explanation.node ? `: ${explanation.node}` : "");
    title.title = explanation.model;
    const choices = document.getElementById("part");
    choices.append(...this.parts.map((part) => element("option", {value: part.number},
                                                       part.label)));
    choices.hidden = this.parts.length < 2;
    choices.addEventListener("change", () => this.select(null, Number(choices.value)));
  }

  summary() {
    const {part} = this.part;
    const launches = part.kernels.filter((kernel) => kernel.kind === "kernel");
    const bold = (text) => element("b", {}, text);
    document.getElementById("summary").replaceChildren(
        bold(part.nodes.filter((node) => node.state !== "constant").length), " nodes \u2192 ", bold(launches.length), " kernels, ",
        bold(timeText(part.cost)), " on ", explanation.target, ", ",
        part.proved ? element("span", {class: "good"}, "proved optimal")
                    : element("span", {class: "warn"},
                              `gap ${percentText(part.gap, part.cost)}`));
  }

  /** Draws a part. */
  open(number) {
    this.part = this.parts[number];
    this.selected = null;
    document.getElementById("part").value = String(number);
    const draw = (id, boxes) => new Graph(
        document.getElementById(id), boxes, places[number][id], (key) => this.point(key),
        (key) => this.select(key));
    this.graphs = [draw("model", this.part.modelBoxes), draw("kernels", this.part.kernelBoxes)];
    this.graphs.forEach((graph) => graph.start());
    this.summary();
    this.mark(null);
    this.details.show(this.part, null);
  }

  mark(key) {
    const linked = key ? this.part.linkedTo(key) : [];
    this.graphs.forEach((graph) => graph.mark(key, linked));
    return linked;
  }

  point(key) {
    if (key !== this.pointed) {
      this.pointed = key;
      this.mark(key || this.selected);
    }
  }

  select(key, part = this.part.number) {
    if (part !== this.part.number) {
      this.open(part);
    }
    this.selected = key;
    this.pointed = null;
    const linked = this.mark(key);
    if (key) {
      this.graphs.forEach((graph) => graph.reveal([key, ...linked]));
    }
    this.graphs.forEach((graph) => graph.show());
    this.details.show(this.part, key);
    this.setAddress(key);
  }

  setAddress(key) {
    const address = new URLSearchParams();
    if (this.part.part.name) {
      address.set("part", this.part.part.name);
    }
    const box = key ? this.part.boxOf(key) : null;
    if (box) {
      address.set(box.kind, box.kind === "kernel" ? box.item.id : box.item.name);
    }
    history.replaceState(null, "", `#${address}`);
  }

  followAddress() {
    const address = new URLSearchParams(location.hash.slice(1));
    const number = this.parts.findIndex(
        (part) => part.part.name === (address.get("part") || ""));
    const part = this.parts[Math.max(0, number)];
    const box = part.boxes.find(
        (other) => address.get(other.kind) ===
                   String(other.kind === "kernel" ? other.item.id : other.item.name));
    if (box || part !== this.part) {
      this.select(box ? box.key : null, part.number);
    }
  }

  /** Boxes whose names have a text, those that begin with it first. */
  find(text) {
    const wanted = text.toLowerCase();
    const most = 60;
    const found = [];
    for (const box of this.part.boxes) {
      const at = box.label.toLowerCase().indexOf(wanted);
      if (at >= 0) {
        found.push({key: box.key, label: box.label, kind: box.kind, at: Math.min(at, 1)});
      }
    }
    return found.sort((a, b) => a.at - b.at).slice(0, most);
  }

  listen() {
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.matches("input, select");
      if (event.key === "/" && !isTyping) {
        document.getElementById("search").focus();
        event.preventDefault();
      } else if (event.key === "Escape" && !isTyping) {
        this.select(null);
      }
    });
    window.addEventListener("hashchange", () => this.followAddress());
    window.addEventListener("resize", () => this.graphs.forEach((graph) => graph.show()));
    const root = document.documentElement;
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const setDark = (isDark) => {
      root.classList.toggle("dark", isDark);
      if (this.graphs) {
        this.graphs.forEach((graph) => graph.show());
      }
    };
    setDark(system.matches);
    system.addEventListener("change", () => setDark(system.matches));
    document.getElementById("theme").addEventListener(
        "click", () => setDark(!root.classList.contains("dark")));
    this.listenToDivider();
  }

  /** The width of the panel. */
  listenToDivider() {
    const divider = document.getElementById("divider");
    const panel = document.getElementById("details");
    divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener("pointermove", (event) => {
      if (divider.hasPointerCapture(event.pointerId)) {
        const width = window.innerWidth - event.clientX;
        panel.style.flexBasis = `${Math.min(window.innerWidth - 300, Math.max(260, width))}px`;
        this.graphs.forEach((graph) => graph.show());
      }
    });
  }
}

const page = new Page();
