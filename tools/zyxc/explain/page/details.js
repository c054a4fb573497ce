// The panel beside the drawings: all that is known of what is selected, or of the whole choice.

/** An element with children: elements, texts, or lists of them. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") {
      made.addEventListener("click", value);
    } else {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

class Details {
  /** select: called with a key, and the number of the part if it is another one. */
  constructor(panel, select) {
    this.panel = panel;
    this.select = select;
  }

  show(part, key) {
    this.part = part;
    const box = key ? part.boxOf(key) : null;
    const parts = {node: (item) => this.node(item), kernel: (item) => this.kernel(item),
                   input: (item) => this.end("input", item),
                   output: (item) => this.end("output", item)};
    this.panel.replaceChildren(...(box ? parts[box.kind](box.item) : this.whole()).flat());
    this.panel.scrollTop = 0;
  }

  //--- Pieces -------------------------------------------------------------------------------------

  section(title, ...content) {
    return [element("h4", {}, title), ...content.flat()];
  }

  facts(pairs) {
    return element("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null).flatMap(
        ([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  link(key, text) {
    return element("a", {class: "link", href: "#", onclick: (event) => {
      event.preventDefault();
      this.select(key);
    }}, text);
  }

  nodeLink(id) {
    const node = this.part.nodes.get(id);
    return node ? this.link(`node ${id}`, node.name) : `node ${id}`;
  }

  kernelLink(id) {
    const kernel = this.part.kernels.get(id);
    return kernel ? this.link(`kernel ${id}`, kernelLabel(kernel)) : `kernel ${id}`;
  }

  /** A tensor: its type, and where it comes from, unless that is clear. */
  stored(tensor, maker) {
    const isElsewhere = tensor.kind === "made" && tensor.kernel !== maker;
    const origin = isElsewhere ? [" of ", this.kernelLink(tensor.kernel)] : [];
    const name = tensor.kind === "input" ? this.link(`input ${tensor.name}`, tensor.name)
                                         : tensor.name;
    const kind = tensor.kind === "constant" ? "constant " : "";
    return [kind, name, " ", element("code", {}, tensor.type), ...origin];
  }

  tensors(list, maker) {
    return element("ul", {}, list.map((tensor) => element("li", {}, this.stored(tensor, maker))));
  }

  /** Tensors in one line. */
  inline(list) {
    return list.flatMap((tensor, i) => [i ? ", " : "", ...this.stored(tensor)]);
  }

  //--- A kernel -----------------------------------------------------------------------------------

  kernel(kernel) {
    const roles = {computed: null, rewritten: "rewritten by rules", served: "served"};
    const nodes = kernel.nodes.map(
        ({node, role}) => element("li", {}, this.nodeLink(node),
                                  roles[role] && element("span", {class: "faint"},
                                                         ` \u2013 ${roles[role]}`)));
    return [
      element("h3", {}, kernelLabel(kernel)),
      element("p", {}, kernel.family && element("span", {
        class: "chip family", style: `--color: ${colorOf(kernel)}`}, kernel.family),
              element("span", {class: "chip"},
                      kernel.kind === "kernel" ? `runs ${kernel.when === "load"
                          ? "once, at load" : "in each call"}` : "no kernel runs")),
      kernel.kind === "kernel" ? this.facts([
        ["cost", `${timeText(kernel.cost)}, ${percentText(kernel.cost, this.part.part.cost)} of ` +
                 "the choice"],
        ["memory", `${countText(kernel.bytes)} bytes read and written`],
        ["work", `${countText(kernel.flops)} flops`],
        ["program", `${kernel.ports} ports, ${kernel.values} values`],
      ]) : element("p", {class: "faint"}, kernel.what),
      ...this.section("Nodes of the model",
                      nodes.length ? element("ul", {}, nodes)
                                   : element("p", {class: "faint"}, "none: made by rules")),
      ...this.section("Reads", kernel.reads.length ? this.tensors(kernel.reads)
                                                   : element("p", {class: "faint"}, "nothing")),
      ...this.section("Makes", this.tensors(kernel.makes, kernel.id)),
      ...this.readers(kernel),
      ...this.regions(kernel),
      ...this.form(kernel),
      ...this.rejected(kernel),
    ];
  }

  readers(kernel) {
    const readers = this.part.readers.get(kernel.id) || [];
    return readers.length === 0 ? [] : this.section(
        "Read by", element("ul", {}, readers.map(
            (reader) => element("li", {}, this.kernelLink(reader.id)))));
  }

  regions(kernel) {
    return kernel.runs.length === 0 ? [] : this.section(
        "Runs", element("ul", {}, kernel.runs.map((name) => {
          const number = explanation.parts.findIndex((part) => part.name === name);
          return element("li", {}, number < 0 ? name : element("a", {
            class: "link", href: "#", onclick: (event) => {
              event.preventDefault();
              this.select(null, number);
            }}, `region ${name}`));
        })));
  }

  form(kernel) {
    if (kernel.form.length === 0) {
      return this.section("Form", element("p", {class: "faint"}, "as the model says: no rule"));
    }
    const counts = new Map();
    for (const step of kernel.form) {
      const by = step.rule ? step.rule + (step.backwards ? " backwards" : "") : step.by;
      counts.set(by, (counts.get(by) || 0) + 1);
    }
    const names = [...counts].map(([by, count]) => count > 1 ? `${by} (${count}\u00d7)` : by);
    const steps = kernel.form.map((step) => element(
        "div", {class: "steps"}, element("div", {class: "term"}, step.from),
        element("div", {class: "by"}, "by ", element("b", {}, step.rule || step.by),
                step.rule ? step.because.slice(step.rule.length) : ""),
        element("div", {class: "term"}, `= ${step.to}`)));
    return this.section("Form, made by", element(
        "details", {}, element("summary", {}, names.join(", ")), steps));
  }

  rejected(kernel) {
    if (kernel.rejected.length === 0) {
      return this.section("Rejected", element("p", {class: "faint"}, "there was no other way"));
    }
    const rows = kernel.rejected.map((other) => element(
        "tr", {}, element("td", {class: "number"}, timeText(other.cost)),
        element("td", {class: "number"}, "inAll" in other
            ? (other.inAll > 0 ? "+" : "") + timeText(other.inAll) : "\u2013"),
        element("td", {}, other.what, other.what.endsWith("kernel") ? " reading " : " of ",
                this.inline(other.reads),
                other.origins.length ? element("div", {}, `computes ${
                    other.origins.join(" + ")}`) : null,
                element("div", {class: "faint"}, this.reason(other)))));
    return this.section(
        `Rejected: ${kernel.rejected.length}`,
        element("table", {}, element("thead", {}, element(
            "tr", {}, element("th", {class: "number"}, "alone"),
            element("th", {class: "number", title: "the cost of the whole choice with it"},
                    "in all"), element("th", {}, "what, and why not"))),
                element("tbody", {}, rows)));
  }

  reason(other) {
    const words = {place: "a tensor would have two places in memory",
                   cycle: "it would need its own result", dearer: "costs more in all",
                   same: "costs the same in all",
                   cheaper: this.part.part.storedBetweenParts
                       ? "costs less, without what is stored between equal parts"
                       : "costs less: the search ended before it found it"};
    const pieces = [words[other.why]];
    for (const extra of other.extras || []) {
      pieces.push(`; needs ${timeText(extra.cost)} to make `, ...this.inline(extra.makes));
    }
    for (const id of other.saves || []) {
      const kernel = this.part.kernels.get(id);
      pieces.push("; saves ", this.kernelLink(id),
                  kernel && kernel.cost > 0 ? ` (${timeText(kernel.cost)})` : "");
    }
    return other.keepsChosen ? [...pieces, "; the chosen one is needed still"] : pieces;
  }

  //--- A node, an end -----------------------------------------------------------------------------

  node(node) {
    const states = {constant: "its value is known at compile time",
                    input: "its value is that of an input", unused: "no output needs it"};
    const roles = {computed: "computes it", rewritten: "rules made it part of this",
                   served: "made by rules, for the kernels above"};
    const kernels = node.kernels.map(({kernel, role}) => element(
        "li", {}, this.kernelLink(kernel),
        element("span", {class: "faint"}, ` \u2013 ${roles[role]}`)));
    return [
      element("h3", {}, node.name),
      element("p", {}, node.ops.map((op) => element("span", {class: "chip"}, op))),
      this.facts([["type", node.types.length ? element("code", {}, node.types.join(", ")) : null]]),
      ...this.section("Kernels", kernels.length
          ? element("ul", {}, kernels)
          : element("p", {class: "faint"}, `none: ${states[node.state] || ""}`)),
      ...(node.operands.length + node.inputs.length === 0 ? [] : this.section(
          "Operands", element("ul", {}, node.inputs.map(
              (name) => element("li", {}, this.link(`input ${name}`, name))),
                              node.operands.map((id) => element("li", {}, this.nodeLink(id)))))),
      ...node.kernels.map(({kernel}) => this.part.kernels.get(kernel)).filter((kernel) => kernel)
          .flatMap((kernel) => [element("hr", {}), ...this.kernel(kernel)]),
    ];
  }

  end(kind, port) {
    const isMade = kind === "output" && port.kernel !== null;
    return [
      element("h3", {}, port.name),
      element("p", {}, element("span", {class: "chip"}, kind)),
      this.facts([["type", element("code", {}, port.type)],
                  ["kernel", isMade ? this.kernelLink(port.kernel) : null]]),
    ];
  }

  nodeNames(kernel) {
    const names = kernel.nodes.filter(({role}) => role !== "served")
                      .map(({node}) => this.part.nodes.get(node)).filter((node) => node)
                      .map((node) => node.name);
    return names.join(" + ");
  }

  //--- The whole choice ---------------------------------------------------------------------------

  whole() {
    const part = this.part.part;
    const sorted = [...part.kernels].filter((kernel) => kernel.kind === "kernel")
                       .sort((a, b) => b.cost - a.cost || a.id - b.id);
    const rows = sorted.map((kernel) => element(
        "tr", {class: "row", onclick: () => this.select(`kernel ${kernel.id}`)},
        element("td", {class: "number"}, timeText(kernel.cost)),
        element("td", {}, this.kernelLink(kernel.id),
                element("div", {class: "faint"}, this.nodeNames(kernel)),
                element("div", {class: "bar", style: `--color: ${colorOf(kernel)}; width: ${
                    100 * kernel.cost / this.part.costliest}%`}))));
    return [
      element("h3", {}, `The choice for ${this.part.label}`),
      element("p", {class: "faint"}, "Select a node or a kernel to see why it is as it is."),
      this.facts([
        ["cost", timeText(part.cost)],
        ["lower bound", timeText(part.lowerBound)],
        ["gap", part.proved
            ? element("span", {class: "good"}, "0: proved optimal among these candidates")
            : element("span", {class: "warn"}, `${timeText(part.gap)} (${
                percentText(part.gap, part.cost)}): not proved`)],
        ["candidates", `${part.candidates} of ${part.programs} programs, for ${
            part.classes} tensors`],
        ["search", `${part.searchNodes} nodes`],
        ["equal parts", part.storedBetweenParts ? `${part.equalParts}, ${
            part.differentParts} of them different: ${
            part.storedBetweenParts} tensors between them are stored in any case` : null],
        ["sizes", explanation.openSizes.length
            ? `costs are those of typical ${explanation.openSizes.join(", ")}` : null],
        ["target", explanation.target],
        ["numerics", explanation.numerics],
        ["made by", `zyxc ${explanation.zyxc}`],
      ]),
      ...this.section("Limits that were hit", part.limits.length
          ? element("ul", {}, part.limits.map((limit) => element(
              "li", {}, `${limit.step}: ${limit.name}${
                  limit.limit ? ` (${limit.limit})` : ""}, ${limit.hits}\u00d7`)))
          : element("p", {class: "faint"}, "none")),
      ...this.section("Kernels by cost", element("table", {}, element("tbody", {}, rows))),
    ];
  }
}
