// The microphone, without a page: whether it can be had, which one the learner chose, and the sentence for each way in
// which it cannot. Nothing here asks for it unless `open` is called.

import { remember, remembered } from "./memory.js";

const CHOSEN = "aloud-microphone"; // the device's id, a space, its label

const { hostname, port } = location;
const tunnel = `ssh -L ${port || 80}:localhost:${port || 80} ${hostname}`;
const SENTENCES = {
  insecure:
    "Browsers give the microphone only to pages from localhost or over https, and this one came over plain http. " +
    `Open Aloud as localhost on the machine that runs it, or through a tunnel (${tunnel}), or behind a proxy with TLS.`,
  blocked:
    "A header of this page (Permissions-Policy) keeps the microphone off. Aloud itself allows it: look at what the proxy before it adds.",
  unsupported: "This browser cannot record sound. A current Chrome, Edge, Firefox or Safari can.",
  none: "There is no microphone on this machine. Plug one in, and it will be found.",
  denied:
    "This browser keeps the microphone from Aloud. Allow it in the site's settings, at the left end of the address, then try again.",
  held: "The microphone gives no sound to this browser. Close what else uses it, or allow the browser to use it in the system's settings.",
};

/** The microphone cannot be had; the message says why, and what to do. */
export class NoMicrophone extends Error {
  constructor(why) {
    super(SENTENCES[why]);
    this.passing = !["insecure", "blocked", "unsupported"].includes(why); // it may be there on a second look
  }
}

const BY_ERROR = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "none",
  OverconstrainedError: "none",
  NotSupportedError: "unsupported",
};

/** What any failure on the way to a recording is in words. */
export const explained = (error) =>
  error instanceof NoMicrophone ? error : new NoMicrophone(BY_ERROR[error?.name] ?? "held");

function cannot() {
  if (!isSecureContext) return "insecure";
  const policy = document.permissionsPolicy ?? document.featurePolicy;
  if (policy?.allowsFeature("microphone") === false) return "blocked";
  return navigator.mediaDevices?.getUserMedia && window.MediaRecorder ? "" : "unsupported";
}

/** All microphones; their labels are empty until the learner has allowed one. */
export async function devices() {
  const all = await navigator.mediaDevices.enumerateDevices();
  return all.filter(({ kind }) => kind === "audioinput");
}

export function chosen() {
  const [, id, label] = /^(\S+) (.*)$/s.exec(remembered(CHOSEN)) ?? [];
  return { id: id ?? "", label: label ?? "" };
}

export const choose = ({ deviceId, label }) => remember(CHOSEN, `${deviceId} ${label}`);

async function permission() {
  try {
    return await navigator.permissions.query({ name: "microphone" });
  } catch {
    return { state: "prompt" }; // a browser that tells only when it is asked for the microphone itself
  }
}

/**
 * How things stand, without asking the learner anything: whether the microphone was allowed already, and the label of
 * the one that would be used, "" where the browser does not tell yet. Throws NoMicrophone.
 */
export async function standing() {
  const why = cannot();
  if (why) throw new NoMicrophone(why);
  const found = await devices();
  if (!found.length) throw new NoMicrophone("none");
  const { state } = await permission();
  if (state === "denied") throw new NoMicrophone("denied");
  const wanted = found.find(({ deviceId }) => deviceId === chosen().id) ?? found[0];
  return { allowed: state === "granted", label: wanted.label || chosen().label };
}

/** Calls `look` whenever `standing` may have changed, until the signal aborts. */
export async function onChange(look, signal) {
  navigator.mediaDevices?.addEventListener("devicechange", look, { signal });
  const status = await permission();
  status.addEventListener?.("change", look, { signal });
}

/** The chosen microphone's sound; any other's where that one is not there. Asks the learner the first time. Throws NoMicrophone. */
export async function open() {
  const why = cannot();
  if (why) throw new NoMicrophone(why);
  const ask = (audio) => navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, ...audio } });
  const { id } = chosen();
  try {
    return await ask(id ? { deviceId: { exact: id } } : {}).catch((error) => {
      if (!id || error.name !== "OverconstrainedError") throw error;
      return ask({});
    });
  } catch (error) {
    throw explained(error);
  }
}

/** Lets go of it, and of the light that says it is on. */
export function close(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
