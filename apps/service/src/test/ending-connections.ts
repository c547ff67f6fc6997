import { setTimeout } from "node:timers/promises";
import { connectionDestroyed, connectionOf, newId } from "./media-events.js";
import { prepareProjects, sharedEnv } from "./prepare-projects.js";
import { oddClient } from "./raw-http.js";
import { supervise } from "./supervised.js";

const SOCKETS = 64;
const RETRY_MS = 20;

/** Starts a service in a process of its own, with a project "demo" whose connections end. */
export async function startEndingConnections(databaseUrl: string) {
  const { MEDIA_PORT, MEDIA_INTAKE_PORT, ...shared } = sharedEnv(databaseUrl);
  const env = { ...shared, MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_SEARCHES_PER_MINUTE: "0" };
  const { intakeKey, apiKeys } = await prepareProjects(env, ["demo"]);
  const service = await supervise(env);
  await service.ready();
  const send = oddClient(service.internalUrl);
  const request = {
    method: "POST",
    path: "/intake/event",
    headers: { "content-type": "application/json", authorization: `Bearer ${intakeKey}` },
  };
  const endOne = async (lateMs: number): Promise<string> => {
    const connectionId = newId();
    const at = (ms: number): string => new Date(Date.now() - ms).toISOString().replace("Z", "250Z");
    const known = { connectionId, createdAt: at(lateMs + 600_000), destroyedAt: at(lateMs) };
    const body = Buffer.from(JSON.stringify(connectionDestroyed(connectionOf(known))));
    const isAcknowledged = (): Promise<boolean> =>
      send({ ...request, body }).then(
        ({ status }) => status === 200,
        () => false,
      );
    // Repeats the same event, as a media server does.
    while (!(await isAcknowledged())) await setTimeout(RETRY_MS);
    return connectionId;
  };
  /**
   * Reports the end of connections until the service has acknowledged each, through kills and restarts; returns their
   * ids. On average, the time of each lies `lateMs` in the past.
   */
  const end = async (count: number, { lateMs = 0 } = {}): Promise<string[]> => {
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
  return { service, apiKey: apiKeys.get("demo") ?? "", end };
}
