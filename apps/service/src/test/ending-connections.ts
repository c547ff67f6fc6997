import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createApiKey } from "../keys/api-keys.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { createProject } from "../projects/projects.js";
import { openVault } from "../secrets/open-vault.js";
import { openStorage } from "../storage/open-storage.js";
import { EventSender } from "./event-sender.js";
import { testConfig } from "./harness.js";
import { connectionDestroyed, connectionOf, newId } from "./media-events.js";
import { sharedEnv } from "./prepare-projects.js";
import { type Supervised, supervise } from "./supervised.js";

const SOCKETS = 64;
const RETRY_MS = 20;

/** A service in a process of its own, with a project whose connections end. */
export interface EndingConnections {
  readonly service: Supervised;
  readonly apiKey: string;
  /**
   * Reports the end of connections until the service has acknowledged each, through kills and restarts.
   *
   * @param lateMs By how much the time of each lies in the past, on average.
   * @returns their ids.
   */
  end(count: number, options?: { lateMs?: number }): Promise<string[]>;
}

/** Starts a service on a database. */
export async function startEndingConnections(databaseUrl: string): Promise<EndingConnections> {
  const { MEDIA_PORT, MEDIA_INTAKE_PORT, ...shared } = sharedEnv(databaseUrl);
  const env = { ...shared, MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_SEARCHES_PER_MINUTE: "0" };
  const storage = await openStorage(databaseUrl);
  const vault = await openVault(testConfig(env), storage.query);
  const now = Date.now();
  await createProject(storage.query, "demo", now);
  const apiKey = (await createApiKey(storage.query, vault, "demo", now)).text;
  const intakeKey = (await createIntakeKey(storage.query, "test", now)).text;
  await storage.close();
  const service = await supervise(env);
  await service.ready();
  const senders = Array.from({ length: SOCKETS }, () => new EventSender(service.internalUrl, intakeKey));
  onTestFinished(() => {
    for (const sender of senders) sender.close();
  });
  const idle = [...senders];
  const waiting: ((sender: EventSender) => void)[] = [];
  const send = async (body: string): Promise<number | undefined> => {
    const sender = idle.pop() ?? (await new Promise<EventSender>((resolve) => waiting.push(resolve)));
    const status = await sender.send(body);
    const next = waiting.shift();
    if (next) next(sender);
    else idle.push(sender);
    return status;
  };
  const endOne = async (lateMs: number): Promise<string> => {
    const connectionId = newId();
    const at = (ms: number): string => new Date(Date.now() - ms).toISOString().replace("Z", "250Z");
    const known = { connectionId, createdAt: at(lateMs + 600_000), destroyedAt: at(lateMs) };
    const body = JSON.stringify(connectionDestroyed(connectionOf(known)));
    // Repeats the same event, as a media server does.
    while ((await send(body)) !== 200) await setTimeout(RETRY_MS);
    return connectionId;
  };

  const end: EndingConnections["end"] = async (count, { lateMs = 0 } = {}) => {
    const ids: string[] = [];
    let sent = 0;
    const senders = Array.from({ length: SOCKETS }, async () => {
      while (sent < count) {
        sent += 1;
        ids.push(await endOne(Math.floor(2 * Math.random() * lateMs)));
      }
    });
    await Promise.all(senders);
    return ids;
  };
  return { service, apiKey, end };
}
