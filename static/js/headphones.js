// The buttons of headphones and lock screens. Browsers hand them on only while a page plays a sound of some seconds, and
// what speechSynthesis says is none: so silence is played in a loop for as long as somebody listens.

const RATE = 8000;
const SECONDS = 10; // under five, and Chromium shows no buttons

export class Headphones {
  /** `buttons` are handlers by the names of the media session's actions. */
  constructor(title, buttons) {
    this.session = navigator.mediaSession;
    if (!this.session) return;
    this.session.metadata = new MediaMetadata({ title, artist: "Aloud" });
    for (const [action, handler] of Object.entries(buttons)) this.session.setActionHandler(action, handler);
  }

  on() {
    if (!this.session) return;
    this.silence ??= Object.assign(new Audio(URL.createObjectURL(silence())), { loop: true });
    this.silence.play().catch(() => {}); // the page's own buttons do without
    this.session.playbackState = "playing";
  }

  off() {
    if (!this.session) return;
    this.silence?.pause();
    this.session.playbackState = "paused";
  }
}

/** A WAV file of 8 bits a sample, in which 128 is rest. */
function silence() {
  const samples = new Uint8Array(RATE * SECONDS).fill(128);
  const head = new DataView(new ArrayBuffer(44));
  const text = (at, letters) => [...letters].forEach((letter, nth) => head.setUint8(at + nth, letter.charCodeAt(0)));
  text(0, "RIFF");
  head.setUint32(4, 36 + samples.length, true);
  text(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, RATE, true);
  head.setUint32(28, RATE, true);
  head.setUint16(32, 1, true);
  head.setUint16(34, 8, true);
  text(36, "data");
  head.setUint32(40, samples.length, true);
  return new Blob([head, samples], { type: "audio/wav" });
}
