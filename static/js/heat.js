// <heat-map>: a matrix of more than 16 rows or columns as a canvas for each stage that is shown.
// Its numbers come as four characters each: base64 of the upper three bytes of a float32.

const SIDE = 768; // of the canvas, in its own pixels
const LEAST = 72; // a matrix of few rows is not drawn thinner
const HATCH = 8;
const STRIPE = 4; // from one white line to the next, where numbers are negative
const TICKS = 8;

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
    this.frame = this.framed(this.canvas);
    this.canvas.setAttribute("aria-label", `${this.dataset.alt} Arrow keys go from cell to cell.`);
    this.range = element("p", { className: "range" });
    this.append(this.frame, this.range);
  }

  /** The canvas with the names of some of its rows and columns; of a block of rows, the first. */
  framed(canvas) {
    const frame = element("div", { className: "heat-frame" });
    for (const [side, names] of [["rows", this.meta.rows], ["cols", this.meta.cols]]) {
      const ticks = element("div", { className: `heat-${side}`, ariaHidden: true });
      const every = 2 ** Math.max(0, Math.ceil(Math.log2(names.length / TICKS)));
      let longest = 0;
      for (let i = 0; i < names.length; i += every) {
        const tick = element("span", { textContent: names[i].split(/[-–]/)[0] });
        tick.style.setProperty("--at", (i + 0.5) / names.length);
        ticks.append(tick);
        longest = Math.max(longest, tick.textContent.length);
      }
      ticks.style.setProperty("--letters", longest);
      frame.append(ticks);
    }
    frame.append(canvas);
    return frame;
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
    const [low, high, rooted] = this.meta.ranges[stage];
    this.range.textContent = rooted
      ? `white 0 to full ${words(high)}, growing with the square root`
      : `striped down to ${words(low)}, white 0, plain up to ${words(high)}; ${words(Math.max(high, -low))} is full`;
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
    const over = (which, lines) => {
      pen.save();
      pen.beginPath();
      for (let row = 0; row < this.rows; row++) {
        for (let col = 0; col < this.cols; col++) {
          const start = col;
          while (col < this.cols && which(row, col)) col++;
          if (col > start) pen.rect(start * wide, row * high, (col - start) * wide, high);
        }
      }
      pen.clip();
      pen.beginPath();
      lines();
      pen.stroke();
      pen.restore();
    };
    pen.globalCompositeOperation = "destination-out"; // what is behind the canvas is white
    over((row, col) => !this.hidden(stage, row, col) && this.value(stage, row, col) < 0, () => {
      for (let y = STRIPE / 2; y < canvas.height; y += STRIPE) {
        pen.moveTo(0, y);
        pen.lineTo(canvas.width, y);
      }
    });
    pen.globalCompositeOperation = "source-over";
    pen.strokeStyle = ink;
    pen.globalAlpha = 0.28;
    over((row, col) => this.hidden(stage, row, col), () => {
      for (let x = -canvas.height; x < canvas.width; x += HATCH) {
        pen.moveTo(x, canvas.height);
        pen.lineTo(x + canvas.height, 0);
      }
    });
    return canvas;
  }

  shades(stage, ink) {
    const small = element("canvas", { width: this.cols, height: this.rows });
    const pen = small.getContext("2d", { willReadFrequently: true });
    pen.fillStyle = ink;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    const image = pen.createImageData(this.cols, this.rows);
    const [low, high, rooted] = this.meta.ranges[stage];
    const reach = Math.max(high, -low);
    for (let i = 0; i < this.rows * this.cols; i++) {
      const [row, col] = [Math.floor(i / this.cols), i % this.cols];
      const value = this.value(stage, row, col);
      const share = Math.min(1, (rooted ? Math.max(0, value) : Math.abs(value)) / reach) || 0;
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

  named(stage) {
    const head = this.heads.length > 1 ? `head ${this.heads[this.head].dataset.name}, ` : "";
    return head + this.meta.stages[stage];
  }

  onPaper(stage) {
    const figure = element("figure", { className: "paper" });
    const drawn = this.framed(this.paint(element("canvas"), stage));
    figure.append(drawn, element("figcaption", { textContent: this.named(stage) }));
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
