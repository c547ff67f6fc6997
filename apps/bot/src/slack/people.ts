import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { refusalOf } from "./client.js";

export interface PeopleOptions {
  log: Logger;
  /** How long Slack may take to answer. @default 10_000 */
  patienceMs?: number;
}

// People take the bot for dead after longer than this.
const PATIENCE_MS = 10_000;
// A deactivation, or a removal from a group, must take effect soon.
const KEPT_MS = 60_000;
const MOST = 10_000;

const NOT_VISIBLE = new Set(["user_not_found", "user_not_visible"]);

/** People and user groups as Slack describes them. Cached for a short time, because Slack limits such calls. */
export type People = ReturnType<typeof createPeople>;

/** Creates {@link People}. */
export function createPeople({ log, patienceMs = PATIENCE_MS }: PeopleOptions) {
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
    /**
     * @returns undefined if Slack does not show the person to the bot, who then belongs to another workspace.
     * @throws if Slack does not answer in time, or with an error.
     */
    async of(slack: WebClient, teamId: string, userId: string): Promise<SlackUser | undefined> {
      const asked = remembered(people, `${teamId} ${userId}`, () => askForPerson(slack, userId));
      try {
        return await within(patienceMs, asked);
      } catch (error) {
        if (NOT_VISIBLE.has(refusalOf(error)?.code ?? "")) return undefined;
        throw error;
      }
    },
    /** Those of the groups that the person belongs to. */
    async groupsOf(
      slack: WebClient,
      teamId: string,
      userId: string,
      ids: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const found = await Promise.all(
        ids.map(async (id) => {
          try {
            const asked = remembered(groups, `${teamId} ${id}`, () => askForMembers(slack, id));
            const members = await within(patienceMs, asked);
            return members.has(userId) ? [id] : [];
          } catch (error) {
            log.warn(
              { err: error, group: id },
              "Slack did not say who is in a user group, so nobody counts as a member",
            );
            return [];
          }
        }),
      );
      return new Set(found.flat());
    },
  };
}

/** Concurrent callers share one request; after a failure it is repeated. */
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

/** A late answer is cached for the next request. */
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

/** A person as `users.info` describes them to the bot. */
export type SlackUser = NonNullable<UsersInfoResponse["user"]>;

/** The workspace or organization that a request is for. */
export interface Served {
  /** The workspace, or the organization for what belongs to no workspace. */
  readonly teamId: string;
  /** The organization on Enterprise Grid that the workspace belongs to. */
  readonly enterpriseId?: string | undefined;
  /** Whether the organization installed the bot for all of its workspaces. */
  readonly isOrgWide: boolean;
}

/** A person's relation to the served workspace. Only members, and the guests that the policy names, are served. */
export type Affiliation = "member" | "guest" | "outsider" | "deactivated" | "bot";

/**
 * Decides from Slack's description of a person. `is_stranger` alone does not identify outsiders: Slack leaves it out
 * for people of other companies in a shared channel that the bot can see.
 *
 * @param claimed the person's workspace according to the request, if it says one.
 */
export function affiliationOf(user: SlackUser, served: Served, claimed: string | undefined): Affiliation {
  if (user.deleted) return "deactivated";
  if (user.is_bot || user.is_workflow_bot || user.is_connector_bot || user.id === SLACKBOT) return "bot";
  if (user.is_stranger || !isClaimTrue(user, served, claimed) || !isInside(user, served)) return "outsider";
  return user.is_restricted || user.is_ultra_restricted ? "guest" : "member";
}

/**
 * Whether a request comes from another workspace than the one that the bot serves, so that Slack need not be asked.
 * Within an organization, the request alone is not enough.
 */
export function isFromElsewhere({ teamId, enterpriseId }: Served, claimed: string | undefined): boolean {
  return enterpriseId === undefined && claimed !== undefined && claimed !== teamId;
}

/** Whether a person administers the workspace that is served, or its organization; not some other workspace of it. */
export function isAdminOf(user: SlackUser, served: Served): boolean {
  if (isOfEnterprise(user, served) && (user.enterprise_user?.is_admin || user.enterprise_user?.is_owner)) return true;
  return user.team_id === served.teamId && Boolean(user.is_admin || user.is_owner);
}

const SLACKBOT = "USLACKBOT";

/** A request must not name a workspace that the person does not belong to; the organization names none. */
function isClaimTrue(user: SlackUser, served: Served, claimed: string | undefined): boolean {
  if (claimed === undefined || claimed === served.teamId || claimed === served.enterpriseId) return true;
  // Members of an organization may act from any of its workspaces if it installed the bot for all of them.
  return served.isOrgWide && workspacesOf(user, served).includes(claimed);
}

function isInside(user: SlackUser, served: Served): boolean {
  const isHere = workspacesOf(user, served).includes(served.teamId);
  if (!served.isOrgWide) return isHere;
  return isOfEnterprise(user, served) && (isHere || served.teamId === served.enterpriseId);
}

/** The workspaces that a person belongs to, as far as they are those of the organization that is served. */
function workspacesOf(user: SlackUser, served: Served): string[] {
  const { team_id, enterprise_user } = user;
  return [
    ...(team_id === undefined ? [] : [team_id]),
    ...(isOfEnterprise(user, served) ? (enterprise_user?.teams ?? []) : []),
  ];
}

function isOfEnterprise({ enterprise_id, enterprise_user }: SlackUser, { enterpriseId }: Served): boolean {
  const theirs = enterprise_user?.enterprise_id ?? enterprise_id;
  return enterpriseId !== undefined && theirs === enterpriseId;
}
