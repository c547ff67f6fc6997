import * as z from "zod";
import { readLength } from "../language.js";

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
