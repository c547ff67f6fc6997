import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { InputBlock, PlainTextOption } from "@slack/types";
import type { Connection } from "../connections/connections.js";
import { type Action, keep } from "../features.js";
import { orProblem } from "../problem.js";
import type { Request } from "../request.js";
import { mrkdwnSection, plain, smallPrint } from "../slack/blocks.js";
import { type Modal, showIn } from "../slack/views.js";
import { mayConnectHere, notAllowed } from "./rights.js";
import { hostOf, projectLabel, thisPlace } from "./words.js";

/** `/media connect`: asks for everything in a window, so that no key is typed into a conversation. */
export async function connect(request: Request): Promise<undefined> {
  await openConnect(request);
}

/** The same by a button. */
export const connectAction: Action = {
  isUrgent: true,
  run: (request, { value }) => openConnect(request, value === "" ? undefined : value),
};

/** @param project the one to connect again. */
async function openConnect(request: Request, project?: string): Promise<void> {
  const { connections, teamId } = request;
  // The window opens first: Slack allows 3 s for it, and the checks may take longer.
  const viewId = await request.openWindow(TITLE);
  const modal = await orProblem(TITLE, request, async () => {
    if (!(await mayConnectHere(request))) return refusalModal(request);
    const all = await connections.all(teamId);
    const former = all.find(({ projectId }) => projectId === project);
    return connectForm(request, all, former && { address: former.baseUrl, project, reach: "named" });
  });
  await showIn(request, viewId, modal);
}

/** The window for a person who may not connect projects. */
export function refusalModal(request: Request) {
  return { title: TITLE, blocks: notAllowed("You may not connect projects.", request).blocks };
}

export const CONNECT_FORM = "connect-project";
export const TITLE = "Connect a project";

/** Where a project becomes the default. */
type Reach = "channel" | "workspace" | "named";

/** What was entered before, except for the key, which is entered again each time. */
interface Filled {
  address?: string | undefined;
  project?: string | undefined;
  reach?: string | undefined;
  /** The problem, in Slack's markup. */
  fault?: string | undefined;
}

/** The window for address, project and API key. */
export function connectForm(request: Request, connected: readonly Connection[], filled: Filled = {}): Modal {
  const { fault } = filled;
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
      input("address", "Address", { example: "https://media.example", value: address, longest: 2048 }),
      input("project", "Project", { example: "demo", value: project, longest: 63 }),
      input("key", "API key", {
        // Slack refills a field by its id; a key that failed must not be filled in again.
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

interface TextInput {
  /** @default the same as the block's */
  action?: string;
  example: string;
  longest: number;
  hint?: string | undefined;
  value?: string | undefined;
}

function input(id: string, title: string, { action = id, example, longest, hint, value }: TextInput): InputBlock {
  return {
    type: "input",
    block_id: id,
    label: plain(title),
    ...(hint && { hint: plain(hint) }),
    element: {
      type: "plain_text_input",
      action_id: action,
      max_length: longest,
      placeholder: plain(example),
      ...(value && { initial_value: value }),
    },
  };
}

/** @param isAnew Whether the project is connected already, so that its defaults can stay. */
function reachInput(channelId: string | undefined, isAnew: boolean, wanted: string): InputBlock {
  const choices: [Reach, string][] = [
    ...(channelId === undefined ? [] : ([["channel", `In ${thisPlace(channelId)}`]] as [Reach, string][])),
    ["workspace", "In the whole workspace"],
    ["named", isAnew ? "Leave the defaults as they are" : "Only for commands that name it"],
  ];
  const options = choices.map(([value, text]): PlainTextOption => ({ value, text: plain(text) }));
  const initial = options.find(({ value }) => value === wanted) ?? options.at(-1);
  return {
    type: "input",
    block_id: "reach",
    label: plain("Use it for commands that name no project"),
    element: { type: "radio_buttons", action_id: "reach", options, ...(initial && { initial_option: initial }) },
  };
}

/** As many as are read at a glance. */
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

/** Most workspaces ask one service, which is not to be typed again for each project. */
function onlyAddressOf(connected: readonly Connection[]): string | undefined {
  const addresses = new Set(connected.map(({ baseUrl }) => baseUrl));
  return addresses.size === 1 ? [...addresses][0] : undefined;
}
