// What is typed into a form with data-draft is sent to that address as it comes, so that a reload loses nothing.

const REST_MS = 1500; // without a key, after which the text is sent

class Kept {
  constructor(form) {
    this.form = form;
    this.sent = form.elements.text.value;
    this.state = form.querySelector("[data-draft-state]");
    this.off = new AbortController();
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.off.signal });
    on(form, "input", () => this.later());
    on(form, "submit", () => this.leave());
    on(window, "pagehide", () => this.beacon());
    on(document, "aloud:swapped", () => form.isConnected || this.leave());
  }

  later() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.keep(), REST_MS);
  }

  get body() {
    const { take, text } = this.form.elements;
    return new URLSearchParams({ take: take.value, text: text.value, page: "false" });
  }

  async keep() {
    const text = this.form.elements.text.value;
    if (text === this.sent) return;
    try {
      const answer = await fetch(this.form.dataset.draft, { method: "POST", body: this.body });
      if (!answer.ok) throw new Error("not kept");
      this.sent = text;
      this.say("Kept.");
    } catch {
      this.say("Not kept yet: the server does not answer. It is tried again as you write.");
    }
  }

  beacon() {
    if (this.form.elements.text.value !== this.sent) navigator.sendBeacon(this.form.dataset.draft, this.body);
  }

  say(words) {
    this.state.hidden = false;
    this.state.textContent = words;
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
