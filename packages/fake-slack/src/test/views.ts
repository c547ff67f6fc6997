import type { ActionsBlock, Button, ModalView } from "@slack/types";

export const plain = (text: string) => ({ type: "plain_text" as const, text });

export const section = (text: string) => ({ type: "section" as const, text: { type: "mrkdwn" as const, text } });

export const button = (text: string, action_id: string, more: Partial<Button> = {}): Button => ({
  type: "button",
  text: plain(text),
  action_id,
  ...more,
});

export const actions = (...elements: ActionsBlock["elements"]): ActionsBlock => ({ type: "actions", elements });

/** An input whose block_id is its label. */
export const input = (label: string, element: object, more: object = {}) => ({
  type: "input",
  block_id: label,
  label: plain(label),
  element,
  ...more,
});

/** A modal with blocks that the client's types may not know. */
export const form = (...blocks: object[]) => ({ ...modal(), blocks });

/** A modal that asks for a channel's name. */
export function modal(more: Partial<ModalView> = {}): ModalView {
  return {
    type: "modal",
    callback_id: "token",
    title: plain("New token"),
    submit: plain("Mint"),
    blocks: [
      {
        type: "input",
        block_id: "channel",
        label: plain("Channel"),
        element: { type: "plain_text_input", action_id: "name" },
      },
    ],
    ...more,
  };
}
