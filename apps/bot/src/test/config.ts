import { type Member, parsePolicy, type TokenPolicy } from "../policy/policy.js";

/** The minimal settings of a bot for one workspace. */
export const oneWorkspace = { SLACK_BOT_TOKEN: "xoxb-1-planted", SLACK_SIGNING_SECRET: "planted-signing-secret" };

/** The minimal settings of a bot for many workspaces. */
export const manyWorkspaces = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "planted-client-secret",
  SLACK_STATE_SECRET: "planted-state-secret",
  SLACK_SIGNING_SECRET: "planted-signing-secret",
  BOT_PUBLIC_URL: "https://bot.example",
};

/** The policy of a file. */
export function policyOf(file: object): TokenPolicy {
  const parsed = parsePolicy(JSON.stringify(file));
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return parsed.policy;
}

/** A member without grants. */
export const ann: Member = { userId: "U01", isAdmin: false, isGuest: false, groups: new Set() };
/** An admin of the workspace. */
export const admin: Member = { userId: "U02", isAdmin: true, isGuest: false, groups: new Set() };
/** A member of the user group S01. */
export const inGroup: Member = { userId: "U03", isAdmin: false, isGuest: false, groups: new Set(["S01"]) };
