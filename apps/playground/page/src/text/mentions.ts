import type { Scene } from "../../../src/window/protocol.js";

/** Everyone and everything that a message can mention. */
type Mentionable = Pick<Scene, "app" | "people" | "places">;

/** Replaces the typed names of the app, people and channels by Slack's references, as its own message box does. */
export function withMentions(text: string, { app, people, places }: Mentionable): string {
  const names = new Map([
    [`@${app.name}`, `<@${app.userId}>`],
    ...people.flatMap(({ id, name, realName }) =>
      [`@${realName}`, `@${name}`].map((typed) => [typed, `<@${id}>`] as const),
    ),
    ...places.filter(({ kind }) => kind === "channel").map(({ id, name }) => [`#${name}`, `<#${id}>`] as const),
  ]);
  // Longer names first, because one may begin with another.
  const typed = [...names.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${typed.join("|")})(?![\\p{L}\\p{N}_-])`, "giu");
  const byLower = new Map([...names].map(([name, reference]) => [name.toLowerCase(), reference]));
  return text.replace(pattern, (name) => byLower.get(name.toLowerCase()) ?? name);
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
