import type { CreateAccessTokenRequest, ListLogsRequest, ProblemError } from "../generated/media.js";
import { parseTimestamp } from "../time.js";

type Rule = (value: unknown) => string | undefined;
type Rules<Request> = { readonly [Field in keyof Required<Request>]: Rule };

const text =
  (min: number, max: number, rule: (value: string) => string | undefined = () => undefined): Rule =>
  (value) => {
    if (typeof value !== "string") return "Must be a string.";
    // As JSON Schema counts: code points.
    const length = [...value].length;
    if (length < min || length > max) return `Must have from ${min} to ${max} characters, but has ${length}.`;
    return rule(value);
  };

const time = text(20, 64, (value) =>
  parseTimestamp(value) ? undefined : "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.",
);

export const listLogsRules: Rules<ListLogsRequest> = {
  project_id: text(1, 255),
};

export const createAccessTokenRules: Rules<CreateAccessTokenRequest> = {
  channel_id: text(0, 255, (value) => {
    if (!/@[^@]+$/.test(value)) return "Must be <channel_name>@<project_id>.";
    if (new TextEncoder().encode(value).length > 255) return "Must have at most 255 bytes.";
    return undefined;
  }),
  role: (value) =>
    value === "sendrecv" || value === "sendonly" || value === "recvonly"
      ? undefined
      : "Must be sendrecv, sendonly or recvonly.",
  max_channel_connections: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 5000
      ? undefined
      : "Must be a whole number from 0 to 5000.",
  not_before: time,
  expiration_time: time,
  jwt_id: text(36, 36, (value) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? undefined : "Must be a UUID.",
  ),
};

/** What is wrong with a request body; nothing where it is right. */
export function validate(body: unknown, rules: Readonly<Record<string, Rule>>): ProblemError[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return [{ pointer: "", detail: "Must be a JSON object." }];
  }
  return Object.entries(body).flatMap(([field, value]) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : unknownField(rules);
    const detail = rule?.(value);
    return detail ? [{ pointer: `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`, detail }] : [];
  });
}

const unknownField =
  (rules: object): Rule =>
  () =>
    `Is not a known field. Known: ${Object.keys(rules).join(", ")}.`;
