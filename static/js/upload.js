// The bytes of a recording on their way to the server: in order, one request at a time, each telling where it belongs.
// What the server has not acknowledged stays here, and is sent again for as long as the page lives.

const PIECE = 1_000_000; // bytes a request; the server takes twice as many
const LAST = 60_000; // bytes that a closing page may still send: the browser's limit is 64 kB
const GATEWAY = [502, 503, 504]; // from a proxy whose server is away
const WAITS_MS = [500, 1000, 2000, 4000, 8000];

/** What the server answers: how much it has, or a sentence, which comes as a page. */
async function read(answer) {
  const text = await answer.text();
  try {
    return { detail: "The server lost its beginning.", ...JSON.parse(text) };
  } catch {
    const page = new DOMParser().parseFromString(text, "text/html");
    return { detail: page.querySelector("main .lead")?.textContent ?? `The server answers ${answer.status}.` };
  }
}

export class Upload {
  #rest = new Blob(); // what the server does not have yet
  #kept = 0; // bytes that it has
  #stop = new AbortController();

  /**
   * `address` gives the URL for the bytes from an offset on. `refused` gets the server's sentence, should it want no more;
   * `troubled` its sentence where it cannot take them now, such as for a full disk, and "" when it takes them again.
   */
  constructor(address, { refused, troubled }) {
    this.address = address;
    this.refused = refused;
    this.troubled = troubled;
    this.trouble = "";
    this.over = false; // dropped or refused: nothing more is sent
  }

  get all() {
    return !this.#rest.size;
  }

  add(piece) {
    this.type ??= piece.type;
    if (this.over) return;
    this.#rest = new Blob([this.#rest, piece]);
    this.#run();
  }

  /** Waits until the server has all, wants no more, or `patienceMs` are over. Whether nothing is left to send. */
  async flush(patienceMs) {
    this.hurry?.();
    const limit = new Promise((resolve) => setTimeout(resolve, patienceMs));
    await Promise.race([this.#run(), limit]);
    return this.all;
  }

  /** Waits for as long as it takes. Whether the server has all. */
  async whole() {
    await this.#run();
    return this.all && !this.over;
  }

  /** The page is closing: hands the browser what it will still send. */
  last() {
    if (this.all) return;
    this.#ask(this.#rest.slice(0, LAST), { keepalive: true }).catch(() => {});
  }

  /** Nothing more is to be sent. */
  drop() {
    this.over = true;
    this.#rest = new Blob();
    this.#stop.abort();
    this.hurry?.();
  }

  #run() {
    this.running ??= this.#send().finally(() => { this.running = undefined; });
    return this.running;
  }

  async #send() {
    for (let failed = 0; this.#rest.size; ) {
      const answer = await this.#ask(this.#rest.slice(0, PIECE), { signal: this.#stop.signal }).catch(() => undefined);
      if (this.over) return;
      if (answer && (await this.#taken(answer))) failed = 0;
      else if (!this.over) await this.#pause(WAITS_MS[Math.min(failed++, WAITS_MS.length - 1)]);
    }
  }

  #ask(body, more) {
    const headers = { "Content-Type": this.type, Accept: "application/json" };
    return fetch(this.address(this.#kept), { method: "POST", body, headers, ...more });
  }

  /** Goes on from where the server says it is; false where it said nothing that helps, and may be asked again. */
  async #taken(answer) {
    if (GATEWAY.includes(answer.status)) return false;
    const told = await read(answer);
    this.#note(answer.status >= 500 ? told.detail : "");
    if (this.trouble) return false;
    const more = told.size - this.#kept;
    if ((answer.ok || answer.status === 409) && more > 0 && more <= this.#rest.size) {
      this.#rest = this.#rest.slice(more);
      this.#kept = told.size;
      return true;
    }
    this.drop();
    this.refused(told.detail);
    return false;
  }

  #note(trouble) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.troubled(trouble);
  }

  #pause(ms) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener("online", done);
        this.hurry = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      addEventListener("online", done);
      this.hurry = done;
    });
  }
}
