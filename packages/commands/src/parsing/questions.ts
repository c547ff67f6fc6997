import type { Entry, Grammar, Parameter } from "../grammar.js";
import { kindNamed } from "../kinds.js";
import { isTimeText } from "../times.js";
import { nameOf, plain } from "../words.js";
import { utc } from "../zones.js";

const listOf = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(" ")));

/** Words that ask a question or request another action. Alone, none of them is a name. */
const QUESTIONS = listOf(
  "what who whom whose which when where why how is are am was do does did can could may should will would",
  "list ls show see view print display get find search look lookup query read open fetch describe explain",
  "help info about usage example examples manual version state stats check verify validate inspect decode parse",
  "debug history count all any every each everyone everybody everything none mine my me us",
  "revoke invalidate expire expired cancel stop end kill delete del remove rm drop destroy forget clear reset undo",
  "disable enable block ban renew refresh extend rotate change edit update set rename move copy share send",
  "new create make add generate gen mint issue give want need please again another same last latest recent",
  "it this that these those them the a an",
);

/** Further words of sentences about calls. */
const SENTENCES = listOf(
  "i we our ours you your they their he his she her its there here so too very much many few some more most often",
  "always never sometimes still just only now right not no cant cannot couldnt wont dont doesnt didnt isnt arent",
  "wasnt werent were be been being have has had keep keeps kept gets getting got go goes going gone went happen",
  "happens happened happening occur whats whos hows wheres thats lets tell and or but because when if then than as by",
  "call calls caller callers connection connections client clients user users viewer viewers customer customers person",
  "people participant participants somebody someone anybody anyone nobody session sessions channel channels room rooms",
  "bundle drops dropped dropping fail fails failed failing failure failures error errors break breaks broke broken",
  "disconnect disconnects disconnected disconnecting reconnect reconnects reconnecting refuse refuses refused refusing",
  "refusal refusals reject rejects rejected denied kicked timeout timeouts die dies died lose loses lost losing leave",
  "leaves left leaving join joins joined joining connect connects connected connecting enter work works working wrong",
  "bad unstable problem problems issues reason reasons cause causes incident incidents live online present *",
);

const ENDS_AS_QUESTION = /[?？]$/;

/** Whether a word is a question in a position in which a command that makes or deletes expects a name. */
export function isQuestion(text: string, { entryNamed, entryForQuestion }: Grammar): boolean {
  const name = nameOf(text);
  return (
    QUESTIONS.has(name) ||
    ENDS_AS_QUESTION.test(text) ||
    entryNamed(name) !== undefined ||
    entryForQuestion(name) !== undefined ||
    kindNamed(name) !== undefined
  );
}

/** Whether a word belongs to a sentence rather than to a name. */
export function isOfSentence(text: string, grammar: Grammar): boolean {
  return isQuestion(text, grammar) || SENTENCES.has(nameOf(text).replaceAll(/['’]/g, ""));
}

/** Words that precede a name in a sentence: `in lobby`. */
export function isLink(text: string): boolean {
  return /^(?:in|inside|into|within|at|on|of|for|from|to|with|around)$/.test(nameOf(text));
}

/** The other command whose argument a text unmistakably is: `trace` for a whole id. */
export function ownerOf(text: string, { entries }: Grammar, except?: Entry): Entry | undefined {
  const owner = entries.find((entry) => entry.arguments.some(({ value }) => value.isSure?.(text)));
  return owner === except ? undefined : owner;
}

const ALONE = { now: 0, zone: utc, subject: "", topics: [] };

/** Whether an argument must be written with its name, because the text alone would mean something else. */
export function needsName(text: string, parameter: Parameter, entry: Entry, grammar: Grammar): boolean {
  const { sentences, required, value } = parameter;
  if (value.distinctive) return value.parseNamed !== undefined && !value.parse(text, ALONE).ok;
  if (isOfOther(text, parameter, entry)) return true;
  if (sentences === undefined) return entry.spec.effect !== "reads" && isQuestion(text, grammar);
  // Parsing reads these without the variants of input methods: `1ｓ` is a time, too.
  const typed = plain(text);
  const isTime = !required && isTimeText(typed);
  return isTime || isLink(typed) || isOfSentence(typed, grammar) || ownerOf(typed, grammar, entry) !== undefined;
}

/** Whether a text alone is another argument, such as a token's id in place of a channel, or nearly one. */
function isOfOther(text: string, parameter: Parameter, { arguments: all, options }: Entry): boolean {
  const others = all.filter((other) => other !== parameter && other.value.distinctive);
  return (
    others.some(({ value }) => value.parse(plain(text), ALONE).ok) ||
    [...others, ...options].some(({ value }) => value.isNear?.(text))
  );
}
