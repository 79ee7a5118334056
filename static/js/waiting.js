// <waiting-part data-src>: a part of a page whose forms are sent from here, so that what is ticked and typed elsewhere on
// the page stays. While it holds a data-watch, the server's newest drawing of it is asked for every so many seconds;
// when that ends, its data-news are announced.

import { announce } from "./swap.js";

class WaitingPart extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.addEventListener("submit", this.#send);
    this.#watch();
  }

  disconnectedCallback() {
    this.removeEventListener("submit", this.#send);
    clearTimeout(this.#timer);
  }

  get #every() {
    return Number(this.querySelector("[data-watch]")?.dataset.watch ?? 0);
  }

  #watch() {
    clearTimeout(this.#timer);
    if (this.#every && this.isConnected) this.#timer = setTimeout(() => this.#look(), 1000 * this.#every);
  }

  #send = async (event) => {
    event.preventDefault();
    const form = event.target;
    const data = new FormData(form, event.submitter);
    for (const button of form.querySelectorAll("button")) button.disabled = true; // a second click asks nothing
    const body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => undefined);
    if (answer && answer.type !== "opaqueredirect") return form.submit(); // a page that says what is wrong
    await this.#look(true);
  };

  /** `pressed`: the learner pressed a button of this part, which may be gone with the next drawing. */
  async #look(pressed = false) {
    const watched = this.#every > 0;
    const html = await fetch(this.dataset.src, { headers: { Accept: "text/html" } })
      .then((answer) => (answer.ok ? answer.text() : undefined))
      .catch(() => undefined);
    if (!this.isConnected) return;
    if (html === undefined) this.#sayNoAnswer();
    else {
      this.#put(html, pressed);
      const news = this.querySelector("[data-news]")?.dataset.news;
      if (news && watched && !this.#every) announce(news);
    }
    this.#watch();
  }

  #put(html, pressed) {
    const had = pressed || this.contains(document.activeElement);
    this.replaceChildren(document.createRange().createContextualFragment(html));
    if (had) this.querySelector("button:not([hidden]), [tabindex]")?.focus({ preventScroll: true });
  }

  #sayNoAnswer() {
    for (const button of this.querySelectorAll("button")) button.disabled = false;
    if (this.querySelector("[data-no-answer]")) return;
    const told = document.getElementById("no-answer").content.firstElementChild.cloneNode(true);
    told.dataset.noAnswer = "";
    this.prepend(told);
  }
}

customElements.define("waiting-part", WaitingPart);
