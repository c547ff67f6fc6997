import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { MediaError } from "@media-ops/sdk";
import type { InputBlock } from "@slack/types";
import { audited, recordRefusal } from "../audit/audited.js";
import type { Connection } from "../connections/connections.js";
import { addressFault } from "../connections/public-addresses.js";
import { ServiceBusyError, ServiceSilentError } from "../connections/services.js";
import { type Action, type Faults, type Form, keep, onlyFaults, type SentForm } from "../features.js";
import { showHome } from "../home/home.js";
import { notSentText, openFilled, problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnMessage, mrkdwnSection, optionOf, row, smallPrint } from "../slack/blocks.js";
import { input, type Modal, showIn, textInput, waitingModal } from "../slack/views.js";
import { CONNECTION_PAUSES } from "../watches/run.js";
import { offerButton } from "../watches/watch.js";
import { connectButton, mayConnectHere, notAllowed, type ProjectOverview, projectOverview } from "./open-project.js";
import { hostOf, projectLabel, strong, thisPlace, typed, usedText } from "./words.js";

/** Opens the same window from a button. */
export const connectAction: Action = {
  isUrgent: true,
  run: (request, { value }) => connect(request, value === "" ? undefined : value),
};

/**
 * `/media connect`: requests all settings in a window, so that no key is typed into a conversation.
 *
 * @param project the one to connect again.
 */
export async function connect(request: Request, project?: string): Promise<undefined> {
  const { connections, teamId } = request;
  await openFilled(TITLE, request, async () => {
    if (!(await mayConnectHere(request))) return refusalModal(request);
    const all = await connections.all(teamId);
    const former = all.find(({ projectId }) => projectId === project);
    return connectForm(request, all, former && { address: former.baseUrl, project: former.projectId, reach: "named" });
  });
}

/** The window for a person who may not connect projects. */
const refusalModal = (request: Request): Modal => ({
  title: TITLE,
  blocks: notAllowed("You may not connect projects.", request).blocks,
});

export const CONNECT_FORM = "connect-project";
const TITLE = "Connect a project";

/** The submitted values. The key is entered again each time. */
interface ConnectInput {
  readonly address: string;
  readonly project: string;
  readonly key: string;
  /** The scope in which the project becomes the default: channel, workspace, or named for none. */
  readonly reach: string;
}

/**
 * The window for address, project and API key.
 *
 * @param filled The previous input.
 * @param fault The problem with it, in Slack's markup.
 */
function connectForm(
  request: Request,
  connected: readonly Connection[],
  filled: Partial<ConnectInput> = {},
  fault?: string,
): Modal {
  const { address = onlyAddressOf(connected), project, reach } = filled;
  const isAnew = connected.some(({ projectId }) => projectId === project);
  return {
    title: TITLE,
    callbackId: CONNECT_FORM,
    submit: "Connect",
    close: "Cancel",
    keep: keep(request, { isPublicOnly: !request.config.allowPrivateAddresses }),
    blocks: [
      ...(fault ? [mrkdwnSection(fault)] : []),
      textInput("address", "Address", { example: "https://media.example", value: address, longest: 2048 }),
      textInput("project", "Project", { example: "demo", value: project, longest: 63 }),
      textInput("key", "API key", {
        // Slack refills a field by its id; a rejected key must not be refilled.
        action: `key-${request.now()}`,
        example: "mo_…",
        hint: "It is checked, then stored encrypted and shown to nobody. The service's operator creates one: media-ops keys create <project>.",
        longest: 3000,
      }),
      reachInput(request.channelId, isAnew, reach ?? (connected.length === 0 ? "workspace" : "channel")),
      ...connectedNote(connected),
    ],
  };
}

/** @param isAnew Whether the project is already connected, so that its defaults can stay. */
function reachInput(channelId: string | undefined, isAnew: boolean, wanted: string): InputBlock {
  const options = [
    ...(channelId === undefined ? [] : [optionOf("channel", `In ${thisPlace(channelId)}`)]),
    optionOf("workspace", "In the whole workspace"),
    optionOf("named", isAnew ? "Leave the defaults as they are" : "Only for commands that name it"),
  ];
  const initial_option = options.find(({ value }) => value === wanted) ?? options.at(-1);
  const element = { type: "radio_buttons", options, ...(initial_option && { initial_option }) } as const;
  return input("reach", "Use it for commands that name no project", element);
}

/** As many names as fit at a glance. */
const MOST_NAMED = 10;

function connectedNote(connected: readonly Connection[]): SlackBlock[] {
  if (connected.length === 0) return [];
  const named = connected
    .slice(0, MOST_NAMED)
    .map((one) => `${escapeMrkdwn(projectLabel(one.projectId))} (${escapeMrkdwn(hostOf(one))})`);
  const more = connected.length > MOST_NAMED ? ", …" : "";
  return [
    smallPrint(`Connected already: ${named.join(", ")}${more}. Connecting one again replaces its address and its key.`),
  ];
}

