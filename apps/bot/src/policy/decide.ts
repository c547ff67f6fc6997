import { tellLength } from "../language.js";
import { type Member, type PolicyGrant, type Role, roles, type TokenPolicy } from "./policy.js";

/** What someone may make. */
export interface Grant {
  readonly roles: readonly Role[];
  readonly maxLifetimeMs: number;
}

/** A token that someone asks for. */
export interface Wanted {
  readonly projectId: string;
  readonly role: Role;
  /** From its start on. */
  readonly forMs: number;
  /** 0 where it starts now. */
  readonly startsInMs: number;
}

export type Decision =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** One sentence: what is allowed, and what is not. */
      readonly reason: string;
      /** Who can help: ids of users and user groups; empty for the workspace's admins. */
      readonly ask: readonly string[];
    };

/** What someone may make for a project. Nothing of it outlives what the policy allows to anyone. */
export function grantsOf(policy: TokenPolicy, member: Member, projectId: string): Grant[] {
  if (!mayUseBot(policy, member)) return [];
  return policy.grants
    .filter(({ to, projects }) => isMeant(member, to) && (projects?.includes(projectId) ?? true))
    .map((grant) => ({ roles: grant.roles, maxLifetimeMs: Math.min(grant.maxLifetimeMs, policy.maxLifetimeMs) }));
}

/** Whether someone may make a token, and if not, what is allowed instead. */
export function decideMint(policy: TokenPolicy, member: Member, wanted: Wanted): Decision {
  const { projectId, role, forMs, startsInMs } = wanted;
  const refused = (reason: string): Decision => ({ ok: false, reason, ask: policy.ask });
  const longest = longestOf(grantsOf(policy, member, projectId));
  const most = longest.get(role);
  const isSoonEnough = startsInMs <= policy.maxAheadMs;

  if (longest.size === 0) return refused(`You may not make tokens for the project ${projectId}.`);
  // Whoever is told of one fault must not run into the next.
  const start = isSoonEnough ? "" : `, starting ${tellStart(policy.maxAheadMs)}`;
  if (most === undefined) {
    return refused(
      `You may make tokens ${tellAll(longest)}${start}, but none ${role === "any" ? "that is good for any role" : `with ${tellRoles([role])}`}.`,
    );
  }
  if (!(forMs <= most)) {
    return refused(`You may make tokens ${tell([role], most)}${start}, but not for ${tellAsked(forMs)}.`);
  }
  if (!isSoonEnough) {
    return refused(
      `You may make tokens that start ${tellStart(policy.maxAheadMs)}, but not in ${tellAsked(startsInMs)}.`,
    );
  }
  return { ok: true };
}

/** Whether someone may use the bot at all: every member, and the guests whom the policy names. */
export function mayUseBot({ guests }: Pick<TokenPolicy, "guests">, { isGuest, userId, groups }: Member): boolean {
  return !isGuest || guests.some((whom) => whom === "everyone" || whom === userId || groups.has(whom));
}

/** Whether someone may connect projects to the workspace, and disconnect them. */
export function mayConnect(policy: TokenPolicy, member: Member): boolean {
  return mayUseBot(policy, member) && (member.isAdmin || isMeant(member, policy.connect));
}

function isMeant({ userId, isAdmin, isGuest, groups }: Member, to: PolicyGrant["to"]): boolean {
  return to.some((whom) => {
    if (whom === "everyone") return !isGuest;
    if (whom === "guests") return isGuest;
    return (whom === "admins" && isAdmin) || whom === userId || groups.has(whom);
  });
}

/** For how long each role may be had; a role that may not be had is missing. */
function longestOf(grants: readonly Grant[]): ReadonlyMap<Role, number> {
  const longest = new Map<Role, number>();
  for (const role of roles) {
    // A token that is bound to no role is good for each of them, so that whoever may make it may make less.
    const fitting = grants.filter((grant) => grant.roles.includes(role) || grant.roles.includes("any"));
    if (fitting.length > 0) longest.set(role, Math.max(...fitting.map(({ maxLifetimeMs }) => maxLifetimeMs)));
  }
  return longest;
}

function tellAll(longest: ReadonlyMap<Role, number>): string {
  const lengths = [...new Set(longest.values())].sort((a, b) => b - a);
  return lengths
    .map((ms) =>
      tell(
        roles.filter((role) => longest.get(role) === ms),
        ms,
      ),
    )
    .join(", or ");
}

const tell = (some: readonly Role[], ms: number): string => `with ${tellRoles(some)} for up to ${tellLength(ms)}`;

function tellRoles(some: readonly Role[]): string {
  if (some.includes("any")) return "any role";
  return `the role ${some.join(" or ")}`;
}

const tellStart = (maxAheadMs: number): string => (maxAheadMs > 0 ? `at most ${tellLength(maxAheadMs)} ahead` : "now");

const tellAsked = (ms: number): string => (Number.isFinite(ms) ? tellLength(ms) : "ever");

/** The user groups whose members must be known before anything is decided. */
export function groupsIn({ grants, connect, guests }: TokenPolicy): string[] {
  const ids = [...grants.flatMap(({ to }) => to), ...connect, ...guests];
  return [...new Set(ids.filter((id) => id.startsWith("S")))].sort();
}

/** For how long each role may be had, in milliseconds; a role that may not be had is missing. */
export type Allowed = Readonly<Partial<Record<Role, number>>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** What is offered as far as it is allowed. */
const USUAL_MS = [
  ...[5, 10, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12, 24, 7 * 24].map((hours) => hours * HOUR_MS),
];

/** What someone may make for a project. */
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

/** What may be had in one project or another. */
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
