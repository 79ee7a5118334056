// <voice-choice>: which of the browser's voices reads aloud, and how fast; remembered in this browser. It is in sight once this
// has run, and says so where there is no voice.

import { remember } from "./memory.js";
import { rate, speak, voice, voiceFailed, voices, whenVoices } from "./reading.js";

const TRIAL = "The scores are divided by the square root of d k.";

class VoiceChoice extends HTMLElement {
  connectedCallback() {
    this.list = this.querySelector("select");
    this.speed = this.querySelector("[type=range]");
    this.speed.value = rate();
    this.list.addEventListener("change", () => remember("reading-voice", this.list.value));
    this.speed.addEventListener("change", () => remember("reading-rate", this.speed.value));
    this.speed.addEventListener("input", () => this.tellSpeed());
    this.tellSpeed();
    this.querySelector("[data-trial]").addEventListener("click", ({ currentTarget }) => this.tryOut(currentTarget));
    this.hidden = false;
    whenVoices(() => this.fill());
  }

  async tryOut(button) {
    await speak(TRIAL);
    button.textContent = voiceFailed() ? "This voice failed: try again" : "Hear a sentence";
  }

  tellSpeed() {
    this.querySelector("output").value = `${this.speed.value}×`;
  }

  fill() {
    const there = voices();
    this.list.replaceChildren(...there.map(({ name, lang, voiceURI }) => new Option(`${name} (${lang})`, voiceURI)));
    this.list.value = voice()?.voiceURI ?? "";
    this.querySelector("[data-voices]").hidden = !there.length;
    this.querySelector("[data-no-voice]").hidden = there.length > 0;
  }
}

customElements.define("voice-choice", VoiceChoice);
