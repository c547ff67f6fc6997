import { shorten } from "@media-ops/commands";
import { formatCount, splitChannel } from "@media-ops/formatters";
import { formatLive, type SlackBlock } from "@media-ops/formatters/slack";
import type { LiveChannel, LiveChannels } from "@media-ops/sdk";
import { ACT, actButton, mayDo } from "../acts/act.js";
import { type CommandNamed, language } from "../language.js";
import { unlessLacking } from "../projects/open-project.js";
import { channelIdOf, projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import { answering, controls, type Opened, type Saved, savedAs, wayBack } from "../saved-command.js";
import { type Draft, MAX_LABEL, MAX_OPTION_VALUE, menu, optionOf, row } from "../slack/answer.js";
import { traceButton, traceOf, traces } from "../trace/trace.js";

type LiveView = Saved<CommandNamed<"live">>;

const NOW = "now";

const lives = savedAs<CommandNamed<"live">, object>({
  name: "live",
  write: () => NOW,
  read: (view) => (view === NOW ? {} : undefined),
});

interface ReadLive extends Opened<LiveView> {
  readonly found: LiveChannels;
}

const { answer, actions } = answering(lives, {
  async read(opened): Promise<ReadLive> {
    const { project, saved } = opened;
    const { channel } = saved.command;
    const question = { project_id: project.id, channel_id: channel && channelIdOf(channel, project.id) };
    const asked = project.ask((client, options) => client.live(question, options));
    return { ...opened, found: await unlessLacking(asked, "live", project) };
  },
  async draw(read, request) {
    const { found, project, saved, now, timeZone } = read;
    const { channel } = saved.command;
    const title = `Live now${channel === undefined ? "" : ` in ${channel}`}, project ${projectLabel(project.id)}`;
    const { blocks, text } = formatLive(found, { now, timeZone, title, channel });
    const below = channel === undefined ? allControls(read) : await channelControls(read, channel, request);
    return { blocks: [...blocks, ...below], text };
  },
});

/** `/media live`: who is connected now, by channel; or the connections of one channel. */
export const live = (command: CommandNamed<"live">, request: Request): Promise<Draft> => answer({ command }, request);

export const liveActions = actions;

function allControls({ saved, found }: ReadLive): SlackBlock[] {
  const options = found.channels.map(({ channel_id, connections }) => {
    const label = shorten(`${splitChannel(channel_id).name} (${formatCount(connections)})`, MAX_LABEL);
    return lives.option(label, { command: { ...saved.command, channel: channel_id } });
  });
  return [
    ...row(lives.page("Refresh", "refresh", saved)),
    ...row(menu("Connections in…", `${controls.live.page}:channel`, options)),
  ];
}

const HOUR_MS = 60 * 60_000;

async function channelControls({ saved, found, project, now }: ReadLive, channel: string, request: Request) {
  const { channel: _, ...all } = saved.command;
  const back = wayBack("live", lives.write(saved));
  const what = channelIdOf(channel, project.id);
  const trace = { name: "trace", what, is: "channel", since: now - HOUR_MS, in: project.id } as const;
  const ending = { name: "disconnect", channel, in: project.id } as const;
  const mayEnd = await mayDo("disconnect", request);
  const isAnyone = mayEnd && found.channels.some(({ connections }) => connections > 0);
  const clients = found.channels.flatMap(({ clients = [] }) => clients);
  const traced = clients.map((client) => {
    const view = traceOf({ is: "connection", what: client.connection_id }, project.id, undefined);
    return traces.option(labelOf(client), { ...view, back });
  });
  const ended = clients.map((client) => {
    const value = language.write({ ...ending, connection: client.connection_id });
    return value.length > MAX_OPTION_VALUE ? undefined : optionOf(value, labelOf(client));
  });
  return [
    ...row(
      lives.page("Refresh", "refresh", saved),
      lives.page("All channels", "all", { command: all }),
      traceButton("Trace channel", `${controls.trace.page}:channel`, { command: trace, back }),
      isAnyone ? actButton("Disconnect channel…", "channel", ending) : undefined,
    ),
    ...row(
      menu("Trace of…", `${controls.trace.page}:connection`, traced),
      isAnyone ? menu("Disconnect…", `${ACT}:client`, ended) : undefined,
    ),
  ];
}

function labelOf({ connection_id, client_id }: NonNullable<LiveChannel["clients"]>[number]): string {
  const label = client_id === undefined ? `connection ${connection_id}` : `${client_id} · connection ${connection_id}`;
  return shorten(label, MAX_LABEL);
}
