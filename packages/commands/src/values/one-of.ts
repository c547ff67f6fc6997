import { nearestOf } from "../nearest.js";
import { oneOfThese, takes } from "../quote.js";
import { refused, understood, type ValueType } from "./value-type.js";

/** Of a choice, what each means, and other words for it. */
export type Choices<T extends string> = Readonly<
  Record<T, { readonly about: string; readonly aliases?: readonly string[] }>
>;

/** One of a few words. */
export function oneOf<T extends string>(name: string, choices: Choices<T>): ValueType<T> {
  const words = Object.keys(choices).filter((word): word is T => Object.hasOwn(choices, word));
  const forms = new Map(words.flatMap((word) => [word, ...(choices[word].aliases ?? [])].map((form) => [form, word])));
  const [example = ""] = words;
  return {
    name,
    example,
    telling: true,
    choices: words,
    parse(text, { subject }) {
      const word = forms.get(text.toLowerCase());
      if (word !== undefined) return understood(word);
      const nearest = forms.get(nearestOf(text, forms.keys()) ?? "") ?? example;
      return refused(takes(subject, oneOfThese(words), text), nearest);
    },
    complete: () => words.map((word) => [word, choices[word].about]),
    write: (word) => word,
    describe: (word) => word,
  };
}
