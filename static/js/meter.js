// How loud it is: a number from 0 to 100 for each frame that the screen draws.

const FLOOR_DB = -60; // what counts as nothing

/** What a meter listens with and tones are made with. Made within the learner's tap, else Safari leaves it silent. */
export function sound() {
  try {
    const context = new AudioContext();
    context.resume().catch(() => {});
    return context;
  } catch {
    return undefined; // no sound system: the meter rests, the recording does not need it
  }
}

/** Loudness of samples between -1 and 1: 0 for silence, 100 for as loud as can be, even steps in decibels. */
export function loudness(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.max(0, Math.min(100, 100 * (1 - (10 * Math.log10(power || 1e-12)) / FLOOR_DB)));
}

export class Meter {
  /** Calls `show` with the loudness of `stream` at every frame, until it is closed. */
  constructor(context, stream, show) {
    this.context = context;
    this.source = context.createMediaStreamSource(stream);
    this.analyser = new AnalyserNode(context, { fftSize: 2048 });
    this.source.connect(this.analyser);
    this.samples = new Float32Array(this.analyser.fftSize);
    this.show = show;
    this.look();
  }

  look() {
    this.analyser.getFloatTimeDomainData(this.samples);
    this.show(loudness(this.samples));
    this.frame = requestAnimationFrame(() => this.look());
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.source.disconnect();
    this.show(0);
  }
}
