// Single keys press what they are written on: data-key="r", data-key="3 space"; data-go="s" after g.
// The markup is the only list of keys there is, so the help can never differ from what the keys do.

const STORE = "aloud-keys";
const GO_MS = 1500;
let going = -GO_MS;
let off = remembered();

function remembered() {
  try {
    return localStorage.getItem(STORE) === "off";
  } catch {
    return false; // a browser that keeps nothing: the choice holds for this page
  }
}

export const on = () => !off;
const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled;
const nameOf = ({ key, shiftKey }) =>
  key === " " ? "space" : shiftKey && /^[a-z]$/i.test(key) ? `shift+${key.toLowerCase()}` : key.toLowerCase();

function isText(element) {
  const typed = "input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range]), textarea, select";
  return element.matches(typed) || element.isContentEditable;
}

function ownsKey(element, key) {
  return (key === "space" || key === "enter") && element.matches("a[href], button, summary, input, label, [role=button]");
}

function find(attribute, key) {
  return [...document.querySelectorAll(`[${attribute}]`)].find(
    (element) => element.getAttribute(attribute).toLowerCase().split(" ").includes(key) && visible(element),
  );
}

function press(element) {
  if (isText(element) || "keyFocus" in element.dataset) {
    element.focus();
    element.select?.();
  } else {
    element.click();
    // What opens is there to be written in: else the next letters would press other keys.
    if (element.matches("summary")) element.closest("details[open]")?.querySelector("textarea")?.focus();
  }
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey || !on()) return;
  if (isText(event.target) || event.target.closest("dialog[open]")) return;
  const key = nameOf(event);
  if (ownsKey(event.target, key)) return;
  const after = performance.now() - going < GO_MS;
  going = -GO_MS;
  const target = find(after ? "data-go" : "data-key", key);
  if (target) {
    event.preventDefault();
    press(target);
  } else if (key === "g") {
    going = performance.now();
  }
});

function words(element) {
  if (element.dataset.keyLabel) return element.dataset.keyLabel;
  if (element.labels?.length) return element.labels[0].textContent.trim();
  const copy = element.cloneNode(true);
  for (const hint of copy.querySelectorAll("kbd")) hint.remove();
  return element.getAttribute("aria-label") ?? copy.textContent.trim().replace(/\s+/g, " ");
}

function row(keys, label) {
  const term = document.createElement("dt");
  for (const key of keys) {
    const shown = key.split("+").map((part) => part[0].toUpperCase() + part.slice(1)).join("+");
    term.append(Object.assign(document.createElement("kbd"), { className: "key", textContent: shown }), " ");
  }
  return [term, Object.assign(document.createElement("dd"), { textContent: label })];
}

function fill(dialog) {
  const list = dialog.querySelector("dl");
  const shown = [...document.querySelectorAll("[data-key], [data-go]")].filter(visible);
  list.replaceChildren(
    ...shown.flatMap((element) => {
      const { key, go } = element.dataset;
      return row(key ? key.split(" ") : ["g", go], words(element));
    }),
  );
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (!opener) return;
  const dialog = document.getElementById(opener.dataset.open);
  if (dialog.id === "keys") fill(dialog);
  dialog.showModal();
});

function showState() {
  for (const box of document.querySelectorAll("[data-keys-on]")) box.checked = on();
}

showState();
document.addEventListener("aloud:swapped", showState);
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-keys-on]")) return;
  off = !event.target.checked;
  showState();
  try {
    localStorage.setItem(STORE, off ? "off" : "on");
  } catch {
    // as above
  }
});
