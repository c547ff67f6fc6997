import type { WebClient } from "@slack/web-api";
import type { Parts } from "./parts.js";
import { groupsIn } from "./policy/groups-in.js";
import type { Member } from "./policy/policy.js";
import { type Answer, createAnswer } from "./slack/answer.js";

/** Where something was asked from. */
export interface Place {
  readonly teamId: string;
  readonly userId: string;
  /** The conversation; none from the app's home and from shortcuts. */
  readonly channelId: string | undefined;
}

/** Something that a person asked of the bot, acknowledged and to be answered. */
export interface Request extends Place, Parts {
  readonly slack: WebClient;
  readonly answer: Answer;
  /** Opens a window within 3 s, once. */
  readonly triggerId: string | undefined;
  /** How commands begin here: `/media`. */
  readonly prefix: string;
  /** The person's own zone, by its IANA name. */
  timeZone(): Promise<string>;
  /** What a policy goes by. */
  member(): Promise<Member>;
}

export interface RequestOptions extends Place {
  slack: WebClient;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  prefix?: string | undefined;
}

// An answer in UTC now is better than one in somebody's own time much later.
const ZONE_PATIENCE_MS = 2000;

export function createRequest(parts: Parts, { responseUrl, prefix = "/media", ...from }: RequestOptions): Request {
  const { people, config } = parts;
  const { slack, teamId, userId, channelId, triggerId } = from;
  const log = parts.log.child({ teamId, userId });
  const person = (patienceMs?: number) => people.of(slack, teamId, userId, patienceMs);
  let zone: Promise<string> | undefined;
  return {
    ...parts,
    log,
    slack,
    teamId,
    userId,
    channelId,
    triggerId,
    prefix,
    answer: createAnswer({ slack, userId, channelId, responseUrl, log }),
    timeZone() {
      // Who is answered in UTC has waited once, and reads no other zone further down.
      zone ??= person(ZONE_PATIENCE_MS).then(({ timeZone }) => timeZone);
      return zone;
    },
    async member() {
      const [{ isAdmin, isUnknown }, groups] = await Promise.all([
        person(),
        people.groupsOf(slack, teamId, userId, groupsIn(config.policy)),
      ]);
      return { userId, isAdmin, groups, ...(isUnknown && { isUnknown }) };
    },
  };
}
