import type { UsersInfoResponse } from "@slack/web-api";

/** A person as `users.info` describes them to the bot. */
export type SlackUser = NonNullable<UsersInfoResponse["user"]>;

/** Whom the bot serves where a request comes from. */
export interface Served {
  /** The workspace, or the organization for what belongs to no workspace. */
  readonly teamId: string;
  /** The organization on Enterprise Grid that the workspace belongs to. */
  readonly enterpriseId?: string | undefined;
  /** Whether the organization installed the bot for all of its workspaces. */
  readonly isOrgWide: boolean;
}

/** How a person relates to whom the bot serves. Only members, and the guests that the policy names, are served. */
export type Affiliation = "member" | "guest" | "outsider" | "deactivated" | "bot";

/**
 * Decides from what Slack says about a person. `is_stranger` alone does not tell outsiders apart: Slack leaves it out
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
 * Within an organization the request alone cannot tell.
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
