// What the stand does about sound: says what will be recorded and with what, gets the microphone, records, sends, lets go.
// Whatever goes wrong here is a sentence on the page, and the drill goes on by the clock.

import { Check } from "./check.js";
import { tonesChosen } from "./cues.js";
import { remember, remembered } from "./memory.js";
import { Meter, sound } from "./meter.js";
import { close, explained, onChange, open, standing } from "./mic.js";
import { Recording } from "./record.js";
import { Upload } from "./upload.js";

const MODE = "aloud-take"; // "quiet": nothing is recorded, until chosen otherwise
const PATIENCE_MS = 10_000;
const KNOWN_MS = 1500; // for a server that has said why it cannot keep it
const HELD_MS = 1000; // after which a page that was left has let go of its lock
const SILENT_MS = 5000;
const HEARD = 12; // of 100: less is the noise of a room
let given = false; // the microphone, to this page: a browser that forgets it between pages does not ask again within one

export class Voice {
  /** `room` is the stand, `say` reads words to a screen reader, `take` gives the signed attempt. */
  constructor(room, signal, { say, take }) {
    this.room = room;
    this.say = say;
    this.take = take;
    this.now = room.querySelector("[data-sound-now]");
    this.level = room.querySelector("[data-level]");
    this.line = room.querySelector("[data-sound-line]");
    this.quiet = remembered(MODE) === "quiet";
    const on = (name, handler) => room.querySelector(name).addEventListener("click", handler, { signal });
    on("[data-quiet]", (event) => {
      this.choose(!this.quiet);
      if (event.detail > 0) room.querySelector("[data-start] button").focus(); // clicked: Space is to start, not to choose back
    });
    on("[data-again]", () => this.look().then(() => this.say(this.mode())));
    new Check(document.getElementById("microphone"), signal, () => this.look());
    onChange(() => this.look(), signal);
    this.settled = this.look();
  }

  /** Whether this take is to be recorded, as things stand. */
  get records() {
    return !this.quiet && this.mic !== undefined;
  }

  async look() {
    [this.mic, this.problem] = await standing().then(
      (mic) => [mic, undefined],
      (error) => [undefined, explained(error)],
    );
    this.known = true;
    this.draw();
  }

  choose(quiet) {
    this.quiet = quiet;
    remember(MODE, quiet ? "quiet" : "recorded");
    this.draw();
    this.say(this.mode());
  }

  mode() {
    if (!this.records) return "Quiet: nothing is recorded.";
    const asks = this.mic.allowed ? "" : " Start asks for it.";
    return `It will be recorded with ${this.mic.label || "your microphone"}.${asks}`;
  }

  draw() {
    const part = (name) => this.room.querySelector(name);
    part("[data-mode]").textContent = this.mode();
    part("[data-where]").hidden = !this.records;
    part("[data-quiet-words]").textContent = this.quiet ? "Record it" : "Quiet take";
    part("[data-check]").hidden = this.mic === undefined;
    part("[data-why]").hidden = this.quiet || !this.problem;
    const sent = document.querySelector("input[type=file]") ? " A recording made elsewhere can be sent below." : "";
    part("[data-why-words]").textContent = this.problem ? `${this.problem.message}${this.problem.passing ? "" : sent}` : "";
    part("[data-again]").hidden = !this.problem?.passing;
  }

  /** The line below the clock while somebody speaks. */
  tell(words, aloud = false) {
    this.line.textContent = words;
    this.now.hidden = false;
    if (aloud) this.say(words);
  }

  /** Gets the microphone, within the tap on Start, unless the take is quiet. Whether the take can go on as it was announced. */
  async prepare() {
    if (!this.quiet || tonesChosen()) this.context = sound();
    await this.settled;
    if (!this.records) return true;
    try {
      const stream = await open();
      given = true;
      if (this.given) close(stream);
      else this.ready(stream);
      return true;
    } catch (error) {
      this.release();
      [this.mic, this.problem] = [undefined, explained(error)];
      this.draw();
      return false;
    }
  }

  /** The page, or the next question, is there by itself: the microphone, too, unless that would have to be asked for. */
  async rejoin() {
    await this.settled;
    const may = this.mic && (this.mic.allowed || given);
    if (this.quiet || (may && (await this.prepare()))) return;
    this.level.hidden = true;
    this.tell("Nothing is recorded: this page has no microphone. Start over looks for it.", true);
  }

  ready(stream) {
    const { sound: address } = this.room.dataset;
    this.stream = stream;
    this.label = stream.getAudioTracks()[0].label;
    this.upload = new Upload(
      (offset) => `${address}?${new URLSearchParams({ take: this.take(), offset })}`,
      {
        refused: (why) => this.tell(`The recording could not be kept: ${why} The clock goes on.`, true),
        troubled: (why) => this.troubled(why),
      },
    );
    this.recording = new Recording(stream, (piece) => this.upload.add(piece), (ms) => this.lost(ms));
    if (this.context) this.meter = new Meter(this.context, stream, (level) => this.listen(level));
    this.level.hidden = !this.meter;
    this.tell("The microphone is on");
    if (this.running) this.say(this.begin()); // who comes back to a page, or from a question, may speak before it is there
  }

