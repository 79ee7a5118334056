// The stand: prompt, get ready, speak. Makes the clock live; finishing is the form that works without a script, too.
// voice.js sees to the sound; whether there is any changes nothing about the clock.

import { faceAt, markPassed, spokenTime, Stopwatch } from "./clock.js";
import { switches, tell as cue } from "./cues.js";
import { on as keysOn } from "./keys.js";
import { Silent } from "./silent.js";
import { announce, moved } from "./swap.js";
import { Voice } from "./voice.js";

const TICK_MS = 200;
const TEXT = "input:not([type=checkbox], [type=radio], [type=hidden]), textarea, select, [contenteditable]";

class Stand {
  constructor(room) {
    this.room = room;
    this.plannedS = Number(room.dataset.plannedS);
    this.finish = room.querySelector("[data-finish]");
    this.notes = document.querySelector("[data-notes]");
    this.off = new AbortController();
    const on = (target, type, handler, more) =>
      target.addEventListener(type, handler, { signal: this.off.signal, ...more });
    on(room.querySelector("[data-start]"), "submit", (event) => {
      event.preventDefault();
      this.start();
    });
    this.kept = Promise.resolve();
    const asks = { say: (words) => this.say(words), take: () => this.finish.elements.take.value };
    this.voice = room.dataset.mode === "quiet" ? new Silent() : new Voice(room, this.off.signal, asks);
    switches(room, this.off.signal);
    room.querySelector("[data-alone]")?.addEventListener("click", () => this.alone(), { signal: this.off.signal });
    on(room.querySelector("[data-speak]"), "click", () => this.speak(0));
    on(this.finish, "submit", (event) => this.submitting(event));
    on(document, "keydown", (event) => this.key(event), { capture: true });
    on(document, "keyup", (event) => this.key(event), { capture: true });
    on(document, "visibilitychange", () => this.visible());
    on(window, "pagehide", () => this.voice.away());
    on(document, "aloud:swapped", () => this.room.isConnected || this.leave());
    this.resume(room.dataset.elapsedMs);
  }

  /** Goes on where the server keeps the time: Start was pressed before this script had loaded, or the page was reloaded. */
  resume(elapsed) {
    if (elapsed === undefined) this.show("prompt");
    else if (Number(elapsed) < 0) {
      this.voice.rejoin();
      this.getReady(-Number(elapsed));
    } else {
      this.goOn(Number(elapsed));
      this.voice.cutOff();
    }
  }

  show(state) {
    this.state = state;
    for (const part of document.querySelectorAll("[data-when]")) part.hidden = part.dataset.when !== state;
    if (state === "prompt") return;
    this.room.querySelector(`[data-when=${state}] :is(textarea, button)`).focus();
    this.room.querySelector(".clock").scrollIntoView({ block: "nearest" }); // on a phone the focus may have left it above
  }

  every(look) {
    clearInterval(this.ticking);
    this.ticking = setInterval(look, TICK_MS);
    look();
  }

  /** The microphone first, which the browser may have to ask for; where it cannot be had, the prompt says so and how to go on. */
  async start() {
    const prepared = this.voice.prepare();
    if (!this.voice.known || this.voice.records) this.show("asking");
    const asTold = await prepared;
    if (!["prompt", "asking"].includes(this.state)) return;
    if (asTold) return this.getReady(Number(this.room.dataset.readyS) * 1000);
    this.show("prompt");
    this.room.querySelector("[data-start] button").focus();
    this.say(this.voice.problem.message);
  }

  /** Rather without the microphone than to wait for it. */
  alone() {
    this.voice.giveUp();
    this.getReady(Number(this.room.dataset.readyS) * 1000);
  }

  getReady(ms) {
    const until = performance.now() + ms;
    this.show("ready");
    this.say("Get ready");
    this.every(() => {
      const left = until - performance.now();
      if (left <= 0) this.speak(-left);
      else this.draw({ stage: "ready", clock: String(Math.ceil(left / 1000)), word: "get ready", hand: 0 });
    });
  }

  speak(alreadyMs) {
    this.keep(this.room.querySelector("[data-start]").action, { speaking: true });
    this.goOn(alreadyMs);
  }

