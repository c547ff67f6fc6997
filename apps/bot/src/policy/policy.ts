import * as z from "zod";
import { formatLength, readLength } from "../language.js";

/** The roles of tokens; `any` is a token without a role. */
export const roles = ["recvonly", "sendonly", "sendrecv", "any"] as const;
export type Role = (typeof roles)[number];

/** What a policy allows people to do, beside creating tokens. */
export type Act = keyof TokenPolicy["act"];

/** The tokens that a group of people may create. */
export type PolicyGrant = z.infer<typeof grant>;

/** Which tokens may be requested beyond what a person may create, and who decides. */
export type ApprovalRule = z.infer<typeof approval>;

/** Who may create which tokens, and do what else. */
export type TokenPolicy = Readonly<z.infer<typeof policyFile>>;

/** A person as a policy sees them. A guest may do only what the policy grants to guests. */
export interface Member {
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly groups: ReadonlySet<string>;
  readonly isGuest: boolean;
}

const lifetime = length({ min: 1000, error: "must be a length of time of at least a second, such as 10m or 1h" });
const ahead = length({ min: 0, error: "must be a length of time, such as 24h" });

const ID = "must be the id of a user (U…) or of a user group (S…)";
const IDS = "must be a list of ids of users (U…) and user groups (S…)";

/** A list of ids, and of these words. */
function peopleOr(words: readonly string[], error: string, errorOfAll: string) {
  const pattern = new RegExp(`^(?:${["[UWS][A-Z0-9]+", ...words].join("|")})$`);
  return z.array(z.string(error).regex(pattern, error), errorOfAll);
}

const people = peopleOr([], ID, IDS);

/** People of a list that may be empty: nobody. `everyone` excludes guests. */
const anyone = peopleOr(
  ["everyone", "guests", "admins"],
  `${ID}, "everyone", "guests" or "admins"`,
  `${IDS}, "everyone", "guests" and "admins"`,
);

const grantees = anyone.min(1, "must not be empty: an empty list grants nothing");

const approvers = peopleOr(["admins"], `${ID}, or "admins"`, `${IDS}, and "admins"`).min(
  1,
  "must not be empty: somebody must decide",
);

const guests = peopleOr(["everyone"], `${ID}, or "everyone"`, `${IDS}, or ["everyone"]`);

const rolesGranted = z
  .array(z.enum(roles, `must be one of ${roles.join(", ")}`), `must be a list of roles: ${roles.join(", ")}`)
  .min(1, `must name a role: ${roles.join(", ")}`);

const PROJECT = "must be the name of a project";

const projects = z
  .array(z.string(PROJECT).min(1, PROJECT), "must be a list of names of projects")
  .min(1, "must name a project; leave it out to mean all")
  .optional();

const what = { roles: rolesGranted, maxLifetime: lifetime };

const grant = z
  .strictObject(
    { to: grantees, ...what, projects },
    expected('must be an object such as { "to": ["S0123"], "roles": ["sendonly"], "maxLifetime": "1h" }'),
  )
  .transform(({ maxLifetime: maxLifetimeMs, ...rest }) => ({ ...rest, maxLifetimeMs }));

const ofAll = (to: string, example: string) =>
  z
    .strictObject(what, expected(`must be null or an object such as ${example}`))
    .nullable()
    .prefault(JSON.parse(example))
    .transform((allowed) => (allowed ? [{ to: [to], roles: allowed.roles, maxLifetimeMs: allowed.maxLifetime }] : []));

const PLACE = "must be the id of a channel (C…) or of a user group (S…)";

