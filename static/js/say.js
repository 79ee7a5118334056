// In a box for an answer: Escape leaves it, so that the page's keys work again; Ctrl or Cmd and Enter reveal from code.
// Once a run on this page has ended, a prediction is marked anew by it.

import { announce } from "./swap.js";

document.addEventListener("keydown", (event) => {
  const box = event.target.closest?.(".say");
  if (!box || event.isComposing) return;
  if (event.key === "Escape") {
    event.preventDefault();
    document.querySelector(".question")?.focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    box.closest("form").requestSubmit();
  }
});

/** The reveal has an address: asked again, it marks by the newest run, and its ticket carries that mark into the log. */
async function markAgain() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!response.ok || response.redirected) return; // graded meanwhile, elsewhere
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const parts = [".said", ".grade-form"].map((name) => [document.querySelector(name), page.querySelector(name)]);
  if (!parts.every(([old, fresh]) => old && fresh)) return;
  for (const [old, fresh] of parts) old.replaceWith(document.adoptNode(fresh));
  announce(document.querySelector(".said").dataset.announce);
}

function watch() {
  const slot = document.querySelector("[data-run-slot]");
  if (!slot || !document.querySelector(".said[data-by-run]")) return;
  let running = false;
  new MutationObserver((changes) => {
    const open = slot.querySelector("demo-run") !== null;
    const drawn = running || changes.some(({ target }) => target === slot);
    if (drawn && !open) markAgain().catch(() => {}); // the mark by the earlier run stands, and says so
    running = open;
  }).observe(slot, { childList: true, subtree: true });
}

watch();
document.addEventListener("aloud:swapped", watch);
