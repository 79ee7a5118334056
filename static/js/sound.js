// <sound-player data-src data-ms data-peaks data-later>: a recording, played. Its child <audio controls> is what plays it without a
// script, and where the browser cannot decode it. What a browser recorded can be neither sought in nor measured as it
// stands, so it is decoded here and played as a WAV, which can. `seek(ms)` goes to a moment and plays from there, and so
// does a press on anything with data-seek-ms: in the player with the id that its data-player names, or else the first.

const RATE = 24_000; // samples a second of what is played: enough for a voice
const LONGEST_MS = 20 * 60_000; // longer ones are played as they stand: decoded they would fill the memory
const BARS = 120;
const STEP_MS = 5000;
const LATE_MS = 150; // by which a recorder begins after the clock that the take was timed with
const SVG = "http://www.w3.org/2000/svg";

/** Minutes and whole seconds that have passed, as the drill's clock and the times of words tell them: 0:07. */
export function timeText(ms) {
  const seconds = Math.floor((ms + LATE_MS) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `values` in so many equal steps, the largest of each. */
export function pooled(values, steps) {
  const [most, per] = [Math.min(steps, values.length), values.length / Math.min(steps, values.length)];
  return Array.from({ length: most }, (_, i) => {
    let largest = 0;
    for (let at = Math.floor(i * per); at < Math.floor((i + 1) * per); at++) largest = Math.max(largest, Math.abs(values[at]));
    return largest;
  });
}

/** Samples between -1 and 1 as a WAV file: one channel, 16 bits. */
export function wav(samples, rate) {
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (at, letters) => [...letters].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  [[16, 16], [24, rate], [28, 2 * rate]].forEach(([at, value]) => view.setUint32(at, value, true));
  [[20, 1], [22, 1], [32, 2], [34, 16]].forEach(([at, value]) => view.setUint16(at, value, true));
  text(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => view.setInt16(44 + 2 * i, 32767 * Math.max(-1, Math.min(1, sample)), true));
  return new Blob([view], { type: "audio/wav" });
}

async function decoded(bytes) {
  const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(bytes);
  const [first, ...others] = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  const samples = others.length ? first.map((s, i) => others.reduce((sum, o) => sum + o[i], s) / (1 + others.length)) : first;
  return { samples, ms: 1000 * sound.duration };
}

/** Waits until the element is about to be in sight: of a page full of recordings, few are ever played. */
function seen(element) {
  return new Promise((resolve) => {
    const watch = new IntersectionObserver(
      ([first]) => {
        if (!first.isIntersecting) return;
        watch.disconnect();
        resolve();
      },
      { rootMargin: "200px" },
    );
    watch.observe(element);
  });
}

function made(name, attributes, ...children) {
  const element = name === "svg" || name === "path" || name === "rect" ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const SHAPES = { play: "M7 4v16l13-8z", pause: "M7 4h4v16H7zM14 4h4v16h-4z" };

class SoundPlayer extends HTMLElement {
  async connectedCallback() {
    if (this.audio) return;
    this.audio = this.querySelector("audio") ?? made("audio", { controls: "", preload: "metadata", src: this.dataset.src });
    this.peaks = this.dataset.peaks ? JSON.parse(this.dataset.peaks) : undefined;
    this.ms = Number(this.dataset.ms) || 0;
    if (this.ms > LONGEST_MS) return this.plain();
    if ("later" in this.dataset) await seen(this);
    try {
      const answer = await fetch(this.dataset.src);
      if (!answer.ok) return this.gone();
      this.use(await decoded(await answer.arrayBuffer()));
    } catch {
      this.plain();
    }
  }

  disconnectedCallback() {
    this.audio?.pause();
    if (this.url) URL.revokeObjectURL(this.url);
  }

  /** The browser's own player: what it cannot decode as a whole it may still play. */
  plain() {
    this.replaceChildren(this.audio);
    this.dataset.ready = "plain";
  }

  gone() {
    const words = "The sound is no longer there. What was heard in it stays.";
    this.replaceChildren(made("p", { class: "quiet" }, words));
    this.dataset.ready = "gone";
  }

  use({ samples, ms }) {
    this.ms = ms;
    this.peaks ??= pooled(samples, BARS * 4).map((peak) => 100 * peak);
    this.url = URL.createObjectURL(wav(samples, RATE));
    this.audio.removeAttribute("controls");
    this.audio.src = this.url;
    this.replaceChildren(this.audio, ...this.parts());
    for (const name of ["play", "pause", "ended"]) this.audio.addEventListener(name, () => this.look());
    this.addEventListener("keydown", (event) => this.key(event));
    this.show();
    this.dataset.ready = "whole";
  }

  parts() {
    this.button = made("button", { class: "button", type: "button", "data-key": "p", "aria-keyshortcuts": "P" });
    this.shape = made("path", { fill: "currentColor", stroke: "none" });
    this.button.append(made("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, this.shape));
    this.button.addEventListener("click", () => (this.audio.paused ? this.play() : this.audio.pause()));
    this.time = made("span", { class: "num quiet" });
    this.speed = made("select", { class: "sound-speed", "aria-label": "Speed" });
    this.speed.append(...["1", "1.25", "1.5"].map((times) => new Option(`${times}×`, times)));
    this.speed.addEventListener("change", () => { this.audio.playbackRate = Number(this.speed.value); });
    return [this.button, this.wave(), this.time, this.speed];
  }

  /** The loudness as bars, twice: quiet ink below, and ink above as far as it was played. */
  wave() {
    const bars = pooled(this.peaks, BARS);
    const top = Math.max(1, ...bars);
    const drawn = bars.map((peak, i) => `M${i + 0.5} ${50 - (48 * peak) / top}V${50 + (48 * peak) / top + 1}`).join("");
    const half = (name) =>
      made("svg", { class: name, viewBox: `0 0 ${bars.length} 100`, preserveAspectRatio: "none", "aria-hidden": "true" }, made("path", { d: drawn }));
    this.played = half("played");
    this.line = made("div", { class: "wave", role: "slider", tabindex: "0", "aria-label": "Place in the recording", "aria-valuemin": "0" });
    this.line.append(half("all"), this.played);
    this.line.addEventListener("pointerdown", (event) => this.point(event));
    this.line.addEventListener("pointermove", (event) => event.buttons && this.point(event));
    return this.line;
  }

  point(event) {
    event.preventDefault();
    this.line.focus({ preventScroll: true });
    this.line.setPointerCapture(event.pointerId);
    const { left, width } = this.line.getBoundingClientRect();
    this.go((this.ms * (event.clientX - left)) / width);
  }

  key(event) {
    if (event.target === this.speed || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = { ArrowLeft: this.at - STEP_MS, ArrowRight: this.at + STEP_MS, ArrowDown: this.at - STEP_MS, ArrowUp: this.at + STEP_MS, Home: 0, End: this.ms }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    this.go(at);
  }

  get at() {
    return 1000 * this.audio.currentTime;
  }

  go(ms) {
    this.audio.currentTime = Math.max(0, Math.min(this.ms, ms)) / 1000;
    this.show();
  }

  play() {
    this.audio.playbackRate = Number(this.speed?.value ?? 1);
    this.audio.play().catch(() => {}); // the button still says Play
  }

  /** To a moment, and on from there. */
  seek(ms) {
    if (this.dataset.ready === "gone" || !this.audio) return;
    if (this.line) this.go(ms);
    else this.audio.currentTime = ms / 1000;
    this.play();
  }

  /** Follows the sound for as long as it plays. */
  look() {
    cancelAnimationFrame(this.frame);
    this.show();
    if (!this.audio.paused) this.frame = requestAnimationFrame(() => this.look());
  }

  show() {
    const { paused } = this.audio;
    this.button.setAttribute("aria-label", paused ? "Play" : "Pause");
    this.shape.setAttribute("d", SHAPES[paused ? "play" : "pause"]);
    const at = Math.min(this.at, this.ms);
    const text = `${timeText(at)} / ${timeText(this.ms)}`;
    if (this.time.textContent !== text) {
      this.time.textContent = text;
      this.line.setAttribute("aria-valuemax", Math.round(this.ms / 1000));
      this.line.setAttribute("aria-valuenow", Math.round(at / 1000));
      this.line.setAttribute("aria-valuetext", `${timeText(at)} of ${timeText(this.ms)}`);
    }
    this.played.style.clipPath = `inset(0 ${100 - (100 * at) / (this.ms || 1)}% 0 0)`;
  }
}

customElements.define("sound-player", SoundPlayer);

document.addEventListener("click", (event) => {
  const mark = event.target.closest("[data-seek-ms]");
  if (!mark) return;
  const { player, seekMs } = mark.dataset;
  const found = player ? document.getElementById(player) : document.querySelector("sound-player");
  if (!found) return;
  event.preventDefault();
  found.seek(Number(seekMs));
});
