import { formatProblem } from "@media-ops/formatters/slack";
import { type LogKind, MediaMethodNotAllowedError, MediaNotFoundError } from "@media-ops/sdk";
import type { Project } from "../connections/clients.js";
import { language } from "../language.js";
import { Refused, row, runButton } from "../slack/blocks.js";

/** What can be asked of a service, and the part of it that not every service has. */
const parts: { readonly [What in LogKind | "why" | "live"]?: string } = {
  events: "event log",
  why: "event log, which says why connections fail",
  live: "list of live channels",
};

/**
 * The answer of a service.
 *
 * @throws {Refused} if the service lacks what not every service has.
 */
export async function unlessLacking<T>(
  asked: Promise<T>,
  what: LogKind | "why" | "live",
  { id }: Pick<Project, "id">,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const part = parts[what];
    const isLacking = error instanceof MediaNotFoundError || error instanceof MediaMethodNotAllowedError;
    if (!isLacking || part === undefined) throw error;
    const { blocks, text } = formatProblem(error, { part, isBrief: true });
    const status = runButton("Status", language.write({ name: "status", in: id }), { id: "status" });
    throw new Refused({ blocks: [...blocks.filter(({ type }) => type !== "context"), ...row(status)], text });
  }
}
