/** What an operator asks. */
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

/** What is typed by mistake, and what was meant. */
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

/** What is said instead of an operator. */
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

/** The operators as they are explained, each with what it asks. */
export const operatorWords: readonly (readonly [operator: string, meaning: string])[] = [
  ["status:404", "is; status=404 means the same"],
  ["status!=404", "is not; -status:404 means the same"],
  ["elapsed>=500ms", "compares: > >= < <="],
  ["url~hooks", "contains, in capitals or not; url!~hooks does not contain"],
  ["type:connection.created,session.created", "is one of these"],
  ["type:connection.*", "begins so; * stands for any characters"],
  ["status:5xx", "is any from 500 to 599"],
  ["status:400..499", "lies between, both included; also for times, lengths and bytes"],
  ["status:400..", "is 400 or more; status:..499 is 499 or less"],
  ['channel:"main hall"', "quotes keep blanks, commas and * as they are"],
];

/** Whether an operator may stand between an option and its value. */
export function isOptionOperator(typed: string): boolean {
  return operators.get(typed)?.compares === "is" && !operators.get(typed)?.negated;
}

/** What an operator asks; undefined for what is none. */
export function operatorNamed(typed: string): Operator | undefined {
  return operators.get(typed);
}

/** The operator that something was meant to be. */
export function operatorNearest(typed: string): string {
  const known = mistaken.get(typed);
  if (known) return known;
  const begun = [3, 2, 1].map((length) => typed.slice(0, length));
  return begun.find((start) => operators.has(start)) ?? ":";
}

/** The operator that a word says: `>` for `over`. */
export function operatorSpoken(word: string): string | undefined {
  return spoken.get(word);
}
