// <chart-plot>: reads the values of all curves at one x, by pointer or by arrow keys, from the table below the drawing.

class ChartPlot extends HTMLElement {
  connectedCallback() {
    this.output = this.querySelector(".readout");
    this.points = [...this.querySelectorAll("tr[data-at]")];
    if (!this.output || !this.points.length || this.svg) return;
    this.svg = this.querySelector(".chart");
    this.cursor = this.querySelector(".cursor");
    this.labels = [...this.querySelectorAll("thead th")].map((head) => head.textContent);
    this.svg.tabIndex = 0;
    this.svg.setAttribute("aria-label", `${this.svg.getAttribute("aria-label")} Arrow keys read the values.`);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("keydown", (event) => this.press(event));
    const textContent = "Point at the drawing, or press an arrow key in it, to read the values.";
    this.output.replaceChildren(Object.assign(document.createElement("span"), { className: "hint", textContent }));
  }

  point(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.svg.viewBox.baseVal.width;
    const away = (row) => Math.abs(Number(row.dataset.at) - x);
    this.output.ariaLive = "off"; // who points, sees
    this.show(this.points.reduce((best, row, i) => (away(row) < away(this.points[best]) ? i : best), 0));
  }

  press(event) {
    const last = this.points.length - 1;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.output.ariaLive = "polite";
    this.show(Number.isNaN(to) ? 0 : Math.min(last, Math.max(0, to)));
  }

  show(at) {
    if (at === this.at) return;
    this.at = at;
    const row = this.points[at];
    this.cursor.setAttribute("transform", `translate(${row.dataset.at})`);
    this.cursor.setAttribute("visibility", "visible");
    this.output.replaceChildren(...[...row.cells].flatMap((cell, i) => {
      const value = document.createElement("b");
      value.textContent = cell.textContent;
      return [`${i === 0 ? "" : i === 1 ? ": " : " · "}${this.labels[i]} `, value];
    }));
  }
}

customElements.define("chart-plot", ChartPlot);
