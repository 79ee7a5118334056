// <heat-map>: a matrix of more than 16 rows or columns as a canvas for each stage that is shown.
// Its numbers come as four characters each: base64 of the upper three bytes of a float32.

const SIDE = 768; // of the canvas, in its own pixels
const LEAST = 72; // a matrix of few rows is not drawn thinner
const HATCH = 8;

function bytes(text) {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function floats(text) {
  const packed = bytes(text);
  const bits = new Uint32Array(packed.length / 3);
  for (let i = 0; i < bits.length; i++) {
    bits[i] = (packed[3 * i] << 24) | (packed[3 * i + 1] << 16) | (packed[3 * i + 2] << 8);
  }
  return new Float32Array(bits.buffer);
}

function element(name, attributes = {}) {
  return Object.assign(document.createElement(name), attributes);
}

class HeatMap extends HTMLElement {
  connectedCallback() {
    this.prepare();
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", this);
    document.addEventListener("aloud:paper", this);
    document.addEventListener("aloud:screen", this);
  }

  disconnectedCallback() {
    this.scheme.removeEventListener("change", this);
    document.removeEventListener("aloud:paper", this);
    document.removeEventListener("aloud:screen", this);
  }

  /** Colours have changed, or the page goes on paper, where every stage is drawn. */
  handleEvent(event) {
    for (const copy of this.querySelectorAll("figure")) copy.remove();
    this.show(this.head, this.stage);
    if (event.type === "aloud:paper") this.append(...this.meta.stages.map((_, stage) => this.onPaper(stage)));
  }

  get rows() { return this.meta.rows.length; }
  get cols() { return this.meta.cols.length; }

  /** Reads the numbers and makes the canvas. The <linked-matrix> around it asks for this, and says what to show. */
  prepare() {
    if (this.canvas) return;
    this.meta = JSON.parse(this.querySelector(".meta").value);
    this.heads = [...this.querySelectorAll(".numbers")];
    this.values = this.heads.map((head) => floats(head.value));
    this.hides = bytes(this.querySelector(".hidden").value);
    this.canvas = element("canvas", { tabIndex: 0, role: "img" });
    this.canvas.setAttribute("aria-label", `${this.dataset.alt} Arrow keys go from cell to cell.`);
    this.range = element("p", { className: "range" });
    this.append(this.canvas, this.range);
  }

  value(stage, row, col, head = this.head) {
    return this.values[head][(row * this.meta.stages.length + stage) * this.cols + col];
  }

  hidden(stage, row, col) {
    const bit = row * this.cols + col;
    return stage >= this.meta.masked && Boolean(this.hides[bit >> 3] & (128 >> (bit & 7)));
  }

  show(head, stage) {
    [this.head, this.stage] = [head, stage];
    this.base = this.paint(element("canvas"), stage);
    const [low, high, rooted] = this.meta.ranges[head][stage];
    const grows = rooted ? ", growing with the square root" : "";
    this.range.textContent = `faint ${words(low)} to full ${words(high)}${grows}`;
    this.mark(this.picked);
  }

  /** The stage, shaded on a canvas: one pixel a cell, enlarged, then what is hidden hatched. */
  paint(canvas, stage) {
    const cell = Math.max(2, Math.floor(SIDE / Math.max(this.rows, this.cols)));
    const [wide, high] = [Math.max(cell, Math.ceil(LEAST / this.cols)), Math.max(cell, Math.ceil(LEAST / this.rows))];
    canvas.width = this.cols * wide;
    canvas.height = this.rows * high;
    const pen = canvas.getContext("2d");
    const ink = getComputedStyle(this).color;
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.shades(stage, ink), 0, 0, canvas.width, canvas.height);
    pen.beginPath();
    for (let row = 0; row < this.rows; row++) {
      for (let col = 0; col < this.cols; col++) {
        const start = col;
        while (col < this.cols && this.hidden(stage, row, col)) col++;
        if (col > start) pen.rect(start * wide, row * high, (col - start) * wide, high);
      }
    }
    pen.clip();
    pen.strokeStyle = ink;
    pen.globalAlpha = 0.28;
    pen.beginPath();
    for (let x = -canvas.height; x < canvas.width; x += HATCH) {
      pen.moveTo(x, canvas.height);
      pen.lineTo(x + canvas.height, 0);
    }
    pen.stroke();
    return canvas;
  }

  shades(stage, ink) {
    const small = element("canvas", { width: this.cols, height: this.rows });
    const pen = small.getContext("2d", { willReadFrequently: true });
    pen.fillStyle = ink;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    const image = pen.createImageData(this.cols, this.rows);
    const [low, high, rooted] = this.meta.ranges[this.head][stage];
    for (let i = 0; i < this.rows * this.cols; i++) {
      const [row, col] = [Math.floor(i / this.cols), i % this.cols];
      const share = Math.min(1, Math.max(0, (this.value(stage, row, col) - low) / (high - low))) || 0;
      const shade = this.hidden(stage, row, col) ? 0 : rooted ? Math.sqrt(share) : share;
      image.data.set([red, green, blue, 255 * shade], 4 * i);
    }
    pen.putImageData(image, 0, 0);
    return small;
  }

  /** Draws the stage, and a cross over the cell [row, col] if one is picked. */
  mark(cell) {
    this.picked = cell;
    const { canvas, base } = this;
    [canvas.width, canvas.height] = [base.width, base.height];
    const pen = canvas.getContext("2d");
    pen.drawImage(base, 0, 0);
    if (!cell) return;
    const [wide, high] = [base.width / this.cols, base.height / this.rows];
    const [x, y] = [cell[1] * wide, cell[0] * high];
    const style = getComputedStyle(canvas);
    for (const [colour, width] of [[style.backgroundColor, 5], [style.color, 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(-9, y, canvas.width + 18, high);
      pen.strokeRect(x, -9, wide, canvas.height + 18);
    }
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = (part, size, n) => Math.min(n - 1, Math.max(0, Math.floor((part / size) * n)));
    return [at(event.clientY - box.top, box.height, this.rows), at(event.clientX - box.left, box.width, this.cols)];
  }

  onPaper(stage) {
    const figure = element("figure", { className: "paper" });
    figure.append(this.paint(element("canvas"), stage), element("figcaption", { textContent: this.meta.stages[stage] }));
    return figure;
  }
}

/** Four digits, as many as the packed numbers have. */
export function words(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = x === 0 ? "0" : Number(x.toPrecision(4)).toString();
  return text.replaceAll("-", "−").replace("e+", "e");
}

customElements.define("heat-map", HeatMap);
