import * as secrets from "@media-ops/secrets";
import type { Logger } from "pino";
import { redact } from "./secrets/redact.js";

/** Options of {@link createLog}. */
export type LogOptions = Omit<secrets.LogOptions, "redact">;

/** The service's log. Every line is rid of secrets on its way out, whatever was put into it. */
export const createLog = (options: LogOptions): Logger => secrets.createLog({ ...options, redact });
