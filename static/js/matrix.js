// <linked-matrix>: one cell is followed through all stages, by pointer or by arrow keys, with its row and its column
// marked. It reads small matrices from their tables, and large ones from their <heat-map>.

import { words } from "./heat.js";

const MOVES = {
  ArrowUp: ([row, col]) => [row - 1, col],
  ArrowDown: ([row, col]) => [row + 1, col],
  ArrowLeft: ([row, col]) => [row, col - 1],
  ArrowRight: ([row, col]) => [row, col + 1],
  Home: ([row]) => [row, 0],
  End: ([row]) => [row, Infinity],
};

/** A matrix that is a table in each stage of each head. */
class Tables {
  constructor(block) {
    this.heads = [...block.querySelectorAll(".head")];
    this.rows = this.table(0, 0).tBodies[0].rows.length;
    this.cols = this.table(0, 0).tHead.querySelectorAll("th:not(.aggregate)").length;
    this.stages = [...this.heads[0].querySelectorAll("table")].map((table) => table.dataset.stage);
    this.targets = [...block.querySelectorAll(".scroll")];
  }

  table(head, stage) { return this.heads[head].querySelectorAll("table")[stage]; }
  cell(head, stage, row, col) { return this.table(head, stage).tBodies[0].rows[row].cells[col + 1]; }
  rowLabel(row) { return this.table(0, 0).tBodies[0].rows[row].cells[0].textContent; }
  colLabel(col) { return this.table(0, 0).tHead.rows[0].cells[col + 1].textContent; }
  rowWords(head, row) { return this.heads[head].dataset.words.split("\n")[row]; }
  hidden(head, stage, row, col) { return this.cell(head, stage, row, col).classList.contains("masked"); }
  show() {}

  text(head, stage, row, col) {
    const cell = this.cell(head, stage, row, col);
    return (cell.querySelector(".value") ?? cell).textContent;
  }

  cellAt(event) {
    const cell = event.target.closest("td:not(.aggregate)");
    const row = cell?.closest("tbody tr");
    return row ? [row.sectionRowIndex, cell.cellIndex - 1] : null;
  }

  mark(picked) {
    for (const table of this.heads.flatMap((head) => [...head.querySelectorAll("table")])) {
      for (const marked of table.querySelectorAll(".on")) marked.classList.remove("on", "picked");
      if (!picked) continue;
      const [row, col] = picked;
      for (const line of table.rows) line.cells[col + 1].classList.add("on");
      for (const cell of table.tBodies[0].rows[row].cells) cell.classList.add("on");
      table.tBodies[0].rows[row].cells[col + 1].classList.add("picked");
    }
  }

  reveal(head, stage, [row, col]) {
    this.cell(head, stage, row, col).scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** A matrix that is a heat map. */
class Heat {
  constructor(map) {
    customElements.upgrade(map); // in what is swapped into a page, the outer element comes first
    map.prepare();
    this.map = map;
    this.rows = map.rows;
    this.cols = map.cols;
    this.stages = map.meta.stages;
    this.targets = [map.canvas];
  }

  rowLabel(row) { return this.map.meta.rows[row]; }
  colLabel(col) { return this.map.meta.cols[col]; }
  rowWords(head, row) { return this.map.heads[head].dataset.words.split("\n")[row]; }
  hidden(_, stage, row, col) { return this.map.hidden(stage, row, col); }
  text(head, stage, row, col) { return words(this.map.value(stage, row, col, head)); }
  cellAt(event) { return this.map.cellAt(event); }
  mark(picked) { this.map.mark(picked); }
  reveal() {}
  show(head, stage) { this.map.show(head, stage); }
}

class LinkedMatrix extends HTMLElement {
  connectedCallback() {
    this.output = this.querySelector(".readout");
    if (!this.output || this.face) return;
    const map = this.querySelector("heat-map");
    this.face = map ? new Heat(map) : new Tables(this);
    this.hint = "Point at a cell, or go there with the arrow keys, to follow it through the stages.";
    if (this.face.stages.length < 2) this.hint = "Point at a cell, or go there with the arrow keys.";
    for (const target of this.face.targets) {
      target.addEventListener("pointermove", (event) => this.point(event));
      target.addEventListener("pointerdown", (event) => this.point(event));
      target.addEventListener("keydown", (event) => this.press(event));
    }
    this.addEventListener("change", () => this.turn());
    this.turn();
  }

  get head() { return Number(this.querySelector(".heads :checked")?.value ?? 0); }
  get stage() { return Number(this.querySelector(".steps :checked")?.value ?? 0); }

  turn() {
    this.face.show(this.head, this.stage);
    this.pick(this.picked);
  }

  point(event) {
    const cell = this.face.cellAt(event);
    if (!cell || String(cell) === String(this.picked)) return;
    this.output.ariaLive = "off"; // who points, sees
    this.pick(cell);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (!move && event.key !== "Escape") return;
    event.preventDefault();
    this.output.ariaLive = "polite";
    this.pick(move ? this.inside(this.picked ? move(this.picked) : [0, 0]) : null);
    if (this.picked) this.face.reveal(this.head, this.stage, this.picked);
  }

  inside([row, col]) {
    const { rows, cols } = this.face;
    return [Math.min(rows - 1, Math.max(0, row)), Math.min(cols - 1, Math.max(0, col))];
  }

  pick(cell) {
    this.picked = cell;
    this.face.mark(cell);
    if (cell) this.output.replaceChildren(...this.tell(...cell));
    else this.output.replaceChildren(Object.assign(document.createElement("span"), { className: "hint", textContent: this.hint }));
  }

  /** "[cat, The] raw 1.800 → scaled 0.900 → ...", then what is known of the row. */
  tell(row, col) {
    const { face, head } = this;
    const chain = document.createElement("span");
    chain.className = "chain";
    chain.append(`[${face.rowLabel(row)}, ${face.colLabel(col)}] `);
    face.stages.forEach((name, stage) => {
      const value = document.createElement("b");
      value.textContent = face.text(head, stage, row, col);
      chain.append(`${stage ? " → " : ""}${name} `, value);
    });
    if (face.hidden(head, face.stages.length - 1, row, col)) chain.append(" · hidden by the mask");
    const about = document.createElement("span");
    about.className = "about-row";
    const words = face.rowWords(head, row);
    about.textContent = words ? `Row ${face.rowLabel(row)}: ${words}` : "";
    return [chain, about];
  }
}

customElements.define("linked-matrix", LinkedMatrix);
