import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { MediaError } from "@media-ops/sdk";
import { addressFault } from "../connections/public-addresses.js";
import { ServiceBusyError, ServiceSilentError } from "../connections/services.js";
import type { Form, Sent } from "../features.js";
import { showHome } from "../home/home.js";
import { notSentWords, problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import { markedSection, row } from "../slack/blocks.js";
import type { Draft } from "../slack/draft.js";
import { type Modal, showIn, waitingModal } from "../slack/views.js";
import { connectForm, refusalModal, TITLE } from "./connect.js";
import { type Standing, standingOf } from "./open-project.js";
import { connectButton, mayConnectHere } from "./rights.js";
import { hostOf, strong, typed, usedWords } from "./words.js";

/** What becomes of the window when it is sent. */
export const connectProject: Form = {
  secretField: "key",
  faults: (sent) => connectFaults(sent, sent.kept.isPublicOnly !== true),
  meanwhile: waitingModal(TITLE, "Checking the key…"),
  async run(request, sent) {
    const { modal, message, isConnected } = await outcomeOf(request, sent);
    // Whoever has closed the window while the key was checked is told, too.
    if (!(await showIn(request, sent.viewId, modal)) && message) await request.answer.say(message);
    // It was opened from the app's home, which shows what is connected.
    if (isConnected && request.channelId === undefined) await showHome(request);
  },
};

interface Outcome {
  modal: Modal;
  /** The same for a conversation; none where it would be of no use there. */
  message?: Draft | undefined;
  /** @default false */
  isConnected?: boolean;
}

async function outcomeOf(request: Request, sent: Sent): Promise<Outcome> {
  try {
    // Somebody may have lost the right while the window was open.
    if (!(await mayConnectHere(request))) return { modal: refusalModal(request) };
    const given = givenIn(sent);
    const fault = faultIn(request, sent) ?? (await keyFault(given, request));
    return fault === undefined ? connected(await store(given, request)) : await again(fault, given, request);
  } catch (error) {
    const message = problemDraft(error, request);
    return { modal: { title: TITLE, blocks: message.blocks }, message };
  }
}

/** What the window has been told is not relied on: the same is looked at once more, by the bot's own settings. */
function faultIn({ config }: Request, sent: Sent): string | undefined {
  const faults = connectFaults(sent, config.allowPrivateAddresses);
  return faults && Object.values(faults).map(escapeMrkdwn).join(" ");
}

async function again(fault: string, { address, project, reach }: Given, request: Request): Promise<Outcome> {
  const all = await request.connections.all(request.teamId);
  return {
    modal: connectForm(request, all, { address, project, reach, fault }),
    // A key belongs into the window alone, and the window is closed.
    message: { blocks: [markedSection(fault), ...row(connectButton("Open the window again"))], text: fault },
  };
}

/** Keeps the connection; gives what is to be said of it, in Slack's markup. */
async function store({ address, project, key, reach }: Given, request: Request): Promise<string[]> {
  const { connections, teamId, userId, channelId } = request;
  const before = await standingOf(request);
  const former = before.connections.find(({ projectId }) => projectId === project);
  await connections.add({ teamId, projectId: project, baseUrl: address, apiKey: key, userId });
  const place = reach === "channel" ? channelId : undefined;
  if (reach === "workspace" || place !== undefined) {
    await connections.setDefault({ teamId, channelId: place, projectId: project, userId });
  }
  const kept = reach === "workspace" || former ? undefined : await keepOnly(before, request);
  request.log.info({ project, reach }, "a project was connected");
  const after = await standingOf(request);
  return [
    `*✓ Connected.* The service at ${escapeMrkdwn(hostOf({ baseUrl: address }))} took the key of ${strong(project)}; it is stored encrypted.`,
    ...(former ? [replacedWords(former.connectedBy)] : []),
    whereWords(project, after, request),
    ...(kept === undefined ? [] : [`${strong(kept)} stays the one that is used everywhere else.`]),
    nextWords(project, after, request),
  ];
}

/** The only project was used everywhere without being chosen; beside a second one it must be, or it would be nowhere. */
async function keepOnly({ connections: before, defaults }: Standing, request: Request): Promise<string | undefined> {
  const { connections, teamId, userId } = request;
  const [only, second] = before;
  if (!only || second || defaults.workspace === only.projectId) return undefined;
  await connections.setDefault({ teamId, channelId: undefined, projectId: only.projectId, userId });
  return only.projectId;
}

function whereWords(project: string, { connections, defaults }: Standing, { channelId }: Request): string {
  const used = usedWords(project, defaults, channelId);
  if (used !== "") return `${used}.`;
  return connections.length === 1 ? "It is the only project, and used everywhere." : "It is used where it is named.";
}

/** What to type to ask for the project where somebody is. */
function nextWords(project: string, { here }: Standing, { prefix }: Request): string {
  const next = (command: string): string =>
    typed(prefix, here?.projectId === project ? command : `${command} in:${project}`);
  return `*What to do next:* type ${next("status")} to see how it is, or ${next("logs webhooks since:2h")}.`;
}

function replacedWords(connectedBy: string | undefined): string {
  return connectedBy === undefined
    ? "It takes the place of the connection from the bot's environment."
    : "It takes the place of the former connection, the key of which is deleted here; that key stays good until it is revoked at the service.";
}

function connected(lines: readonly string[]): Outcome {
  const blocks = lines.map(markedSection);
  return {
    modal: { title: "Connected", blocks, close: "Done" },
    message: { blocks, text: lines.join("\n") },
    isConnected: true,
  };
}

/** What was filled in, and has the right form. */
export interface Given {
  readonly address: string;
  readonly project: string;
  readonly key: string;
  readonly reach: string;
}

// As the service names projects.
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// What can be sent as a bearer token; a client takes no other.
const KEY = /^[\w.~+/-]+=*$/;

/** What is wrong with what was filled in, by field; undefined where nothing is. Nothing of it is repeated. */
export function connectFaults(
  { values }: Pick<Sent, "values">,
  allowPrivate: boolean,
): Record<string, string> | undefined {
  const { address = "", project = "", key = "" } = values;
  const faults = {
    address: addressFault(address, allowPrivate),
    project: projectFault(project),
    key: KEY.test(key) ? undefined : keyFormFault(key),
  };
  const found = Object.entries(faults).flatMap(([field, fault]) => (fault === undefined ? [] : [[field, fault]]));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** What was filled in, once {@link connectFaults} has found nothing. */
export function givenIn({ values }: Pick<Sent, "values">): Given {
  const { address = "", project = "", key = "", reach = "named" } = values;
  return { address: address.replace(/\/+$/, ""), project, key, reach };
}

function projectFault(project: string): string | undefined {
  if (PROJECT.test(project)) return undefined;
  return "A project's name has 1 to 63 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.";
}

function keyFormFault(key: string): string {
  if (/\s/.test(key)) return "A key has no blanks and no line breaks. Copy it alone.";
  return key === ""
    ? "Paste the key."
    : "A key has letters, digits and the signs - . _ ~ + / alone. Copy it once more.";
}

/** Asks the service with a key. What was wrong, in Slack's markup; undefined where the key is good for the project. */
async function keyFault({ address, project, key }: Given, request: Request): Promise<string | undefined> {
  const { clients, teamId, log } = request;
  try {
    const ask = clients.to({ teamId, projectId: project, baseUrl: address, apiKey: key }, request);
    await ask((client) => client.logs.sessions({ project_id: project }));
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ err: error, project }, "a key was not taken by the service that it was given for");
    if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) return `*✗* ${notSentWords(error)}`;
    return wordsFor(error, project, address);
  }
}

/** In our own words: what a service says may repeat the key. */
function wordsFor({ code }: MediaError, project: string, address: string): string {
  const [at, name] = [hostOf({ baseUrl: address }), project].map(escapeMrkdwn);
  switch (code) {
    case "Unauthorized":
      return "*✗ The service does not know this key, or it was revoked.* Paste the whole key, or one that is good.";
    case "Forbidden":
      return `*✗ This key belongs to another project than ${name}.* Paste a key of ${name}, or name the key's own project.`;
    case "BadRequest":
      return `*✗ The service does not take ${name} for a project.* Check the name, then paste the key again.`;
    case "Connection":
      return `*✗ No service was reached at ${at}.* Check the address, and that the service runs; then paste the key again.`;
    case "Timeout":
      return `*✗ The service at ${at} took too long to answer.* Paste the key again to try once more.`;
    case "NotFound":
    case "MethodNotAllowed":
    case "Response":
      return `*✗ What answers at ${at} is no media service.* Check the address, then paste the key again.`;
    default:
      return `*✗ The service at ${at} could not check the key now.* Paste the key again in a minute.`;
  }
}
