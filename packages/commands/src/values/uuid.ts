import { takes } from "../quote.js";
import { refused, understood, type ValueType } from "./value-type.js";

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A UUID. Nothing stands in for one that was mistyped: an id must not be made up by us. */
export const uuid: ValueType<string> = {
  name: "uuid",
  example: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
  telling: true,
  parse: (text, { subject }) =>
    UUID.test(text)
      ? understood(text)
      : refused(takes(subject, "a UUID, such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", text)),
  complete: () => [],
  write: (value) => value,
  describe: (value) => value,
};
