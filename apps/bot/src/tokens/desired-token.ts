import { EVERY_CHANNEL, tokenDefaults } from "@media-ops/commands";
import { splitChannelId } from "@media-ops/tokens";
import * as z from "zod";
import { jsonIn } from "../features.js";
import { type CommandNamed, formatLength, language } from "../language.js";
import { allowedFor, type DesiredMint } from "../policy/decide.js";
import type { Member, TokenPolicy } from "../policy/policy.js";
import { Refused } from "../slack/blocks.js";

/** The longest reason for a token: enough for a sentence or two. */
export const LONGEST_REASON = 300;

/** A token that a person requests, by a command or a window. */
export interface DesiredToken {
  readonly command: CommandNamed<"token">;
  /** The reason, in the person's own words. */
  readonly reason?: string | undefined;
}

const written = z.tuple([z.string(), z.string().nullable()]);

/** Serializes it as the value of a button. */
export function writeDesired({ command, reason }: DesiredToken): string {
  return JSON.stringify([language.write(command), reason ?? null]);
}

/** Parses the output of {@link writeDesired}; undefined if another version of the bot wrote it. */
export function readDesired(text: string, now: number): DesiredToken | undefined {
  const { data } = written.safeParse(jsonIn(text));
  const read = data && language.parse(data[0], { now });
  if (!data || !read?.ok || read.command.name !== "token") return undefined;
  const { channel, ...rest } = read.command;
  // The language writes "every channel" as a channel's name, which a window must not show.
  const command = channel === undefined || channel === EVERY_CHANNEL ? rest : { ...rest, channel };
  return { command, reason: data[1] ?? undefined };
}

/** The project that a token's command or channel names. */
export const projectNamed = ({ command: { in: project, channel } }: DesiredToken): string | undefined =>
  project ?? (channel === undefined ? undefined : splitChannelId(channel)?.projectId);

/** The command of a token with another project. */
export function inProject({ command }: DesiredToken, projectId: string): CommandNamed<"token"> {
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  return { ...command, ...(named && { channel: named.name }), in: projectId };
}

/** Why a channel can't belong to a project, with or without the project in its name; undefined if it can. */
export function channelFault(channel: string, project: string): string | undefined {
  const id = splitChannelId(channel.includes("@") ? channel : `${channel}@${project}`);
  if (!id) return "Enter the channel's name, such as lobby. With its project it has at most 255 bytes.";
  if (id.projectId === project) return undefined;
  return `This channel belongs to the project ${id.projectId}, and the token is for ${project}. If that is part of its name, add @${project}.`;
}

/** Refuses a channel of another project: the service doesn't know which projects are connected here. */
export function needChannelOf({ command: { channel } }: DesiredToken, projectId: string): void {
  const fault = channel === undefined ? undefined : channelFault(channel, projectId);
  if (fault !== undefined) throw new Refused(fault);
}

/** What a policy decides about: the desired token with its defaults. */
export function wantedOf(
  { command }: DesiredToken,
  { policy, member, projectId, now }: { policy: TokenPolicy; member: Member; projectId: string; now: number },
): DesiredMint {
  const { role = tokenDefaults.role, starting = now } = command;
  // Without a lifetime in the command, the person gets the default, or less if the policy allows only that.
  const most = allowedFor(policy, member, projectId)[role] ?? tokenDefaults.forMs;
  const forMs = inSeconds(command.forMs ?? Math.min(tokenDefaults.forMs, most));
  // Some milliseconds have passed since the start was computed, so it is rounded up to a second.
  const startsInMs = Math.max(0, Math.ceil((starting - now) / 1000) * 1000);
  return { projectId, role, forMs, startsInMs };
}

/** @throws {Refused} if a token would have ended before it is made. */
export function needFuture({ command }: DesiredToken, forMs: number, now: number): void {
  if ((command.starting ?? now) + forMs > now) return;
  throw new Refused(
    `A token that starts then, for ${formatLength(forMs)}, would have ended already. Choose a later start.`,
  );
}

/** A token's times are whole seconds. */
const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