/** The address that all connected projects share, if they do: most workspaces use one service. */
function onlyAddressOf(connected: readonly Connection[]): string | undefined {
  const addresses = new Set(connected.map(({ baseUrl }) => baseUrl));
  return addresses.size === 1 ? [...addresses][0] : undefined;
}

/** Checks and stores the submitted values. */
export const connectProject: Form = {
  secretField: "key",
  faults: (sent) => connectFaults(sent, sent.kept.isPublicOnly !== true),
  meanwhile: waitingModal(TITLE, "Checking the key…"),
  async run(request, sent) {
    const { modal, message, isConnected } = await outcomeOf(request, sent);
    // If the person closed the window while the key was checked, the outcome is sent as a message.
    if (!(await showIn(request, sent.viewId, modal)) && message) await request.answer.say(message);
    // The window was opened from the app home, which shows the connected projects.
    if (isConnected && request.channelId === undefined) await showHome(request);
  },
};

interface ConnectOutcome {
  modal: Modal;
  /** The outcome as a message; undefined if it is useless outside the window. */
  message?: Draft;
  isConnected?: boolean;
}

async function outcomeOf(request: Request, sent: SentForm): Promise<ConnectOutcome> {
  try {
    // The permission may have been removed while the window was open.
    if (!(await mayConnectHere(request))) {
      await recordRefusal(request, { action: "project.connect" }, "You may not connect projects.");
      return { modal: refusalModal(request) };
    }
    const input = givenIn(sent);
    // Checked again with the bot's own settings, because a window's kept data can't be trusted.
    const faults = connectFaults(sent, request.config.allowPrivateAddresses);
    const fault = faults ? Object.values(faults).map(escapeMrkdwn).join(" ") : await keyFault(input, request);
    if (fault === undefined) {
      const act = { action: "project.connect", projectId: input.project } as const;
      return connected(await audited(request, act, () => store(input, request)), input.project, request);
    }
    const { key: _, ...filled } = input;
    return {
      modal: connectForm(request, await request.connections.all(request.teamId), filled, fault),
      // A key must be entered in a window, and the window is closed.
      message: mrkdwnMessage(fault, connectButton("Open the window again")),
    };
  } catch (error) {
    const message = problemDraft(error, request);
    return { modal: { title: TITLE, blocks: message.blocks }, message };
  }
}

/** Stores the connection; returns sentences that describe the outcome, in Slack's markup. */
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
  await request.watches.resume(request.served, project, CONNECTION_PAUSES);
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

/** Makes the only project the workspace's default: it was used everywhere, and a second one would end that. */
async function keepOnly(before: ProjectOverview, request: Request): Promise<string | undefined> {
  const { connections, teamId, userId } = request;
  const [only, second] = before.connections;
  if (!only || second || before.defaults.workspace === only.projectId) return undefined;
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

function connected(lines: readonly string[], project: string, request: Request): ConnectOutcome {
  // The app home is no conversation that could be told.
  const offer = request.channelId === undefined ? [] : row(offerButton(project));
  const blocks = [...lines.map(mrkdwnSection), ...offer];
  return {
    modal: { title: "Connected", blocks, close: "Done", keep: keep(request) },
    message: { blocks, text: lines.join("\n") },
    isConnected: true,
  };
}

// The same pattern as in the service.
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// The characters of a bearer token; a client rejects all others.
const KEY = /^[\w.~+/-]+=*$/;

/** The faults of the fields, without quoting their values; undefined if they are well-formed. */
export function connectFaults({ values }: Pick<SentForm, "values">, allowPrivate: boolean): Faults | undefined {
  const { address = "", project = "", key = "" } = values;
  return onlyFaults({
    address: addressFault(address, allowPrivate),
    project: PROJECT.test(project) ? undefined : PROJECT_FAULT,
    key: KEY.test(key) ? undefined : keyFormFault(key),
  });
}

/** The field values, after {@link connectFaults} found no fault. */
export function givenIn({ values }: Pick<SentForm, "values">): ConnectInput {
  const { address = "", project = "", key = "", reach = "named" } = values;
  return { address: address.replace(/\/+$/, ""), project, key, reach };
}

const PROJECT_FAULT =
  "A project's name has 1 to 63 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.";

function keyFormFault(key: string): string {
  if (/\s/.test(key)) return "A key has no spaces and no line breaks. Copy only the key.";
  return key === "" ? "Paste the key." : "A key has only letters, digits and - . _ ~ + /. Copy it again.";
}

/** Tests a key at its service. Returns the problem in Slack's markup; undefined if the key is valid for the project. */
async function keyFault({ address, project, key }: ConnectInput, request: Request): Promise<string | undefined> {
  const { clients, teamId, log } = request;
  try {
    const ask = clients.to({ teamId, projectId: project, baseUrl: address, apiKey: key }, request);
    await ask((client, options) => client.logs.sessions({ project_id: project }, options));
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ err: error, project }, "a key was not taken by the service that it was input for");
    if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) return `*✗* ${notSentText(error)}`;
    return textFor(error, project, address);
  }
}

/** An error in the bot's own words, because the service's message may repeat the key. */
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
