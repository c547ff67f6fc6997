import type { ViewStateValue } from "@slack/bolt";

type State = Readonly<Record<string, Readonly<Record<string, ViewStateValue>>>>;

/** What was entered or chosen in a window, by the id of its block; each block has one input. */
export function valuesIn(state: State): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(state).map(([block, inputs]) => [block, givenIn(Object.values(inputs)[0])]));
}

function givenIn(input: ViewStateValue | undefined): string | undefined {
  if (!input) return undefined;
  const { value, selected_option, selected_options, selected_date_time, selected_conversation } = input;
  const given =
    value ??
    selected_option?.value ??
    selected_options?.[0]?.value ??
    selected_conversation ??
    textOf(selected_date_time);
  return given?.trim() || undefined;
}

const textOf = (number: unknown): string | undefined => (typeof number === "number" ? String(number) : undefined);
