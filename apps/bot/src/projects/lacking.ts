import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { type LogKind, MediaNotFoundError } from "@media-ops/sdk";
import type { Project } from "../connections/clients.js";
import { language } from "../language.js";
import { plainSection, Refused, row, runButton } from "../slack/blocks.js";
import { hostOf, projectLabel } from "./words.js";

/** What not every service has, and what it means to lack it. */
const lacks: { readonly [What in LogKind | "why" | "live"]?: string } = {
  events: "has no event log",
  why: "has no event log, so it can't say why connections failed",
  live: "can't say who is connected now",
};

/**
 * What a service was asked for.
 *
 * @throws {Refused} if the service lacks what not every service has.
 */
export async function unlessLacking<T>(
  asked: Promise<T>,
  what: LogKind | "why" | "live",
  { id, connection }: Pick<Project, "id" | "connection">,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const words = lacks[what];
    if (!(error instanceof MediaNotFoundError) || words === undefined) throw error;
    const text = `${projectLabel(id)}'s service at ${hostOf(connection)} ${words}. Not every service has this; status shows what works.`;
    const status = runButton("Status", language.write({ name: "status", in: id }), { id: "status" });
    throw new Refused({ blocks: [plainSection(text), ...row(status)], text: escapeMrkdwn(text) });
  }
}
