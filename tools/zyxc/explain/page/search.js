// Finding a node, a kernel, an input or an output by a part of its name.

class Search {
  /** find: gives [{key, label, kind}] for a text; select: called with a key. */
  constructor(input, list, find, select) {
    this.input = input;
    this.list = list;
    this.find = find;
    this.select = select;
    this.matches = [];
    this.at = 0;
    input.addEventListener("input", () => this.update());
    input.addEventListener("focus", () => this.update());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.onKey(event));
  }

  update() {
    this.matches = this.input.value ? this.find(this.input.value) : [];
    this.at = 0;
    this.show();
  }

  show() {
    this.list.replaceChildren(...this.matches.map((match, i) => {
      const item = element("li", {role: "option", "aria-selected": String(i === this.at)},
                           match.label, element("span", {class: "kind"}, match.kind));
      item.addEventListener("pointerdown", (event) => { // before the field loses the focus
        event.preventDefault();
        this.take(i);
      });
      return item;
    }));
    if (this.input.value && this.matches.length === 0) {
      this.list.replaceChildren(element("li", {class: "faint"}, "nothing is called so"));
    }
    this.list.hidden = !this.input.value;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  take(number) {
    const match = this.matches[number];
    if (match) {
      this.close();
      this.input.blur();
      this.select(match.key);
    }
  }

  onKey(event) {
    const count = this.matches.length;
    if (event.key === "Enter") {
      this.take(this.at);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.input.blur();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count) {
      this.at = (this.at + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      this.show();
      this.list.children[this.at].scrollIntoView({block: "nearest"});
      event.preventDefault();
    }
  }
}
