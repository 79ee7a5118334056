// The drill's clock, without a page: what its face shows after so many milliseconds of speech, and a stopwatch.
// app/drill/timing.py holds the same rules for the server; a test compares the two at every second.

const WORDS = {
  start: "time in hand",
  green: "two thirds used",
  yellow: "wrap up",
  red: "time is up",
};
const MARKS_S = [90, 60, 30, 10];
const GAP_MS = 2000;

/** The stage after `elapsedMs` of `plannedS` seconds: green from 2/3, yellow from 5/6, red from the end. */
export function stageAt(elapsedMs, plannedS) {
  const used = elapsedMs * 6;
  const planned = plannedS * 1000;
  if (used >= planned * 6) return "red";
  if (used >= planned * 5) return "yellow";
  return used >= planned * 4 ? "green" : "start";
}

/** Minutes and whole seconds that have passed: 59,999 ms is "0:59". */
export function clockText(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A time as it is said: "90 seconds", "10 minutes", "2 minutes 30 seconds". */
export function spokenTime(seconds) {
  const whole = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (seconds < 120 && seconds !== 60) return `${seconds} seconds`;
  return `${whole} minute${whole === 1 ? "" : "s"}${rest ? ` ${rest} seconds` : ""}`;
}

/** Stage, time, words, and the part of the ring that is drawn, in percent. Overtime counts on, and from its first full second the words say how much it is. */
export function faceAt(elapsedMs, plannedS) {
  const stage = stageAt(elapsedMs, plannedS);
  const overMs = elapsedMs - plannedS * 1000;
  const word = overMs >= 1000 ? `over by ${clockText(overMs)}` : WORDS[stage];
  return { stage, clock: clockText(elapsedMs), word, hand: Math.min(100, elapsedMs / (plannedS * 10)) };
}

/** What is said aloud when the clock goes from one moment to a later one: the last mark it passed, or "". */
export function markPassed(beforeMs, elapsedMs, plannedS) {
  const passed = (leftS) => beforeMs < (plannedS - leftS) * 1000 && elapsedMs >= (plannedS - leftS) * 1000;
  if (passed(0)) return "Time is up. The clock counts on.";
  const mark = MARKS_S.filter((leftS) => leftS < plannedS && passed(leftS)).at(-1);
  return mark ? `${mark} seconds left` : "";
}

/**
 * Milliseconds since it was made, read from the steady clock and never counted in ticks. Look often: a gap of more
 * than 2 s between two looks, or between the steady clock and the wall's, means that the machine or the page stood
 * still, and marks the take as interrupted for good. So does time that had passed `alreadyMs` before the first look.
 */
export class Stopwatch {
  constructor(alreadyMs = 0) {
    this.began = performance.now() - alreadyMs;
    this.steady = performance.now();
    this.wall = Date.now();
    this.interrupted = alreadyMs > GAP_MS;
  }

  look() {
    const steady = performance.now();
    const wall = Date.now();
    const gap = steady - this.steady;
    const drift = Math.abs(wall - this.wall - gap);
    this.interrupted ||= gap > GAP_MS || drift > GAP_MS;
    this.steady = steady;
    this.wall = wall;
    return steady - this.began;
  }
}
