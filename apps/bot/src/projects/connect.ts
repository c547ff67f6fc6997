import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { MediaError } from "@media-ops/sdk";
import type { InputBlock } from "@slack/types";
import { audited, recordRefusal } from "../audit/audited.js";
import { type Connection, ServiceBusyError, ServiceSilentError } from "../connections/connections.js";
import { addressFault } from "../connections/public-addresses.js";
import { showHome } from "../home/home.js";
import { notSentText, openFilled, problemDraft } from "../problem.js";
import { type Action, type Faults, type Form, keep, onlyFaults, type Request, type SentForm } from "../request.js";
import { type Draft, mrkdwnMessage, mrkdwnSection, optionOf, row, smallPrint } from "../slack/answer.js";
import { input, type Modal, showIn, textInput, waitingModal } from "../slack/views.js";
import { CONNECTION_PAUSES } from "../watches/run.js";
import { offerButton } from "../watches/watch.js";
import { connectButton, mayConnectHere, notAllowed, type ProjectOverview, projectOverview } from "./open-project.js";
import { hostOf, projectLabel, strong, thisPlace, typed, usedText } from "./words.js";

export const CONNECT_FORM = "connect-project";
const TITLE = "Connect a project";

/** Opens the same window from a button. */
export const connectAction: Action = {
  isUrgent: true,
  run: (request, { value }) => connect(request, value === "" ? undefined : value),
};

/** `/media connect`: requests all settings in a window, so that no key is typed into a conversation. */
export async function connect(request: Request, again?: string): Promise<undefined> {
  const { connections, teamId } = request;
  await openFilled(TITLE, request, async () => {
    if (!(await mayConnectHere(request))) return refusalModal(request);
    const all = await connections.all(teamId);
    const former = all.find(({ projectId }) => projectId === again);
    return connectForm(request, all, former && { address: former.baseUrl, project: former.projectId, reach: "named" });
  });
}

const NOT_ALLOWED = "You may not connect projects.";

const refusalModal = (request: Request): Modal => ({ title: TITLE, blocks: notAllowed(NOT_ALLOWED, request).blocks });

/** The submitted values. The key is entered again each time. */
interface ConnectInput {
  readonly address: string;
  readonly project: string;
  readonly key: string;
  /** The scope in which the project becomes the default: channel, workspace, or named for none. */
  readonly reach: string;
}

