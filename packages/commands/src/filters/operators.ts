/** How a filter compares. */
export type Comparison = "is" | "containing" | ">" | ">=" | "<" | "<=";

interface Operator {
  readonly compares: Comparison;
  readonly negated: boolean;
}

const operators: ReadonlyMap<string, Operator> = new Map(
  (
    [
      [": = ==", "is", false],
      ["!= ≠", "is", true],
      ["~ :~", "containing", false],
      ["!~", "containing", true],
      ["> :>", ">", false],
      [">= ≥ :>= :≥", ">=", false],
      ["< :<", "<", false],
      ["<= ≤ :<= :≤", "<=", false],
    ] as const
  ).flatMap(([signs, compares, negated]) => signs.split(" ").map((sign) => [sign, { compares, negated }])),
);

/** Common operator mistakes, and their corrections. */
const mistaken: ReadonlyMap<string, string> = new Map([
  ["=>", ">="],
  ["=<", "<="],
  ["<>", "!="],
  ["=~", "~"],
  ["~=", "~"],
  ["!", "!="],
  ["!==", "!="],
  ["=!", "!="],
  ["!:", "!="],
  [":!", "!="],
  ["~!", "!~"],
  ["!>", "<="],
  ["!<", ">="],
]);

/** Words that are used for operators. */
const spoken: ReadonlyMap<string, string> = new Map(
  (
    [
      [":", "is are equals"],
      ["!=", "not isnt isn't isn’t"],
      [">", "over above exceeds greater more"],
      ["<", "under below less"],
      ["~", "contains containing has like matches"],
    ] as const
  ).flatMap(([operator, words]) => words.split(" ").map((word) => [word, operator])),
);

/** The explanation of each operator. */
export const operatorWords: readonly (readonly [operator: string, meaning: string])[] = [
  ["failed", "no answer, a status from 400 on, or an event with an outcome other than ok; a word by itself"],
  ["ok", "all that did not fail"],
  ["status:404", "equals; also status=404"],
  ["status!=404", "differs; also -status:404"],
  ["elapsed>=500ms", "compares; > >= < <="],
  ["url~hooks", "contains, in any case; url!~hooks does not contain"],
  ["type:connection.created,session.created", "equals one of these"],
  ["type:connection.*", "starts with; * matches any characters"],
  ["status:5xx", "from 500 to 599"],
  ["status:400..499", "from 400 to 499, both included; also for times, durations and bytes"],
  ["status:400..", "400 or more; status:..499 is 499 or less"],
  ['channel:"main hall"', "quotes keep spaces, commas and * as they are"],
];

/** Whether an operator may stand between an option and its value. */
export function isOptionOperator(typed: string): boolean {
  return operators.get(typed)?.compares === "is" && !operators.get(typed)?.negated;
}

/** The meaning of an operator; undefined if it is unknown. */
export function operatorNamed(typed: string): Operator | undefined {
  return operators.get(typed);
}

/** The operator that was probably meant. */
export function operatorNearest(typed: string): string {
  const known = mistaken.get(typed);
  if (known) return known;
  const begun = [3, 2, 1].map((length) => typed.slice(0, length));
  return begun.find((start) => operators.has(start)) ?? ":";
}

/** The operator for a word: `>` for `over`. */
export function operatorSpoken(word: string): string | undefined {
  return spoken.get(word);
}
