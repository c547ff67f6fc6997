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
  readonly isEdited: boolean;
  readonly files: readonly SeenFile[];
}

export interface SeenFile {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

/** A modal or a home, as a person sees it: without what the app keeps in it for itself. */
export interface SeenView {
  readonly id: string;
  readonly type: "modal" | "home";
  readonly title: string;
  readonly callbackId: string;
  readonly blocks: readonly Json[];
  /** What stands on its button; undefined where it has none. */
  readonly submit: string | undefined;
  /** What stands on the one that closes it; undefined where the app has not named it. */
  readonly close: string | undefined;
  /** What the app found wrong with what was entered, by the block's id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Which message it is: as much of it as has to be known to act in it. */
export type MessageReference = Pick<SeenMessage, "channelId" | "ts">;

/** Which modal or home it is. */
export type ViewReference = Pick<SeenView, "id">;

export function seenMessage(team: Team, message: Message): SeenMessage {
  const sender = team.users.get(message.userId);
  return {
    ts: message.ts,
    channelId: message.channelId,
    from: sender?.isBot === false ? sender.name : "bot",
    fromId: message.userId,
    text: message.text,
    blocks: message.blocks,
    isOnlyVisibleToYou: message.onlyFor !== undefined,
    isEdited: message.isEdited,
    files: message.files.map(({ name, title, content }) => ({ name, title, content: content.toString() })),
  };
}

export function seenView(view: View, errors: Readonly<Record<string, string>>): SeenView {
  const { id, type, title, callbackId, blocks, submit, close } = view;
  return { id, type, title, callbackId, blocks, submit, close, errors };
}
