// Forms and links with data-swap: the server's page is fetched and its #page put in place of ours.
// Everything here only makes plain forms quicker; whatever goes wrong, the browser does it the plain way.

const SLOW_MS = 300;
let busy = false;

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

async function fetchPage(url, options) {
  const response = await fetch(url, { ...options, headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!response.headers.get("content-type")?.startsWith("text/html")) throw new Error("no page");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!page.getElementById("page")) throw new Error("no page");
  return { page, response };
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
  for (const id of ["page", "worker"]) {
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

async function swap(url, options, keepScroll, plainly) {
  if (busy) return;
  const done = wait();
  try {
    const { page, response } = await fetchPage(url, options);
    // A page that answers a POST itself has no address of its own: reloading it must not ask for one.
    const hasAddress = response.ok && (response.redirected || options.method !== "POST");
    if (hasAddress && response.url !== location.href) history.pushState(null, "", response.url);
    put(page, keepScroll);
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
  swap(url, post ? { method: "POST", body: data } : {}, form.dataset.swap === "keep", plainly);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  swap(link.href, {}, link.dataset.swap === "keep", () => location.assign(link.href));
});

// Going back shows the state of now, not a copy from before: an answered card must not come back to life.
addEventListener("popstate", () => location.reload());
