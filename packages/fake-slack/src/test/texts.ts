// Texts that are as long as is asked for.
import type { MrkdwnElement, PlainTextElement } from "@slack/types";

export const letters = (count: number): string => "x".repeat(count);
export const plain = (count: number): PlainTextElement => ({ type: "plain_text", text: letters(count), emoji: true });
export const mrkdwn = (count: number): MrkdwnElement => ({ type: "mrkdwn", text: letters(count), verbatim: true });
export const link = (count: number): string => `https://media.example/${letters(count - 22)}`;
/** As many as there may be of something. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
