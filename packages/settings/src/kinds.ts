import { parseMasterKey } from "@media-ops/secrets";
import * as z from "zod";

// What is wrong is told behind the name of the variable, and without its value, which may be a secret.

export const port = z.coerce
  .number({ error: "is a number from 0 to 65535" })
  .int("is a number from 0 to 65535")
  .min(0, "is a number from 0 to 65535")
  .max(65_535, "is a number from 0 to 65535");

/** Without a slash at its end. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: "is an address that begins with http:// or https://" })
  .refine((text) => !/[?#]/.test(text), "is an address without ? and #")
  .transform((text) => text.replace(/\/+$/, ""));

export const masterKey = z.string().transform((text, context) => {
  const key = parseMasterKey(text);
  if (key) return key;
  context.addIssue({ code: "custom", message: "is 32 bytes in base64 or hex: openssl rand -base64 32" });
  return z.NEVER;
});

export const yesOrNo = z.stringbool({
  truthy: ["true", "1", "yes"],
  falsy: ["false", "0", "no"],
  error: "is true or false",
});

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export const logLevel = z.enum(logLevels, { error: `is one of ${logLevels.join(", ")}` });
export type LogLevel = z.infer<typeof logLevel>;
