import { randomUUID } from "node:crypto";
import type { Caller } from "./caller.js";
import type { Random } from "./random.js";
import { channels } from "./visitors.js";

/** What an app does, and how often in relation to the others. */
interface Habit {
  readonly weight: number;
  act(caller: Caller, projectId: string, random: Random): Promise<unknown>;
}

/** Where the logs are listed. */
export const listings = [
  "/orgs/list-session-logs",
  "/orgs/list-connection-logs",
  "/orgs/list-api-logs",
  "/orgs/list-media-api-logs",
  "/orgs/list-webhook-logs",
] as const;
const TOKEN = "/projects/create-access-token";

const mediaCall = (caller: Caller, operation: string, body: Readonly<Record<string, string>>): Promise<unknown> =>
  caller.call("/media-api", body, { "x-media-target": `Media_20151104.${operation}` });

const anyChannel = (projectId: string, random: Random): string => `${random.pick(channels)}@${projectId}`;

const habits: readonly Habit[] = [
  { weight: 6, act: (caller, _, random) => caller.call(random.pick(listings)) },
  { weight: 3, act: (caller, projectId, random) => caller.mint({ channel_id: anyChannel(projectId, random) }) },
  // A misspelt field, which is refused rather than ignored.
  { weight: 1, act: (caller) => caller.call(TOKEN, { expiration_tme: new Date().toISOString() }) },
  { weight: 1, act: (caller) => caller.call(TOKEN, { jwt_id: "not-a-uuid" }) },
  {
    weight: 5,
    act: (caller, projectId, random) =>
      mediaCall(caller, "ListChannelConnections", { channel_id: anyChannel(projectId, random) }),
  },
  // Somebody who has just gone cannot be sent away.
  {
    weight: 1,
    act: (caller, projectId) =>
      mediaCall(caller, "DisconnectConnection", { channel_id: `lobby@${projectId}`, connection_id: randomUUID() }),
  },
  {
    weight: 1,
    act: (caller, projectId) => mediaCall(caller, "DisconnectChannel", { channel_id: `lobyy@${projectId}` }),
  },
];
const sum = habits.reduce((total, { weight }) => total + weight, 0);

/** Makes one of the calls that apps make: most are right, and some are not. */
export async function callOnce(caller: Caller, projectId: string, random: Random): Promise<void> {
  let drawn = random.next() * sum;
  for (const { weight, act } of habits) {
    drawn -= weight;
    if (drawn < 0) {
      await act(caller, projectId, random);
      return;
    }
  }
}