const approval = z
  .strictObject(
    {
      /** A channel that requests are posted to, or a user group, whose members get them as direct messages. */
      postTo: z.string(PLACE).regex(/^[CGS][A-Z0-9]+$/, PLACE),
      approvers: approvers.optional(),
      from: grantees.default(["everyone"]),
      roles: rolesGranted.default([...roles]),
      /** The longest lifetime that can be approved; undefined for that of the policy. */
      maxLifetime: lifetime.optional(),
      projects,
    },
    expected('must be an object such as { "postTo": "C0123", "approvers": ["S0456"] }'),
  )
  .transform(({ approvers, maxLifetime: maxLifetimeMs, ...rest }) => ({
    ...rest,
    approvers: approvers ?? [rest.postTo.startsWith("S") ? rest.postTo : "admins"],
    maxLifetimeMs,
  }));

const act = z.strictObject(
  {
    revoke: anyone.default(["admins"]),
    revokeOwn: anyone.default(["everyone"]),
    resend: anyone.default(["admins"]),
    endpoints: anyone.default(["admins"]),
    disconnect: anyone.default(["admins"]),
    audit: anyone.default(["admins"]),
  },
  expected('must be an object such as { "resend": ["admins", "S0123"] }'),
);

const policyFile = z
  .strictObject(
    {
      $schema: z.string("must be a text").optional(),
      maxLifetime: lifetime.prefault("24h"),
      /** How far ahead a token's start may be. */
      maxAhead: ahead.prefault("24h"),
      /** Those who can help after a refusal; empty for the workspace's admins. */
      ask: people.default([]),
      default: ofAll("everyone", '{ "roles": ["recvonly"], "maxLifetime": "10m" }'),
      admins: ofAll("admins", '{ "roles": ["any"], "maxLifetime": "24h" }'),
      /** Alternatives: any one of them suffices. */
      grants: z.array(grant, "must be a list of grants").default([]),
      /** Those who may connect projects, in addition to the workspace's admins. */
      connect: people.default([]),
      guests: guests.default([]),
      /** Who may let channels be notified, by watches and digests, and change or stop that. */
      watch: grantees.default(["everyone"]),
      /** Who may do what; nobody else, not even admins. */
      act: act.prefault({}),
      /** The first that applies decides; without the list, requests go to the audit channel, and admins decide. */
      approvals: z.array(approval, "must be a list of rules").optional(),
    },
    expected("must be a JSON object"),
  )
  .transform(({ $schema, maxLifetime, maxAhead, default: everyone, admins, grants, approvals, ...rest }) => ({
    ...rest,
    approvals,
    maxLifetimeMs: maxLifetime,
    maxAheadMs: maxAhead,
    grants: [...everyone, ...admins, ...grants] as PolicyGrant[],
  }));

/** The policy without a file: members may create recvonly tokens for 10 minutes, admins all tokens for 24 hours. */
export const defaultPolicy: TokenPolicy = policyFile.parse({});

/** Parses a policy file; if it is invalid, returns all problems without repeating a value. */
export function parsePolicy(
  text: string,
): { readonly ok: true; readonly policy: TokenPolicy } | { readonly ok: false; readonly problems: readonly string[] } {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [`is not JSON${positionText(text, error)}`] };
  }
  const { data, error } = policyFile.safeParse(content);
  if (error) return { ok: false, problems: error.issues.map(({ path, message }) => `${pathText(path)}${message}`) };
  return { ok: true, policy: data };
}

function length({ min, error }: { min: number; error: string }) {
  return z.string(error).transform((text, context) => {
    const ms = readLength(text);
    if (ms !== undefined && ms >= min) return ms;
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });
}

/** Error messages that name unknown fields, and the expected value for all other faults. */
function expected(description: string) {
  return {
    error: (issue: z.core.$ZodRawIssue) =>
      issue.code === "unrecognized_keys" ? `has unknown fields: ${issue.keys.join(", ")}` : description,
  };
}

/** A path in a file as the start of a sentence: `grants[0].roles `; empty for the whole file. */
function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  const place = steps.join("").replace(/^\./, "");
  return place && `${place} `;
}

/** The position of a JSON error. The rest of the parser's message quotes the text, which may be a secret. */
function positionText(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` from line ${before.length}, column ${(before.at(-1) ?? "").length + 1} on`;
}

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
