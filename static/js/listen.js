// Listening, hands free: the question, a pause, the answer, the next one. Headphones' buttons work where the browser hands
// them on. Without a voice the texts go by at reading pace. Where it stopped is remembered, by the first card's name.

import { Headphones } from "./headphones.js";
import { remembered as recall, remember } from "./memory.js";
import { speak, stop, voiceFailed, voices, whenVoices } from "./reading.js";

const WORDS_A_SECOND = 3;
const BREATH_MS = 1200;

class Listening {
  constructor(room) {
    this.room = room;
    this.list = document.querySelector(".listen-cards");
    this.cards = [...this.list.children];
    this.key = `listen ${room.dataset.keyOf} ${this.cards.length}`;
    this.at = Math.min(Number(recall(this.key)) || 0, this.cards.length - 1);
    this.run = 0;
    room.hidden = false;
    this.list.dataset.on = "";
    const on = (name, act) => room.querySelector(`[data-listen-${name}]`).addEventListener("click", act);
    on("go", () => (this.going ? this.pause() : this.go()));
    on("again", () => this.move(0));
    on("back", () => this.move(-1));
    on("next", () => this.move(1));
    this.pauseBox = room.querySelector("[data-listen-pause]");
    this.pauseBox.value = recall("listen-pause") || this.pauseBox.value;
    this.pauseBox.addEventListener("change", () => remember("listen-pause", this.pauseBox.value));
    document.addEventListener("visibilitychange", () => this.going && this.stayAwake());
    addEventListener("pagehide", () => this.pause());
    whenVoices(() => (room.querySelector("[data-listen-silent]").hidden = voices().length > 0));
    this.headphones = new Headphones("Cards to listen to", {
      play: () => this.going || this.go(),
      pause: () => this.pause(),
      nexttrack: () => this.move(1),
      previoustrack: () => this.move(-1),
    });
    this.show("Ready");
  }

  show(state) {
    for (const [at, card] of this.cards.entries()) card.toggleAttribute("data-now", at === this.at);
    this.room.querySelector("[data-listen-state]").textContent = state;
    this.room.querySelector("[data-listen-at]").textContent = `${this.at + 1} of ${this.cards.length}`;
    const [text] = this.room.querySelector("[data-listen-go]").childNodes;
    text.textContent = this.going ? "Pause " : "Listen ";
    remember(this.key, String(this.at));
  }

  open(whether) {
    this.cards[this.at].querySelector("[data-listen-answer]").open = whether;
  }

  async go() {
    this.going = true;
    this.stayAwake();
    this.headphones.on();
    const mine = (this.run += 1);
    const on = () => this.going && mine === this.run;
    while (on()) {
      const { asked, told } = this.cards[this.at].dataset;
      this.open(false);
      this.show("Question");
      if (!(await this.read(asked, on))) break;
      this.show("Your answer, in your head");
      if (!(await this.wait(1000 * Math.max(0, Number(this.pauseBox.value) || 0), on))) break;
      this.open(true);
      this.show("Answer");
      if (!(await this.read(told, on)) || !(await this.wait(BREATH_MS, on))) break;
      if (this.at + 1 === this.cards.length) return this.end();
      this.at += 1;
    }
    if (mine !== this.run || !this.going) return;
    this.pause(voiceFailed() ? "The voice stopped. Choose another one, or listen again" : "Paused");
  }

  async read(text, on) {
    if (voices().length) return (await speak(text)) && on();
    return this.wait((1000 * text.split(/\s+/).length) / WORDS_A_SECOND, on);
  }

  wait(ms, on) {
    return new Promise((resolve) => setTimeout(() => resolve(on()), ms));
  }

  pause(words = "Paused") {
    this.going = false;
    this.run += 1;
    stop();
    this.lock?.release();
    this.headphones.off();
    this.show(words);
  }

  move(by) {
    const was = this.going;
    this.pause();
    this.at = Math.min(Math.max(0, this.at + by), this.cards.length - 1);
    this.open(false);
    this.show("Paused");
    if (was) this.go();
  }

  end() {
    this.pause();
    this.at = 0;
    this.show("That was all");
  }

  async stayAwake() {
    try {
      this.lock = await navigator.wakeLock?.request("screen");
    } catch {
      this.lock = undefined;
    }
    if (!this.going) this.lock?.release();
  }
}

for (const room of document.querySelectorAll("[data-listen]")) new Listening(room);
