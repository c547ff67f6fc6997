import { kinds } from "@media-ops/commands";
import { type LogStatus, logStatus } from "@media-ops/formatters";
import { formatStatus } from "@media-ops/formatters/terminal";
import type { LogKind } from "@media-ops/sdk";
import { connect } from "../connect.js";
import type { CommandNamed } from "../language.js";
import { harmlessJson } from "../screen/harmless.js";
import type { Session } from "../session.js";

/** `media status`: whether the service answers and how fast, when each log last got an entry, and what fails now. */
export async function status(command: CommandNamed<"status">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const { client, project, address, from, wait } = await connect(session);
  const project_id = command.in ?? project;
  const look = async (kind: LogKind): Promise<LogStatus> => {
    return logStatus(kind, await client.logs.list(kind, { project_id }, { signal: world.signal }), { now: screen.now });
  };
  const started = performance.now();
  // One alone, so that what is told is how long an answer takes, and not how long all of them.
  const first = await wait(Promise.all(kinds.slice(0, 1).map(look)));
  const answeredInMs = Math.round(performance.now() - started);
  const logs = [...first, ...(await wait(Promise.all(kinds.slice(1).map(look))))];
  if (flags.json) return print(harmlessJson(JSON.stringify({ baseUrl: address, from, answeredInMs, logs })));
  print(formatStatus(logs, { address, answeredInMs, askedWith: from }, screen));
}
