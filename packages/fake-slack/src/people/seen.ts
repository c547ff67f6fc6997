import type { Json, Message, Team, View } from "../world/model.js";

/** A message, as a person sees it. */
export interface SeenMessage {
  readonly ts: string;
  readonly channelId: string;
  /** `bot`, or the name of a person. */
  readonly from: string;
  readonly fromId: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly isOnlyVisibleToYou: boolean;
  /** The message that it replies to; undefined outside threads. */
  readonly threadTs: string | undefined;
  readonly isEdited: boolean;
  readonly files: readonly SeenFile[];
}

/** A shared file, as a person sees it. */
export interface SeenFile {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

/** A modal or a home, as a person sees it: without the app's private metadata. */
export interface SeenView {
  readonly id: string;
  readonly type: "modal" | "home";
  readonly title: string;
  readonly callbackId: string;
  readonly blocks: readonly Json[];
  /** The text of the submit button; undefined if there is none. */
  readonly submit: string | undefined;
  /** The text of the close button; undefined if the app has not set it. */
  readonly close: string | undefined;
  /** The errors that the app has reported, by the block's id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Identifies a message. */
export type MessageReference = Pick<SeenMessage, "channelId" | "ts">;

/** Identifies a modal or a home. */
export type ViewReference = Pick<SeenView, "id">;

/** A message as a person sees it. */
export function seenMessage(team: Team, message: Message): SeenMessage {
  const { ts, channelId, userId, text, blocks, onlyFor, threadTs, isEdited, files } = message;
  const sender = team.users.get(userId);
  return {
    ...{ ts, channelId, text, blocks, threadTs, isEdited },
    from: sender?.isBot === false ? sender.name : "bot",
    fromId: userId,
    isOnlyVisibleToYou: onlyFor !== undefined,
    files: files.map(({ name, title, content }) => ({ name, title, content: content.toString() })),
  };
}

/** A modal or a home as a person sees it. */
export function seenView(view: View, errors: Readonly<Record<string, string>>): SeenView {
  const { id, type, title, callbackId, blocks, submit, close } = view;
  return { id, type, title, callbackId, blocks, submit, close, errors };
}
