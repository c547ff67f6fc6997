// Elements that Slack takes: of each as little as there must be, and as much as there can be.
import type {
  ActionsBlockElement,
  ContextActionsBlockElement,
  ContextBlockElement,
  InputBlockElement,
  SectionBlockAccessory,
} from "@slack/types";
import { letters, link, mrkdwn, plain, times } from "./texts.js";

const confirm = {
  title: plain(100),
  text: mrkdwn(300),
  confirm: plain(30),
  deny: plain(30),
  style: "danger",
} as const;
const action_id = letters(255);
const placeholder = plain(150);
const choosing = { action_id, confirm, focus_on_load: true };
const menu = { ...choosing, placeholder };
const multiMenu = { ...menu, max_selected_items: 2 };
const input = {
  action_id,
  placeholder,
  focus_on_load: true,
  dispatch_action_config: { trigger_actions_on: ["on_enter_pressed", "on_character_entered"] },
} as const satisfies Partial<InputBlockElement>;

const option = { text: plain(1), value: "v" };
const menuOption = (index: number) => ({
  text: plain(75),
  value: String(index).padStart(150, "0"),
  description: plain(75),
});
const choiceOption = (index: number) => ({ text: mrkdwn(75), value: String(index), description: plain(75) });
const filter = {
  include: ["im", "mpim", "private", "public"] as ["im", "mpim", "private", "public"],
  exclude_external_shared_channels: true,
  exclude_bot_users: true,
};
const feedback = (value: string) => ({ text: plain(75), value, accessibility_label: letters(75) });

type Element = ActionsBlockElement | ContextActionsBlockElement | InputBlockElement | SectionBlockAccessory;

export interface Pair<T> {
  minimal: T;
  maximal: T;
}

