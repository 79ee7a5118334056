// <fresh-part data-src data-every>: every so many seconds the server's newest drawing of it is put in its place, while
// the tab is visible and nobody is at it. Each look is a request that ends, so a stopping server waits for none.

class FreshPart extends HTMLElement {
  #shown = "";
  #timer = 0;

  connectedCallback() {
    document.addEventListener("visibilitychange", this);
    this.#wait();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this);
    clearTimeout(this.#timer);
  }

  handleEvent() {
    clearTimeout(this.#timer);
    if (!document.hidden) this.#look();
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), 1000 * this.dataset.every);
  }

  async #look() {
    const html = await fetch(this.dataset.src, { headers: { Accept: "text/html" } })
      .then((answer) => (answer.ok ? answer.text() : this.#shown))
      .catch(() => this.#shown); // what was last known stays until the server is back
    if (!this.isConnected || document.hidden) return;
    if (html !== this.#shown && !this.#inUse()) {
      this.replaceChildren(document.createRange().createContextualFragment(html));
      this.#shown = html;
    }
    this.#wait();
  }

  #inUse() {
    const selection = getSelection();
    return this.contains(document.activeElement) || (!selection.isCollapsed && selection.containsNode(this, true));
  }
}

customElements.define("fresh-part", FreshPart);
