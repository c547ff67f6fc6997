import { formatLength } from "../language.js";
import {
  type Act,
  type ApprovalRule,
  type Member,
  type PolicyGrant,
  type Role,
  roles,
  type TokenPolicy,
} from "./policy.js";

/** The longest allowed lifetime of each role, in milliseconds; forbidden roles are missing. */
export type Allowed = Readonly<Partial<Record<Role, number>>>;

/** A token that a person requests. */
export interface DesiredMint {
  readonly projectId: string;
  readonly role: Role;
  /** The lifetime, counted from the start. */
  readonly forMs: number;
  readonly startsInMs: number;
}

/** Whether a token may be created. */
export type Decision =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** One sentence: what is allowed, and what is not. */
      readonly reason: string;
      /** Ids of users and user groups that can help; empty for the workspace's admins. */
      readonly ask: readonly string[];
    };

/** The grants of a person for a project, capped at the policy's own maximum lifetime. */
export function grantsOf(policy: TokenPolicy, member: Member, projectId: string): PolicyGrant[] {
  if (!mayUseBot(policy, member)) return [];
  return policy.grants
    .filter(({ to, projects }) => isIncluded(member, to) && (projects?.includes(projectId) ?? true))
    .map((grant) => ({ ...grant, maxLifetimeMs: Math.min(grant.maxLifetimeMs, policy.maxLifetimeMs) }));
}

/** Whether a person may create a token, and if not, what is allowed instead. */
export function decideMint(policy: TokenPolicy, member: Member, desired: DesiredMint): Decision {
  const { projectId, role, forMs, startsInMs } = desired;
  const refused = (reason: string): Decision => ({ ok: false, reason, ask: policy.ask });
  const allowed = allowedFor(policy, member, projectId);
  const most = allowed[role];
  const isSoonEnough = startsInMs <= policy.maxAheadMs;

  if (Object.keys(allowed).length === 0) return refused(`You may not make tokens for the project ${projectId}.`);
  // The reason names all limits, so that the next attempt doesn't fail at another.
  const start = isSoonEnough ? "" : `, starting ${startText(policy.maxAheadMs)}`;
  if (most === undefined) {
    return refused(
      `You may make tokens ${grantsText(allowed)}${start}, but none ${role === "any" ? "without a role" : `with ${rolesText([role])}`}.`,
    );
  }
  if (!(forMs <= most)) {
    return refused(`You may make tokens ${grantText([role], most)}${start}, but not for ${askedText(forMs)}.`);
  }
  if (!isSoonEnough) {
    return refused(
      `You may make tokens that start ${startText(policy.maxAheadMs)}, but not in ${askedText(startsInMs)}.`,
    );
  }
  return { ok: true };
}

/** Whether a person may use the bot at all: members, and the guests that the policy names. */
export function mayUseBot({ guests }: Pick<TokenPolicy, "guests">, { isGuest, userId, groups }: Member): boolean {
  return !isGuest || guests.some((entry) => entry === "everyone" || entry === userId || groups.has(entry));
}

/** Whether a person may connect projects to the workspace, and disconnect them. */
export function mayConnect(policy: TokenPolicy, member: Member): boolean {
  return mayUseBot(policy, member) && (member.isAdmin || isIncluded(member, policy.connect));
}

/** Whether a person may set up watches and digests, and change or stop them. */
export function mayWatch(policy: TokenPolicy, member: Member): boolean {
  return mayUseBot(policy, member) && (member.isAdmin || isIncluded(member, policy.watch));
}

/** Whether a person may do something that the policy grants beside tokens. */
export function mayAct(policy: TokenPolicy, member: Member, act: Exclude<Act, "revokeOwn">): boolean {
  return mayUseBot(policy, member) && isIncluded(member, policy.act[act]);
}

/** Whether a person may revoke a token: any, or one that they requested, if anybody of this workspace did. */
export function mayRevoke(policy: TokenPolicy, member: Member, requestedBy: string | undefined): boolean {
  if (mayAct(policy, member, "revoke")) return true;
  return requestedBy === member.userId && mayUseBot(policy, member) && isIncluded(member, policy.act.revokeOwn);
}

/** Whether tokens can be requested in a workspace beyond what people may create. */
export function isApprovalPossible({ approvals }: TokenPolicy, auditChannel: string | undefined): boolean {
  return approvals ? approvals.length > 0 : auditChannel !== undefined;
}