// Fails to compile where @slack/types has an element that is not here, or other names.
export const elements = {
  button: {
    minimal: { type: "button", text: plain(1) },
    maximal: {
      type: "button",
      text: plain(75),
      action_id,
      url: link(3000),
      value: letters(2000),
      style: "primary",
      confirm,
      accessibility_label: letters(75),
    },
  },
  channels_select: {
    minimal: { type: "channels_select" },
    maximal: { type: "channels_select", ...menu, response_url_enabled: true, initial_channel: "C1" },
  },
  checkboxes: {
    minimal: { type: "checkboxes", options: [option] },
    maximal: {
      type: "checkboxes",
      ...choosing,
      options: times(10, choiceOption),
      initial_options: times(2, choiceOption),
    },
  },
  conversations_select: {
    minimal: { type: "conversations_select" },
    maximal: {
      type: "conversations_select",
      ...menu,
      filter,
      response_url_enabled: true,
      default_to_current_conversation: true,
      initial_conversation: "C1",
    },
  },
  datepicker: {
    minimal: { type: "datepicker" },
    maximal: { type: "datepicker", ...menu, initial_date: "2024-02-29" },
  },
  datetimepicker: {
    minimal: { type: "datetimepicker" },
    maximal: { type: "datetimepicker", ...choosing, initial_date_time: 9_999_999_999 },
  },
  email_text_input: {
    minimal: { type: "email_text_input" },
    maximal: { type: "email_text_input", ...input, initial_value: "ann@media.example" },
  },
  external_select: {
    minimal: { type: "external_select" },
    maximal: { type: "external_select", ...menu, min_query_length: 0, initial_option: option },
  },
  feedback_buttons: {
    minimal: {
      type: "feedback_buttons",
      positive_button: { text: plain(1), value: "+" },
      negative_button: { text: plain(1), value: "-" },
    },
    maximal: {
      type: "feedback_buttons",
      action_id,
      positive_button: feedback(letters(2000)),
      negative_button: feedback(letters(2000)),
    },
  },
  file_input: {
    minimal: { type: "file_input" },
    maximal: { type: "file_input", action_id, filetypes: ["jpg", "png"], max_files: 10 },
  },
  icon_button: {
    minimal: { type: "icon_button", icon: "trash", text: plain(1) },
    maximal: {
      type: "icon_button",
      icon: "trash",
      text: plain(75),
      action_id,
      value: letters(2000),
      confirm,
      accessibility_label: letters(75),
      visible_to_user_ids: ["U1"],
    },
  },
  image: {
    minimal: { type: "image", alt_text: "x", slack_file: { id: "F1" } },
    maximal: { type: "image", alt_text: letters(2000), image_url: link(3000) },
  },
  multi_channels_select: {
    minimal: { type: "multi_channels_select" },
    maximal: { type: "multi_channels_select", ...multiMenu, initial_channels: ["C1", "C2"] },
  },
  multi_conversations_select: {
    minimal: { type: "multi_conversations_select" },
    maximal: {
      type: "multi_conversations_select",
      ...multiMenu,
      filter,
      default_to_current_conversation: true,
      initial_conversations: ["C1", "C2"],
    },
  },
  multi_external_select: {
    minimal: { type: "multi_external_select" },
    maximal: { type: "multi_external_select", ...multiMenu, min_query_length: 3, initial_options: [option] },
  },
  multi_static_select: {
    minimal: { type: "multi_static_select", options: [option] },
    maximal: {
      type: "multi_static_select",
      ...multiMenu,
      options: times(100, menuOption),
      initial_options: times(2, menuOption),
    },
  },
  multi_users_select: {
    minimal: { type: "multi_users_select" },
    maximal: { type: "multi_users_select", ...multiMenu, initial_users: ["U1", "U2"] },
  },
  number_input: {
    minimal: { type: "number_input", is_decimal_allowed: false },
    maximal: {
      type: "number_input",
      ...input,
      is_decimal_allowed: true,
      initial_value: "0.25",
      min_value: "-10",
      max_value: "5.5",
    },
  },
  overflow: {
    minimal: { type: "overflow", options: [option] },
    maximal: {
      type: "overflow",
      action_id,
      confirm,
      options: times(5, (index) => ({ ...menuOption(index), url: link(3000) })),
    },
  },
  plain_text_input: {
    minimal: { type: "plain_text_input" },
    maximal: {
      type: "plain_text_input",
      ...input,
      initial_value: letters(3000),
      multiline: true,
      min_length: 0,
      max_length: 3000,
    },
  },
  radio_buttons: {
    minimal: { type: "radio_buttons", options: [option] },
    maximal: {
      type: "radio_buttons",
      ...choosing,
      options: times(10, choiceOption),
      initial_option: choiceOption(9),
    },
  },
  rich_text_input: {
    minimal: { type: "rich_text_input", action_id: "a" },
    maximal: {
      type: "rich_text_input",
      ...input,
      initial_value: { type: "rich_text", elements: [] },
      min_lines: 1,
      max_lines: 100,
    },
  },
  static_select: {
    minimal: { type: "static_select", options: [option] },
    maximal: {
      type: "static_select",
      ...menu,
      option_groups: times(100, () => ({ label: plain(75), options: times(100, menuOption) })),
      initial_option: menuOption(99),
    },
  },
  timepicker: {
    minimal: { type: "timepicker" },
    maximal: { type: "timepicker", ...menu, initial_time: "23:59", timezone: "America/Chicago" },
  },
  url_text_input: {
    minimal: { type: "url_text_input" },
    maximal: { type: "url_text_input", ...input, initial_value: "https://media.example" },
  },
  users_select: {
    minimal: { type: "users_select" },
    maximal: { type: "users_select", ...menu, initial_user: "U1" },
  },
  workflow_button: {
    minimal: {
      type: "workflow_button",
      text: plain(1),
      workflow: { trigger: { url: link(30) } },
      action_id: "a",
    },
    maximal: {
      type: "workflow_button",
      text: plain(75),
      workflow: { trigger: { url: link(3000), customizable_input_parameters: [{ name: "n", value: "v" }] } },
      action_id,
      style: "danger",
      confirm,
      accessibility_label: letters(75),
    },
  },
} satisfies { [Type in Element["type"]]: Pair<Extract<Element, { type: Type }>> };

export const contextElements: ContextBlockElement[] = [plain(3000), mrkdwn(3000), elements.image.maximal];
