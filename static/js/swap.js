// Forms and links with data-swap: the server's page is fetched and its #page put in place of ours.
// data-swap="keep" keeps the scroll position; data-swap="replace" is a step within a page that Back leaves at once.
// Everything here only makes plain forms quicker: what is no page of ours, the browser shows the plain way.
// Only where no answer comes, ours is better: the page stays as it is and says so.

const SLOW_MS = 300;
const GATEWAY = [502, 503, 504]; // a proxy answers for a server that does not
let busy = false;

let shown = address();

function address() {
  return location.pathname + location.search;
}

/** Gives what the page shows now its address: Back leads to what it showed before, unless `way` is "replace". */
export function moved(url, way) {
  history[way === "replace" ? "replaceState" : "pushState"](null, "", url);
  shown = address();
}

export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  requestAnimationFrame(() => { live.textContent = text; });
}

function wait() {
  busy = true;
  const slow = setTimeout(() => {
    document.documentElement.dataset.busy = "";
    announce("Working");
  }, SLOW_MS);
  return () => {
    clearTimeout(slow);
    delete document.documentElement.dataset.busy;
    busy = false;
  };
}

/** The response and its text; undefined where the server gave none. */
async function ask(url, options) {
  try {
    const response = await fetch(url, { ...options, headers: { Accept: "text/html" }, credentials: "same-origin" });
    return GATEWAY.includes(response.status) ? undefined : { response, text: await response.text() };
  } catch {
    return undefined;
  }
}

function pageIn({ response, text }) {
  if (!response.headers.get("content-type")?.startsWith("text/html")) throw new Error("no page");
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.getElementById("page")) throw new Error("no page");
  return page;
}

function sayNoAnswer() {
  document.querySelector("[data-no-answer]")?.remove();
  const notice = document.getElementById("no-answer").content.firstElementChild.cloneNode(true);
  notice.dataset.noAnswer = "";
  document.getElementById("page").prepend(notice);
  notice.scrollIntoView({ block: "nearest" });
}

function loadMissingScripts(page) {
  for (const { src } of page.querySelectorAll("script[type=module][src]")) {
    const path = new URL(src, location.href).href;
    if (![...document.scripts].some((script) => script.src === path)) {
      document.head.append(Object.assign(document.createElement("script"), { type: "module", src: path }));
    }
  }
}

function put(page, keepScroll) {
  document.title = page.title;
  for (const id of ["page", "worker", "theme"]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }
  loadMissingScripts(page);
  if (!keepScroll) scrollTo(0, 0);
  const main = document.getElementById("page");
  const target = main.querySelector("[data-focus]") ?? main.querySelector("h1") ?? main;
  if (!target.matches("a, button, input, select, textarea, [tabindex]")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  const spoken = main.querySelector("[data-announce]")?.dataset.announce;
  if (spoken) announce(spoken);
  document.dispatchEvent(new CustomEvent("aloud:swapped", { detail: { main } }));
}

async function swap(url, options, way, plainly) {
  if (busy) return;
  const done = wait();
  try {
    const answer = await ask(url, options);
    if (!answer) return sayNoAnswer();
    const page = pageIn(answer);
    const { response } = answer;
    // A page that answers a POST itself has no address of its own: reloading it must not ask for one.
    const hasAddress = response.ok && (response.redirected || options.method !== "POST");
    if (hasAddress && response.url !== location.href) moved(response.url, way);
    put(page, way === "keep");
  } catch {
    plainly();
  } finally {
    done();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-swap]") || event.defaultPrevented) return;
  event.preventDefault();
  const data = new URLSearchParams(new FormData(form, event.submitter));
  const post = form.method === "post";
  const url = new URL(event.submitter?.getAttribute("formaction") ?? form.action, location.href);
  if (!post) url.search = data;
  const plainly = () => {
    delete form.dataset.swap;
    form.requestSubmit(event.submitter);
  };
  swap(url, post ? { method: "POST", body: data } : {}, form.dataset.swap, plainly);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  swap(link.href, {}, link.dataset.swap, () => location.assign(link.href));
});

// Going back shows the state of now, not a copy from before: an answered card must not come back to life. A link to a
// place on this page pops a state, too, and asks for nothing new.
addEventListener("popstate", () => {
  if (address() !== shown) location.reload();
});
