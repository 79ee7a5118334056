// Runs a demo without leaving the page: sends the form to the API, follows the run by its events, puts the server's
// drawing in place. A form[data-run] fills the nearest [data-run-slot]. Without any of this the forms work plainly.

import { announce, moved } from "./swap.js";

const LOST = "This page lost sight of the run. Reload it to see how far it is.";

function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is missing on plain-http names
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Short enough to be told to somebody else.
function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] % 10_000;
}

// Where the slot is out of sight, as on a phone below a long form, a press of Run would seem to do nothing.
function bringIntoView(slot) {
  const { top, bottom } = slot.getBoundingClientRect();
  if (top > innerHeight * 0.75 || bottom < innerHeight * 0.25) slot.scrollIntoView({ behavior: "instant" });
}

function parse(html) {
  return document.createRange().createContextualFragment(html);
}

async function fragment(url, fine = [200]) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  if (!fine.includes(response.status)) throw new Error(`${response.status}`);
  return parse(await response.text());
}

function problem(words) {
  const box = document.createElement("div");
  box.className = "notice error";
  box.setAttribute("role", "alert");
  box.append(Object.assign(document.createElement("p"), { textContent: words }));
  return box;
}

function slotOf(form) {
  const own = form.closest("[data-run-slot]");
  return own ?? form.closest(".aside, .page").querySelector("[data-run-slot]");
}

// Above what the slot shows, which stays: a refusal takes nothing away.
function refuse(slot, words) {
  slot.querySelector(":scope > [role=alert]")?.remove();
  slot.prepend(problem(words));
  bringIntoView(slot);
}

// The server's page of these parameters has each sentence at its field, and all of them at its top.
async function showFaults(form, params) {
  const page = await fragment(`${form.dataset.page}?${new URLSearchParams(params)}`, [200, 422]);
  const [faults, fresh] = [page.querySelector("[data-faults]"), page.querySelector("form[data-page]")];
  if (!faults || !fresh) throw new Error("nothing to change");
  clearFaults(form);
  form.closest(".split").before(faults);
  form.replaceWith(fresh);
  faults.focus();
}

function clearFaults(form) {
  document.querySelector("[data-faults]")?.remove();
  for (const said of form.querySelectorAll(".field .error")) said.remove();
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.setAttribute("aria-describedby", `${input.id}-help`);
  }
}

async function run(form, slot) {
  const { "run-key": key, ...params } = Object.fromEntries(new FormData(form));
  const response = await fetch(form.dataset.api, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ demo: form.dataset.demo, params }),
  });
  const answer = await response.json();
  if (response.status === 422 && form.dataset.page) return showFaults(form, params);
  if (!response.ok) return refuse(slot, answer.detail);
  form.elements["run-key"].value = randomKey(); // the next press asks for another run
  clearFaults(form);
  const page = `${form.dataset.runs}/${answer.id}`;
  const named = form.dataset.named ? `?named=${encodeURIComponent(form.dataset.named)}` : "";
  const drawn = await fragment(`${page}/fragment${named}`).catch(() => null);
  if (!drawn) return location.assign(page);
  slot.replaceChildren(drawn);
  bringIntoView(slot);
  const link = slot.querySelector("[data-link]")?.dataset.link;
  if (link && "runNamesPage" in slot.dataset) {
    const address = new URL(link, location.href).href;
    if (address !== location.href) moved(address); // Back shows the parameters before
  }
  announce(slot.querySelector("[data-waiting-words]")?.textContent ?? "Done.");
  return undefined;
}

// With the same key: a run that was asked for already, though no answer came, is not asked for again.
function plainly(form) {
  delete form.dataset.run;
  form.requestSubmit();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.matches("[data-cancel]")) {
    event.preventDefault();
    form.closest("demo-run").cancel(form);
  } else if (form.matches("[data-run]")) {
    event.preventDefault();
    const slot = slotOf(form);
    if (slot.ariaBusy === "true") return;
    if (event.submitter?.name === "new-seed") form.elements.seed.value = newSeed();
    slot.ariaBusy = "true";
    try {
      await run(form, slot);
    } catch {
      plainly(form);
    } finally {
      slot.ariaBusy = "false";
    }
  }
});

// A run that is still open. While the tab is hidden it does not listen: browsers allow six connections to a host.
class DemoRun extends HTMLElement {
  #events = null;

  connectedCallback() {
    document.addEventListener("visibilitychange", this);
    this.handleEvent();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this);
    this.#close();
  }

  handleEvent() {
    if (document.hidden) this.#close();
    else if (!this.#events) this.#open();
  }

  async cancel(form) {
    form.querySelector("button").disabled = true;
    const response = await fetch(this.dataset.runApi, { method: "DELETE" }).catch(() => null);
    if (!response?.ok) form.submit();
  }

  #open() {
    this.#events = new EventSource(this.dataset.events);
    this.#events.addEventListener("run", (event) => this.#show(JSON.parse(event.data)));
    this.#events.addEventListener("error", () => {
      if (this.#events?.readyState === EventSource.CLOSED) this.#finish(LOST);
    });
  }

  #close() {
    this.#events?.close();
    this.#events = null;
  }

  #show(run) {
    this.querySelector("[data-waiting-words]").textContent = run.words;
    const bar = this.querySelector("progress");
    if (run.state === "running" && run.progress > 0) bar.value = run.progress;
    else bar.removeAttribute("value");
    if (run.final) this.#finish(run.words);
  }

  async #finish(words) {
    this.#close();
    const drawn = await fragment(this.dataset.fragment).catch(() => problem(LOST));
    if (!this.isConnected) return; // the learner has gone on to the next card
    this.replaceWith(drawn);
    announce(words);
  }
}

// The blocks that a card does not need at once are fetched when somebody asks for them.
class MoreBlocks extends HTMLElement {
  connectedCallback() {
    this.details = this.querySelector("details");
    this.details.addEventListener("toggle", () => this.#fill(), { once: true });
  }

  async #fill() {
    this.ariaBusy = "true";
    const drawn = await fragment(this.dataset.src).catch(() => null);
    this.ariaBusy = "false";
    if (drawn) this.details.querySelector("p").replaceWith(drawn); // else its link still leads to them
  }
}

// Narrows the catalogue while somebody types. Enter asks the server, which gives the same list an address.
class DemoFilter extends HTMLElement {
  connectedCallback() {
    this.addEventListener("input", (event) => this.#show(event.target.value));
  }

  #show(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const items = [...this.querySelectorAll("[data-words]")];
    for (const item of items) item.hidden = !words.every((word) => item.dataset.words.includes(word));
    for (const topic of this.querySelectorAll(".topic")) {
      const left = topic.querySelectorAll("[data-words]:not([hidden])").length;
      topic.hidden = !left;
      const link = this.querySelector(`[data-topic-link="${topic.id}"]`);
      link.hidden = !left;
      link.querySelector(".num").textContent = left;
    }
    const left = items.filter((item) => !item.hidden).length;
    this.querySelector("[data-count]").textContent = words.length ? `${left} of ${items.length} demos` : `${items.length} demos`;
    this.querySelector("[data-none]").hidden = left > 0;
  }
}

customElements.define("demo-run", DemoRun);
customElements.define("more-blocks", MoreBlocks);
customElements.define("demo-filter", DemoFilter);
