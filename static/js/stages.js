// The stages of a case below the clock: which one is on, what is left of it, what comes next.
// app/drill/stages.py holds the same rules for the server; a test compares the two.

import { clockText, spokenTime } from "./clock.js";
import { announce } from "./swap.js";

const AFTER_MS = 1500; // a mark of the clock, such as 60 seconds left, may come at the same moment, and is said first
const WORDS = { done: "done", now: "now", next: "next", later: "" };

/** For stages that end at these milliseconds: when each is, and what is left of the one that is on. */
export function stagesAt(elapsedMs, ends) {
  const found = ends.findIndex((end) => elapsedMs < end);
  const on = found < 0 ? ends.length - 1 : found;
  return ends.map((end, at) => ({
    when: at < on ? "done" : at === on ? "now" : at === on + 1 ? "next" : "later",
    left: at === on ? clockText(end - elapsedMs) : "",
  }));
}

function draw(list, elapsedMs) {
  const items = [...list.children];
  stagesAt(elapsedMs, items.map((item) => Number(item.dataset.toMs))).forEach(({ when, left }, at) => {
    const item = items[at];
    if (when === "now" && item.dataset.state !== "now") {
      const seconds = (Number(item.dataset.toMs) - (Number(items[at - 1]?.dataset.toMs) || 0)) / 1000;
      setTimeout(() => item.isConnected && announce(`${item.dataset.name}, ${spokenTime(seconds)}`), AFTER_MS);
    }
    item.dataset.state = when;
    item.ariaCurrent = when === "now" ? "step" : null;
    item.querySelector("[data-stage-when]").textContent = WORDS[when];
    item.querySelector("[data-stage-left]").textContent = left ? `${left} left` : item.dataset.time;
  });
}

document.addEventListener("aloud:tick", ({ target, detail }) => {
  const list = target.querySelector("[data-stages]");
  if (list) draw(list, detail);
});
