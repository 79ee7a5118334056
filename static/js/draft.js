// A typed answer's clock, which goes on while somebody writes. kept.js sees to the text.

import { faceAt, markPassed } from "./clock.js";
import { announce } from "./swap.js";

const TICK_MS = 200;

class Draft {
  constructor(form) {
    this.form = form;
    this.began = performance.now() - Number(form.dataset.elapsedMs);
    this.elapsed = Number(form.dataset.elapsedMs);
    this.off = new AbortController();
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.off.signal });
    on(form, "submit", () => this.leave());
    on(document, "aloud:swapped", () => form.isConnected || this.leave());
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    this.tick();
    const { text } = form.elements;
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  }

  tick() {
    const before = this.elapsed;
    const planned = Number(this.form.dataset.plannedS);
    this.elapsed = performance.now() - this.began;
    const { stage, clock, word, hand } = faceAt(this.elapsed, planned);
    const face = this.form.querySelector(".clock");
    face.dataset.stage = stage;
    face.querySelector(".clock-hand").setAttribute("stroke-dashoffset", String(100 - hand));
    face.querySelector("[data-clock-time]").textContent = clock;
    face.querySelector("[data-clock-word]").textContent = word;
    this.form.dispatchEvent(new CustomEvent("aloud:tick", { detail: this.elapsed, bubbles: true }));
    const passed = markPassed(before, this.elapsed, planned);
    if (passed) announce(passed);
  }

  leave() {
    clearInterval(this.ticking);
    this.off.abort();
  }
}

function begin() {
  for (const form of document.querySelectorAll("[data-typed]:not([data-live])")) {
    form.dataset.live = "";
    new Draft(form);
  }
}

document.addEventListener("aloud:swapped", begin);
begin();
