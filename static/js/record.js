// A recording: a stream's sound, written as the browser can write it, handed on a second at a time.

const PIECE_MS = 1000;
const BITS = 48_000; // a second; for a voice the browser's own 128,000 sound no better
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** What this browser should write: Safari is at home in MP4 even where it can write WebM. */
function type() {
  const apple = navigator.vendor.startsWith("Apple");
  const wanted = apple ? ["audio/mp4", ...TYPES] : TYPES;
  return wanted.find((name) => MediaRecorder.isTypeSupported(name));
}

export class Recording {
  /** `take` gets each piece; `lost` is called when the sound ends although nobody stopped it. */
  constructor(stream, take, lost) {
    const mimeType = type();
    this.recorder = new MediaRecorder(stream, { audioBitsPerSecond: BITS, ...(mimeType && { mimeType }) });
    this.recorder.addEventListener("dataavailable", ({ data }) => {
      // What was asked for and what is written may differ: the recorder says what it is.
      if (data.size) take(new Blob([data], { type: this.recorder.mimeType || data.type }));
    });
    this.ended = new Promise((resolve) => this.recorder.addEventListener("stop", resolve));
    this.ended.then(() => this.stopped || lost(this.ms));
  }

  start() {
    this.began = performance.now();
    this.recorder.start(PIECE_MS);
  }

  get going() {
    return this.recorder.state === "recording";
  }

  get ms() {
    return performance.now() - this.began;
  }

  /** Writes out what there is now, should the page not live to the next second. */
  spill() {
    if (this.recorder.state === "recording") this.recorder.requestData();
  }

  /** Ends it; afterwards `take` has had every piece. */
  async stop() {
    this.stopped = true;
    if (this.recorder.state === "inactive") return;
    this.recorder.stop();
    await this.ended;
  }
}
