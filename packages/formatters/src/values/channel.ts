import { oneLine, textOf } from "./text.js";

/** The two halves of a channel id. */
export interface ChannelParts {
  name: string;
  /** Absent where the id names no project. */
  project?: string;
}

/** Splits `<channel name>@<project>` at the last `@`: a channel's name may hold any character, a project's id none. */
export function splitChannel(channelId: string): ChannelParts {
  const at = channelId.lastIndexOf("@");
  return at === -1 ? { name: channelId } : { name: channelId.slice(0, at), project: channelId.slice(at + 1) };
}

/** A channel as a person says it: its name, and the project that it is in. */
export function channelWords(channelId: string): string {
  const { name, project } = splitChannel(channelId);
  return project ? `${textOf(name)} (project ${oneLine(project)})` : textOf(name);
}
