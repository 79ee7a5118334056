// <step-player>: plays the rows of its table as frames. The sentence is read out when a learner steps, not while it plays.

const SLOWEST_MS = 1500;
const QUICKEST_MS = 250;
const WHOLE_MS = 30_000; // what a long replay takes
const CALM_MS = 2500; // a frame, for those who want less motion

class StepPlayer extends HTMLElement {
  connectedCallback() {
    this.slider = this.querySelector("input[type=range]");
    if (!this.slider || this.frames) return;
    this.frames = [...this.querySelector("tbody").rows];
    this.values = [...this.querySelectorAll(".now dd")];
    this.words = this.querySelector(".player-words");
    this.tile = this.querySelector(".plan .at");
    this.button = this.querySelector("[data-do=play]");
    this.slider.addEventListener("input", () => this.step(Number(this.slider.value)));
    this.addEventListener("click", (event) => this.press(event.target.closest("[data-do]")?.dataset.do));
    this.show(0);
  }

  disconnectedCallback() {
    this.pause();
  }

  press(what) {
    if (what === "play") this.timer ? this.pause() : this.play();
    else if (what) this.step(this.at + (what === "forward" ? 1 : -1));
  }

  /** A step by hand. */
  step(to) {
    this.pause();
    this.show(Math.max(0, Math.min(this.frames.length - 1, to)));
  }

  play() {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const pace = Math.max(QUICKEST_MS, Math.min(SLOWEST_MS, WHOLE_MS / this.frames.length));
    if (this.words) this.words.ariaLive = "off";
    if (this.at === this.frames.length - 1) this.show(0);
    this.timer = setInterval(() => this.next(), calm ? CALM_MS : pace);
    this.playing(true);
  }

  next() {
    this.show(this.at + 1);
    if (this.at === this.frames.length - 1) this.pause();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.words) this.words.ariaLive = "polite";
    this.playing(false);
  }

  playing(on) {
    this.dataset.playing = on;
    this.button.setAttribute("aria-label", on ? "Pause" : "Play");
  }

  show(at) {
    const before = this.frames[this.at ?? at].cells;
    this.at = at;
    const frame = this.frames[at];
    this.values.forEach((value, i) => {
      const [now, was] = [frame.cells[i + 1].textContent, before[i + 1].textContent];
      value.textContent = now;
      value.dataset.was = now === was ? "" : `was ${was}`;
    });
    const words = frame.querySelector(".words")?.textContent;
    if (this.words && this.words.textContent !== words) this.words.textContent = words;
    this.querySelector(".player-step").textContent = at + 1;
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", `Step ${at + 1} of ${this.frames.length}`);
    for (const row of this.frames) row.toggleAttribute("data-now", row === frame);
    // Not disabled: a button that is would drop the focus of who steps with it.
    this.querySelector("[data-do=back]").ariaDisabled = at === 0;
    this.querySelector("[data-do=forward]").ariaDisabled = at === this.frames.length - 1;
    this.place(frame.dataset.tile);
  }

  place(tile) {
    if (!this.tile) return;
    this.tile.setAttribute("visibility", tile ? "visible" : "hidden");
    if (!tile) return;
    const [row, col] = tile.split(",");
    this.tile.setAttribute("x", col * this.tile.width.baseVal.value);
    this.tile.setAttribute("y", row * this.tile.height.baseVal.value);
  }
}

customElements.define("step-player", StepPlayer);
