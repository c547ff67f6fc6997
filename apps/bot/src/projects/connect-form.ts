import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { MediaError } from "@media-ops/sdk";
import { addressFault } from "../connections/public-addresses.js";
import { ServiceBusyError, ServiceSilentError } from "../connections/services.js";
import type { Form, SentForm } from "../features.js";
import { showHome } from "../home/home.js";
import { notSentText, problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnSection, row } from "../slack/blocks.js";
import { type Modal, showIn, waitingModal } from "../slack/views.js";
import { connectForm, refusalModal, TITLE } from "./connect.js";
import { type ProjectOverview, projectOverview } from "./open-project.js";
import { connectButton, mayConnectHere } from "./rights.js";
import { hostOf, strong, typed, usedText } from "./words.js";

/** Checks and stores what was sent with the window. */
export const connectProject: Form = {
  secretField: "key",
  faults: (sent) => connectFaults(sent, sent.kept.isPublicOnly !== true),
  meanwhile: waitingModal(TITLE, "Checking the key…"),
  async run(request, sent) {
    const { modal, message, isConnected } = await outcomeOf(request, sent);
    // If the person closed the window while the key was checked, the outcome is sent as a message.
    if (!(await showIn(request, sent.viewId, modal)) && message) await request.answer.say(message);
    // It was opened from the app's home, which shows what is connected.
    if (isConnected && request.channelId === undefined) await showHome(request);
  },
};

interface ConnectOutcome {
  modal: Modal;
  /** The outcome as a message; undefined if it is of no use outside the window. */
  message?: Draft | undefined;
  /** @default false */
  isConnected?: boolean;
}

async function outcomeOf(request: Request, sent: SentForm): Promise<ConnectOutcome> {
  try {
    // The permission may have been removed while the window was open.
    if (!(await mayConnectHere(request))) return { modal: refusalModal(request) };
    const input = givenIn(sent);
    const fault = faultIn(request, sent) ?? (await keyFault(input, request));
    return fault === undefined ? connected(await store(input, request)) : await again(fault, input, request);
  } catch (error) {
    const message = problemDraft(error, request);
    return { modal: { title: TITLE, blocks: message.blocks }, message };
  }
}

/** Checks again by the bot's own settings: what the window kept can't be trusted. */
function faultIn({ config }: Request, sent: SentForm): string | undefined {
  const faults = connectFaults(sent, config.allowPrivateAddresses);
  return faults && Object.values(faults).map(escapeMrkdwn).join(" ");
}

async function again(
  fault: string,
  { address, project, reach }: ConnectInput,
  request: Request,
): Promise<ConnectOutcome> {
  const all = await request.connections.all(request.teamId);
  return {
    modal: connectForm(request, all, { address, project, reach, fault }),
    // A key belongs into the window alone, and the window is closed.
    message: { blocks: [mrkdwnSection(fault), ...row(connectButton("Open the window again"))], text: fault },
  };
}

/** Keeps the connection; gives what is to be said of it, in Slack's markup. */
async function store({ address, project, key, reach }: ConnectInput, request: Request): Promise<string[]> {
  const { connections, teamId, userId, channelId } = request;
  const before = await projectOverview(request);
  const former = before.connections.find(({ projectId }) => projectId === project);
  await connections.add({ teamId, projectId: project, baseUrl: address, apiKey: key, userId });
  const place = reach === "channel" ? channelId : undefined;
  if (reach === "workspace" || place !== undefined) {
    await connections.setDefault({ teamId, channelId: place, projectId: project, userId });
  }
  const kept = reach === "workspace" || former ? undefined : await keepOnly(before, request);
  request.log.info({ project, reach }, "a project was connected");
  const after = await projectOverview(request);
  return [
    `*✓ Connected.* The service at ${escapeMrkdwn(hostOf({ baseUrl: address }))} accepted the key of ${strong(project)}; it is stored encrypted.`,
    ...(former ? [replacedText(former.connectedBy)] : []),
    whereText(project, after, request),
    ...(kept === undefined ? [] : [`${strong(kept)} stays the default everywhere else.`]),
    nextText(project, after, request),
  ];
}

