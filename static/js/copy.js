// <copy-code>: a button that copies the code below it.

import { announce } from "./swap.js";

const SHOWN_MS = 2000;

// Pages on plain-http names have no clipboard; there the old command copies what is selected.
async function copy(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  document.execCommand("copy");
  return getSelection().removeAllRanges();
}

class CopyCode extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    const words = button.textContent;
    button.addEventListener("click", async () => {
      await copy(this.querySelector("code"));
      button.textContent = "Copied";
      announce("Copied");
      setTimeout(() => { button.textContent = words; }, SHOWN_MS);
    });
  }
}

customElements.define("copy-code", CopyCode);
