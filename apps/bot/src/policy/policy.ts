import * as z from "zod";
import { readLength } from "../language.js";

/** The roles of tokens; `any` is a token without a role. */
export const roles = ["recvonly", "sendonly", "sendrecv", "any"] as const;
export type Role = (typeof roles)[number];

/** The tokens that a group of people may create. */
export interface PolicyGrant {
  /** Ids of users and user groups; `everyone`, which excludes guests; `guests`; `admins`. */
  readonly to: readonly string[];
  readonly roles: readonly Role[];
  readonly maxLifetimeMs: number;
  /** The projects that it applies to; undefined for all. */
  readonly projects: readonly string[] | undefined;
}

/** What a policy allows people to do, beside creating tokens. */
export const acts = ["revoke", "revokeOwn", "resend", "endpoints", "disconnect", "audit"] as const;
export type Act = (typeof acts)[number];

/** Which tokens may be requested beyond what a person may create, and who decides. */
export interface ApprovalRule {
  /** The id of the channel that requests are posted to, or of a user group, whose members get them as direct messages. */
  readonly postTo: string;
  /** Who may approve and deny: ids of users and user groups; `admins`. */
  readonly approvers: readonly string[];
  /** Who may request: as in {@link PolicyGrant.to}. */
  readonly from: readonly string[];
  readonly roles: readonly Role[];
  /** The longest lifetime that can be approved; undefined for that of the policy. */
  readonly maxLifetimeMs: number | undefined;
  /** The projects that it applies to; undefined for all. */
  readonly projects: readonly string[] | undefined;
}

/** Who may create which tokens, and do what else. */
export type TokenPolicy = Readonly<ReturnType<typeof toPolicy>>;

/** A person as a policy sees them. */
export interface Member {
  readonly userId: string;
  /** Whether they are an admin of the workspace. */
  readonly isAdmin: boolean;
  /** Ids of the user groups that they belong to. */
  readonly groups: ReadonlySet<string>;
  /** Whether they are a guest, and may do only what the policy grants to guests. */
  readonly isGuest: boolean;
}

const lifetime = length({ min: 1000, error: "must be a length of time of at least a second, such as 10m or 1h" });
const ahead = length({ min: 0, error: "must be a length of time, such as 24h" });

const ID = "must be the id of a user (U…) or of a user group (S…)";
const IDS = "must be a list of ids of users (U…) and user groups (S…)";
const idOr = (pattern: RegExp, error: string) => z.string(error).regex(pattern, error);

const people = z.array(idOr(/^[UWS][A-Z0-9]+$/, ID), IDS);

/** People of a list that may be empty: nobody. */
const anyone = z.array(
  idOr(/^(?:[UWS][A-Z0-9]+|everyone|guests|admins)$/, `${ID}, "everyone", "guests" or "admins"`),
  `${IDS}, "everyone", "guests" and "admins"`,
);

const grantees = anyone.min(1, "must not be empty: an empty list grants nothing");

const approvers = z
  .array(idOr(/^(?:[UWS][A-Z0-9]+|admins)$/, `${ID}, or "admins"`), `${IDS}, and "admins"`)
  .min(1, "must not be empty: somebody must decide");

const guests = z.array(idOr(/^(?:[UWS][A-Z0-9]+|everyone)$/, `${ID}, or "everyone"`), `${IDS}, or ["everyone"]`);

const rolesGranted = z
  .array(z.enum(roles, `must be one of ${roles.join(", ")}`), `must be a list of roles: ${roles.join(", ")}`)
  .min(1, `must name a role: ${roles.join(", ")}`);

const PROJECT = "must be the name of a project";

const what = { roles: rolesGranted, maxLifetime: lifetime };

const projects = z
  .array(z.string(PROJECT).min(1, PROJECT), "must be a list of names of projects")
  .min(1, "must name a project; leave it out to mean all")
  .optional();

const grant = z.strictObject(
  { to: grantees, ...what, projects },
  expected('must be an object such as { "to": ["S0123"], "roles": ["sendonly"], "maxLifetime": "1h" }'),
);