/** The window for address, project and API key, with the previous input, and the problem with it in Slack's markup. */
function connectForm(
  request: Request,
  connected: readonly Connection[],
  filled: Partial<ConnectInput> = {},
  fault?: string,
): Modal {
  const addresses = [...new Set(connected.map(({ baseUrl }) => baseUrl))];
  // Most workspaces use one service.
  const { address = addresses.length === 1 ? addresses[0] : undefined, project, reach } = filled;
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

/** What the window shows then, and the same as a message if the person has closed it; undefined if it is useless there. */
interface Outcome {
  readonly modal: Modal;
  readonly message?: Draft;
  readonly isConnected?: boolean;
}

/** Checks and stores the submitted values. */
export const connectProject: Form = {
  secretField: "key",
  faults: (sent) => connectFaults(sent, sent.kept.isPublicOnly !== true),
  meanwhile: waitingModal(TITLE, "Checking the key…"),
  async run(request, sent) {
    const { modal, message, isConnected } = await tryInput(request, sent).catch((error: unknown): Outcome => {
      const message = problemDraft(error, request);
      return { modal: { title: TITLE, blocks: message.blocks }, message };
    });
    if (!(await showIn(request, sent.viewId, modal)) && message) await request.answer.say(message);
    // The window was opened from the app home, which shows the connected projects.
    if (isConnected && request.channelId === undefined) await showHome(request);
  },
};

async function tryInput(request: Request, sent: SentForm): Promise<Outcome> {
  // The permission may have been removed while the window was open.
  if (!(await mayConnectHere(request))) {
    await recordRefusal(request, { action: "project.connect" }, NOT_ALLOWED);
    return { modal: refusalModal(request) };
  }
  const given = givenIn(sent);
  // Checked again with the bot's own settings, because a window's kept data can't be trusted.
  const faults = connectFaults(sent, request.config.allowPrivateAddresses);
  const fault = faults ? Object.values(faults).map(escapeMrkdwn).join(" ") : await keyFault(given, request);
  if (fault !== undefined) {
    const { key: _, ...filled } = given;
    const connected = await request.connections.all(request.teamId);
    // A key must be entered in a window, and the window is closed.
    const message = mrkdwnMessage(fault, connectButton("Open the window again"));
    return { modal: connectForm(request, connected, filled, fault), message };
  }
  const act = { action: "project.connect", projectId: given.project } as const;
  const lines = await audited(request, act, () => store(given, request));
  // The app home is no conversation that could be told.
  const offer = request.channelId === undefined ? [] : row(offerButton(given.project));
  const blocks = [...lines.map(mrkdwnSection), ...offer];
  const modal = { title: "Connected", blocks, close: "Done", keep: keep(request) };
  return { modal, message: { blocks, text: lines.join("\n") }, isConnected: true };
}

/** Stores the connection; returns sentences that describe the outcome, in Slack's markup. */
async function store({ address, project, key, reach }: ConnectInput, request: Request): Promise<string[]> {
  const { connections, teamId, userId, channelId, prefix } = request;
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
  const used = usedText(project, after.defaults, channelId);
  const isOnly = after.connections.length === 1;
  const next = (command: string): string =>
    typed(prefix, after.here?.projectId === project ? command : `${command} in:${project}`);
  return [
    `*✓ Connected.* The service at ${escapeMrkdwn(hostOf({ baseUrl: address }))} accepted the key of ${strong(project)}; it is stored encrypted.`,
    ...(former ? [replacedText(former)] : []),
    used === ""
      ? `It is ${isOnly ? "the only project, and used everywhere" : "used by commands that name it"}.`
      : `${used}.`,
    ...(kept === undefined ? [] : [`${strong(kept)} stays the default everywhere else.`]),
    `*What to do next:* type ${next("status")} to see how it is, or ${next("logs webhooks since:2h")}.`,
  ];
}

/** Makes the only project the workspace's default: it was used everywhere, and a second one would end that. */
async function keepOnly(before: ProjectOverview, { connections, teamId, userId }: Request) {
  const [only, second] = before.connections;
  if (!only || second || before.defaults.workspace === only.projectId) return undefined;
  await connections.setDefault({ teamId, channelId: undefined, projectId: only.projectId, userId });
  return only.projectId;
}

const replacedText = ({ connectedBy }: Connection): string =>
  connectedBy === undefined
    ? "It replaces the connection from the bot's environment."
    : "It replaces the former connection. The former key is deleted here, and stays valid until it is revoked at the service.";

// The same pattern as in the service.
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// The characters of a bearer token; a client rejects all others.
const KEY = /^[\w.~+/-]+=*$/;
const PROJECT_FAULT =
  "A project's name has 1 to 63 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.";

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
    const [at = "", name = ""] = [hostOf({ baseUrl: address }), project].map(escapeMrkdwn);
    return (
      keyFaults(at, name)[error.code] ??
      `*✗ The service at ${at} can't check the key now.* Paste the key again in a minute.`
    );
  }
}

/** Errors in the bot's own words, because the service's message may repeat the key. */
function keyFaults(at: string, name: string): { readonly [Code in MediaError["code"]]?: string } {
  const notOurs = `*✗ What answers at ${at} is not a media service.* Check the address, then paste the key again.`;
  return {
    Unauthorized: "*✗ The service doesn't know this key, or it was revoked.* Paste the whole key, or another one.",
    Forbidden: `*✗ This key does not belong to ${name}.* Paste a key of ${name}, or enter the key's own project.`,
    BadRequest: `*✗ The service does not accept ${name} as a project.* Check the name, then paste the key again.`,
    Connection: `*✗ No service answers at ${at}.* Check the address, and that the service runs; then paste the key again.`,
    Timeout: `*✗ The service at ${at} took too long to answer.* Paste the key again to retry.`,
    NotFound: notOurs,
    MethodNotAllowed: notOurs,
    Response: notOurs,
  };
}
