// <fresh-part data-src data-every>: every so many seconds the server's newest drawing of it is put in its place, while
// the tab is visible. All parts of a page are asked for together, as often as the one that is asked for most often, so
// that none contradicts another. What has not changed stays as it is, with its focus; and while a pointer is down or text
// is selected in it, a part waits. Each look is a request that ends, so a stopping server waits for none.
// What holds a data-settled changes no more: it is not asked for again, and its words, if any, are announced once.
// Where no answer comes, a copy of the template data-silent says so at its top, with the time of the last one.

import { announce } from "./swap.js";

const parts = new Set();
let timer = 0;

function wait() {
  clearTimeout(timer);
  const every = Math.min(...[...parts].map((part) => Number(part.dataset.every)));
  if (parts.size && !document.hidden) timer = setTimeout(look, 1000 * every);
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  await Promise.all([...parts].map((part) => part.look()));
  wait();
}

document.addEventListener("visibilitychange", look);

/** What a node is about: one that is about something else is not renewed but replaced, lest a key pressed at it go astray. */
function about(node) {
  return node.id || node.getAttribute?.("href") || node.getAttribute?.("action");
}

function renew(old, fresh) {
  if (old.nodeName !== fresh.nodeName || about(old) !== about(fresh)) return old.replaceWith(fresh);
  if (!(old instanceof Element)) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  renewChildren(old, fresh);
}

function renewChildren(old, fresh) {
  const [had, has] = [[...old.childNodes], [...fresh.childNodes]];
  has.forEach((node, at) => (had[at] ? renew(had[at], node) : old.append(node)));
  had.slice(has.length).forEach((node) => node.remove());
}

class FreshPart extends HTMLElement {
  #seen = new Date();

  connectedCallback() {
    parts.add(this);
    wait();
  }

  disconnectedCallback() {
    parts.delete(this);
    wait();
  }

  async look() {
    const html = await fetch(this.dataset.src, { headers: { Accept: "text/html" } })
      .then((answer) => (answer.ok ? answer.text() : undefined))
      .catch(() => undefined);
    if (!this.isConnected || document.hidden) return;
    if (html === undefined) return this.#saySilent();
    this.#seen = new Date();
    this.querySelector("[data-silent]")?.remove();
    if (!this.#held()) this.#put(document.createRange().createContextualFragment(html));
  }

  #put(fresh) {
    const had = this.contains(document.activeElement);
    renewChildren(this, fresh);
    this.#settle();
    if (!had || this.contains(document.activeElement)) return;
    this.tabIndex = -1; // what had the focus is gone, and the next key must meet nothing else
    this.focus({ preventScroll: true });
  }

  #settle() {
    const settled = this.querySelector("[data-settled]");
    if (!settled) return;
    parts.delete(this);
    if (settled.dataset.settled) announce(settled.dataset.settled);
  }

  #held() {
    const selection = getSelection();
    return this.matches(":active") || (!selection.isCollapsed && selection.containsNode(this, true));
  }

  #saySilent() {
    if (this.querySelector("[data-silent]")) return;
    const told = document.getElementById(this.dataset.silent).content.firstElementChild.cloneNode(true);
    told.dataset.silent = "";
    told.querySelector("time").textContent = this.#seen.toLocaleTimeString([], { hourCycle: "h23" });
    this.prepend(told);
  }
}

customElements.define("fresh-part", FreshPart);
