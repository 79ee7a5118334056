// The browser's own voice. speak() reads a text sentence by sentence, since Chromium falls silent within long utterances;
// it resolves to true once all was read, and to false when something else was to be read, or nothing more.
// A button with data-aloud reads its data-text; it is in sight only where there is a voice.

import { remembered as recall } from "./memory.js";

const synth = window.speechSynthesis;
const LONGEST = 220; // characters of an utterance
const STOPPED = ["interrupted", "canceled"]; // errors that tell of an end that was wanted
let turn = 0;
let failure = ""; // the error with which the latest reading ended
let spoken; // the utterance, kept here since Chromium may else forget it and never tell its end, and what waits for it

export const voices = () => synth?.getVoices() ?? [];

/** Voices come late in some browsers: `changed` is called now, and again whenever their list changes. */
export function whenVoices(changed) {
  changed();
  synth?.addEventListener?.("voiceschanged", changed);
}

/** Sentences, each short enough for one utterance. A mark within a word or a number, as in 0.83, ends none. */
export function sentences(text) {
  return text.split(/\n+/).flatMap((line) => line.match(/\S.*?(?:[.!?;:]["”’)]*(?=\s|$)|$)/g) ?? []).flatMap(short);
}

function short(sentence) {
  const text = sentence.trim();
  if (text.length <= LONGEST) return text ? [text] : [];
  const comma = text.lastIndexOf(", ", LONGEST - 1);
  const at = comma > LONGEST / 3 ? comma + 1 : text.lastIndexOf(" ", LONGEST) + 1 || LONGEST;
  return [text.slice(0, at).trim(), ...short(text.slice(at))];
}

/** The voice that was chosen, or else one that speaks English, best one that needs no server. */
export function voice() {
  const there = voices();
  const chosen = there.find(({ voiceURI }) => voiceURI === recall("reading-voice"));
  const english = there.filter(({ lang }) => lang?.toLowerCase().startsWith("en"));
  return chosen ?? english.find(({ localService }) => localService) ?? english[0] ?? there[0] ?? null;
}

/** Whether the latest reading ended since the voice could not go on, such as one that is made by a server out of reach. */
export const voiceFailed = () => failure !== "";

/** The speed that was chosen, 1 being the voice's own. */
export const rate = () => Number(recall("reading-rate")) || 1;

export async function speak(text) {
  stop();
  failure = "";
  const mine = turn;
  for (const sentence of sentences(text)) {
    if (!(await utter(sentence)) || mine !== turn) return false;
  }
  return mine === turn;
}

function utter(sentence) {
  return new Promise((resolve) => {
    const words = new SpeechSynthesisUtterance(sentence);
    words.voice = voice();
    words.lang = words.voice?.lang ?? "en-US";
    words.rate = rate();
    words.onend = () => resolve(true);
    words.onerror = (event) => {
      if (event?.error && !STOPPED.includes(event.error)) failure = event.error;
      resolve(false);
    };
    spoken = { words, resolve };
    synth.speak(words);
  });
}

export function stop() {
  turn += 1;
  synth?.cancel();
  spoken?.resolve(false); // not every browser tells the end of what was cancelled
  spoken = undefined;
}

function say(button, words) {
  button.querySelector("[data-aloud-words]").textContent = words;
}

/** Read aloud, and once more: stop. */
async function press(button) {
  if (button.dataset.reading !== undefined) return stop();
  button.dataset.reading = "";
  say(button, "Stop reading");
  await speak(button.dataset.text);
  delete button.dataset.reading;
  say(button, voiceFailed() ? "The voice failed: read again" : "Read aloud");
}

function show() {
  for (const button of document.querySelectorAll("[data-aloud]")) button.hidden = !voices().length;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-aloud]");
  if (button) press(button);
  if (event.target.closest("[data-check]")) stop(); // the microphone is to hear the learner
});
document.addEventListener("keydown", ({ key }) => key === "Escape" && stop());
document.addEventListener("submit", stop, { capture: true });
document.addEventListener("aloud:swapped", () => {
  stop();
  show();
});
addEventListener("pagehide", stop);
whenVoices(show);
