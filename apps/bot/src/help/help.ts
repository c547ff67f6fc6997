import type { HelpRow } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { RichTextBlock, RichTextElement, RichTextSection } from "@slack/types";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { apartButton, type Draft, MAX_LABEL, row, runButton } from "../slack/answer.js";

/** `/media help [topic]`: a page of the language's own help, with buttons that run its examples. */
export async function help({ topic }: CommandNamed<"help">, { prefix, now }: Request): Promise<Draft> {
  const { title, about, usage, sections, examples } = language.help(topic);
  const typed = (command: string): string => `${prefix} ${command}`;
  const shown = examples.map(([example, meaning]): HelpRow => [typed(example), meaning]);
  return {
    blocks: [
      heading(typed(topic === undefined ? "help" : `help ${title}`), about),
      ...(usage.length > 0 ? [preformatted(usage.map(typed))] : []),
      ...sections.map((section) => listing(section.title, section.rows)),
      ...(shown.length > 0 ? [listing("Examples", shown)] : []),
      ...row(...exampleButtons(examples, now())),
      ...(topic === undefined ? topicButtons() : []),
    ],
    text: escapeMrkdwn(`${title}: ${about}`),
  };
}

// Pressing an example must not create a token or disconnect a project. A page of the help has buttons of its own.
const HARMLESS: ReadonlySet<string> = new Set(
  language.commands.filter(({ name, effect }) => effect === "reads" && name !== "help").map(({ name }) => name),
);
/** Few enough to compare at a glance. */
const MOST_BUTTONS = 5;

function exampleButtons(examples: readonly HelpRow[], now: number) {
  return examples
    .map(([example]) => example)
    .filter((example) => {
      const read = language.parse(example, { now });
      if (!read.ok || example.length > MAX_LABEL) return false;
      // An example may name a project that the workspace doesn't have.
      return HARMLESS.has(read.command.name) && !("in" in read.command);
    })
    .slice(0, MOST_BUTTONS)
    .map((example, at) => apartButton(example, example, `example-${at}`));
}

function topicButtons(): SlackBlock[] {
  const topics = ["logs", "summary", "trace", "why", "live", "token", "filters", "times"];
  return row(...topics.map((topic) => runButton(`Help on ${topic}`, `help ${topic}`, { id: `topic-${topic}` })));
}

function heading(title: string, about: string): RichTextBlock {
  return rich({ type: "rich_text_section", elements: [bold(title), text(`\n${about}`)] });
}

function listing(title: string, rows: readonly HelpRow[]): RichTextBlock {
  return rich(
    { type: "rich_text_section", elements: [bold(title)] },
    {
      type: "rich_text_list",
      style: "bullet",
      elements: rows.map(
        ([term, meaning]): RichTextSection => ({
          type: "rich_text_section",
          elements: [{ type: "text", text: term, style: { code: true } }, text(`  ${meaning}`)],
        }),
      ),
    },
  );
}

function preformatted(lines: readonly string[]): RichTextBlock {
  return rich({ type: "rich_text_preformatted", elements: [{ type: "text", text: lines.join("\n") }] });
}

const rich = (...elements: RichTextBlock["elements"]): RichTextBlock => ({ type: "rich_text", elements });
const text = (words: string): RichTextElement => ({ type: "text", text: words });
const bold = (words: string): RichTextElement => ({ type: "text", text: words, style: { bold: true } });
