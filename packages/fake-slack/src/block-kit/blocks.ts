// The table of all blocks: what each is made of, and where it is shown.
import { button, feedbackButtons, iconButton, workflowButton } from "./buttons.js";
import { dataVisualization } from "./charts.js";
import { anyText, image, imageShape, mrkdwnShape, plainText, plainTextShape, slackIcon } from "./composition.js";
import { datepicker, datetimepicker, fileInput, textInputs, timepicker } from "./inputs.js";
import { fieldOf } from "./json.js";
import { checkboxes, overflow, radioButtons, selects } from "./menus.js";
import { blockId, richText } from "./rich-text.js";
import {
  flag,
  httpsUrl,
  integer,
  list,
  oneOf,
  optional,
  type Shape,
  type ShapeRule,
  string,
  url,
  word,
} from "./rules.js";
import { anyOf, notBoth, uniqueIn } from "./shape-rules.js";
import { dataTable, table } from "./tables.js";
import { plan, taskCard } from "./tasks.js";

const block = { block_id: optional(blockId) };

const choices = { checkboxes, radio_buttons: radioButtons, ...selects, datepicker, timepicker };
const commands = { button, workflow_button: workflowButton, overflow };
const accessory = oneOf({ ...commands, ...choices, image: imageShape() });
const action = oneOf({ ...commands, ...choices, datetimepicker, rich_text_input: textInputs.rich_text_input });
const input = oneOf({ ...choices, datetimepicker, ...textInputs, file_input: fileInput });

const uniqueActionIds = uniqueIn("elements", "action_id");

const noDispatchedFiles: ShapeRule = ({ dispatch_action, element }, place) => {
  if (dispatch_action === true && fieldOf(element, "type") === "file_input") {
    place.at("element", "type").fault("unsupported type: file_input");
  }
};

/** The blocks that a container can hold. */
const containable: Readonly<Record<string, Shape>> = {
  actions: { fields: { ...block, elements: list(action, { max: 25 }) }, also: [uniqueActionIds] },
  context: {
    fields: {
      ...block,
      elements: list(oneOf({ plain_text: plainTextShape(3000), mrkdwn: mrkdwnShape(3000), image: imageShape() }), {
        max: 10,
      }),
    },
  },
  divider: { fields: block },
  file: { on: ["message"], fields: { ...block, external_id: string(), source: word("remote") } },
  header: { fields: { ...block, text: plainText(150), level: optional(integer({ max: 4 })) } },
  image: imageShape({ ...block, title: optional(plainText(2000)) }),
  input: {
    fields: {
      ...block,
      label: plainText(2000),
      element: input,
      hint: optional(plainText(2000)),
      optional: optional(flag),
      dispatch_action: optional(flag),
    },
    also: [noDispatchedFiles],
  },
  rich_text: richText,
  section: {
    fields: {
      ...block,
      text: optional(anyText(3000)),
      fields: optional(list(anyText(2000), { max: 10 })),
      accessory: optional(accessory),
      expand: optional(flag),
    },
    also: [anyOf("text", "fields")],
  },
  table,
  video: {
    fields: {
      ...block,
      video_url: httpsUrl,
      thumbnail_url: url,
      alt_text: string(),
      title: plainText(199),
      title_url: optional(httpsUrl),
      author_name: optional(string({ max: 49 })),
      provider_name: optional(string()),
      provider_icon_url: optional(url),
      description: optional(plainText(199)),
    },
  },
};

const card: Shape = {
  fields: {
    ...block,
    hero_image: optional(image),
    icon: optional(image),
    slack_icon: optional(slackIcon),
    title: optional(anyText(150)),
    subtitle: optional(anyText(150)),
    body: optional(anyText(200)),
    subtext: optional(anyText(200)),
    actions: optional(list(oneOf({ button }), { max: 3 })),
  },
  also: [
    anyOf("hero_image", "title", "actions", "body"),
    notBoth("icon", "slack_icon"),
    uniqueIn("actions", "action_id"),
  ],
};

export const blocks: Readonly<Record<string, Shape>> = {
  ...containable,
  alert: {
    on: ["modal"],
    fields: {
      ...block,
      text: anyText(200),
      level: optional(word("default", "info", "warning", "error", "success")),
    },
  },
  card,
  carousel: { on: ["message", "home"], fields: { ...block, elements: list(oneOf({ card }), { max: 10 }) } },
  container: {
    on: ["message", "home"],
    fields: {
      ...block,
      title: optional(plainText(150)),
      rich_text_title: optional(oneOf({ rich_text: richText })),
      subtitle: optional(anyText(150)),
      child_blocks: list(oneOf(containable), { max: 10 }),
      width: optional(word("narrow", "standard", "wide", "full")),
      icon: optional(image),
      is_collapsible: optional(flag),
      default_collapsed: optional(flag),
      has_header_divider: optional(flag),
    },
    also: [anyOf("title", "rich_text_title")],
  },
  context_actions: {
    on: ["message"],
    fields: {
      ...block,
      elements: list(oneOf({ feedback_buttons: feedbackButtons, icon_button: iconButton }), { max: 5 }),
    },
    also: [uniqueActionIds],
  },
  data_table: dataTable,
  data_visualization: dataVisualization,
  // How long it may be is a rule of the whole message.
  markdown: { on: ["message"], fields: { ...block, text: string() } },
  plan,
  task_card: taskCard,
};
