// What @slack/types does not know yet.

import { block_id, button, rows } from "./parts.js";
import { letters, mrkdwn, plain, times } from "./texts.js";

const labels = times(20, (index) => String(index).padStart(20, "0"));
const series = (count: number) =>
  times(count, (index) => ({
    name: String(index).padStart(20, "0"),
    data: labels.map((label, value) => ({ label, value: -value })),
  }));

export const newerBlocks = {
  data_visualization: {
    minimal: {
      type: "data_visualization",
      title: "x",
      chart: {
        type: "line",
        series: [{ name: "n", data: [{ label: "a", value: 0 }] }],
        axis_config: { categories: ["a"] },
      },
    },
    maximal: {
      type: "data_visualization",
      block_id,
      title: letters(50),
      chart: {
        type: "bar",
        series: series(6),
        axis_config: { categories: [...labels].reverse(), x_label: letters(50), y_label: letters(50) },
      },
    },
  },
  "data_visualization of a pie": {
    minimal: { type: "data_visualization", title: "x", chart: { type: "pie", segments: [{ label: "a", value: 0.1 }] } },
    maximal: {
      type: "data_visualization",
      block_id,
      title: letters(50),
      chart: { type: "pie", segments: times(6, (index) => ({ label: letters(20), value: index + 1 })) },
    },
  },
  "data_visualization of an area": {
    minimal: {
      type: "data_visualization",
      title: "x",
      chart: { type: "area", series: series(1), axis_config: { categories: labels } },
    },
    maximal: {
      type: "data_visualization",
      block_id,
      title: "x",
      chart: { type: "area", series: series(6), axis_config: { categories: labels } },
    },
  },
  "card with newer fields": {
    minimal: { type: "card", actions: [button("a")] },
    maximal: { type: "card", title: plain(150), slack_icon: { type: "icon", name: "sparkle" }, subtext: plain(200) },
  },
  "header with newer fields": {
    minimal: { type: "header", text: plain(1), level: 1 },
    maximal: { type: "header", text: plain(150), level: 4 },
  },
  "rich_text with newer fields": {
    minimal: { type: "rich_text", elements: [{ type: "rich_text_preformatted", elements: [], language: "json" }] },
    maximal: {
      type: "rich_text",
      elements: [
        {
          type: "rich_text_list",
          style: "ordered",
          offset: 3,
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: "x", style: { highlight: true, client_highlight: true, unlink: true } },
                { type: "emoji", name: "wave", skin_tone: 2 },
                { type: "date", timestamp: 0, format: "{date}", timezone: "Asia/Tokyo" },
              ],
            },
          ],
        },
      ],
    },
  },
  "section with formatted choices": {
    minimal: { type: "section", fields: [plain(1)] },
    maximal: {
      type: "section",
      text: plain(3000),
      accessory: {
        type: "radio_buttons",
        options: [{ text: mrkdwn(75), value: "v", description: mrkdwn(75) }],
      },
    },
  },
  "table with a skipped column": {
    minimal: { type: "table", rows: rows(1, 2), column_settings: [null, { align: "right" }] },
    maximal: { type: "table", rows: rows(1, 20), column_settings: times(20, () => null) },
  },
};
