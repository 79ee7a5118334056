// <say-sentence>: a button that records a few seconds, with a level, puts them into the form's file and sends it.
// Where the microphone cannot be had, it says why, and the file stays as the way.

import { announce } from "./swap.js";
import { Meter, sound } from "./meter.js";
import { close, open, standing } from "./mic.js";
import { Recording } from "./record.js";

const SECONDS = 5;

class SaySentence extends HTMLElement {
  connectedCallback() {
    this.hidden = false;
    this.button = this.querySelector("button");
    this.level = this.querySelector("meter");
    this.line = this.querySelector("[data-line]");
    this.button.addEventListener("click", () => this.record());
    standing().catch((error) => this.cannot(error));
  }

  disconnectedCallback() {
    this.release();
  }

  cannot(error) {
    this.button.hidden = true;
    this.tell(`${error.message} Or send a file that was recorded elsewhere.`);
    this.parentElement.querySelector("details").open = true;
  }

  tell(words) {
    this.line.textContent = words;
  }

  async record() {
    const context = sound();
    this.button.disabled = true;
    try {
      this.stream = await open();
      if (!this.isConnected) return this.release();
      if (context) this.meter = new Meter(context, this.stream, (level) => { this.level.value = level; });
      this.level.hidden = !this.meter;
      const pieces = await this.listen();
      if (this.isConnected && pieces.length) this.send(pieces);
    } catch (error) {
      this.cannot(error);
      announce(this.line.textContent);
    } finally {
      this.release();
      context?.close();
    }
  }

  async listen() {
    const pieces = [];
    const recording = new Recording(this.stream, (piece) => pieces.push(piece), () => {});
    recording.start();
    announce(`Recording for ${SECONDS} seconds.`);
    for (let left = SECONDS; left > 0 && this.isConnected; left -= 1) {
      this.tell(`Recording: say a sentence, ${left} s left.`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await recording.stop();
    return pieces;
  }

  send(pieces) {
    const [{ type }] = pieces;
    const files = new DataTransfer();
    files.items.add(new File(pieces, "sentence", { type: type.split(";")[0] }));
    const form = this.closest("form");
    form.elements.file.files = files.files;
    form.requestSubmit();
  }

  release() {
    this.meter?.close();
    this.meter = undefined;
    close(this.stream);
    this.level.hidden = true;
  }
}

customElements.define("say-sentence", SaySentence);
