// What a block's page cannot do without a script: the heat map of a large matrix, and copying code.

import { announce } from "./swap.js";

const LEVELS = 10;
const MASKED = "m";

class HeatMap extends HTMLElement {
  connectedCallback() {
    this.rows = Number(this.getAttribute("rows"));
    this.cols = Number(this.getAttribute("cols"));
    this.stages = [...this.querySelectorAll("data:not(.row-words)")];
    this.words = this.querySelector(".row-words").value.split("\n");
    this.row = -1;
    if (!this.canvas) this.build();
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.scheme.addEventListener("change", this.redraw);
    this.closest(".matrix").addEventListener("change", this.redraw);
    this.draw();
  }

  disconnectedCallback() {
    this.scheme.removeEventListener("change", this.redraw);
  }

  build() {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.dataset.alt}. Arrow keys go from row to row.`);
    this.output = document.createElement("output");
    this.append(this.canvas, this.output);
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      this.choose(Math.floor(((event.clientY - box.top) / box.height) * this.rows));
    });
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.choose(this.row + step);
    });
  }

  choose(row) {
    this.row = Math.max(0, Math.min(this.rows - 1, row));
    this.draw();
  }

  draw() {
    const picked = this.closest(".matrix").querySelector(".stages :checked");
    const stage = this.stages[Number(picked?.value ?? this.stages.length - 1)];
    const cell = Math.max(2, Math.floor(768 / Math.max(this.rows, this.cols)));
    this.canvas.width = this.cols * cell;
    this.canvas.height = this.rows * cell;
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(this);
    pen.fillStyle = style.color;
    pen.strokeStyle = style.color;
    for (let i = 0; i < stage.value.length; i++) {
      const [x, y] = [(i % this.cols) * cell, Math.floor(i / this.cols) * cell];
      if (stage.value[i] === MASKED) {
        pen.globalAlpha = 0.3;
        pen.fillRect(x + cell / 2, y + cell / 2, 1, 1);
      } else {
        pen.globalAlpha = parseInt(stage.value[i], LEVELS + 1) / LEVELS;
        pen.fillRect(x, y, cell, cell);
      }
    }
    pen.globalAlpha = 1;
    if (this.row >= 0) pen.strokeRect(0.5, this.row * cell + 0.5, this.canvas.width - 1, cell - 1);
    this.output.textContent = this.row >= 0 ? this.words[this.row] : stage.dataset.range;
  }
}

class CopyCode extends HTMLElement {
  connectedCallback() {
    if (!navigator.clipboard || this.querySelector("button")) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(this.querySelector("code").textContent);
      button.textContent = "Copied";
      announce("Copied");
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    this.append(button);
  }
}

customElements.define("heat-map", HeatMap);
customElements.define("copy-code", CopyCode);
