// The vocabulary of the shape tables. Messages are Slack's own where those are known.
import { fieldOf, isObject, itemsOf, type JsonObject } from "../json.js";

/** Where blocks are shown. */
export type Surface = "message" | "modal" | "home";

/** A position in the JSON that is checked; faults are recorded with a pointer to it. */
export class Position {
  readonly surface: Surface;
  readonly #pointer: string;
  readonly #faults: string[];

  constructor(surface: Surface, pointer: string, faults: string[]) {
    this.surface = surface;
    this.#pointer = pointer;
    this.#faults = faults;
  }

  /** How many faults the whole check has found so far. */
  get faultCount(): number {
    return this.#faults.length;
  }

  /** A field or item inside. Needs no escaping: keys are names from the shape tables, or indexes. */
  at(...keys: (string | number)[]): Position {
    return new Position(this.surface, [this.#pointer, ...keys].join("/"), this.#faults);
  }

  fault(message: string): void {
    this.#faults.push(`${message} [json-pointer:${this.#pointer}]`);
  }
}

/** Records what is wrong with a value. */
export type Rule = (value: unknown, position: Position) => void;

/** A rule about several fields of one object; runs only if its fields are right one by one. */
export type ShapeRule = (object: JsonObject, position: Position) => void;

export type Fields = Readonly<Record<string, Rule | { readonly optional: Rule }>>;

/** What an object must look like. Other fields are refused. */
export interface Shape {
  fields: Fields;
  also?: readonly ShapeRule[];
  /**
   * The surfaces that take it.
   * @default all
   */
  on?: readonly Surface[];
}

interface Limits {
  /** @default 1 */
  min?: number;
  /** @default any */
  max?: number;
}

export function optional(rule: Rule): { optional: Rule } {
  return { optional: rule };
}

/** An object without a `type`. */
export function object(shape: Shape): Rule {
  return (value, position) => {
    if (isObject(value)) checkShape(value, shape, position);
    else position.fault("must provide an object");
  };
}

/** An object whose `type` selects one of the shapes. */
export function oneOf(shapes: Readonly<Record<string, Shape>>): Rule {
  const known = new Map(
    Object.entries(shapes).map(([type, shape]) => [type, { ...shape, fields: { ...shape.fields, type: anything } }]),
  );
  return (value, position) => {
    if (!isObject(value)) return position.fault("must provide an object");
    const { type } = value;
    if (type === undefined) return position.fault("missing required field: type");
    if (typeof type !== "string") return position.at("type").fault("must provide a string");
    const shape = known.get(type);
    if (!shape) {
      position.at("type").fault(`unsupported type: ${type}, or fake-slack does not model it here`);
    } else if (shape.on && !shape.on.includes(position.surface)) {
      position.at("type").fault(`unsupported type: ${type}`);
    } else checkShape(value, shape, position);
  };
}

function checkShape(value: JsonObject, { fields, also = [] }: Shape, position: Position): void {
  const before = position.faultCount;
  for (const [name, field] of Object.entries(fields)) {
    const rule = typeof field === "function" ? field : field.optional;
    // JSON drops undefined fields.
    if (value[name] !== undefined) rule(value[name], position.at(name));
    else if (rule === field) position.fault(`missing required field: ${name}`);
  }
  for (const [name, given] of Object.entries(value)) {
    if (given !== undefined && !Object.hasOwn(fields, name)) position.fault(`invalid additional property: ${name}`);
  }
  for (const rule of also) if (position.faultCount === before) rule(value, position);
}

/** A list whose items keep one rule; the first item may have its own. */
export function list(item: Rule, { min = 1, max, first = item }: Limits & { first?: Rule } = {}): Rule {
  return (value, position) => {
    if (!Array.isArray(value)) return position.fault("must provide an array");
    if (max !== undefined && value.length > max) return position.fault(`no more than ${max} items allowed`);
    if (value.length < min) return position.fault(`no less than ${min} items allowed`);
    for (const [index, given] of value.entries()) (index === 0 ? first : item)(given, position.at(index));
  };
}

/**
 * Slack counts characters, but does not document how it counts an emoji. UTF-16 units are the largest count in
 * question: a text that fits by them fits by any other.
 */
export function string({ min = 1, max }: Limits = {}): Rule {
  return (value, position) => {
    if (typeof value !== "string") position.fault("must provide a string");
    else if (value.length < min) position.fault(`must be more than ${min - 1} characters`);
    else if (max !== undefined && value.length > max) position.fault(`must be less than ${max + 1} characters`);
  };
}

/** A text that must also pass a test. */
export function stringLike(isRight: (text: string) => boolean, message: string, limits?: Limits): Rule {
  const text = string(limits);
  return (value, position) => {
    const before = position.faultCount;
    text(value, position);
    if (position.faultCount === before && typeof value === "string" && !isRight(value)) position.fault(message);
  };
}

export const url = stringLike((text) => URL.canParse(text), "invalid url", { max: 3000 });

/** One of some words. */
export function word(...words: string[]): Rule {
  return (value, position) => {
    if (typeof value !== "string") position.fault("must provide a string");
    else if (!words.includes(value)) position.fault("must be a valid enum value");
  };
}

export const flag: Rule = (value, position) => {
  if (typeof value !== "boolean") position.fault("must provide a boolean");
};

// JSON has no other numbers: NaN and infinities would be sent as null.
export const number: Rule = (value, position) => {
  if (!Number.isFinite(value)) position.fault("must provide a number");
};

export const numberAboveZero: Rule = (value, position) => {
  number(value, position);
  if (typeof value === "number" && value <= 0) position.fault("must be greater than 0");
};

export function integer({ min = 1, max }: Limits = {}): Rule {
  return (value, position) => {
    if (typeof value !== "number" || !Number.isFinite(value)) position.fault("must provide a number");
    else if (!Number.isInteger(value)) position.fault("must provide an integer");
    else if (value < min) position.fault(`must be greater than ${min - 1}`);
    else if (max !== undefined && value > max) position.fault(`must be less than ${max + 1}`);
  };
}

export const anything: Rule = () => {};

/** At least one of two fields. */
export function eitherOf(one: string, other: string): ShapeRule {
  return (object, position) => {
    if (object[one] === undefined && object[other] === undefined) {
      position.fault(`must define either \`${one}\` or \`${other}\``);
    }
  };
}

/** One number may not exceed another, whether they are given as numbers or as texts. */
export function inOrder(low: string, high: string): ShapeRule {
  return (object, position) => {
    if (object[low] === undefined || object[high] === undefined) return;
    if (Number(object[low]) > Number(object[high])) position.fault(`\`${low}\` cannot be greater than \`${high}\``);
  };
}

/** No two items of a list may have the same value in a field; items without the field are not compared. */
export function uniqueIn(listName: string, name: string): ShapeRule {
  return (object, position) => {
    const items = itemsOf(object[listName]);
    checkUnique(
      items.map((item, index) => ({ value: fieldOf(item, name), position: position.at(listName, index, name) })),
      name,
    );
  };
}

/** Records each text that equals an earlier one. */
export function checkUnique(values: Iterable<{ value: unknown; position: Position }>, name: string): void {
  const seen = new Set<unknown>();
  for (const { value, position } of values) {
    if (typeof value !== "string") continue;
    if (seen.has(value)) position.fault(`\`${name}\` "${value}" already exists`);
    seen.add(value);
  }
}
