// While a card is written, the server's drawing of it stands beside the text. A text that was not saved is not left unasked.

import { announce } from "./swap.js";

const PAUSE_MS = 250;
let timer = 0;
let asked = 0;

const form = document.querySelector("[data-preview]");
const text = form.elements.text;
const preview = document.getElementById("preview");
const opened = text.value;
let leaving = false;

async function draw() {
  const mine = ++asked;
  const body = new URLSearchParams(new FormData(form));
  body.set("do", "preview");
  const html = await fetch(form.action, { method: "POST", body }).then((answer) => answer.text()).catch(() => "");
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("preview");
  if (!fresh || mine !== asked) return; // the text is safe where it is; the next key asks again
  const before = preview.querySelector("[data-state]").textContent;
  preview.replaceChildren(...fresh.childNodes);
  const after = preview.querySelector("[data-state]").textContent;
  text.toggleAttribute("aria-invalid", false);
  if (preview.querySelector(".mistakes")) text.setAttribute("aria-invalid", "true");
  if (after !== before) announce(after);
}

text.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(draw, PAUSE_MS);
});

preview.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  if (!link) return;
  event.preventDefault();
  const lines = text.value.split("\n");
  const at = Math.min(Number(link.dataset.line), lines.length) - 1;
  const start = lines.slice(0, at).join("\n").length + (at > 0 ? 1 : 0);
  text.focus();
  text.setSelectionRange(start, start + lines[at].length);
});

form.addEventListener("submit", () => { leaving = true; });
addEventListener("beforeunload", (event) => {
  if (!leaving && text.value !== opened) event.preventDefault();
});
addEventListener("pageshow", () => { leaving = false; });
