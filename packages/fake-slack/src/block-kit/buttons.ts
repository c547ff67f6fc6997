import { colorScheme, confirm, plainText } from "./composition.js";
import { anything, list, object, optional, type Shape, string, url, word } from "./rules.js";

export const actionId = string({ max: 255 });

const label = { accessibility_label: optional(string({ max: 75 })) };
const value = string({ max: 2000 });

export const button: Shape = {
  fields: {
    text: plainText(75),
    action_id: optional(actionId),
    url: optional(url),
    value: optional(value),
    style: optional(colorScheme),
    confirm: optional(confirm),
    ...label,
  },
};

const workflow = object({
  fields: {
    trigger: object({
      fields: {
        url,
        customizable_input_parameters: optional(list(object({ fields: { name: string(), value: anything } }))),
      },
    }),
  },
});

export const workflowButton: Shape = {
  on: ["message"],
  fields: {
    text: plainText(75),
    workflow,
    action_id: actionId,
    style: optional(colorScheme),
    confirm: optional(confirm),
    ...label,
  },
};

const feedbackButton = object({ fields: { text: plainText(75), value, ...label } });

export const feedbackButtons: Shape = {
  fields: { positive_button: feedbackButton, negative_button: feedbackButton, action_id: optional(actionId) },
};

export const iconButton: Shape = {
  fields: {
    // The only one there is.
    icon: word("trash"),
    text: plainText(75),
    action_id: optional(actionId),
    value: optional(value),
    confirm: optional(confirm),
    visible_to_user_ids: optional(list(string())),
    ...label,
  },
};
