// The clock's stages for ears and hands: a tone or a shake, one for green, two for yellow, three for red. Off until chosen.

import { remember, remembered } from "./memory.js";

const TIMES = { green: 1, yellow: 2, red: 3 };
const EACH_S = 0.12;
const PITCH_HZ = 660;

const name = (kind) => `aloud-cue-${kind}`;
const chosen = (kind) => remembered(name(kind)) === "on";

/** Puts the switches below `room` into the chosen state and keeps what is chosen; one that can do nothing is hidden. */
export function switches(room, signal) {
  for (const box of room.querySelectorAll("[data-cue]")) {
    const kind = box.dataset.cue;
    box.checked = chosen(kind);
    box.closest("label").hidden = kind === "shake" && !navigator.vibrate;
    box.addEventListener("change", () => remember(name(kind), box.checked ? "on" : "off"), { signal });
  }
}

export const tonesChosen = () => chosen("tone");

/** Tells of a stage; `context` is what tones are made with, where there is one. */
export function tell(stage, context) {
  const times = TIMES[stage];
  if (!times) return;
  if (chosen("shake")) navigator.vibrate?.(Array.from({ length: 2 * times - 1 }, () => EACH_S * 1000));
  if (chosen("tone") && context) for (let i = 0; i < times; i++) tone(context, context.currentTime + 2 * i * EACH_S);
}

function tone(context, at) {
  const [source, volume] = [new OscillatorNode(context, { frequency: PITCH_HZ }), new GainNode(context, { gain: 0 })];
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.2, at + 0.02);
  volume.gain.linearRampToValueAtTime(0, at + EACH_S);
  source.connect(volume).connect(context.destination);
  source.start(at);
  source.stop(at + EACH_S);
}
