import { type Person, type SeenView, textOf } from "@media-ops/fake-slack";
import type { Stage } from "./stage.js";

/** Opens a person's app home; returns what it shows at once. */
export async function homeOf({ slack }: Stage, person: Person): Promise<SeenView> {
  await person.openHome();
  return slack.until(() => person.home);
}

/** Opens a person's app home, and waits for the health of the projects. */
export async function wholeHomeOf(stage: Stage, person: Person): Promise<SeenView> {
  const shown = homesShown(stage).length;
  await person.openHome();
  return stage.slack.until(() =>
    homesShown(stage).length > shown && !textOf(person.home ?? []).includes("checking…") ? person.home : undefined,
  );
}

/** The text of all app homes that were shown, the first one first. */
export const homesShown = ({ slack }: Stage): string[] =>
  slack.transcript
    .filter(({ what, name }) => what === "shown" && name === "home")
    .map(({ detail }) => textOf((detail as { blocks: unknown[] }).blocks));
