// A typed answer: its clock goes on, and its text is sent to the server as it comes, so that a reload loses nothing.

import { faceAt, markPassed } from "./clock.js";
import { announce } from "./swap.js";

const TICK_MS = 200;
const REST_MS = 1500; // without a key, after which the text is sent

class Draft {
  constructor(form) {
    this.form = form;
    this.began = performance.now() - Number(form.dataset.elapsedMs);
    this.elapsed = Number(form.dataset.elapsedMs);
    this.sent = form.elements.text.value;
    this.state = form.querySelector("[data-draft-state]");
    this.off = new AbortController();
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.off.signal });
    on(form, "input", () => this.later());
    on(form, "submit", () => this.leave());
    on(window, "pagehide", () => this.beacon());
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
    const passed = markPassed(before, this.elapsed, planned);
    if (passed) announce(passed);
  }

  later() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.keep(), REST_MS);
  }

  get body() {
    const { take, text } = this.form.elements;
    return new URLSearchParams({ take: take.value, text: text.value, page: "false" });
  }

  async keep() {
    const text = this.form.elements.text.value;
    if (text === this.sent) return;
    try {
      const answer = await fetch(this.form.dataset.draft, { method: "POST", body: this.body });
      if (!answer.ok) throw new Error("not kept");
      this.sent = text;
      this.say("Kept.");
    } catch {
      this.say("Not kept yet: the server does not answer. It is tried again as you write.");
    }
  }

  beacon() {
    if (this.form.elements.text.value !== this.sent) navigator.sendBeacon(this.form.dataset.draft, this.body);
  }

  say(words) {
    this.state.hidden = false;
    this.state.textContent = words;
  }

  leave() {
    clearInterval(this.ticking);
    clearTimeout(this.resting);
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
