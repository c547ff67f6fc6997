import { databaseUrlFault } from "@media-ops/database";
import { parseMasterKey, redact } from "@media-ops/secrets";
import * as z from "zod";

const SHOWN_CHARACTERS = 100;

/**
 * A setting that is read from its text. What is wrong is said behind the variable's name, with the value that was read.
 *
 * @param mustBe What its value must be: "a number from 0 to 65535".
 * @param read Gives undefined for a value that is wrong.
 * @param show How a wrong value is shown; {@link hidden} for secrets. @default {@link shown}
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

/** A value as people may see it: in quotes, not too long, and without what looks like a secret. */
export function shown(text: string): string {
  const visible = redact(text);
  return JSON.stringify(visible.length > SHOWN_CHARACTERS ? `${visible.slice(0, SHOWN_CHARACTERS)}…` : visible);
}

/** A secret as people may see it: how long it is, and by its first letters which kind of token. */
export function hidden(text: string): string {
  const kind = /^(?:xox[a-z]|xapp)-|^(?:mo|mi|whsec)_/.exec(text)?.[0];
  const length = `${text.length} character${text.length === 1 ? "" : "s"} long`;
  return kind === undefined ? length : `${length} and begins with ${kind}`;
}

// Of what a URL may ask for, these hold no secret.
const OPEN_PARAMETERS = /^(?:connections|sslmode)$/;

/** A URL as people may see it: without what may be a password in it. */
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

/** A whole number, written in digits. */
export const wholeNumber = (mustBe: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  setting(mustBe, (text) => {
    const number = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

export const port = wholeNumber("a number from 0 to 65535", 0, 65_535);

/** Without a slash at its end. */
export const webAddress = setting(
  "a URL that begins with http:// or https://, without ? and #",
  readWebAddress,
  shownUrl,
);

function readWebAddress(text: string): string | undefined {
  const address = text.trim();
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  return isWeb && !/[?#]/.test(address) ? address.replace(/\/+$/, "") : undefined;
}

/** The URL of a database, well formed. */
export const databaseUrl = z.string().superRefine((text, context) => {
  const fault = databaseUrlFault(text);
  if (fault) context.addIssue({ code: "custom", message: `${fault}, but is ${shownUrl(text)}.` });
});

export const masterKey = setting(
  "32 bytes in base64 or hex (openssl rand -base64 32)",
  (text) => parseMasterKey(text),
  hidden,
);

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

export const yesOrNo = setting("true or false", (text) => truths[text.trim().toLowerCase()]);

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logLevel = setting(`one of ${logLevels.join(", ")}`, (text) => logLevels.find((level) => level === text));
