import * as z from "zod";
import { readLength } from "../language.js";

/** What a token is good for; `any` is one that is bound to no role. */
export const roles = ["recvonly", "sendonly", "sendrecv", "any"] as const;
export type Role = (typeof roles)[number];

/** What some people may make. */
export interface PolicyGrant {
  /** Ids of users and user groups; `everyone`, which means no guests; `guests`; `admins`. */
  readonly to: readonly string[];
  readonly roles: readonly Role[];
  readonly maxLifetimeMs: number;
  /** Undefined for all projects. */
  readonly projects: readonly string[] | undefined;
}

/** Who may make which tokens. */
export interface TokenPolicy {
  /** No token lives longer, whoever asks. */
  readonly maxLifetimeMs: number;
  /** How far ahead a token may start. */
  readonly maxAheadMs: number;
  /** Who can help when something is refused: ids of users and user groups; empty for the workspace's admins. */
  readonly ask: readonly string[];
  /** Someone may do what any one of them allows. */
  readonly grants: readonly PolicyGrant[];
  /** Who may connect projects beside the workspace's admins: ids of users and user groups. */
  readonly connect: readonly string[];
  /** Which guests may use the bot at all: ids of users and user groups, or `everyone` for all of them. */
  readonly guests: readonly string[];
}

/** Someone who asks for something. */
export interface Member {
  readonly userId: string;
  /** Whether it is an admin of the workspace. */
  readonly isAdmin: boolean;
  /** Ids of the user groups that it is in. */
  readonly groups: ReadonlySet<string>;
  /** Whether it is a guest, who may do nothing that the policy does not name guests for. */
  readonly isGuest: boolean;
}

const lifetime = length({ min: 1000, error: "is a length of time of at least a second, such as 10m or 1h" });
const ahead = length({ min: 0, error: "is a length of time, such as 24h" });

const people = z.array(
  z.string().regex(/^[UWS][A-Z0-9]+$/, "is the id of a user (U…) or of a user group (S…)"),
  "is a list of ids of users (U…) and user groups (S…)",
);

const whom = z
  .array(
    z
      .string()
      .regex(
        /^(?:[UWS][A-Z0-9]+|everyone|guests|admins)$/,
        'is the id of a user (U…) or of a user group (S…), "everyone", "guests" or "admins"',
      ),
    'is a list of ids of users (U…) and user groups (S…), "everyone", "guests" and "admins"',
  )
  .min(1, "names someone: nobody is granted anything by an empty list");

const guests = z.array(
  z.string().regex(/^(?:[UWS][A-Z0-9]+|everyone)$/, 'is the id of a user (U…) or of a user group (S…), or "everyone"'),
  'is a list of ids of users (U…) and user groups (S…), or ["everyone"]',
);

const rolesGranted = z
  .array(z.enum(roles, `is one of ${roles.join(", ")}`), `is a list of roles: ${roles.join(", ")}`)
  .min(1, `names a role: ${roles.join(", ")}`);

const what = { roles: rolesGranted, maxLifetime: lifetime };

const grant = z.strictObject(
  {
    to: whom,
    ...what,
    projects: z
      .array(z.string("is the name of a project").min(1, "is the name of a project"), "is a list of names of projects")
      .min(1, "names a project; leave it out to mean all")
      .optional(),
  },
  told('is an object such as { "to": ["S0123"], "roles": ["sendonly"], "maxLifetime": "1h" }'),
);

const policyFile = z.strictObject(
  {
    $schema: z.string("is a text").optional(),
    maxLifetime: lifetime.prefault("1h"),
    maxAhead: ahead.prefault("24h"),
    ask: people.default([]),
    default: z
      .strictObject(what, told('is null, or an object such as { "roles": ["recvonly"], "maxLifetime": "10m" }'))
      .nullable()
      .prefault({ roles: ["recvonly"], maxLifetime: "10m" }),
    grants: z.array(grant, "is a list of grants").default([]),
    connect: people.default([]),
    guests: guests.default([]),
  },
  told("is an object in JSON"),
);

/** What is allowed without a policy file: for every member recvonly for 10 minutes, and nothing else. */
export const defaultPolicy: TokenPolicy = toPolicy(policyFile.parse({}));

/** A policy, or everything that is wrong with it: no value is repeated. */
export type ParsedPolicy =
  | { readonly ok: true; readonly policy: TokenPolicy }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a policy file. */
export function parsePolicy(text: string): ParsedPolicy {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return { ok: false, problems: [`is no JSON${wherePositionIs(text, error)}`] };
  }
  const { data, error } = policyFile.safeParse(content);
  if (error) return { ok: false, problems: error.issues.map(({ path, message }) => `${placeOf(path)}${message}`) };
  return { ok: true, policy: toPolicy(data) };
}

function toPolicy({ maxLifetime, maxAhead, ask, connect, guests, ...file }: z.infer<typeof policyFile>): TokenPolicy {
  const everyone = file.default && { to: ["everyone"], projects: undefined, ...file.default };
  return {
    maxLifetimeMs: maxLifetime,
    maxAheadMs: maxAhead,
    ask,
    grants: [...(everyone ? [everyone] : []), ...file.grants].map(({ maxLifetime, ...grant }) => ({
      to: grant.to,
      roles: grant.roles,
      maxLifetimeMs: maxLifetime,
      projects: grant.projects,
    })),
    connect,
    guests,
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

/** What is said of an object, and of what stands in it and is not known. */
function told(expected: string) {
  return {
    error: (issue: z.core.$ZodRawIssue) =>
      issue.code === "unrecognized_keys" ? `has what there is not: ${issue.keys.join(", ")}` : expected,
  };
}

/** Where in a file something stands, as a sentence begins with it: `grants[0].roles `; nothing for the whole. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
  return place && `${place} `;
}

/** Where JSON broke off, where the parser's error says it. What else it says repeats the text, which may be a secret. */
function wherePositionIs(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/.exec(error instanceof Error ? error.message : "") ?? [];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return ` from line ${before.length}, column ${(before.at(-1) ?? "").length + 1} on`;
}
