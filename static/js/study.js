// The done page says when a card has come back; a page out of the browser's memory is asked for anew.

import { announce } from "./swap.js";

const HERE = "The next card is here.";
let timer = 0;

function watch() {
  clearTimeout(timer);
  const lead = document.querySelector("[data-comes-in]");
  if (!lead) return;
  timer = setTimeout(() => {
    lead.textContent = HERE;
    announce(HERE);
  }, Number(lead.dataset.comesIn) * 1000);
}

watch();
document.addEventListener("aloud:swapped", watch);
addEventListener("pageshow", (event) => event.persisted && location.reload());
