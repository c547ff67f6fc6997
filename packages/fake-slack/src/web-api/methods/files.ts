import { fieldOf, isObject } from "../../block-kit/json.js";
import { postMessage } from "../../world/messages.js";
import type { Json, SharedFile } from "../../world/model.js";
import { takeUpload, uploadUrlOf } from "../../world/uploads.js";
import { neededArg, textArg } from "../arguments.js";
import { fileAsSlack } from "../as-slack.js";
import { channelOf, refuseOutsider } from "../lookup.js";
import { blocksOf } from "../message-content.js";
import { type BotCall, botMethod } from "../method.js";
import { parsed } from "../parsed.js";
import { Refusal } from "../refusal.js";

const WRITE = ["files:write"];

export const filesGetUploadUrlExternal = botMethod(WRITE, ({ world, team, args }) => {
  const name = neededArg(args, "filename");
  const length = Number(neededArg(args, "length"));
  if (!Number.isInteger(length) || length < 1) throw new Refusal("invalid_arguments");
  const id = world.newId("F");
  world.uploads.set(id, { id, teamId: team.id, name, length, content: undefined });
  return { upload_url: uploadUrlOf(world, id), file_id: id };
});

export const filesCompleteUploadExternal = botMethod(WRITE, (call) => {
  const { world, team, installation, args } = call;
  const wanted = wantedFiles(args);
  const address = textArg(args, "channel_id");
  const channel = address === undefined ? undefined : channelOf(call, address);
  if (channel) refuseOutsider(call, channel);
  const text = textArg(args, "initial_comment") ?? "";
  // A comment goes before blocks.
  const blocks = text === "" ? blocksOf(world, args.blocks) : [];
  const files = wanted.map(({ id, title }): SharedFile => takeUpload(world, team, id, title));
  if (channel) {
    const threadTs = textArg(args, "thread_ts");
    postMessage(world, channel, { text, blocks, userId: installation.botUserId, threadTs, files });
  }
  return { files: files.map(fileAsSlack) };
});

function wantedFiles(args: BotCall["args"]): { id: string; title: string | undefined }[] {
  const files = parsed(args.files);
  if (!Array.isArray(files) || files.length === 0 || !files.every(isObject)) throw new Refusal("invalid_arguments");
  return files.map((file: Json) => {
    const title = fieldOf(file, "title");
    return { id: neededArg(file, "id"), title: typeof title === "string" ? title : undefined };
  });
}
