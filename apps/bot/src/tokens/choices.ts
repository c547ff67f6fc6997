import { decideMint, grantsOf } from "../policy/decide.js";
import { type Member, type Role, roles, type TokenPolicy } from "../policy/policy.js";

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
