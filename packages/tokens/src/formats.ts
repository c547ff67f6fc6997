import type { TokenRequestFault } from "./errors.js";

/** Describes the fault of a value; undefined if it is valid. */
export type Rule = (value: unknown) => string | undefined;

/** A rule for each member of an object. */
export type Rules<T> = { readonly [Member in keyof Required<T>]: Rule };

/** Checks each member by its rule. A member that is `undefined` counts as absent, unless it is unknown. */
export function findFaults(
  members: object,
  rules: Readonly<Record<string, Rule>>,
  unknownMember: Rule,
): TokenRequestFault[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const isKnown = Object.hasOwn(rules, name);
    if (isKnown && value === undefined) return [];
    const detail = (isKnown ? rules[name] : unknownMember)?.(value);
    return detail === undefined ? [] : [{ pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, detail }];
  });
}

/** Describes the expected value. Never repeats the value: it may be a secret in the wrong position. */
export function mustBe(wanted: string, value: unknown): string {
  const given = value === null ? "null" : Array.isArray(value) ? "an array" : `this ${typeof value}`;
  return `Must be ${wanted}; ${given} is not one.`;
}

/** Whether a value is a plain object: not an array, and not an instance of a class. */
export function isJsonObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm has its own Object.prototype, which also has no prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// The media server's limit.
const MAX_BYTES = 255;

/** The two parts of a channel id. */
export interface ChannelIdParts {
  /** Any text, `@` included; may be empty. */
  name: string;
  /** The project that the channel belongs to. */
  projectId: string;
}

/**
 * Splits `<channel_name>@<project_id>` at its last `@`. Returns `undefined` if the text is not a channel id.
 *
 * @example splitChannelId("ann@home@demo") // { name: "ann@home", projectId: "demo" }
 */
export function splitChannelId(channelId: string): ChannelIdParts | undefined {
  if (channelIdFault(channelId) !== undefined) return undefined;
  const at = channelId.lastIndexOf("@");
  return { name: channelId.slice(0, at), projectId: channelId.slice(at + 1) };
}

/** Describes the fault of a channel id; undefined if it is valid. */
export function channelIdFault(value: unknown): string | undefined {
  if (typeof value !== "string" || !/@[^@]+$/.test(value)) {
    return mustBe("<channel_name>@<project_id>, such as lobby@demo", value);
  }
  if (!value.isWellFormed()) return "Must be well-formed Unicode; this string has half of a surrogate pair.";
  // Most ids are too short to need a byte count: a UTF-16 unit has at most three.
  if (value.length * 3 <= MAX_BYTES) return undefined;
  const bytes = new TextEncoder().encode(value).length;
  return bytes > MAX_BYTES ? `Must have at most ${MAX_BYTES} bytes in UTF-8, but has ${bytes}.` : undefined;
}

const RFC_3339 =
  /^(\d{4}-\d\d-(\d\d))T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

// Most times are on a day that every month has, and need no calendar.
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** A time in whole seconds since 1970, rounded either way. */
export interface EpochSeconds {
  down: number;
  up: number;
}

/**
 * Whether a text is an RFC 3339 date-time: with `Z` or an offset, any number of fraction digits, on a day that exists.
 */
export function isDateTime(text: string): boolean {
  return PLAIN.test(text) || toEpochSeconds(text) !== undefined;
}

/**
 * Reads an RFC 3339 date-time as POSIX time: a leap second has the number of the following midnight. Returns
 * `undefined` if the text is not a date-time.
 */
export function toEpochSeconds(text: string): EpochSeconds | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, date, day, minute, second, fraction = "", sign, offsetHours = 0, offsetMinutes = 0] = parts;

  const local = Date.parse(`${date}T${minute}:00Z`);
  // Some engines parse 30 February as 2 March, others reject it.
  if (new Date(local).getUTCDate() !== Number(day)) return undefined;

  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const down = local / 1000 - offset + Number(second);
  if (second === "60" && !isStartOfMonth(down)) return undefined;
  return { down, up: /[1-9]/.test(fraction) ? down + 1 : down };
}

// RFC 3339 puts leap seconds at the end of a month in UTC.
function isStartOfMonth(epochSeconds: number): boolean {
  return epochSeconds % 86_400 === 0 && new Date(epochSeconds * 1000).getUTCDate() === 1;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text is a UUID, of any version and in any case, including the nil and the max UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
