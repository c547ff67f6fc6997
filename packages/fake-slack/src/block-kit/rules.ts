// The words in which the tables of shapes are written. The messages are Slack's own where they are known.
import { isObject, type JsonObject } from "./json.js";
import type { Place, Surface } from "./place.js";

/** Takes down what is wrong with a value. */
export type Rule = (value: unknown, place: Place) => void;

/** A rule about several fields of one object. Asked only where nothing else was found wrong with it. */
export type ShapeRule = (object: JsonObject, place: Place) => void;

export type Fields = Readonly<Record<string, Rule | { readonly optional: Rule }>>;

/** What an object must look like. Fields that are not named are refused. */
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

/** An object that has no `type`. */
export function object(shape: Shape): Rule {
  return (value, place) => {
    if (isObject(value)) checkShape(value, shape, place);
    else place.fault("must provide an object");
  };
}

/** An object whose `type` says which of the shapes it must have. */
export function oneOf(shapes: Readonly<Record<string, Shape>>): Rule {
  const known = new Map(
    Object.entries(shapes).map(([type, shape]) => [type, { ...shape, fields: { ...shape.fields, type: anything } }]),
  );
  return (value, place) => {
    if (!isObject(value)) return place.fault("must provide an object");
    const { type } = value;
    if (type === undefined) return place.fault("missing required field: type");
    if (typeof type !== "string") return place.at("type").fault("must provide a string");
    const shape = known.get(type);
    if (shape && (shape.on ?? [place.surface]).includes(place.surface)) checkShape(value, shape, place);
    else place.at("type").fault(`unsupported type: ${type}`);
  };
}

function checkShape(value: JsonObject, { fields, also = [] }: Shape, place: Place): void {
  const before = place.faultCount;
  for (const [name, field] of Object.entries(fields)) {
    const rule = typeof field === "function" ? field : field.optional;
    // A field that is undefined is not sent.
    if (value[name] !== undefined) rule(value[name], place.at(name));
    else if (rule === field) place.fault(`missing required field: ${name}`);
  }
  for (const [name, given] of Object.entries(value)) {
    if (given !== undefined && !Object.hasOwn(fields, name)) place.fault(`invalid additional property: ${name}`);
  }
  for (const rule of also) if (place.faultCount === before) rule(value, place);
}

/** A list of what keeps one rule; the first item may have a rule of its own. */
export function list(item: Rule, { min = 1, max, first = item }: Limits & { first?: Rule } = {}): Rule {
  return (value, place) => {
    if (!Array.isArray(value)) return place.fault("must provide an array");
    if (max !== undefined && value.length > max) return place.fault(`no more than ${max} items allowed`);
    if (value.length < min) return place.fault(`no less than ${min} items allowed`);
    for (const [index, given] of value.entries()) (index === 0 ? first : item)(given, place.at(index));
  };
}

/**
 * Slack's limits are in characters, and it does not say what that is of an emoji. Here it is UTF-16 units, the largest
 * count in question: what fits by it fits by any other.
 */
export function string({ min = 1, max }: Limits = {}): Rule {
  return (value, place) => {
    if (typeof value !== "string") place.fault("must provide a string");
    else if (value.length < min) place.fault(`must be more than ${min - 1} characters`);
    else if (max !== undefined && value.length > max) place.fault(`must be less than ${max + 1} characters`);
  };
}

/** A text that must also look like something. */
export function stringLike(isRight: (text: string) => boolean, message: string, limits?: Limits): Rule {
  const text = string(limits);
  return (value, place) => {
    const before = place.faultCount;
    text(value, place);
    if (place.faultCount === before && typeof value === "string" && !isRight(value)) place.fault(message);
  };
}

export const url = stringLike((text) => URL.canParse(text), "invalid url", { max: 3000 });

export const httpsUrl = stringLike(
  (text) => URL.canParse(text) && new URL(text).protocol === "https:",
  "must be an https url",
  { max: 3000 },
);

/** One of some words. */
export function word(...words: string[]): Rule {
  return (value, place) => {
    if (typeof value !== "string") place.fault("must provide a string");
    else if (!words.includes(value)) place.fault("must be a valid enum value");
  };
}

export const flag: Rule = (value, place) => {
  if (typeof value !== "boolean") place.fault("must provide a boolean");
};

// JSON knows no other numbers: the rest would be sent as null.
export const number: Rule = (value, place) => {
  if (!Number.isFinite(value)) place.fault("must provide a number");
};

export const numberAboveZero: Rule = (value, place) => {
  number(value, place);
  if (typeof value === "number" && value <= 0) place.fault("must be greater than 0");
};

export function integer({ min = 1, max }: Limits = {}): Rule {
  return (value, place) => {
    if (typeof value !== "number" || !Number.isFinite(value)) place.fault("must provide a number");
    else if (!Number.isInteger(value)) place.fault("must provide an integer");
    else if (value < min) place.fault(`must be greater than ${min - 1}`);
    else if (max !== undefined && value > max) place.fault(`must be less than ${max + 1}`);
  };
}

export const anything: Rule = () => {};
