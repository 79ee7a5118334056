// What is typed into a form with data-draft is sent to that address as it comes, so that a reload loses nothing.

const REST_MS = 1500; // without a key, after which the text is sent

class Kept {
  constructor(form) {
    this.form = form;
    this.sent = this.text; // undefined while a transcript is waited for
    this.off = new AbortController();
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.off.signal });
    on(form, "input", (event) => event.target.name === "text" && this.later());
    on(form, "submit", () => this.leave());
    on(window, "pagehide", () => this.beacon());
    on(document, "aloud:swapped", () => form.isConnected || this.leave());
  }

  get text() {
    return this.form.elements.text?.value;
  }

  later() {
    this.typed = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.keep(), REST_MS);
  }

  get body() {
    const all = new URLSearchParams(new FormData(this.form)); // ticks, too, where the answer is reviewed
    all.set("page", "false");
    return all;
  }

  async keep() {
    const { text } = this;
    if (text === this.sent) return;
    try {
      const answer = await fetch(this.form.dataset.draft, { method: "POST", body: this.body, redirect: "manual" });
      if (!answer.ok && answer.type !== "opaqueredirect") throw new Error("not kept"); // led back to its page: kept
      this.sent = text;
      this.say("Kept.");
    } catch {
      this.say("Not kept yet: the server does not answer. It is tried again as you write.");
    }
  }

  beacon() {
    if (this.typed && this.text !== this.sent) navigator.sendBeacon(this.form.dataset.draft, this.body);
  }

  say(words) {
    const state = this.form.querySelector("[data-draft-state]");
    state.hidden = false;
    state.textContent = words;
  }

  leave() {
    clearTimeout(this.resting);
    this.off.abort();
  }
}

function begin() {
  for (const form of document.querySelectorAll("[data-draft]:not([data-kept])")) {
    form.dataset.kept = "";
    new Kept(form);
  }
}

document.addEventListener("aloud:swapped", begin);
begin();
