import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { refusalOf } from "./refusal.js";

/** What the bot needs to know of somebody. */
interface Person {
  /** By its IANA name. */
  timeZone: string;
  /** Whether they administer or own the workspace. */
  isAdmin: boolean;
  /** Where Slack did not say who they are. */
  isUnknown?: true;
}

/** What is said to somebody who may be allowed what Slack would have to confirm. */
export const WHO_ARE_YOU =
  "Slack does not say at the moment who you are, and thus what you may do. Try again in a minute.";

/** Whom Slack knows. What it says is kept for a short time: it allows but few questions. */
export interface People {
  /** @param patienceMs How long whoever asked can wait for it. */
  of(slack: WebClient, teamId: string, userId: string, patienceMs?: number): Promise<Person>;
  /** Those of the groups that they belong to. */
  groupsOf(slack: WebClient, teamId: string, userId: string, groups: readonly string[]): Promise<ReadonlySet<string>>;
}

// Longer than this, somebody who waits believes that the bot is dead.
const PATIENCE_MS = 10_000;

const PEOPLE_MS = 5 * 60_000;
// Who is taken out of a group must soon be without what it allows.
const GROUPS_MS = 60_000;
const MOST = 10_000;

// What is said of somebody of whom Slack tells nothing: the least.
const NOBODY: Person = { timeZone: "UTC", isAdmin: false, isUnknown: true };

export function createPeople(log: Logger): People {
  const people = new LRUCache<string, Promise<Person>>({ max: MOST, ttl: PEOPLE_MS });
  const groups = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: MOST, ttl: GROUPS_MS });

  async function askForPerson(slack: WebClient, userId: string): Promise<Person> {
    const { user } = await slack.users.info({ user: userId });
    return {
      timeZone: isTimeZone(user?.tz) ? user.tz : NOBODY.timeZone,
      isAdmin: user?.is_admin === true || user?.is_owner === true,
    };
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
    async of(slack, teamId, userId, patienceMs = PATIENCE_MS) {
      try {
        return await within(
          patienceMs,
          remembered(people, `${teamId} ${userId}`, () => askForPerson(slack, userId)),
        );
      } catch (error) {
        log.warn({ err: error, userId }, "Slack does not say who somebody is; they count as anybody, in UTC");
        return NOBODY;
      }
    },
    async groupsOf(slack, teamId, userId, ids) {
      const found = await Promise.all(
        ids.map(async (id) => {
          try {
            const asked = remembered(groups, `${teamId} ${id}`, () => askForMembers(slack, id));
            const members = await within(PATIENCE_MS, asked);
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

/** Slack may know zones that Node does not. */
function isTimeZone(name: string | undefined): name is string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name !== undefined;
  } catch {
    return false;
  }
}
