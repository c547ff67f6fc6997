import type { Parameter } from "../grammar.js";
import { failureField, kindNamed, kindSpec } from "../kinds.js";
import { quote, shorten } from "../messages.js";
import { isQuoted, nameOf, writeText } from "../words.js";
import { type Bare, type Fault, faultAt } from "./items.js";
import { isLink, isOfSentence, ownerOf } from "./questions.js";
import { bareBehind, bareWords, neighbour, type Reading, readValue } from "./reading.js";

/** A name in a sentence, of one word or several. */
interface Run {
  readonly words: Bare[];
  /** Whether a word such as "in" precedes it. */
  readonly isLinked: boolean;
}

/** The words that can be a name: all but those of times, such as "2 hours ago". A command that needs a name gets one. */
export function namesAmong(reading: Reading, { required }: Parameter): Bare[] {
  const words = bareWords(reading);
  const zoned = reading.entry.options.filter(({ value }) => value.zoned);
  const times = new Set(
    words.flatMap((word) =>
      zoned.flatMap((option) => {
        const { read, used } = readValue(reading, option, word, word, option.word);
        return read.ok && !isQuoted(word) ? used : [];
      }),
    ),
  );
  const names = words.filter((word) => !times.has(word));
  return required && names.length === 0 ? words.slice(0, 1) : names;
}

/**
 * A sentence in place of a name: "do calls drop in lobby" after `why`. The name in it is suggested, with the command that
 * it belongs to.
 */
export function sentenceFault(reading: Reading, argument: Parameter, words: readonly Bare[]): Fault | undefined {
  const { entry, draft, grammar } = reading;
  const { name } = entry.spec;
  const [first] = words;
  const run = nameIn(reading, words);
  const owner = run && ownerOf(textOf(reading, run), grammar, entry);
  // A project may follow "in".
  const isLinkOfName = (word: Bare): boolean =>
    isLinkWord(word) &&
    words.some((next) => next === bareBehind(reading, word) && nameOfWord(reading, next) !== undefined);
  const isNeedless = (word: Bare): boolean => nameOfWord(reading, word) !== word.text && !isLinkOfName(word);
  if (!first || !(owner || words.some(isNeedless) || isLinkWord(first))) return undefined;
  if (!run) {
    const kind = words.map(({ text }) => kindNamed(text)).find((one) => one && failureField(one)?.wire === "status");
    if (!kind) return faultAt(draft, words, reasonOf(reading, argument, words));
    const head = `${argument.sentences}`.replace("{kind}", kind);
    return faultAt({ ...draft, head }, words, `${name} is about connections, not ${kindSpec(kind).many}.`);
  }
  const text = textOf(reading, run);
  const label = labelOf(reading, run);
  if (owner || label) {
    const head = owner?.spec.name ?? label?.command ?? name;
    const what = label ? `${label.name}:${writeText(text)}` : writeText(text);
    const reason = `${name} takes a ${argument.value.name}; ${head} shows all about ${quote(text)}.`;
    return faultAt({ ...draft, head }, words, reason, what);
  }
  return faultAt(draft, words, reasonOf(reading, argument, words), writeText(text));
}

function reasonOf({ entry, grammar }: Reading, { word, value }: Parameter, words: readonly Bare[]): string {
  const { name } = entry.spec;
  const [first] = words;
  const typed = first?.text ?? "";
  if (words.length === 1) {
    const whole = shorten(`${word}:${writeText(typed)}`, 50);
    return `${quote(typed)} after ${name} looks like a question. If the ${value.name} is really called that, write ${whole}.`;
  }
  if (words.some((each) => !isQuoted(each) && isOfSentence(each.text, grammar)))
    return `${name} takes a ${value.name}, not a sentence.`;
  const at = words.findIndex(isLinkWord);
  const link = words[at]?.text ?? "";
  const next = words[at + 1];
  const isProject =
    next && entry.options.some(({ member, word: option }) => member === "in" && option === nameOf(link));
  const rule = isProject ? ` before a ${value.name}; a project is written in:${shorten(writeText(next.text), 50)}` : "";
  return `${quote(link)} is not needed${rule}.`;
}

/** The name that a sentence is about: the first words, or what follows the last "in". */
function nameIn(reading: Reading, words: readonly Bare[]): Run | undefined {
  const runs: Run[] = [];
  let open: Run | undefined;
  let isLinked = false;
  for (const word of words) {
    if (nameOfWord(reading, word) === undefined) {
      open = undefined;
      isLinked ||= isLinkWord(word);
    } else if (open) {
      open.words.push(word);
    } else {
      open = { words: [word], isLinked };
      runs.push(open);
      isLinked = false;
    }
  }
  const [first] = runs;
  return first?.words[0] === words[0] ? first : (runs.filter((run) => run.isLinked).at(-1) ?? first);
}

const isLinkWord = (word: Bare): boolean => !isQuoted(word) && isLink(word.text);

/** The word as a name, without the end of a sentence; undefined if it only belongs to the sentence. */
function nameOfWord({ grammar }: Reading, word: Bare): string | undefined {
  if (isQuoted(word)) return word.text;
  const name = word.text.replace(/[?？!！]+$/, "");
  return name === "" || isLink(name) || isOfSentence(name, grammar) ? undefined : name;
}

function textOf(reading: Reading, { words }: Run): string {
  return words.map((word) => nameOfWord(reading, word)).join(" ");
}

/** The word before a name that says what it is, and the command for such things: "client c1" after `why`. */
function labelOf(reading: Reading, { words: [first] }: Run): { name: string; command: string } | undefined {
  const before = first && neighbour(reading, first, -1);
  const name = before?.form === "bare" ? nameOf(before.text) : "";
  const { instead = {} } = reading.entry.spec;
  const other = Object.hasOwn(instead, name) ? instead[name] : undefined;
  return other && "command" in other ? { name, command: other.command } : undefined;
}

/** A word of a sentence around a name that was given otherwise: "why channel:lobby drops". */
export function sentenceWordFault({ draft, entry, grammar }: Reading, word: Bare): Fault | undefined {
  const mayBe = entry.arguments.some(({ sentences }) => sentences !== undefined) && !isQuoted(word);
  const isNeedless = mayBe && isOfSentence(word.text, grammar);
  return isNeedless ? faultAt(draft, [word], `${quote(word.text)} is not needed.`) : undefined;
}
