// <copy-code>: a button that copies the code below it; in place of the text of the field with the id data-edited, which
// stands in the code between <<< and >>>, what that field holds by now. <copy-link>: one that copies the link before it.

import { announce } from "./swap.js";

const SHOWN_MS = 2000;

// Pages on plain-http names have no clipboard; there the old command copies what is selected.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = Object.assign(document.createElement("textarea"), { value: text, className: "visually-hidden" });
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  return box.remove();
}

class CopyCode extends HTMLElement {
  get text() {
    const { textContent } = this.querySelector("code");
    const field = document.getElementById(this.dataset.edited);
    const framed = (text) => `<<<\n${text.trim()}\n>>>`;
    return field ? textContent.replace(framed(field.defaultValue), () => framed(field.value)) : textContent;
  }

  connectedCallback() {
    const button = this.querySelector("button");
    const words = button.textContent;
    button.addEventListener("click", async () => {
      await copy(this.text);
      button.textContent = "Copied";
      button.focus();
      announce("Copied");
      setTimeout(() => { button.textContent = words; }, SHOWN_MS);
    });
  }
}

class CopyLink extends CopyCode {
  get text() {
    return this.querySelector("a").href;
  }
}

customElements.define("copy-code", CopyCode);
customElements.define("copy-link", CopyLink);
