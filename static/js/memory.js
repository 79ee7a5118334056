// What this browser remembers of a learner's choices. One that keeps nothing forgets them with the page.

const page = new Map();

export function remembered(name) {
  try {
    return localStorage.getItem(name) ?? page.get(name) ?? "";
  } catch {
    return page.get(name) ?? "";
  }
}

export function remember(name, value) {
  page.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this page
  }
}
