import { disconnectRequest } from "@media-ops/commands";
import { formatCount, splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, formatLive } from "@media-ops/formatters/slack";
import type { Trace } from "@media-ops/reports";
import { type LiveChannels, MediaApiError, MediaConnectionError, MediaTimeoutError } from "@media-ops/sdk";
import type { Button } from "@slack/types";
import type { CommandNamed } from "../language.js";
import { nothingIfLacking, projectOverview, unlessLacking } from "../projects/open-project.js";
import { channelIdOf, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { Failed, mrkdwnSection, plainMessage, plainSection } from "../slack/answer.js";
import {
  type Act,
  actButton,
  announceAct,
  commandButton,
  mayDo,
  operationOptions,
  requestOf,
  type Scene,
} from "./act.js";

type Disconnect = CommandNamed<"disconnect">;

/** `/media disconnect`: ends a connection, or all of a channel. */
export function disconnecting(command: Disconnect): Act {
  const { channel = "", connection, in: projectId = "" } = command;
  const { name } = splitChannel(channel);
  const isOne = connection !== undefined;
  return {
    title: isOne ? "Disconnect a client" : "Disconnect a channel",
    submit: "Disconnect",
    right: "disconnect",
    doing: "end connections",
    record: {
      action: isOne ? "disconnect.connection" : "disconnect.channel",
      subject: connection ?? channelIdOf(channel, projectId),
    },
    async look(scene) {
      const { now, timeZone, prefix } = scene.request;
      const found = await connectedIn(command, scene);
      const again = plainSection("Clients may connect again while their tokens are good; revoke ends tokens.");
      if (!found) return { blocks: [plainSection(`This service can't say who is connected in ${channel}.`), again] };
      const count = found.connections;
      const isUnlisted = found.channels.some(({ omitted_clients }) => (omitted_clients ?? 0) > 0);
      if (count === 0 && !(isOne && isUnlisted)) {
        const words = isOne ? `There is no such connection in ${name}.` : `Nobody is connected in ${name}.`;
        const { connections } = await projectOverview(scene.request);
        const isProject = connections.some((one) => one.projectId === channel);
        const hint = `To remove the project ${escapeMrkdwn(channel)} from this workspace: ${typed(prefix, `forget ${channel}`)}.`;
        return { blocks: [plainSection(words), ...(isProject ? [mrkdwnSection(hint)] : [])], isPossible: false };
      }
      const what = isOne ? "This connection" : `${formatCount(count)} ${count === 1 ? "connection" : "connections"}`;
      const title = `${what} would end, project ${scene.project.id}`;
      return { blocks: [...formatLive(found, { now: now(), timeZone, title, channel }).blocks, again] };
    },
    async run(scene, record) {
      const count = (await connectedIn(command, scene))?.connections;
      await end(command, scene);
      const hit = count === undefined ? "not known" : formatCount(count);
      record.note({ detail: `connections: ${hit}` });
      announceAct(record, scene, `disconnected ${isOne ? "a client" : "a channel"}`, [
        ["Channel", escapeMrkdwn(channelIdOf(channel, scene.project.id))],
        ["Connection", connection && escapeMrkdwn(connection)],
        ["Connections", hit],
      ]);
      const what = isOne
        ? `Connection ${connection} is ended.`
        : `All connections of ${name} are ended${count === undefined ? "" : `: ${hit}`}.`;
      const live = commandButton("Live", "live", { name: "live", channel, in: scene.project.id });
      return plainMessage(`✓ ${what} Clients may connect again while their tokens are good.`, live);
    },
  };
}

/** The command that ends the connection that an entry names; undefined if it names none, or one that was over. */
function endingOf(entry: object, projectId: string): Disconnect | undefined {
  const { connection_id, channel_id } = entry as Readonly<Record<string, unknown>>;
  if (typeof connection_id !== "string" || typeof channel_id !== "string") return undefined;
  if (connection_id === "" || channel_id === "" || isEnd(entry)) return undefined;
  return { name: "disconnect", channel: channel_id, connection: connection_id, in: projectId };
}

function isEnd(entry: object): boolean {
  const { type, destroyed_timestamp } = entry as Readonly<Record<string, unknown>>;
  if (typeof type !== "string") return destroyed_timestamp !== undefined;
  return /^connection\.(?:destroyed|failed|vanished)$|^admission\./.test(type);
}

/** A button that ends the connection of an entry, for those who may. */
export async function endButton(entry: object, projectId: string, request: Request): Promise<Button | undefined> {
  const ending = endingOf(entry, projectId);
  return ending && (await mayDo("disconnect", request)) ? actButton("Disconnect…", "connection", ending) : undefined;
}

/** A button that ends the connections of a trace's channel, or its connection unless that is over. */
export async function endTracedButton({ subject, id, lines }: Trace, projectId: string, request: Request) {
  if (subject === "channel") {
    const ending = { name: "disconnect", channel: id, in: projectId } as const;
    return (await mayDo("disconnect", request)) ? actButton("Disconnect…", "channel", ending) : undefined;
  }
  const last = lines.at(-1)?.entry;
  const isOver = subject !== "connection" || lines.some(({ entry }) => isEnd(entry));
  return isOver || !last ? undefined : endButton(last, projectId, request);
}

async function connectedIn(command: Disconnect, scene: Scene): Promise<LiveChannels | undefined> {
  const { channel_id, connection_id } = requestOf(disconnectRequest(command, operationOptions(scene)));
  const asked = scene.ask((client, options) => client.live({ project_id: scene.project.id, channel_id }, options));
  const found = await asked.catch(nothingIfLacking);
  if (!found || connection_id === undefined) return found;
  const channels = found.channels.map((one) => onlyWith(connection_id, one));
  return { ...found, channels, connections: channels.reduce((sum, one) => sum + one.connections, 0) };
}

type LiveChannel = LiveChannels["channels"][number];

/** The channel with one of its connections; without any if that isn't there. One that isn't listed may be there. */
function onlyWith(connectionId: string, channel: LiveChannel): LiveChannel {
  const clients = channel.clients?.filter(({ connection_id }) => connection_id === connectionId) ?? [];
  const roles = Object.fromEntries(clients.flatMap(({ role }) => (role === undefined ? [] : [[role, 1]])));
  const { channel_id, omitted_clients } = channel;
  return {
    ...{ channel_id, clients, roles, connections: clients.length, admitted: 0 },
    ...(omitted_clients !== undefined && { omitted_clients }),
  };
}

/** @throws {Failed} if the connections were not ended, or perhaps not, with the reason. */
async function end(command: Disconnect, scene: Scene): Promise<void> {
  const body = requestOf(disconnectRequest(command, operationOptions(scene)));
  const { prefix } = scene.request;
  try {
    await scene.ask((client, options) => client.disconnect(body, options));
  } catch (error) {
    if (error instanceof MediaConnectionError || error instanceof MediaTimeoutError) {
      throw new Failed(`No answer from the service. It may have ended connections nevertheless: see ${prefix} live.`);
    }
    // An answer of the media server itself has no type.
    if (error instanceof MediaApiError && error.problem.type === "about:blank") {
      const isGone = error.status === 404 && body.connection_id !== undefined;
      throw new Failed(
        isGone
          ? "The media server knows no such connection; it may have ended."
          : `The media server answered ${error.status}, and may not have ended the connections. See ${prefix} live.`,
      );
    }
    await unlessLacking(Promise.reject(error), "disconnect", scene.project);
  }
}
