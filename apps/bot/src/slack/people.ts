import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { within } from "../work/jobs.js";
import { refusalOf } from "./client.js";

// After this long, people assume that the bot is down.
const PATIENCE_MS = 10_000;
// A deactivation, or a removal from a group, must take effect soon.
const KEPT_MS = 60_000;
const MOST = 10_000;

const NOT_VISIBLE = new Set(["user_not_found", "user_not_visible"]);

/** Concurrent callers share one request; a failure is not cached. A late answer is cached for the next request. */
const cacheOf = <T extends object>() =>
  new LRUCache<string, T, () => Promise<T>>({
    max: MOST,
    ttl: KEPT_MS,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: ask }) => ask(),
  });

interface Freshness {
  /** Whether Slack is asked even if its last answer is young. @default false */
  readonly isFresh?: boolean;
}

/** People and user groups as described by Slack. Cached briefly, because Slack limits such calls. */
export class People {
  readonly #log: Logger;
  readonly #patienceMs: number;
  readonly #people = cacheOf<SlackUser>();
  readonly #groups = cacheOf<ReadonlySet<string>>();

  constructor(log: Logger, patienceMs = PATIENCE_MS) {
    this.#log = log;
    this.#patienceMs = patienceMs;
  }

  /** Undefined if Slack doesn't show the person to the bot; throws if Slack fails, or does not answer in time. */
  async of(slack: WebClient, teamId: string, userId: string, freshness?: Freshness): Promise<SlackUser | undefined> {
    const ask = async (): Promise<SlackUser> => {
      const { user } = await slack.users.info({ user: userId });
      if (user?.id === undefined || user.team_id === undefined) {
        throw new TypeError("Slack's answer to users.info lacks the id of the user or of the team.");
      }
      return user;
    };
    try {
      return await this.#fetch(this.#people, `${teamId} ${userId}`, ask, freshness);
    } catch (error) {
      if (NOT_VISIBLE.has(refusalOf(error)?.code ?? "")) return undefined;
      throw error;
    }
  }

  async groupsOf(
    slack: WebClient,
    teamId: string,
    userId: string,
    ids: readonly string[],
    freshness?: Freshness,
  ): Promise<ReadonlySet<string>> {
    const found = await Promise.all(
      ids.map(async (id) => {
        const ask = async (): Promise<ReadonlySet<string>> =>
          new Set((await slack.usergroups.users.list({ usergroup: id })).users);
        try {
          const members = await this.#fetch(this.#groups, `${teamId} ${id}`, ask, freshness);
          return members?.has(userId) ? [id] : [];
        } catch (error) {
          // A policy may name groups of other workspaces.
          if (refusalOf(error)?.code === "no_such_subteam") return [];
          const words = "Slack did not say who is in a user group, so nobody counts as a member";
          this.#log.warn({ err: error, group: id }, words);
          return [];
        }
      }),
    );
    return new Set(found.flat());
  }

  #fetch<T extends object>(
    cache: ReturnType<typeof cacheOf<T>>,
    key: string,
    ask: () => Promise<T>,
    { isFresh = false }: Freshness = {},
  ): Promise<T | undefined> {
    const ms = this.#patienceMs;
    const fetched = cache.fetch(key, { context: ask, forceRefresh: isFresh });
    return within(ms, fetched, () => new Error(`Slack did not answer within ${ms} ms.`));
  }
}

/** A person's time zone, by its IANA name; UTC if Slack sends none, or one that Node does not know. */
export function timeZoneOf({ tz }: SlackUser): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: tz });
    return tz ?? "UTC";
  } catch {
    return "UTC";
  }
}

/** A person as described by Slack's `users.info`. */
export type SlackUser = NonNullable<UsersInfoResponse["user"]>;

/** The workspace or organization that a request is for. */
export interface Served {
  /** The workspace; the organization for requests that belong to no workspace. */
  readonly teamId: string;
  readonly enterpriseId?: string | undefined;
  /** Whether the organization installed the bot for all of its workspaces. */
  readonly isOrgWide: boolean;
}

/** A person's relation to the served workspace. Only members, and the guests that the policy names, are served. */
export type Affiliation = "member" | "guest" | "outsider" | "deactivated" | "bot";

/** Classifies a person. `is_stranger` isn't enough: Slack leaves it out in shared channels. */
export function affiliationOf(user: SlackUser, served: Served, claimed: string | undefined): Affiliation {
  if (user.deleted) return "deactivated";
  if (user.is_bot || user.is_workflow_bot || user.is_connector_bot || user.id === SLACKBOT) return "bot";
  if (user.is_stranger || !isClaimTrue(user, served, claimed) || !isInside(user, served)) return "outsider";
  return user.is_restricted || user.is_ultra_restricted ? "guest" : "member";
}

/** Whether a request comes from another workspace, so that Slack need not be asked; within an organization, it must. */
export function isFromElsewhere({ teamId, enterpriseId }: Served, claimed: string | undefined): boolean {
  return enterpriseId === undefined && claimed !== undefined && claimed !== teamId;
}

/** Whether a person administers the served workspace, or its organization; not only another workspace of it. */
export function isAdminOf(user: SlackUser, served: Served): boolean {
  if (isOfEnterprise(user, served) && (user.enterprise_user?.is_admin || user.enterprise_user?.is_owner)) return true;
  return user.team_id === served.teamId && Boolean(user.is_admin || user.is_owner);
}

const SLACKBOT = "USLACKBOT";

/** Whether the person belongs to the workspace that the request names. The organization's requests name none. */
function isClaimTrue(user: SlackUser, served: Served, claimed: string | undefined): boolean {
  if (claimed === undefined || claimed === served.teamId || claimed === served.enterpriseId) return true;
  // If the organization installed the bot for all of its workspaces, its members may act from any of them.
  return served.isOrgWide && workspacesOf(user, served).includes(claimed);
}

function isInside(user: SlackUser, served: Served): boolean {
  const isHere = workspacesOf(user, served).includes(served.teamId);
  if (!served.isOrgWide) return isHere;
  return isOfEnterprise(user, served) && (isHere || served.teamId === served.enterpriseId);
}

function workspacesOf(user: SlackUser, served: Served): string[] {
  const ofEnterprise = isOfEnterprise(user, served) ? user.enterprise_user?.teams : undefined;
  return [...(user.team_id === undefined ? [] : [user.team_id]), ...(ofEnterprise ?? [])];
}

function isOfEnterprise({ enterprise_id, enterprise_user }: SlackUser, { enterpriseId }: Served): boolean {
  const theirs = enterprise_user?.enterprise_id ?? enterprise_id;
  return enterpriseId !== undefined && theirs === enterpriseId;
}
