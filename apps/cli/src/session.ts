import type { TimeOptions } from "@media-ops/formatters";
import type { Flags } from "./flags.js";
import { type Screen, screenOf } from "./screen/screen.js";
import { wrap } from "./screen/wrap.js";
import type { World } from "./world.js";

/** What every command works with. */
export interface Session {
  world: World;
  flags: Flags;
  /** How what goes to the standard output is to be drawn, as its window is now. */
  readonly screen: Screen & TimeOptions;
  /** How what goes to the standard error is to be drawn. */
  readonly aside: Screen & TimeOptions;
  /** What was asked for: nothing else goes to the standard output, so that it can be piped. */
  print(text: string): void;
  /** The same without a line's end. */
  write(text: string): void;
  /** A sentence beside it: headings, hints and questions. */
  say(sentence: string): void;
  /** The same for what has been drawn already. */
  show(drawn: string): void;
}

export function openSession(world: World, flags: Flags): Session {
  const { stdout, stderr, env } = world;
  const now = world.now();
  const times = (): TimeOptions => ({ now, timeZone: flags.utc ? "UTC" : world.timeZone() });
  return {
    world,
    flags,
    get screen() {
      return { ...screenOf(stdout, env), ...times() };
    },
    get aside() {
      return { ...screenOf(stderr, env), ...times() };
    },
    print: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    say: (sentence) => void stderr.write(`${wrap(sentence, screenOf(stderr, env))}\n`),
    show: (drawn) => void stderr.write(`${drawn}\n`),
  };
}
