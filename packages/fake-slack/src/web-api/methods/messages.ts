import { checkBlocks, checkView } from "../../block-kit/check.js";
import { bodyOf, type Handler, sendText, urlOf } from "../../http.js";
import { fieldOf, isObject, parsed } from "../../json.js";
import { Refusal } from "../../refusal.js";
import { findMessage, postMessage, takeUpload, UPLOAD_PATH, updateMessage } from "../../world/messages.js";
import type { Json, SharedFile } from "../../world/model.js";
import { formOf, neededArg, textArg } from "../arguments.js";
import { fileAsSlack, messageAsSlack } from "../as-slack.js";
import { blocksOf, messageContent } from "../content.js";
import { addressOf, channelOf, refuseOutsider } from "../lookup.js";
import { botMethod, type Method, openMethod } from "../method.js";

const postMessageMethod = botMethod(["chat:write"], (call) => {
  const { world, team, installation, args } = call;
  const channel = addressOf(call);
  refuseOutsider(call, channel, "chat:write.public");
  const content = messageContent(world, args);
  const threadTs = textArg(args, "thread_ts");
  const message = postMessage(world, channel, { ...content, userId: installation.botUserId, threadTs });
  return { channel: channel.id, ts: message.ts, message: messageAsSlack(world, team, message) };
});

const postEphemeral = botMethod(["chat:write"], (call) => {
  const { world, team, installation, args } = call;
  const channel = channelOf(call, textArg(args, "channel"));
  const reader = neededArg(args, "user");
  refuseOutsider(call, channel);
  if (!team.users.has(reader) || !channel.members.has(reader)) throw new Refusal("user_not_in_channel");
  const content = messageContent(world, args);
  const threadTs = textArg(args, "thread_ts");
  const { botUserId: userId } = installation;
  return { message_ts: postMessage(world, channel, { ...content, userId, onlyFor: reader, threadTs }).ts };
});

const updateMessageMethod = botMethod(["chat:write"], (call) => {
  const { world, team, installation, args } = call;
  const channel = channelOf(call, textArg(args, "channel"));
  const message = findMessage(channel, neededArg(args, "ts"));
  // A message for one person can only be changed by a `response_url`.
  if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
  if (message.userId !== installation.botUserId) throw new Refusal("cant_update_message");
  // A new text alone removes the blocks; new blocks alone keep the text.
  const hasText = textArg(args, "text") !== undefined;
  const blocks = args.blocks ?? (hasText ? undefined : message.blocks);
  updateMessage(world, channel, message, messageContent(world, { text: hasText ? args.text : message.text, blocks }));
  const { ts, text } = message;
  return { channel: channel.id, ts, text, message: messageAsSlack(world, team, message) };
});

const getUploadUrl = botMethod(["files:write"], ({ world, team, args }) => {
  const name = neededArg(args, "filename");
  const length = Number(neededArg(args, "length"));
  if (!Number.isInteger(length) || length < 1) throw new Refusal("invalid_arguments");
  const id = world.newId("F");
  world.uploads.set(id, { id, teamId: team.id, name, length, content: undefined });
  return { upload_url: `${world.url}${UPLOAD_PATH}${id}`, file_id: id };
});

const completeUpload = botMethod(["files:write"], (call) => {
  const { world, team, installation, args } = call;
  const wanted = filesIn(args.files);
  const address = textArg(args, "channel_id");
  const channel = address === undefined ? undefined : channelOf(call, address);
  if (channel) refuseOutsider(call, channel);
  const text = textArg(args, "initial_comment") ?? "";
  // A comment takes precedence over blocks.
  const blocks = text === "" ? blocksOf(world, args.blocks) : [];
  const files = wanted.map(({ id, title }): SharedFile => takeUpload(world, team, id, title));
  if (channel) {
    const threadTs = textArg(args, "thread_ts");
    postMessage(world, channel, { text, blocks, userId: installation.botUserId, threadTs, files });
  }
  return { files: files.map(fileAsSlack) };
});

function filesIn(given: unknown): { id: string; title: string | undefined }[] {
  const files = parsed(given);
  if (!Array.isArray(files) || files.length === 0 || !files.every(isObject)) throw new Refusal("invalid_arguments");
  return files.map((file: Json) => ({ id: neededArg(file, "id"), title: textArg(file, "title") }));
}

/** Receives the bytes of an announced file, as the whole body or as a part of a form. */
export const handleUpload: Handler = async (world, request, response) => {
  const upload = world.uploads.get(urlOf(request).pathname.slice(UPLOAD_PATH.length));
  if (!upload) return sendText(response, 404, "Not found");
  const body = await bodyOf(request);
  const type = request.headers["content-type"] ?? "";
  const content = type.startsWith("multipart/form-data") ? await fileIn(body, type) : body;
  if (content.length !== upload.length) return sendText(response, 400, "Not as long as announced");
  upload.content = content;
  sendText(response, 200, `OK - ${content.length}`);
};

async function fileIn(body: Buffer, type: string): Promise<Buffer> {
  for (const [, part] of await formOf(body, type)) {
    if (typeof part !== "string") return Buffer.from(await part.arrayBuffer());
  }
  return Buffer.alloc(0);
}

/** Slack's check of blocks, a message or a view, without sending it. Its pointers begin at the given value. */
const validateBlocks = openMethod(({ args }) => {
  const [name, ...more] = ["blocks", "message", "view"].filter((one) => args[one] !== undefined);
  if (name === undefined || more.length > 0) {
    throw new Refusal("invalid_arguments", {
      response_metadata: { messages: ["[ERROR] exactly one of blocks, message and view must be given"] },
    });
  }
  const given = parsed(args[name]);
  const answer =
    name === "view"
      ? checkView(given, fieldOf(given, "type") === "home" ? "home" : "modal")
      : checkBlocks(name === "blocks" ? given : fieldOf(given, "blocks"), "message");
  if (answer.ok) return {};
  const root = name === "message" ? "" : `/${name}`;
  const errors = answer.errors.map((fault) => {
    const [, message = fault, pointer = ""] = /^(.*) \[json-pointer:(.*)\]$/s.exec(fault) ?? [];
    return { pointer: pointer.slice(root.length), code: "failed_constraint", message };
  });
  throw new Refusal(`invalid_${name}`, { errors });
});

export const messageMethods: Readonly<Record<string, Method>> = {
  "blocks.validate": validateBlocks,
  "chat.postEphemeral": postEphemeral,
  "chat.postMessage": postMessageMethod,
  "chat.update": updateMessageMethod,
  "files.completeUploadExternal": completeUpload,
  "files.getUploadURLExternal": getUploadUrl,
};
