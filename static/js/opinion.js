// <opinion-part data-src>: what a judge says of a take. Its forms are sent from here, so that what is ticked and typed on
// the page stays; while a question is open, the server's newest drawing of this part is asked for every second.

import { announce } from "./swap.js";

const EVERY_MS = 1000;

class OpinionPart extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.addEventListener("submit", this.#send);
    this.#watch();
  }

  disconnectedCallback() {
    this.removeEventListener("submit", this.#send);
    clearTimeout(this.#timer);
  }

  get #asking() {
    return this.querySelector("[data-asking]") !== null;
  }

  #watch() {
    clearTimeout(this.#timer);
    if (this.#asking && this.isConnected) this.#timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  #send = async (event) => {
    event.preventDefault();
    const form = event.target;
    for (const button of form.querySelectorAll("button")) button.disabled = true; // a second click asks nothing
    const sent = { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" };
    const answer = await fetch(form.action, sent).catch(() => undefined);
    if (answer && answer.type !== "opaqueredirect") return form.submit(); // a page that says what is wrong
    await this.#look(true);
  };

  /** `moved`: the learner pressed a button of this part, which may be gone with the next drawing. */
  async #look(moved = false) {
    const was = this.#asking;
    const html = await fetch(this.dataset.src, { headers: { Accept: "text/html" } })
      .then((answer) => (answer.ok ? answer.text() : undefined))
      .catch(() => undefined);
    if (!this.isConnected) return;
    if (html === undefined) this.#sayNoAnswer();
    else this.#put(html, moved);
    if (html !== undefined && was && !this.#asking && !moved) announce(this.#news());
    this.#watch();
  }

  #put(html, moved) {
    const had = moved || this.contains(document.activeElement);
    this.replaceChildren(document.createRange().createContextualFragment(html));
    if (had) this.querySelector("button, [tabindex]")?.focus({ preventScroll: true });
  }

  #news() {
    return this.querySelector(".notice.error")?.textContent.trim() ?? "The machine's opinion is here.";
  }

  #sayNoAnswer() {
    for (const button of this.querySelectorAll("button")) button.disabled = false;
    if (this.querySelector("[data-no-answer]")) return;
    const told = document.getElementById("no-answer").content.firstElementChild.cloneNode(true);
    told.dataset.noAnswer = "";
    this.prepend(told);
  }
}

customElements.define("opinion-part", OpinionPart);
