/** What an operator asks. */
export type Comparison = "is" | "containing" | ">" | ">=" | "<" | "<=";

export interface Operator {
  readonly compares: Comparison;
  readonly negated: boolean;
}

const is: Operator = { compares: "is", negated: false };
const isNot: Operator = { compares: "is", negated: true };
const contains: Operator = { compares: "containing", negated: false };
const containsNot: Operator = { compares: "containing", negated: true };
const over: Operator = { compares: ">", negated: false };
const atLeast: Operator = { compares: ">=", negated: false };
const under: Operator = { compares: "<", negated: false };
const atMost: Operator = { compares: "<=", negated: false };

const operators: ReadonlyMap<string, Operator> = new Map([
  [":", is],
  ["=", is],
  ["==", is],
  ["!=", isNot],
  ["≠", isNot],
  ["~", contains],
  [":~", contains],
  ["!~", containsNot],
  [">", over],
  [":>", over],
  [">=", atLeast],
  ["≥", atLeast],
  [":>=", atLeast],
  [":≥", atLeast],
  ["<", under],
  [":<", under],
  ["<=", atMost],
  ["≤", atMost],
  [":<=", atMost],
  [":≤", atMost],
]);

/** What is typed by mistake, and what was meant. */
const mistaken: Readonly<Record<string, string>> = {
  "=>": ">=",
  "=<": "<=",
  "<>": "!=",
  "=~": "~",
  "~=": "~",
  "!": "!=",
  "!==": "!=",
  "=!": "!=",
  "!:": "!=",
  ":!": "!=",
  "~!": "!~",
  "!>": "<=",
  "!<": ">=",
};

/** The operators as they are explained, each with what it asks. */
export const operatorWords: readonly (readonly [operator: string, meaning: string])[] = [
  ["status:404", "is; = means the same"],
  ["status!=404", "is not; so does -status:404"],
  ["status>=400", "compares: > >= < <="],
  ["url~hooks", "contains, in capitals or not; !~ does not contain"],
  ["type:connection.created,session.created", "is one of these"],
  ["type:connection.*", "begins so; * stands for any characters"],
  ["status:5xx", "is any from 500 to 599"],
  ["status:400..499", "lies between, both included; also for times, lengths and bytes"],
  ['channel:"main hall"', "quotes keep blanks, commas and * as they are"],
];

/** Whether an operator may stand between an option and its value. */
export function isOptionOperator(typed: string): boolean {
  return operators.get(typed) === is;
}

/** What an operator asks; undefined for what is none. */
export function operatorNamed(typed: string): Operator | undefined {
  return operators.get(typed);
}

/** The operator that something was meant to be. */
export function operatorNearest(typed: string): string {
  const known = Object.hasOwn(mistaken, typed) ? mistaken[typed] : undefined;
  if (known) return known;
  for (let length = typed.length; length > 0; length--) {
    if (operators.has(typed.slice(0, length))) return typed.slice(0, length);
  }
  return ":";
}
