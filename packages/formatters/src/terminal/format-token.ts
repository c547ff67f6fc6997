import { type TokenClaims, tokenWords } from "../token.js";
import { clean } from "./clean.js";
import { factLines } from "./facts.js";
import { wrap } from "./fit.js";
import { type TerminalOptions, timedScreenOf } from "./screen.js";

/**
 * A token, and what it allows. The token stands on one line, which may be wider than the terminal: it is there to be
 * copied.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatToken(token: string, claims: TokenClaims, options: TerminalOptions): string {
  return [clean(token), "", formatClaims(claims, options)].join("\n");
}

/**
 * What a token allows, without the token: for a screen that others see, or beside a token that goes into a pipe.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatClaims(claims: TokenClaims, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const { sentence, facts } = tokenWords(claims, screen.clock);
  return [...wrap(clean(sentence), screen.width), "", ...factLines(facts, screen)].join("\n");
}