const approval = z.strictObject(
  {
    postTo: idOr(/^[CGS][A-Z0-9]+$/, "must be the id of a channel (C…) or of a user group (S…)"),
    approvers: approvers.optional(),
    from: grantees.default(["everyone"]),
    roles: rolesGranted.default([...roles]),
    maxLifetime: lifetime.optional(),
    projects,
  },
  expected('must be an object such as { "postTo": "C0123", "approvers": ["S0456"] }'),
);

const act = z.strictObject(
  {
    revoke: anyone.default(["admins"]),
    revokeOwn: anyone.default(["everyone"]),
    resend: anyone.default(["admins"]),
    endpoints: anyone.default(["admins"]),
    disconnect: anyone.default(["admins"]),
    audit: anyone.default(["admins"]),
  } satisfies Record<Act, z.ZodType>,
  expected('must be an object such as { "resend": ["admins", "S0123"] }'),
);

const policyFile = z.strictObject(
  {
    $schema: z.string("must be a text").optional(),
    maxLifetime: lifetime.prefault("24h"),
    maxAhead: ahead.prefault("24h"),
    ask: people.default([]),
    default: z
      .strictObject(what, expected('must be null or an object such as { "roles": ["recvonly"], "maxLifetime": "10m" }'))
      .nullable()
      .prefault({ roles: ["recvonly"], maxLifetime: "10m" }),
    admins: z
      .strictObject(what, expected('must be null or an object such as { "roles": ["any"], "maxLifetime": "24h" }'))
      .nullable()
      .prefault({ roles: ["any"], maxLifetime: "24h" }),
    grants: z.array(grant, "must be a list of grants").default([]),
    connect: people.default([]),
    guests: guests.default([]),
    watch: grantees.default(["everyone"]),
    act: act.prefault({}),
    approvals: z.array(approval, "must be a list of rules").optional(),
  },
  expected("must be a JSON object"),
);

/** The policy without a file: members may create recvonly tokens for 10 minutes, admins all tokens for 24 hours. */
export const defaultPolicy: TokenPolicy = toPolicy(policyFile.parse({}));

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
  return { ok: true, policy: toPolicy(data) };
}

function toPolicy(file: z.infer<typeof policyFile>) {
  const everyone = file.default ? [{ to: ["everyone"], projects: undefined, ...file.default }] : [];
  const admins = file.admins ? [{ to: ["admins"], projects: undefined, ...file.admins }] : [];
  return {
    /** The longest lifetime of any token. */
    maxLifetimeMs: file.maxLifetime,
    /** How far ahead a token's start may be. */
    maxAheadMs: file.maxAhead,
    /** Ids of users and user groups that can help after a refusal; empty for the workspace's admins. */
    ask: file.ask,
    /** Alternatives: any one of them suffices. */
    grants: [...everyone, ...admins, ...file.grants].map(
      ({ to, roles, maxLifetime, projects }): PolicyGrant => ({ to, roles, maxLifetimeMs: maxLifetime, projects }),
    ),
    /** Ids of users and user groups that may connect projects, in addition to the workspace's admins. */
    connect: file.connect,
    /** The guests that may use the bot: ids of users and user groups, or `everyone` for all of them. */
    guests: file.guests,
    /** Who may let channels be notified, by watches and digests, and change or stop that. */
    watch: file.watch,
    /** Who may do what; nobody else, not even admins. */
    act: file.act,
    /**
     * The first that applies decides where a request goes; undefined if the file has none: requests then go to the
     * workspace's audit channel, and its admins decide.
     */
    approvals: file.approvals?.map(
      ({ postTo, approvers, from, roles, maxLifetime, projects }): ApprovalRule => ({
        postTo,
        approvers: approvers ?? [postTo.startsWith("S") ? postTo : "admins"],
        ...{ from, roles, projects },
        maxLifetimeMs: maxLifetime,
      }),
    ),
  };
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
  const place = path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
  return place && `${place} `;
}

/** The position of a JSON error. The rest of the parser's message quotes the text, which may be a secret. */
function positionText(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` from line ${before.length}, column ${(before.at(-1) ?? "").length + 1} on`;
}
