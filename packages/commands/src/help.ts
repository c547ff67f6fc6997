import type { LogKind } from "@media-ops/contract";
import { operatorWords } from "./filters.js";
import type { Entry, Grammar, Parameter } from "./grammar.js";
import { type FieldSpec, fieldsOf, kindSpec, kinds } from "./kinds.js";
import { topicNamed, topicNear } from "./values.js";
import { capital, forShell, oneOfThese, quote } from "./words.js";

/** How a page of help shows commands. */
export interface HelpOptions {
  /** The program's name before each command. With `media`, examples are quoted for a shell. @default none */
  readonly prefix?: "/media" | "media" | undefined;
}

/** A term and its meaning. */
export type HelpRow = readonly [term: string, meaning: string];

interface HelpSection {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

/** A page of help, as data: Slack and the terminal print it in their own ways. */
export interface Help {
  readonly title: string;
  readonly about: string;
  readonly usage: readonly string[];
  readonly sections: readonly HelpSection[];
  /** Commands that can be used unchanged. */
  readonly examples: readonly HelpRow[];
}

/** Help on a topic; on the nearest topic if it is unknown; an overview without a topic. */
export function helpOn(grammar: Grammar, topic?: string, { prefix }: HelpOptions = {}): Help {
  const help = pageOn(grammar, topic);
  if (prefix === undefined) return help;
  const typed = (text: string): string => `${prefix} ${prefix === "media" ? forShell(text) : text}`;
  return {
    ...help,
    usage: help.usage.map((usage) => `${prefix} ${usage}`),
    examples: help.examples.map(([text, meaning]): HelpRow => [typed(text), meaning]),
  };
}

function pageOn(grammar: Grammar, topic: string | undefined): Help {
  if (topic === undefined) return overview(grammar);
  const named = topicNamed(topic, grammar.topics);
  if (named !== undefined) return helpOnTopic(grammar, named);
  const near = topicNear(topic, grammar.topics);
  const unknown = `Unknown help topic ${quote(topic)}`;
  if (near === undefined) return { ...overview(grammar), about: `${unknown}; this is the overview.` };
  const help = helpOnTopic(grammar, near);
  return { ...help, about: `${unknown}; this is ${near}. ${help.about}` };
}

function helpOnTopic(grammar: Grammar, topic: string): Help {
  const entry = grammar.entryNamed(topic);
  const kind = kinds.find((name) => name === topic);
  if (entry) return helpOnCommand(entry);
  if (kind) return helpOnKind(grammar, kind);
  return topic === "filters" ? helpOnFilters(grammar) : helpOnTimes(grammar);
}

function overview({ entries, topics }: Grammar): Help {
  return {
    title: "Commands",
    about: "The same commands work in Slack and in the terminal.",
    usage: entries.map(usageOf),
    sections: [
      { title: "Commands", rows: entries.map(({ spec }) => [spec.name, spec.about]) },
      { title: "Logs", rows: kinds.map((kind) => [kind, kindSpec(kind).about]) },
      { title: "More help", rows: topics.slice(-2).map(({ name, about }) => [`help ${name}`, about]) },
    ],
    examples: entries.flatMap(({ spec }) => spec.examples.slice(0, 1)),
  };
}

function helpOnCommand(entry: Entry): Help {
  const { spec } = entry;
  const { name, about, aliases = [], phrases = [], filters, examples } = spec;
  const others = phrases.filter((phrase) => !phrase.startsWith(`${name} `));
  const sections: HelpSection[] = [
    { title: "Arguments", rows: entry.arguments.map((argument) => [termOf(argument), meaningOf(argument)]) },
    { title: "Filters", rows: filters ? filterRows : [] },
    { title: "Options", rows: entry.options.map((option) => [exampleOf(option), meaningOf(option)]) },
    { title: "Aliases", rows: [...aliases, ...others].map((alias) => [alias, `the same as ${name}`]) },
  ];
  return {
    title: name,
    about,
    usage: [usageOf(entry)],
    sections: sections.filter(({ rows }) => rows.length > 0),
    examples,
  };
}

const namesOf = (kind: LogKind): string =>
  fieldsOf(kind)
    .map(({ name }) => name)
    .join(", ");

const filterRows: readonly HelpRow[] = [
  ["elapsed>500ms", "a field, a comparison and a value; see help filters"],
  ...kinds.map((kind): HelpRow => [kind, `fields: ${namesOf(kind)}`]),
];

function helpOnKind({ entries }: Grammar, kind: LogKind): Help {
  const withFilters = entries.filter(({ spec }) => spec.filters);
  return {
    title: kind,
    about: `${capital(kindSpec(kind).one)} logs: ${kindSpec(kind).about}.`,
    usage: withFilters.map((entry) => usageOf(entry).replace("<kind>", kind)),
    sections: [{ title: "Fields", rows: fieldsOf(kind).map((field) => [field.name, meaningOfField(field)]) }],
    examples: withFilters.flatMap(({ spec }) => spec.examples.filter(([text]) => text.split(" ").includes(kind))),
  };
}

function meaningOfField({ name, about, type, operator, examples, aliases }: FieldSpec): string {
  const [example] = examples;
  const values = type.is === "text" ? type.values : undefined;
  const such = example && !values ? `, such as ${name}${operator}${example[0]}` : "";
  const typed = values ? `one of ${oneOfThese(values.map(([value]) => value))}` : type.name;
  const others = aliases.length > 0 ? ` Aliases: ${aliases.join(", ")}.` : "";
  return `${about} Type: ${typed}${such}.${others}`;
}

function helpOnFilters({ entries }: Grammar): Help {
  const withFilters = entries.filter(({ spec }) => spec.filters);
  return {
    title: "filters",
    about: "A filter is a field, a comparison and a value. An entry must match all filters.",
    usage: withFilters.map(usageOf),
    sections: [
      { title: "Comparisons", rows: operatorWords },
      { title: "Fields", rows: filterRows.slice(1) },
      {
        title: "Values",
        rows: [
          ["500ms 2s 30m 1h30m", "durations; a plain number is in the field's own unit"],
          ["500kB 10MB 1GiB", "bytes: kB and MB are powers of 1000, KiB and MiB powers of 1024"],
          ["404 5xx 400..499", "HTTP statuses; 0 is a webhook without an answer"],
          ["01JD3…9XKQ", "an id, in full or shortened as it is shown"],
          ["lobby", "a channel's name, or its full id with @ and the project"],
        ],
      },
    ],
    examples: withFilters.flatMap(({ spec }) => spec.examples),
  };
}

function helpOnTimes({ entries }: Grammar): Help {
  return {
    title: "times",
    about: "Times are in your time zone, unless they end with another one.",
    usage: [],
    sections: [
      {
        title: "Times",
        rows: [
          ["2h", "two hours ago (for starting: in two hours); units are ms, s, m, h, d and w, also as 1d12h"],
          ["2 hours ago", "the same in words"],
          ["now, today, yesterday, tomorrow", "a day begins and ends at midnight"],
          ["monday", "the last Monday before today (for starting: the next)"],
          ["09:00, 9am", "the last nine o'clock (for starting: the next)"],
          ["yesterday 09:00, 9am monday", "a time on a day"],
          ["2026-11-20", "a day"],
          ["2026-11-20 09:00, 2026-11-20T09:00", "a time on a day"],
          ["2026-11-20 09:00 UTC", "a time on a day in UTC"],
          [
            "yesterday 14:00 Tokyo",
            "a time in another zone: a city, Asia/Tokyo, JST or +09:00; zone:Tokyo is for all times",
          ],
          ["2026-11-20T09:00:00+01:00", "RFC 3339, with Z or an offset, to the millisecond"],
        ],
      },
      {
        title: "Days",
        rows: [
          ["since:2026-11-20", "from the start of the day"],
          ["until:2026-11-20", "up to the start of the day, which is excluded"],
          ["created:2026-11-20", "within the day"],
          ["created>2026-11-20", "after the end of the day"],
        ],
      },
    ],
    examples: entries.flatMap(({ spec }) => spec.examples.filter(([text]) => /\b(?:since|until|starting):/.test(text))),
  };
}

/** `logs <kind> [filters] [since:2h]` */
function usageOf({ spec, arguments: args, options }: Entry): string {
  return [
    spec.name,
    ...args.map((argument) => (argument.required || argument.open ? termOf(argument) : `[${argument.value.name}]`)),
    ...(spec.filters ? ["[filters]"] : []),
    ...options.map((option) => `[${exampleOf(option)}]`),
  ].join(" ");
}

function exampleOf({ word, value }: Parameter): string {
  // An id is too long to show, and an example id must not be copied.
  return `${word}:${value.example.length > 20 ? `<${value.name}>` : value.example}`;
}

/** `<channel>`; a word that is there or not is typed as it is. */
function termOf({ value: { name, choices } }: Parameter): string {
  return isAlone(choices) ? name : `<${name}>`;
}

const isAlone = (choices: readonly string[] | undefined): boolean => choices?.length === 1;

function meaningOf({ about, default: standard, value: { choices } }: Parameter): string {
  const these = choices && !isAlone(choices) ? ` One of ${oneOfThese(choices)}.` : "";
  return `${about}${these}${standard === undefined ? "" : ` Default: ${standard}.`}`;
}