  goOn(alreadyMs) {
    this.watch = new Stopwatch(alreadyMs);
    this.elapsed = alreadyMs;
    this.show("speaking");
    this.say(`Speak. ${spokenTime(this.plannedS)}. ${this.voice.begin()}`.trim());
    this.stayAwake();
    this.every(() => this.tick());
  }

  tick() {
    const before = this.elapsed;
    this.elapsed = this.watch.look();
    const face = faceAt(this.elapsed, this.plannedS);
    if (this.stage && this.stage !== face.stage) cue(face.stage, this.voice.context);
    this.stage = face.stage;
    this.draw(face);
    this.room.dispatchEvent(new CustomEvent("aloud:tick", { detail: this.elapsed, bubbles: true }));
    this.say(markPassed(before, this.elapsed, this.plannedS));
  }

  draw({ stage, clock, word, hand }) {
    const face = this.room.querySelector(".clock");
    face.dataset.stage = stage;
    face.querySelector(".clock-hand").setAttribute("stroke-dashoffset", String(100 - hand));
    face.querySelector("[data-clock-time]").textContent = clock;
    face.querySelector("[data-clock-word]").textContent = word;
  }

  say(words) {
    if (words) announce(words);
  }

  submitting(event) {
    if (event.submitter?.matches("[data-show-notes]")) {
      event.preventDefault();
      this.showNotes(event.submitter);
      return;
    }
    if (event.submitter?.matches("[data-over]")) {
      this.voice.discard();
      this.leave();
      return;
    }
    const { elements } = this.finish;
    if (!elements.spoken_ms.value) {
      elements.spoken_ms.value = Math.round(this.watch.look());
      elements.interrupted.value = this.watch.interrupted;
      clearInterval(this.ticking);
    }
    if (!this.voice.upload) return this.leave();
    event.preventDefault();
    this.hand(event.submitter);
  }

  /** First the sound to the server, then the form. */
  async hand(submitter) {
    if (this.handing) return;
    this.handing = true;
    const handed = await this.voice.finish();
    this.handing = false;
    if (!handed || this.state === "left") return;
    this.leave();
    this.finish.requestSubmit(submitter);
  }

  showNotes(button) {
    this.notes.hidden = false;
    this.finish.elements.notes.value = true;
    button.hidden = true;
    this.show("speaking");
    this.say("Notes are in sight; the take will say so.");
    this.keep(button.formAction);
  }

  /** Tells the server, so that the address holds the attempt as it is now, for a reload. No answer: no matter. */
  keep(action, more = {}) {
    const { take } = this.finish.elements;
    const send = async () => {
      const body = new URLSearchParams({ take: take.value, ...more });
      const answer = await fetch(action, { method: "POST", body });
      if (!answer.redirected || !answer.ok || this.state === "left") return;
      take.value = new URL(answer.url).searchParams.get("take");
      moved(answer.url, "replace");
    };
    this.kept = this.kept.then(send).catch(() => {});
  }

  /** While the clock listens, Space means Finish (or Speak now) wherever the focus is, and presses no button; while the browser asks, nothing. */
  key(event) {
    const ours = event.key === " " && ["asking", "ready", "speaking"].includes(this.state) && keysOn();
    if (!ours || event.ctrlKey || event.altKey || event.metaKey || event.target.closest(TEXT)) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "keydown" && !event.repeat && this.state !== "asking") {
      this.room.querySelector(`[data-when=${this.state}] button`).click();
    }
  }

  visible() {
    if (document.visibilityState !== "visible") this.voice.hidden();
    if (document.visibilityState !== "visible" || this.state !== "speaking") return;
    this.tick();
    this.stayAwake();
  }

  /** The screen stays on while somebody speaks, where the browser lets us ask; it forgets when the page is hidden. */
  async stayAwake() {
    try {
      this.lock = await navigator.wakeLock?.request("screen");
    } catch {
      this.lock = undefined;
    }
    if (this.state === "left") this.lock?.release();
  }

  leave() {
    this.state = "left";
    clearInterval(this.ticking);
    this.off.abort();
    this.voice.leave();
    this.lock?.release();
  }
}

function begin() {
  for (const room of document.querySelectorAll("[data-drill]:not([data-live])")) {
    room.dataset.live = "";
    new Stand(room);
  }
}

document.addEventListener("aloud:swapped", begin);
begin();
