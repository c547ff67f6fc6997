import { formatLength } from "../language.js";
import { type Member, type PolicyGrant, type Role, roles, type TokenPolicy } from "./policy.js";

/** The roles and lifetime that a person may use. */
export interface Grant {
  readonly roles: readonly Role[];
  readonly maxLifetimeMs: number;
}

/** A token that someone asks for. */
export interface DesiredMint {
  readonly projectId: string;
  readonly role: Role;
  /** From its start on. */
  readonly forMs: number;
  /** 0 if it starts now. */
  readonly startsInMs: number;
}

export type Decision =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** One sentence: what is allowed, and what is not. */
      readonly reason: string;
      /** Ids of users and user groups to ask; empty for the workspace's admins. */
      readonly ask: readonly string[];
    };

/** What a person may make for a project, never beyond the policy's own maximum lifetime. */
export function grantsOf(policy: TokenPolicy, member: Member, projectId: string): Grant[] {
  if (!mayUseBot(policy, member)) return [];
  return policy.grants
    .filter(({ to, projects }) => isIncluded(member, to) && (projects?.includes(projectId) ?? true))
    .map((grant) => ({ roles: grant.roles, maxLifetimeMs: Math.min(grant.maxLifetimeMs, policy.maxLifetimeMs) }));
}

/** Whether someone may make a token, and if not, what is allowed instead. */
export function decideMint(policy: TokenPolicy, member: Member, desired: DesiredMint): Decision {
  const { projectId, role, forMs, startsInMs } = desired;
  const refused = (reason: string): Decision => ({ ok: false, reason, ask: policy.ask });
  const longest = longestOf(grantsOf(policy, member, projectId));
  const most = longest.get(role);
  const isSoonEnough = startsInMs <= policy.maxAheadMs;

  if (longest.size === 0) return refused(`You may not make tokens for the project ${projectId}.`);
  // The reason names all limits, so that the next try doesn't run into another.
  const start = isSoonEnough ? "" : `, starting ${startText(policy.maxAheadMs)}`;
  if (most === undefined) {
    return refused(
      `You may make tokens ${grantsText(longest)}${start}, but none ${role === "any" ? "without a role" : `with ${rolesText([role])}`}.`,
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

/** Whether someone may connect projects to the workspace, and disconnect them. */
export function mayConnect(policy: TokenPolicy, member: Member): boolean {
  return mayUseBot(policy, member) && (member.isAdmin || isIncluded(member, policy.connect));
}

function isIncluded({ userId, isAdmin, isGuest, groups }: Member, to: PolicyGrant["to"]): boolean {
  return to.some((entry) => {
    if (entry === "everyone") return !isGuest;
    if (entry === "guests") return isGuest;
    return (entry === "admins" && isAdmin) || entry === userId || groups.has(entry);
  });
}

/** For how long each role may be had; a role that may not be had is missing. */
function longestOf(grants: readonly Grant[]): ReadonlyMap<Role, number> {
  const longest = new Map<Role, number>();
  for (const role of roles) {
    // A token without a role works for every role, so permission for it includes every role.
    const fitting = grants.filter((grant) => grant.roles.includes(role) || grant.roles.includes("any"));
    if (fitting.length > 0) longest.set(role, Math.max(...fitting.map(({ maxLifetimeMs }) => maxLifetimeMs)));
  }
  return longest;
}

function grantsText(longest: ReadonlyMap<Role, number>): string {
  const lengths = [...new Set(longest.values())].sort((a, b) => b - a);
  return lengths
    .map((ms) =>
      grantText(
        roles.filter((role) => longest.get(role) === ms),
        ms,
      ),
    )
    .join(", or ");
}

const grantText = (some: readonly Role[], ms: number): string =>
  `with ${rolesText(some)} for up to ${formatLength(ms)}`;

function rolesText(some: readonly Role[]): string {
  if (some.includes("any")) return "any role";
  return `the role ${some.join(" or ")}`;
}

const startText = (maxAheadMs: number): string =>
  maxAheadMs > 0 ? `at most ${formatLength(maxAheadMs)} ahead` : "now";

const askedText = (ms: number): string => (Number.isFinite(ms) ? formatLength(ms) : "ever");

/** The user groups that a policy names. */
export function groupsIn({ grants, connect, guests }: TokenPolicy): string[] {
  const ids = [...grants.flatMap(({ to }) => to), ...connect, ...guests];
  return [...new Set(ids.filter((id) => id.startsWith("S")))].sort();
}

/** For how long each role may be had, in milliseconds; a role that may not be had is missing. */
export type Allowed = Readonly<Partial<Record<Role, number>>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The usual lifetimes, offered as far as they are allowed. */
const USUAL_MS = [
  ...[5, 10, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12, 24, 7 * 24].map((hours) => hours * HOUR_MS),
];

/** The longest lifetime of each role that a person may use in a project. */
export function allowedFor(policy: TokenPolicy, member: Member, projectId: string): Allowed {
  const lengths = grantsOf(policy, member, projectId)
    .map(({ maxLifetimeMs }) => maxLifetimeMs)
    .sort((a, b) => b - a);
  const longest = (role: Role): number | undefined =>
    lengths.find((forMs) => decideMint(policy, member, { projectId, role, forMs, startsInMs: 0 }).ok);
  return Object.fromEntries(
    roles.flatMap((role) => {
      const ms = longest(role);
      return ms === undefined ? [] : [[role, ms]];
    }),
  );
}

/** The longest lifetime of each role in any of several projects. */
export function anyOf(allowed: readonly Allowed[]): Allowed {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const longest = Math.max(...allowed.map((each) => each[role] ?? 0));
      return longest > 0 ? [[role, longest]] : [];
    }),
  );
}

/** The lengths of time that someone chooses from: the usual ones, and the longest of each role. */
export function lengthsIn(allowed: Allowed): number[] {
  const longest = Object.values(allowed);
  const most = Math.max(0, ...longest);
  return [...new Set([...USUAL_MS.filter((ms) => ms <= most), ...longest])].sort((a, b) => a - b);
}
