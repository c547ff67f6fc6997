// Blocks that Slack takes: of each as little as there must be, and as much as there can be.
import type { KnownBlock } from "@slack/types";
import { contextElements, elements, type Pair } from "./elements.js";
import { newerBlocks } from "./newer-blocks.js";
import { block_id, button, cell, numberCell, pieces, richCell, richText, rows } from "./parts.js";
import { letters, link, mrkdwn, plain, times } from "./texts.js";

/** As many rows and columns as there may be, with 10,000 characters. */
const dataRows = times(101, (row) =>
  times(20, (column) => {
    if (row === 1 && column === 0) return cell(10_000 - (101 * 20 - 1) * 4);
    return row === 100 && column === 19 ? numberCell : cell(4);
  }),
);

// Fails to compile where @slack/types has a block that is not here, or other names.
const typedBlocks = {
  actions: {
    minimal: { type: "actions", elements: [button("a")] },
    maximal: { type: "actions", block_id, elements: times(25, (index) => button(String(index))) },
  },
  alert: {
    minimal: { type: "alert", text: plain(1) },
    maximal: { type: "alert", block_id, text: mrkdwn(200), level: "warning" },
  },
  card: {
    minimal: { type: "card", body: mrkdwn(1) },
    maximal: {
      type: "card",
      block_id,
      hero_image: elements.image.maximal,
      icon: elements.image.maximal,
      title: mrkdwn(150),
      subtitle: mrkdwn(150),
      body: mrkdwn(200),
      actions: ["a", "b", "c"].map(button),
    },
  },
  carousel: {
    minimal: { type: "carousel", elements: [{ type: "card", title: mrkdwn(1) }] },
    maximal: {
      type: "carousel",
      block_id,
      elements: times(10, (index) => ({ type: "card", block_id: `card ${index}`, title: mrkdwn(150) })),
    },
  },
  container: {
    minimal: { type: "container", title: plain(1), child_blocks: [{ type: "divider" }] },
    maximal: {
      type: "container",
      block_id,
      title: plain(150),
      rich_text_title: richText,
      subtitle: mrkdwn(150),
      child_blocks: times(10, (index) => ({ type: "divider", block_id: `divider ${index}` })),
      width: "full",
      icon: elements.image.maximal,
      is_collapsible: true,
      default_collapsed: true,
      has_header_divider: false,
    },
  },
  context: {
    minimal: { type: "context", elements: [mrkdwn(1)] },
    maximal: { type: "context", block_id, elements: [...contextElements, ...times(7, () => plain(3000))] },
  },
  context_actions: {
    minimal: { type: "context_actions", elements: [elements.icon_button.minimal] },
    maximal: {
      type: "context_actions",
      block_id,
      elements: [elements.feedback_buttons.maximal, ...times(4, () => elements.icon_button.minimal)],
    },
  },
  data_table: {
    minimal: { type: "data_table", caption: "x", rows: rows(2, 1) },
    maximal: {
      type: "data_table",
      block_id,
      caption: letters(300),
      rows: dataRows,
      page_size: 100,
      row_header_column_index: 19,
    },
  },
  divider: { minimal: { type: "divider" }, maximal: { type: "divider", block_id } },
  file: {
    minimal: { type: "file", external_id: "F1", source: "remote" },
    maximal: { type: "file", block_id, external_id: "F1", source: "remote" },
  },
  header: {
    minimal: { type: "header", text: plain(1) },
    maximal: { type: "header", block_id, text: plain(150) },
  },
  image: {
    minimal: { type: "image", alt_text: "x", slack_file: { url: link(30) } },
    maximal: { type: "image", block_id, alt_text: letters(2000), image_url: link(3000), title: plain(2000) },
  },
  input: {
    minimal: { type: "input", label: plain(1), element: elements.plain_text_input.minimal },
    maximal: {
      type: "input",
      block_id,
      label: plain(2000),
      element: elements.plain_text_input.maximal,
      hint: plain(2000),
      optional: true,
      dispatch_action: true,
    },
  },
  markdown: {
    minimal: { type: "markdown", text: "x" },
    maximal: { type: "markdown", block_id, text: letters(12_000) },
  },
  plan: {
    minimal: { type: "plan", title: "x" },
    maximal: {
      type: "plan",
      block_id,
      title: letters(300),
      tasks: [
        { task_id: "1", title: "x", status: "pending" },
        { type: "task_card", task_id: "2", title: "x" },
      ],
    },
  },
  rich_text: {
    minimal: { type: "rich_text", elements: [] },
    maximal: { ...richText, block_id },
  },
  section: {
    minimal: { type: "section", text: mrkdwn(1) },
    maximal: {
      type: "section",
      block_id,
      text: mrkdwn(3000),
      fields: times(10, () => plain(2000)),
      accessory: elements.radio_buttons.maximal,
      expand: true,
    },
  },
  table: {
    minimal: { type: "table", rows: rows(1, 1) },
    maximal: {
      type: "table",
      block_id,
      rows: [[richCell(...pieces), numberCell], ...rows(98, 20), times(3, () => cell(1))],
      column_settings: [{ align: "right", is_wrapped: true }, {}],
    },
  },
  task_card: {
    minimal: { type: "task_card", task_id: "1", title: "x", status: "complete" },
    maximal: {
      type: "task_card",
      block_id,
      task_id: "1",
      title: letters(300),
      status: "in_progress",
      details: richText,
      output: richText,
      sources: [{ type: "url", url: link(30), text: "x" }],
    },
  },
  video: {
    minimal: { type: "video", video_url: link(30), thumbnail_url: link(30), alt_text: "x", title: plain(1) },
    maximal: {
      type: "video",
      block_id,
      video_url: link(3000),
      thumbnail_url: link(3000),
      alt_text: letters(2000),
      title: plain(199),
      title_url: link(3000),
      author_name: letters(49),
      provider_name: letters(100),
      provider_icon_url: link(3000),
      description: plain(199),
    },
  },
} satisfies { [Type in KnownBlock["type"]]: Pair<Extract<KnownBlock, { type: Type }>> };

export const blocks = { ...typedBlocks, ...newerBlocks };
