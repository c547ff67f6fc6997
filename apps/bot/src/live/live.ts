import { shorten } from "@media-ops/commands";
import { formatCount, splitChannel } from "@media-ops/formatters";
import { formatLive, type SlackBlock } from "@media-ops/formatters/slack";
import type { LiveChannel, LiveChannels } from "@media-ops/sdk";
import type { Button, PlainTextOption } from "@slack/types";
import { ACT, actButton, mayDo } from "../acts/act.js";
import type { Actions } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { openProject, unlessLacking } from "../projects/open-project.js";
import { channelIdOf, projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  LIVE_PAGE,
  OPTION,
  readSaved,
  type SavedCommand,
  savedButton,
  TRACE_PAGE,
  wayBack,
  writeSaved,
} from "../saved-command.js";
import { type Draft, MAX_LABEL, menu, optionOf, Refused, row } from "../slack/blocks.js";
import { traceButton } from "../trace/trace.js";
import { traceOf, writeTraceView } from "../trace/view.js";

/** The command with its project. */
type Live = CommandNamed<"live"> & { readonly in: string };

/** `/media live`: who is connected now, by channel; or the connections of one channel. */
export async function live(command: CommandNamed<"live">, request: Request): Promise<Draft> {
  const { channel } = command;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const question = { project_id: project.id, channel_id: channel && channelIdOf(channel, project.id) };
  const asked = project.ask((client, options) => client.live(question, options));
  const found = await unlessLacking(asked, "live", project);
  const now = request.now();
  const { blocks, text } = formatLive(found, {
    now,
    timeZone: request.timeZone,
    title: `Live now${channel === undefined ? "" : ` in ${channel}`}, project ${projectLabel(project.id)}`,
    channel,
  });
  const mayEnd = await mayDo("disconnect", request);
  return { blocks: [...blocks, ...controlsFor({ ...command, in: project.id }, found, now, mayEnd)], text };
}

const HOUR_MS = 60 * 60_000;

function controlsFor(command: Live, { channels }: LiveChannels, now: number, mayEnd: boolean): SlackBlock[] {
  const { channel, ...all } = command;
  const refresh = liveButton("Refresh", "refresh", command);
  if (channel === undefined) {
    const options = channels.map((one) => channelOption(one, command));
    return [...row(refresh), ...row(menu("Connections in…", `${LIVE_PAGE}:channel`, options))];
  }
  const back = wayBack(LIVE_PAGE, writeSaved(saved(command)));
  const trace = { name: "trace", what: channelIdOf(channel, command.in), is: "channel", since: now - HOUR_MS } as const;
  const clients = channels.flatMap(({ clients = [] }) => clients);
  const options = clients.map((client) => clientOption(client, command, back));
  const ending = { name: "disconnect", channel, in: command.in } as const;
  const isAnyone = mayEnd && channels.some(({ connections }) => connections > 0);
  return [
    ...row(
      refresh,
      liveButton("All channels", "all", all),
      traceButton("Trace channel", `${TRACE_PAGE}:channel`, { command: { ...trace, in: command.in }, back }),
      isAnyone ? actButton("Disconnect channel…", "channel", ending) : undefined,
    ),
    ...row(
      menu("Trace of…", `${TRACE_PAGE}:connection`, options),
      isAnyone
        ? menu(
            "Disconnect…",
            `${ACT}:client`,
            clients.map((client) => endingOption(client, ending)),
          )
        : undefined,
    ),
  ];
}

function channelOption({ channel_id, connections }: LiveChannel, command: Live): PlainTextOption | undefined {
  const value = writeSaved(saved({ ...command, channel: channel_id }), OPTION);
  const label = `${splitChannel(channel_id).name} (${formatCount(connections)})`;
  return value === undefined ? undefined : optionOf(value, shorten(label, MAX_LABEL));
}

type LiveClient = NonNullable<LiveChannel["clients"]>[number];

function clientOption(client: LiveClient, command: Live, back: string | undefined) {
  const view = traceOf({ is: "connection", what: client.connection_id }, command.in, undefined);
  const value = writeTraceView({ ...view, back }, OPTION);
  return value === undefined ? undefined : optionOf(value, labelOf(client));
}

function endingOption(client: LiveClient, ending: CommandNamed<"disconnect">): PlainTextOption | undefined {
  const value = language.write({ ...ending, connection: client.connection_id });
  return value.length > OPTION ? undefined : optionOf(value, labelOf(client));
}

function labelOf({ connection_id, client_id }: LiveClient): string {
  const label = client_id === undefined ? `connection ${connection_id}` : `${client_id} · connection ${connection_id}`;
  return shorten(label, MAX_LABEL);
}

const saved = (command: Live): SavedCommand => ({ view: "now", command });

const liveButton = (label: string, id: string, command: Live): Button | undefined =>
  savedButton(label, `${LIVE_PAGE}:${id}`, saved(command));

export const liveActions: Actions = {
  [LIVE_PAGE]: {
    async run(request, { value }) {
      const { command } = readSaved(value, request.now()) ?? {};
      if (command?.name !== "live") {
        throw new Refused(`This message is too old to use. ${request.prefix} live shows a new one.`);
      }
      await request.answer.replace(await live(command, request));
    },
  },
};
