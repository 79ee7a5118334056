// Printing: paper is light, and what is folded on the screen is open. The style sheet opens the rest by itself.

const blocks = () => document.querySelectorAll(".block details:not([open], .rest)"); // the rest of a long table would fill pages
let theme;
let folded = [];

addEventListener("beforeprint", () => {
  const root = document.documentElement;
  theme = root.dataset.theme;
  root.dataset.theme = "light"; // what a canvas holds was painted in the colours of the screen
  folded = [...blocks()];
  for (const details of folded) details.open = true;
  document.dispatchEvent(new Event("aloud:paper"));
});

addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
  for (const details of folded) details.open = false;
  document.dispatchEvent(new Event("aloud:screen"));
});
