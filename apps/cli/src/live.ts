import { capital, MOST_LISTED } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import type { ListLiveChannelsRequest, LiveChannels } from "@media-ops/sdk";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import type { Session } from "./session.js";
import { outageReporter, watch } from "./watch.js";

type Live = CommandNamed<"live">;

/** A call that others follow: the next one is a retry, and what is on the screen must not grow old unnoticed. */
const oneOfMany = { maxRetries: 0, timeoutMs: 10_000 } as const;

/** `media live`: shows who is connected now, once, or again and again until it is stopped. */
export async function live(command: Live, session: Session): Promise<void> {
  const { world, flags, print } = session;
  const { signal } = world;
  const everyMs = flags.watch;
  const outage = outageReporter(session);
  const connected = await connect(session, everyMs === undefined ? undefined : { onResponse: outage.onResponse });
  const request = requestOf(command, connected, session);
  const draw = (found: LiveChannels): string => drawn(found, command, connected, session);
  const first = async () => draw(await connected.wait(connected.client.live(request, { signal })));
  if (everyMs === undefined) return print(await first());
  const next = async () => draw(await connected.client.live(request, { signal, ...oneOfMany }));
  return watch({ first, next, everyMs, onError: outage.onError }, session);
}

function requestOf(
  { channel, in: named }: Live,
  { project }: Pick<Connected, "project">,
  { flags }: Session,
): ListLiveChannelsRequest {
  const project_id = named ?? project;
  const request = { ...(project_id !== undefined && { project_id }), ...(flags.json && { limit: MOST_LISTED }) };
  if (channel === undefined) return request;
  return channel.includes("@") ? { ...request, channel_id: channel } : { ...request, channel };
}

function drawn(found: LiveChannels, command: Live, { project }: Connected, { world, flags, screen }: Session): string {
  if (flags.json) return harmlessJson(JSON.stringify(found));
  const now = world.now();
  const title = capital(language.describe(command, { project }));
  const time = new Date(now).toLocaleTimeString("en-GB", { timeZone: screen.timeZone });
  return terminal.formatLive(found, {
    ...screen,
    now,
    title: flags.watch === undefined ? title : `${title}, ${time}`,
    channel: command.channel,
  });
}
