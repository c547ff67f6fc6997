import { createHmac, randomBytes } from "node:crypto";
import { incidentWords } from "@media-ops/formatters";
import type { Fetch } from "@media-ops/sdk";
import type { Vault } from "@media-ops/secrets";
import type { Logger } from "pino";
import * as z from "zod";
import { isSilence, sentKey, watchWords } from "./message.js";
import { type StoredIncident, targetPurpose, type Watch } from "./watch-store.js";

/** A URL outside Slack that a watch posts to, and the secret that signs what it posts. */
export interface Target {
  readonly url: string;
  /** As Standard Webhooks writes secrets: `whsec_` and base64. */
  readonly secret: string;
}

const target = z.object({ url: z.string(), secret: z.string() });

const PREFIX = "whsec_";

export const newSecret = (): string => `${PREFIX}${randomBytes(24).toString("base64")}`;

export const sealTarget = (vault: Vault, { teamId, id }: Pick<Watch, "teamId" | "id">, value: Target) =>
  vault.seal(JSON.stringify(value), targetPurpose(teamId, id));

/** The target of a watch; undefined if it has none. */
export async function openTarget(vault: Vault, { teamId, id, target: sealed }: Watch): Promise<Target | undefined> {
  if (sealed === undefined) return undefined;
  return target.parse(JSON.parse(await vault.open(sealed, targetPurpose(teamId, id))));
}

const TIMEOUT_MS = 10_000;
// A pager that is down for a moment is tried soon, one that is gone not for ever.
const PAUSES_MS = [5, 15, 30, 60, 5 * 60, 15 * 60, 60 * 60].map((seconds) => seconds * 1000);
const GIVE_UP_MS = 24 * 60 * 60_000;

/** Sends to URLs outside Slack that incidents began and ended, signed as Standard Webhooks has it; ids don't change. */
export class TargetSender {
  readonly #parts;
  readonly #tries = new Map<string, { count: number; nextAt: number; firstAt: number }>();

  constructor(parts: { vault: Vault; fetch: Fetch | undefined; log: Logger; now: () => number }) {
    this.#parts = parts;
  }

  /** Makes an attempt if one is due. Returns whether the incident needs no further one: it was sent, or given up. */
  async send(found: StoredIncident, watch: Watch): Promise<boolean> {
    const id = `msg_${found.watchId}_${found.beganAt}_${sentKey(found.incident)}`.replaceAll(/[^\w-]/g, "_");
    const now = this.#parts.now();
    const { count, nextAt, firstAt } = this.#tries.get(id) ?? { count: 0, nextAt: now, firstAt: now };
    if (now < nextAt) return false;
    const fault = await this.#attempt(id, found, watch).catch((error: unknown) => error);
    const isOver = fault === undefined || now - firstAt > GIVE_UP_MS;
    if (isOver) this.#tries.delete(id);
    else this.#tries.set(id, { count: count + 1, firstAt, nextAt: now + (PAUSES_MS[count] ?? PAUSES_MS.at(-1) ?? 0) });
    if (fault === undefined) return true;
    this.#parts.log.warn(
      { err: fault, watch: watch.id, isGivenUp: isOver },
      "a watch's message was not taken outside Slack",
    );
    return isOver;
  }

  async #attempt(id: string, found: StoredIncident, watch: Watch): Promise<undefined> {
    const { vault, fetch = globalThis.fetch, now } = this.#parts;
    const to = await openTarget(vault, watch);
    if (!to) return;
    const response = await post(fetch, to, { id, body: JSON.stringify(messageOf(found, watch, now())), now: now() });
    if (!response.ok) throw new Error(`The receiver answered with ${response.status}.`);
  }
}

async function post(fetch: Fetch, { url, secret }: Target, message: { id: string; body: string; now: number }) {
  const { id, body, now } = message;
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "media-ops-bot",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response;
}

function messageOf(found: StoredIncident, watch: Watch, now: number) {
  const { projectId, beganAt, incident } = found;
  const { began, ended } = incident;
  const isSilent = isSilence(found);
  return {
    type: `watch.${isSilent ? "silence" : "incident"}.${ended === undefined ? "began" : "ended"}`,
    timestamp: isoOf(now),
    data: {
      // The same for both messages, so that a pager closes what it opened.
      incident_id: `${watch.id}-${isSilent ? "silence-" : ""}${beganAt}`,
      watch_id: watch.id,
      watch: watchWords(watch.command),
      project_id: projectId,
      log: watch.command.kind,
      ...(isSilent ? silenceWords(found) : wordsOf(found, now)),
      began_at: isoOf(began),
      ...(ended !== undefined && { ended_at: isoOf(ended) }),
      ...(!isSilent && figuresOf(incident)),
    },
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function silenceWords({ projectId, incident: { began, ended } }: StoredIncident) {
  const isOver = ended !== undefined;
  return {
    summary: `The service of ${projectId} ${isOver ? "answers again" : "doesn't answer"}`,
    details: isOver
      ? `It didn't from ${isoOf(began)} to ${isoOf(ended)}; what was logged in that time is looked through now.`
      : `It hasn't answered since ${isoOf(began)}: this watch sees nothing until it does.`,
  };
}

function wordsOf({ incident }: StoredIncident, now: number) {
  const { what, details } = incidentWords(incident, { now, timeZone: "UTC" });
  return { summary: what, details };
}

function figuresOf({ count, total, measure, value, limit, groups }: StoredIncident["incident"]) {
  const most = groups.map(({ field, tallies }) => ({ field, most: tallies.slice(0, 5) }));
  return { count, ...(total !== undefined && { total }), measure, value, limit, groups: most };
}