/** The only project was used everywhere without being chosen; beside a second one it must be, or it would be nowhere. */
async function keepOnly(
  { connections: before, defaults }: ProjectOverview,
  request: Request,
): Promise<string | undefined> {
  const { connections, teamId, userId } = request;
  const [only, second] = before;
  if (!only || second || defaults.workspace === only.projectId) return undefined;
  await connections.setDefault({ teamId, channelId: undefined, projectId: only.projectId, userId });
  return only.projectId;
}

function whereText(project: string, { connections, defaults }: ProjectOverview, { channelId }: Request): string {
  const used = usedText(project, defaults, channelId);
  if (used !== "") return `${used}.`;
  return connections.length === 1
    ? "It is the only project, and used everywhere."
    : "It is used by commands that name it.";
}

/** Examples of commands for the new project. */
function nextText(project: string, { here }: ProjectOverview, { prefix }: Request): string {
  const next = (command: string): string =>
    typed(prefix, here?.projectId === project ? command : `${command} in:${project}`);
  return `*What to do next:* type ${next("status")} to see how it is, or ${next("logs webhooks since:2h")}.`;
}

function replacedText(connectedBy: string | undefined): string {
  return connectedBy === undefined
    ? "It replaces the connection from the bot's environment."
    : "It replaces the former connection. The former key is deleted here, and stays valid until it is revoked at the service.";
}

function connected(lines: readonly string[]): ConnectOutcome {
  const blocks = lines.map(mrkdwnSection);
  return {
    modal: { title: "Connected", blocks, close: "Done" },
    message: { blocks, text: lines.join("\n") },
    isConnected: true,
  };
}

/** The fields of the window, well-formed. */
export interface ConnectInput {
  readonly address: string;
  readonly project: string;
  readonly key: string;
  readonly reach: string;
}

// As the service names projects.
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// The characters of a bearer token; a client rejects all others.
const KEY = /^[\w.~+/-]+=*$/;

/** What is wrong with the fields, without repeating them; undefined if they are well-formed. */
export function connectFaults(
  { values }: Pick<SentForm, "values">,
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

/** The fields, once {@link connectFaults} found nothing wrong. */
export function givenIn({ values }: Pick<SentForm, "values">): ConnectInput {
  const { address = "", project = "", key = "", reach = "named" } = values;
  return { address: address.replace(/\/+$/, ""), project, key, reach };
}

function projectFault(project: string): string | undefined {
  if (PROJECT.test(project)) return undefined;
  return "A project's name has 1 to 63 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.";
}

function keyFormFault(key: string): string {
  if (/\s/.test(key)) return "A key has no spaces and no line breaks. Copy only the key.";
  return key === "" ? "Paste the key." : "A key has only letters, digits and - . _ ~ + /. Copy it again.";
}

/** Tries a key at its service. Says what is wrong, in Slack's markup; undefined if it is valid for the project. */
async function keyFault({ address, project, key }: ConnectInput, request: Request): Promise<string | undefined> {
  const { clients, teamId, log } = request;
  try {
    const ask = clients.to({ teamId, projectId: project, baseUrl: address, apiKey: key }, request);
    await ask((client) => client.logs.sessions({ project_id: project }));
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ err: error, project }, "a key was not taken by the service that it was input for");
    if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) return `*✗* ${notSentText(error)}`;
    return textFor(error, project, address);
  }
}

/** In our own words: what a service says may repeat the key. */
function textFor({ code }: MediaError, project: string, address: string): string {
  const [at, name] = [hostOf({ baseUrl: address }), project].map(escapeMrkdwn);
  switch (code) {
    case "Unauthorized":
      return "*✗ The service doesn't know this key, or it was revoked.* Paste the whole key, or another one.";
    case "Forbidden":
      return `*✗ This key does not belong to ${name}.* Paste a key of ${name}, or enter the key's own project.`;
    case "BadRequest":
      return `*✗ The service does not accept ${name} as a project.* Check the name, then paste the key again.`;
    case "Connection":
      return `*✗ No service answers at ${at}.* Check the address, and that the service runs; then paste the key again.`;
    case "Timeout":
      return `*✗ The service at ${at} took too long to answer.* Paste the key again to retry.`;
    case "NotFound":
    case "MethodNotAllowed":
    case "Response":
      return `*✗ What answers at ${at} is not a media service.* Check the address, then paste the key again.`;
    default:
      return `*✗ The service at ${at} can't check the key now.* Paste the key again in a minute.`;
  }
}
