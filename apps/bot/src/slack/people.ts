import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { SlackUser } from "./affiliation.js";
import { refusalOf } from "./refusal.js";

/** People and user groups as Slack describes them. Its answers are kept for a short time, as it limits such calls. */
export interface People {
  /**
   * @returns undefined if Slack does not let the bot see the person, who then belongs to another workspace.
   * @throws if Slack does not answer in time, or with an error.
   */
  of(slack: WebClient, teamId: string, userId: string): Promise<SlackUser | undefined>;
  /** Those of the groups that they belong to. */
  groupsOf(slack: WebClient, teamId: string, userId: string, groups: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface PeopleOptions {
  log: Logger;
  /** How long Slack may take to answer. @default 10_000 */
  patienceMs?: number;
}

// Longer than this, somebody who waits believes that the bot is dead.
const PATIENCE_MS = 10_000;
// Whoever is deactivated, made a guest or taken out of a group must soon be without what that allowed.
const KEPT_MS = 60_000;
const MOST = 10_000;

const NOT_VISIBLE = new Set(["user_not_found", "user_not_visible"]);

export function createPeople({ log, patienceMs = PATIENCE_MS }: PeopleOptions): People {
  const people = new LRUCache<string, Promise<SlackUser>>({ max: MOST, ttl: KEPT_MS });
  const groups = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: MOST, ttl: KEPT_MS });

  async function askForPerson(slack: WebClient, userId: string): Promise<SlackUser> {
    const { user } = await slack.users.info({ user: userId });
    if (user?.id === undefined || user.team_id === undefined) {
      throw new TypeError("Slack's answer to users.info lacks the id of the user or of the team.");
    }
    return user;
  }

  async function askForMembers(slack: WebClient, group: string): Promise<ReadonlySet<string>> {
    try {
      const { users = [] } = await slack.usergroups.users.list({ usergroup: group });
      return new Set(users);
    } catch (error) {
      // A policy may name groups of other workspaces.
      if (refusalOf(error)?.code === "no_such_subteam") return new Set();
      throw error;
    }
  }

  return {
    async of(slack, teamId, userId) {
      const asked = remembered(people, `${teamId} ${userId}`, () => askForPerson(slack, userId));
      try {
        return await within(patienceMs, asked);
      } catch (error) {
        if (NOT_VISIBLE.has(refusalOf(error)?.code ?? "")) return undefined;
        throw error;
      }
    },
    async groupsOf(slack, teamId, userId, ids) {
      const found = await Promise.all(
        ids.map(async (id) => {
          try {
            const asked = remembered(groups, `${teamId} ${id}`, () => askForMembers(slack, id));
            const members = await within(patienceMs, asked);
            return members.has(userId) ? [id] : [];
          } catch (error) {
            log.warn({ err: error, group: id }, "Slack does not say who is in a group; nobody counts as a member");
            return [];
          }
        }),
      );
      return new Set(found.flat());
    },
  };
}

/** Those who ask at the same time share one question; one that failed is asked again. */
function remembered<T extends object>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known) return known;
  const asked = ask();
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  return asked;
}

/** What Slack takes longer to say is there for those who ask later. */
async function within<T>(ms: number, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Slack did not answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A person's own zone, by its IANA name; UTC if Slack says none, or one that Node does not know. */
export function timeZoneOf({ tz }: SlackUser): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: tz });
    return tz ?? "UTC";
  } catch {
    return "UTC";
  }
}
