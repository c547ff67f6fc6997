import { splitChannelId } from "@media-ops/tokens";

/** Why a channel cannot be one of a project, as it was typed, with or without the project; nothing where it can. */
export function channelFault(channel: string, project: string): string | undefined {
  const id = splitChannelId(channel.includes("@") ? channel : `${channel}@${project}`);
  if (!id) return "Write the channel's name, such as lobby. With its project it has at most 255 bytes.";
  if (id.projectId === project) return undefined;
  return `This channel is one of the project ${id.projectId}, and the token is for ${project}. If it is called so, add @${project}.`;
}