/** The rule for a request within the policy's limits of time; undefined if nobody can approve it. */
export function approvalFor(
  policy: TokenPolicy,
  member: Member,
  { projectId, role, forMs, startsInMs }: DesiredMint,
  auditChannel: string | undefined,
): ApprovalRule | undefined {
  const isInLimits = forMs <= policy.maxLifetimeMs && startsInMs <= policy.maxAheadMs;
  if (!isInLimits || !mayUseBot(policy, member)) return undefined;
  const rules = policy.approvals ?? (auditChannel === undefined ? [] : [usualRule(auditChannel)]);
  return rules.find(
    (rule) =>
      isIncluded(member, rule.from) &&
      (rule.projects?.includes(projectId) ?? true) &&
      (rule.roles.includes(role) || rule.roles.includes("any")) &&
      forMs <= (rule.maxLifetimeMs ?? policy.maxLifetimeMs),
  );
}

const usualRule = (postTo: string): ApprovalRule => {
  return { postTo, approvers: ["admins"], from: ["everyone"], roles: [...roles], maxLifetimeMs: undefined };
};

/** Whether a person may approve or deny the request of another; never their own, and never as a guest. */
export function mayApprove({ approvers }: ApprovalRule, member: Member, requestedBy: string): boolean {
  return member.userId !== requestedBy && !member.isGuest && isIncluded(member, approvers);
}

function isIncluded({ userId, isAdmin, isGuest, groups }: Member, to: PolicyGrant["to"]): boolean {
  return to.some((entry) => {
    if (entry === "everyone") return !isGuest;
    if (entry === "guests") return isGuest;
    return (entry === "admins" && isAdmin) || entry === userId || groups.has(entry);
  });
}

/** The longest lifetime of each role that a person may use in a project. */
export function allowedFor(policy: TokenPolicy, member: Member, projectId: string): Allowed {
  const grants = grantsOf(policy, member, projectId);
  // A token without a role works for every role, so a grant of `any` includes every role.
  return longestEach((role) =>
    grants
      .filter((grant) => grant.roles.includes(role) || grant.roles.includes("any"))
      .map(({ maxLifetimeMs }) => maxLifetimeMs),
  );
}

/** The longest lifetime of each role in any of several projects. */
export const anyOf = (allowed: readonly Allowed[]): Allowed => longestEach((role) => allowed.map((each) => each[role]));

function longestEach(lengthsOf: (role: Role) => readonly (number | undefined)[]): Allowed {
  const longest = roles.map((role) => [role, Math.max(...lengthsOf(role).map((ms) => ms ?? 0))] as const);
  return Object.fromEntries(longest.filter(([, ms]) => ms > 0));
}

function grantsText(allowed: Allowed): string {
  const rolesFor = (ms: number): Role[] => roles.filter((role) => allowed[role] === ms);
  const lengths = [...new Set(Object.values(allowed))].sort((a, b) => b - a);
  return lengths.map((ms) => grantText(rolesFor(ms), ms)).join(", or ");
}

const grantText = (some: readonly Role[], ms: number): string =>
  `with ${rolesText(some)} for up to ${formatLength(ms)}`;

const rolesText = (some: readonly Role[]): string =>
  some.includes("any") ? "any role" : `the role ${some.join(" or ")}`;

const startText = (maxAheadMs: number): string =>
  maxAheadMs > 0 ? `at most ${formatLength(maxAheadMs)} ahead` : "now";

const askedText = (ms: number): string => (Number.isFinite(ms) ? formatLength(ms) : "ever");

/** The user groups that a policy names. */
export function groupsIn({ grants, connect, guests, watch, act, approvals = [] }: TokenPolicy): string[] {
  const ids = [
    ...grants.flatMap(({ to }) => to),
    ...[...connect, ...guests, ...watch],
    ...Object.values(act).flat(),
    ...approvals.flatMap(({ approvers, from }) => [...approvers, ...from]),
  ];
  return [...new Set(ids.filter((id) => id.startsWith("S")))].sort();
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The usual lifetimes, offered as far as they are allowed. */
const USUAL_MS = [
  ...[5, 10, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12, 24, 7 * 24].map((hours) => hours * HOUR_MS),
];

/** The lifetimes to offer: the usual ones, and the longest of each role. */
export function lengthsIn(allowed: Allowed): number[] {
  const longest = Object.values(allowed);
  const most = Math.max(0, ...longest);
  return [...new Set([...USUAL_MS.filter((ms) => ms <= most), ...longest])].sort((a, b) => a - b);
}
