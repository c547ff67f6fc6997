import { databaseUrlFault } from "@media-ops/database";
import { parseMasterKey, redact } from "@media-ops/secrets";
import * as z from "zod";

type Variables = Readonly<Record<string, string | undefined>>;

/** The error for invalid settings; `problems` lists all of them. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Reads settings from the environment; empty ones count as missing. @throws {ConfigError} with all problems. */
export function readSettings<Settings extends z.ZodType>(
  settings: Settings,
  env: Variables,
  contradictionsIn: (given: Variables) => readonly string[] = () => [],
): z.output<Settings> {
  const given: Variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const { success, data, error } = settings.safeParse(given);
  // Each kind of setting shows the received value, without secrets.
  const wrong = (error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`);
  const problems = [...wrong, ...contradictionsIn(given)];
  if (!success || problems.length > 0) throw new ConfigError(problems);
  return data;
}

const SHOWN_CHARACTERS = 100;

/**
 * A setting that is parsed from its text. An error follows the variable's name, and shows the value.
 *
 * @param mustBe Describes a valid value: "a number from 0 to 65535".
 * @param read Returns undefined for an invalid value.
 * @param show Formats an invalid value; {@link hidden} for secrets. @default {@link shown}
 */
export function setting<Value>(
  mustBe: string,
  read: (text: string) => Value | undefined,
  show: (text: string) => string = shown,
) {
  return z.string().transform((text, context): Value => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: `must be ${mustBe}, but is ${show(text)}.` });
    return z.NEVER;
  });
}

/** A value for messages: in quotes, shortened, and without secrets. */
export function shown(text: string): string {
  const visible = redact(text);
  return JSON.stringify(visible.length > SHOWN_CHARACTERS ? `${visible.slice(0, SHOWN_CHARACTERS)}…` : visible);
}

/** A secret for messages: its length, and the kind of token that its prefix indicates. */
export function hidden(text: string): string {
  const kind = /^(?:xox[a-z]|xapp)-|^(?:mo|mi|whsec)_/.exec(text)?.[0];
  const length = `${text.length} character${text.length === 1 ? "" : "s"} long`;
  return kind === undefined ? length : `${length} and begins with ${kind}`;
}

// URL parameters that hold no secret.
const OPEN_PARAMETERS = /^(?:connections|sslmode)$/;

/** A URL for messages: without possible passwords. */
export function shownUrl(text: string): string {
  const end = text.lastIndexOf("@");
  const [, scheme = "", login = ""] = /^([a-z][a-z\d+.-]*:\/*)?(.*)$/is.exec(text.slice(0, Math.max(end, 0))) ?? [];
  const user = login.includes(":") ? `${login.slice(0, login.indexOf(":"))}:[redacted]` : "[redacted]";
  const withoutLogin = end === -1 ? text : `${scheme}${user}${text.slice(end)}`;
  const [address = "", ...rest] = withoutLogin.split(/([?&#])/);
  const visible = rest.map((part) => (/^[?&#]$/.test(part) ? part : shownParameter(part))).join("");
  return shown(address + visible);
}

function shownParameter(text: string): string {
  const [name = "", value] = text.split("=", 2);
  if (value === undefined) return text === "" ? "" : "…";
  return `${name}=${OPEN_PARAMETERS.test(name) ? value : "…"}`;
}

/** A whole number in digits. */
export const wholeNumber = (mustBe: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  setting(mustBe, (text) => {
    const number = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

/** A port number; 0 for any free port. */
export const port = wholeNumber("a number from 0 to 65535", 0, 65_535);

/** An http or https URL; its trailing slash is removed. */
export const webAddress = setting(
  "a URL that begins with http:// or https://, without ? and #",
  (text) => {
    const address = text.trim();
    const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
    return isWeb && !/[?#]/.test(address) ? address.replace(/\/+$/, "") : undefined;
  },
  shownUrl,
);

/** The URL of a database. */
export const databaseUrl = z.string().superRefine((text, context) => {
  const fault = databaseUrlFault(text);
  if (fault) context.addIssue({ code: "custom", message: `${fault}, but is ${shownUrl(text)}.` });
});

/** A master key in base64 or hex. */
export const masterKey = setting("32 bytes in base64 or hex (openssl rand -base64 32)", parseMasterKey, hidden);

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

/** A boolean: true, yes or 1, or false, no or 0. */
export const yesOrNo = setting("true or false", (text) => truths[text.trim().toLowerCase()]);

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
/** The levels of a log, and "silent". */
export type LogLevel = (typeof logLevels)[number];
/** The level of a log. */
export const logLevel = setting(`one of ${logLevels.join(", ")}`, (text) => logLevels.find((level) => level === text));
