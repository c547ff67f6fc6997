import type { RichTextBlock, RichTextElement, RichTextSection } from "@slack/types";
import { tableLines } from "../markdown/markup.js";
import type { SlackBlock } from "../slack/index.js";
import { clockFor, formatAgo } from "../values/words.js";
import { now } from "./samples.js";

const clock = clockFor({ now });

/** Blocks approximately as a reader in UTC sees them, as Markdown: for the review of golden files. */
export function previewOf(blocks: readonly SlackBlock[]): string {
  return blocks.map(blockLines).join("\n\n");
}

/** Each block as its joined texts; a time as its fallback. */
export function textsOf(blocks: readonly SlackBlock[]): string[] {
  return blocks.map((block) => {
    const found: string[] = [];
    JSON.stringify(block, (key, value: unknown) => {
      if ((key === "text" || key === "fallback") && typeof value === "string") found.push(value);
      return value;
    });
    return found.join("");
  });
}

function blockLines(block: SlackBlock): string {
  switch (block.type) {
    case "rich_text":
      return block.elements.map(partLines).join("\n\n");
    case "section":
      return [block.text, ...(block.fields ?? [])].flatMap((text) => (text ? [marked(text.text)] : [])).join("\n\n");
    case "actions":
      return block.elements.map((element) => (element.type === "button" ? `[ ${element.text.text} ]` : "")).join(" ");
    case "context":
      return block.elements.map((element) => ("text" in element ? `<sub>${marked(element.text)}</sub>` : "")).join(" ");
    case "data_table": {
      const [titles = [], ...rows] = block.rows.map((row) => row.map(cellText));
      return tableLines(
        titles.map((title) => ({ title, isRight: false })),
        rows,
      ).join("\n");
    }
    case "data_visualization": {
      const series = "series" in block.chart ? block.chart.series : [];
      const labels = series[0]?.data.map(({ label }) => label) ?? [];
      const rows = labels.map((label, at) => [label, ...series.map(({ data }) => String(data[at]?.value))]);
      const columns = ["", ...series.map(({ name }) => name)].map((title, at) => ({ title, isRight: at > 0 }));
      const zone = "axis_config" in block.chart ? ` (${block.chart.axis_config.x_label})` : "";
      return `*${block.chart.type} chart:* ${block.title}${zone}\n\n${tableLines(columns, rows).join("\n")}`;
    }
    default:
      throw new Error(`No preview shows ${block.type}.`);
  }
}

type Cell = Extract<SlackBlock, { type: "data_table" }>["rows"][number][number];

const cellText = (cell: Cell): string => ("text" in cell ? cell.text : cell.elements.map(partLines).join(""));

function partLines(part: RichTextBlock["elements"][number]): string {
  if (part.type === "rich_text_preformatted")
    return `\`\`\`text\n${part.elements.map(({ text }) => text).join("")}\n\`\`\``;
  if (part.type === "rich_text_list") return part.elements.map((item) => `- ${sectionText(item)}`).join("\n");
  if (part.type === "rich_text_section") return sectionText(part);
  throw new Error(`No preview shows ${part.type}.`);
}

const sectionText = ({ elements }: RichTextSection): string =>
  elements.map(elementText).join("").replaceAll("\n", "<br>");

function elementText(element: RichTextElement): string {
  if (element.type === "date") return dateText(element.timestamp, element.format);
  if (element.type === "link") return `[${element.text}](${element.url})`;
  if (element.type !== "text") throw new Error(`No preview shows ${element.type}.`);
  const { text, style } = element;
  // Markdown does not support bold text that ends with a space.
  return style?.bold ? text.replace(/^(.*?)( *)$/, "**$1**$2") : style?.code ? `\`${text}\`` : text;
}

function dateText(timestamp: number, format: string): string {
  const time = timestamp * 1000;
  const [day = "", second = ""] = clock.full(time).split(" ");
  const tokens = {
    date_num: day,
    date_short_pretty: day,
    time_secs: second,
    time: second.slice(0, 5),
    ago: formatAgo(time, now),
  };
  return Object.entries(tokens).reduce((text, [name, value]) => text.replace(`{${name}}`, value), format);
}

/** Slack's own markup as Markdown. */
function marked(text: string): string {
  return text
    .replace(/<!date\^(\d+)\^([^|]*)\|[^>]*>/g, (_, timestamp: string, format: string) =>
      dateText(Number(timestamp), format),
    )
    .replace(/<(@[A-Z0-9]+)>/g, "$1")
    .replace(/^\*([A-Za-z ]+)\*\n/, "**$1:** ")
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"))
    .replaceAll("\n", "<br>");
}
