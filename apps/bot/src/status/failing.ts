import { failedFilter } from "@media-ops/commands";
import type { LogKind } from "@media-ops/sdk";
import { language } from "../language.js";

/** The command that lists what failed lately, by the same rule as the status of a log: see `LogStatus`. */
export function failing(kind: LogKind, since: string): string {
  return `logs ${kind} ${kind === "api" ? "status:0,5xx" : failedFilter} since:${since}`;
}

/** The same for one project, from a moment on. */
export function failingIn(project: string, kind: LogKind, now: number): string {
  const read = language.parse(failing(kind, "1h"), { now });
  if (!read.ok || read.command.name !== "logs") throw new Error(`No command says what of ${kind} fails.`);
  return language.write({ ...read.command, in: project });
}