  /** The learner would rather not wait for the microphone. */
  giveUp() {
    this.given = true;
    this.release();
  }

  /** The clock runs: from now on what is said is kept. Says so in words. */
  begin() {
    this.running = true;
    if (!this.recording) return "";
    try {
      this.recording.start();
    } catch {
      this.release();
      this.tell("The microphone was lost before the clock ran: this take is quiet.", true);
      return "";
    }
    this.hold();
    this.heardAt = performance.now();
    this.line.dataset.on = "";
    this.tell("Recording");
    return "Recording.";
  }

  listen(level) {
    this.level.value = level;
    if (this.heardAt === undefined) return;
    const now = performance.now();
    if (level >= HEARD || this.context.state !== "running") {
      if (this.silent) this.tell("Recording");
      this.silent = false;
      this.heardAt = now;
    } else if (!this.silent && now - this.heardAt > SILENT_MS) {
      this.silent = true;
      this.tell(`Recording, but nothing is heard from ${this.label}. Is it muted?`, true);
    }
  }

  /** It was unplugged, or taken away. */
  lost(ms) {
    this.release();
    this.gone = true;
    this.tell(`Microphone lost, ${Math.floor(ms / 1000)} s kept. The clock goes on.`, true);
    this.sent(PATIENCE_MS);
  }

  /** The server takes nothing at the moment, or takes it again. */
  troubled(why) {
    if (!this.recording.going) return;
    if (why) this.tell(`Recording, but it waits in this page: ${why}`, true);
    else this.tell("Recording");
  }

  /** The name of the lock by which another tab at the same address knows that this one records. */
  get lock() {
    return `aloud-take-${this.room.dataset.attempt}`;
  }

  hold() {
    const held = new Promise((letGo) => { this.letGo = letGo; });
    if (this.room.dataset.attempt) navigator.locks?.request(this.lock, () => held);
  }

  /** Whether another tab records it. */
  async elsewhere() {
    const signal = AbortSignal.timeout(HELD_MS);
    return (await navigator.locks?.request(this.lock, { signal }, () => false).catch(() => true)) ?? false;
  }

  /** The clock runs already. A page that recorded was left, and what it sent is all there is; or none has recorded yet. */
  async cutOff() {
    if (this.room.dataset.cut === undefined) return this.rejoin();
    this.level.hidden = true;
    if (await this.elsewhere()) return this.tell("Another tab records this take. Finish it there.", true);
    this.tell("The recording ended when the page was left; what there was is kept. The clock goes on.", true);
    this.end("page");
  }

  /** Ends the recording. Whether the drill can go on: false while the server does not answer. */
  async finish() {
    if (!this.upload) return true;
    const told = this.told;
    this.told = "";
    await this.recording.stop();
    this.release();
    this.tell("Saving the recording");
    if (await this.sent(this.upload.trouble ? KNOWN_MS : PATIENCE_MS)) return true;
    return this.unsent(told);
  }

  /** Says why not all is there, and when it is. Whether to go on: once that was told, Finish means with what there is. */
  unsent(toldBefore) {
    const { trouble } = this.upload;
    this.told = trouble
      ? `Not all of the recording is kept: ${trouble} Press Finish again to go on with what there is.`
      : "The server does not answer. The recording is kept in this page: press Finish again once it does.";
    if (trouble && this.told === toldBefore) {
      this.upload.drop();
      return true;
    }
    this.tell(this.told, true);
    this.whole ??= this.upload.whole().then((all) => {
      if (all && this.told) this.tell("All of the recording is there now: press Finish.", true);
    });
    return false;
  }

  /** Waits until the server has all of it, and tells it that this is all. Whether it was told. */
  async sent(patienceMs) {
    if (!(await this.upload.flush(patienceMs))) return false;
    if (this.upload.over) return true;
    return this.end(this.gone ? "microphone" : "");
  }

  async end(lost) {
    const address = `${this.room.dataset.sound}/end?${new URLSearchParams({ take: this.take() })}`;
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ lost }) }).catch(() => undefined);
    return answer !== undefined && answer.status < 500;
  }

  /** Nothing of this take is wanted. */
  discard() {
    this.upload?.drop();
    this.recording?.stop();
    this.release();
  }

  hidden() {
    this.recording?.spill();
  }

  /** The page goes away in the middle of it. */
  away() {
    this.upload?.last();
    this.release();
  }

  /** Lets go of the microphone and all that listens to it. */
  release() {
    this.meter?.close();
    this.meter = undefined;
    close(this.stream);
    this.level.hidden = true;
    this.heardAt = undefined;
    delete this.line.dataset.on;
  }

  leave() {
    this.letGo?.();
    this.given = true;
    this.release();
    this.context?.close();
  }
}
