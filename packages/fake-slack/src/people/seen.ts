import type { Json, Message, Team, View } from "../world/model.js";

/** A message, as a person sees it. */
export interface SeenMessage {
  readonly ts: string;
  readonly channelId: string;
  /** `bot`, or the name of a person. */
  readonly from: string;
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
  readonly title: string;
  readonly callbackId: string;
  readonly blocks: readonly Json[];
  /** What stands on its button; undefined where it has none. */
  readonly submit: string | undefined;
  /** What the app found wrong with what was entered, by the block's id. */
  readonly errors: Readonly<Record<string, string>>;
}

export function seenMessage(team: Team, message: Message): SeenMessage {
  const sender = team.users.get(message.userId);
  return {
    ts: message.ts,
    channelId: message.channelId,
    from: sender?.isBot === false ? sender.name : "bot",
    text: message.text,
    blocks: message.blocks,
    isOnlyVisibleToYou: message.onlyFor !== undefined,
    isEdited: message.isEdited,
    files: message.files.map(({ name, title, content }) => ({ name, title, content: content.toString() })),
  };
}

export function seenView(view: View, errors: Readonly<Record<string, string>>): SeenView {
  const { id, title, callbackId, blocks, submit } = view;
  return { id, title, callbackId, blocks, submit, errors };
}
