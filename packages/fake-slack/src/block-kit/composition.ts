// What blocks and elements are composed of.
import { type Fields, flag, list, object, oneOf, optional, type Rule, type Shape, string, url, word } from "./rules.js";
import { anyOf, exactlyOneOf } from "./shape-rules.js";

export const plainTextShape = (max: number): Shape => ({ fields: { text: string({ max }), emoji: optional(flag) } });
export const mrkdwnShape = (max: number): Shape => ({ fields: { text: string({ max }), verbatim: optional(flag) } });

export const plainText = (max: number): Rule => oneOf({ plain_text: plainTextShape(max) });
export const anyText = (max: number): Rule => oneOf({ plain_text: plainTextShape(max), mrkdwn: mrkdwnShape(max) });

export const colorScheme = word("primary", "danger");

export const confirm = object({
  fields: {
    title: plainText(100),
    text: anyText(300),
    confirm: plainText(30),
    deny: plainText(30),
    style: optional(colorScheme),
  },
});

function option(text: (max: number) => Rule, more: Fields = {}): Rule {
  return object({
    fields: { text: text(75), value: string({ max: 150 }), description: optional(text(75)), ...more },
  });
}

/** An option of a select menu. */
export const menuOption = option(plainText);
/** An option of an overflow menu, the only one that can lead to a page. */
export const overflowOption = option(plainText, { url: optional(url) });
/** An option with a box or a button before it, the only one that can be formatted. */
export const choiceOption = option(anyText);

export const optionGroup = object({
  fields: { label: plainText(75), options: list(menuOption, { max: 100 }) },
});

export const conversationFilter = object({
  fields: {
    include: optional(list(word("im", "mpim", "private", "public"))),
    exclude_external_shared_channels: optional(flag),
    exclude_bot_users: optional(flag),
  },
  also: [anyOf("include", "exclude_external_shared_channels", "exclude_bot_users")],
});

export const dispatchActionConfig = object({
  fields: {
    trigger_actions_on: optional(list(word("on_enter_pressed", "on_character_entered"), { max: 2 })),
  },
});

const slackFile = object({
  fields: { id: optional(string()), url: optional(url) },
  also: [exactlyOneOf("id", "url")],
});

/** An image, be it an element or, with the fields of a block, a block. */
export const imageShape = (more: Fields = {}): Shape => ({
  fields: { alt_text: string({ max: 2000 }), image_url: optional(url), slack_file: optional(slackFile), ...more },
  also: [exactlyOneOf("image_url", "slack_file")],
});

export const image = oneOf({ image: imageShape() });

const ICONS = `
  archive book bookmark bot bug calendar call caret-left caret-right check clipboard code comment compass copy cube
  download edit email eye-closed eye-open file flag folder gear globe heart help image info key lightbulb link map mobile
  new-window pin plus refine refresh rocket save screen share sparkle star star-filled tag thumbs-down thumbs-up trash
  upload user warning
`;

export const slackIcon = oneOf({ icon: { fields: { name: word(...ICONS.trim().split(/\s+/)) } } });
