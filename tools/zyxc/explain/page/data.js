"use strict";
// The explanation and what the drawings need of it. A box is an input, a node, a kernel or an
// output; its key says which: "node 12", "kernel 3", "input x", "output y".

const explanation = JSON.parse(document.getElementById("explanation").textContent);
const places = JSON.parse(document.getElementById("places").textContent);

/** Picoseconds for people. */
function timeText(picoseconds) {
  const units = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"]];
  const [size, name] = units.find(([least]) => Math.abs(picoseconds) >= least) || [1, "ps"];
  const value = picoseconds / size;
  return `${Number(value.toPrecision(Math.abs(value) >= 100 ? 4 : 3))} ${name}`;
}

/** A count for people: 1.18 M. */
function countText(count) {
  const units = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const [size, name] = units.find(([least]) => count >= least) || [1, ""];
  return `${Number((count / size).toPrecision(3))}${name}`;
}

function percentText(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toPrecision(2)} %` : "";
}

/** The colour of a kernel's family. */
function colorOf(kernel) {
  return `var(--${kernel.family || "none"}, var(--none))`;
}

function kernelLabel(kernel) {
  return kernel.name || kernel.what;
}

/** One part of the explanation: its nodes and kernels by id, and the boxes of both drawings. */
class Part {
  constructor(part, number) {
    this.part = part;
    this.number = number;
    this.label = part.name ? `region ${part.name}` : "the model";
    this.nodes = new Map(part.nodes.map((node) => [node.id, node]));
    this.kernels = new Map(part.kernels.map((kernel) => [kernel.id, kernel]));
    this.costliest = Math.max(1, ...part.kernels.map((kernel) => kernel.cost));
    const inputs = part.inputs.map((port) => this.endBox("input", port));
    const outputs = part.outputs.map((port) => this.endBox("output", port));
    const nodes = part.nodes.map((node) => this.nodeBox(node));
    const kernels = part.kernels.map((kernel) => this.kernelBox(kernel));
    // Constants are not drawn: most of a model are weights. The search finds them.
    this.modelBoxes =
        [...inputs, ...nodes.filter((box) => box.item.state !== "constant"), ...outputs];
    this.kernelBoxes = [...inputs, ...kernels, ...outputs];
    this.boxes = [...inputs, ...nodes, ...kernels, ...outputs];
    this.readers = new Map();
    for (const kernel of part.kernels) {
      for (const read of kernel.reads) {
        if (read.kind === "made") {
          this.readers.set(read.kernel, [...(this.readers.get(read.kernel) || []), kernel]);
        }
      }
    }
  }

  endBox(kind, port) {
    return {key: `${kind} ${port.name}`, kind, label: port.name, sub: port.type, item: port};
  }

  nodeBox(node) {
    const computing = node.kernels.map((member) => this.kernels.get(member.kernel))
                          .filter((kernel) => kernel);
    const color = computing.length ? colorOf(computing[0]) : "var(--none)";
    return {key: `node ${node.id}`, kind: "node", label: node.name, sub: node.ops.join(", "),
            item: node, color, idle: computing.length === 0};
  }

  kernelBox(kernel) {
    const share = percentText(kernel.cost, this.part.cost);
    const cost = kernel.cost > 0 ? `${timeText(kernel.cost)}  ${share}` : "no cost";
    return {key: `kernel ${kernel.id}`, kind: "kernel", label: kernelLabel(kernel),
            sub: kernel.when === "load" ? `${cost}, at load` : cost, item: kernel,
            color: colorOf(kernel), share: kernel.cost / this.costliest};
  }

  /** What is shown together with a box, in both drawings. */
  linkedTo(key) {
    const [kind, id] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
    if (kind === "node") {
      return this.nodes.get(Number(id)).kernels.map((member) => `kernel ${member.kernel}`);
    }
    if (kind === "kernel") {
      return this.kernels.get(Number(id)).nodes.map((member) => `node ${member.node}`);
    }
    return [key];
  }

  boxOf(key) {
    return this.boxes.find((box) => box.key === key);
  }
}
