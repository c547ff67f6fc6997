import { Refusal } from "../web-api/refusal.js";
import type { SharedFile, Team, World } from "./model.js";

export const UPLOAD_PATH = "/upload/v1/";

export function uploadUrlOf(world: World, id: string): string {
  return `${world.url}${UPLOAD_PATH}${id}`;
}

/** The upload is over, and the file is one. */
export function takeUpload(world: World, team: Team, id: string, title: string | undefined): SharedFile {
  const upload = world.uploads.get(id);
  if (upload?.teamId !== team.id || upload.content === undefined) throw new Refusal("file_not_found");
  world.uploads.delete(id);
  return { id, name: upload.name, title: title ?? upload.name, content: upload.content };
}
