import { EVERY_CHANNEL } from "@media-ops/commands";
import { splitChannelId } from "@media-ops/tokens";
import * as z from "zod";
import { type CommandNamed, language } from "../language.js";

/** A token that someone asks for, by a command or a window. */
export interface DesiredToken {
  readonly command: CommandNamed<"token">;
  /** The reason, in the person's own words. */
  readonly reason?: string | undefined;
}

const written = z.tuple([z.string(), z.string().nullable()]);

/** As the value of a button. */
export function writeDesired({ command, reason }: DesiredToken): string {
  return JSON.stringify([language.write(command), reason ?? null] satisfies z.infer<typeof written>);
}

/** Reads what {@link writeDesired} wrote; undefined if another version of the bot wrote it. */
export function readDesired(text: string, now: number): DesiredToken | undefined {
  const { data } = written.safeParse(parsed(text));
  const read = data && language.parse(data[0], { now });
  if (!data || !read?.ok || read.command.name !== "token") return undefined;
  const { channel, ...rest } = read.command;
  // The language writes "every channel" as a channel's name, which a window must not show as one.
  const command = channel === undefined || channel === EVERY_CHANNEL ? rest : { ...rest, channel };
  return { command, reason: data[1] ?? undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a channel can't belong to a project, typed with or without the project; undefined if it can. */
export function channelFault(channel: string, project: string): string | undefined {
  const id = splitChannelId(channel.includes("@") ? channel : `${channel}@${project}`);
  if (!id) return "Enter the channel's name, such as lobby. With its project it has at most 255 bytes.";
  if (id.projectId === project) return undefined;
  return `This channel belongs to the project ${id.projectId}, and the token is for ${project}. If that is part of its name, add @${project}.`;
}
