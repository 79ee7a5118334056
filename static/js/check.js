// The dialog in which a learner tries the microphone before it counts: which one, how loud, and how it sounds.

import { choose, close, devices, open } from "./mic.js";
import { Meter, sound } from "./meter.js";
import { Recording } from "./record.js";

const TRIAL_MS = 3000;

export class Check {
  /** `changed` is called once the dialog has closed. */
  constructor(dialog, signal, changed) {
    this.dialog = dialog;
    this.words = dialog.querySelector("[data-check-words]");
    this.level = dialog.querySelector("meter");
    this.list = dialog.querySelector("select");
    this.trial = dialog.querySelector("[data-trial]");
    this.player = dialog.querySelector("audio");
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
    for (const opener of document.querySelectorAll(`[data-open="${dialog.id}"]`)) {
      on(opener, "click", () => this.begin());
    }
    on(this.list, "change", () => this.pick());
    on(this.trial, "click", () => this.tryIt());
    on(dialog, "close", () => { this.end(); changed(); });
    on(navigator.mediaDevices ?? new EventTarget(), "devicechange", () => this.dialog.open && this.listen());
    signal.addEventListener("abort", () => this.end());
  }

  begin() {
    this.context = sound();
    this.player.hidden = true;
    this.tell("The browser asks for the microphone: allow it.");
    this.listen();
  }

  async listen() {
    this.mute();
    const turn = (this.turn = Symbol("the latest of several"));
    try {
      const stream = await open();
      if (this.turn !== turn || !this.dialog.open) return close(stream);
      this.stream = stream;
      await this.fill();
      if (this.context) this.meter = new Meter(this.context, stream, (level) => { this.level.value = level; });
      this.tell("Say something: the bar should move.");
    } catch (error) {
      this.tell(error.message);
    }
    this.trial.disabled = this.list.disabled = !this.stream;
  }

  tell(words) {
    this.words.textContent = words;
  }

  async fill() {
    const { deviceId } = this.stream.getAudioTracks()[0].getSettings();
    const options = (await devices()).map((device) => new Option(device.label, device.deviceId, false, device.deviceId === deviceId));
    this.list.replaceChildren(...options);
  }

  pick() {
    const [option] = this.list.selectedOptions;
    choose({ deviceId: option.value, label: option.text });
    this.listen();
  }

  /** Three seconds, and then how they sounded; kept nowhere. */
  async tryIt() {
    const pieces = [];
    const recording = new Recording(this.stream, (piece) => pieces.push(piece), () => {});
    this.trial.disabled = true;
    this.tell("Speak for three seconds.");
    recording.start();
    await new Promise((resolve) => setTimeout(resolve, TRIAL_MS));
    await recording.stop();
    this.trial.disabled = !this.stream;
    if (!this.dialog.open) return;
    URL.revokeObjectURL(this.player.src);
    this.player.src = URL.createObjectURL(new Blob(pieces, { type: pieces[0]?.type }));
    this.player.hidden = false;
    this.tell("This is how it sounds.");
    this.player.play().catch(() => {}); // it has a button of its own
  }

  mute() {
    this.meter?.close();
    close(this.stream);
    this.meter = this.stream = undefined;
  }

  end() {
    this.turn = undefined;
    this.mute();
    this.player.pause();
    this.context?.close();
    this.context = undefined;
  }
}
