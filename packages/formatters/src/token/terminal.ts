import type { CheckedToken } from "@media-ops/contract";
import { factLines, type TerminalOptions, type TimedScreen, textLines, timedScreenOf } from "../terminal/screen.js";
import { clean, wrap } from "../terminal/width.js";
import {
  checkedTokenParts,
  type TokenClaims,
  type TokenUse,
  type TokenUseOptions,
  tokenUse,
  tokenWords,
} from "./words.js";

/**
 * A token, the permissions that it grants, and how it is used. The token is on one line, which may exceed the width of
 * the terminal, so that it can be copied.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https.
 */
export function formatToken(token: string, claims: TokenClaims, options: TerminalOptions & TokenUseOptions): string {
  return [clean(token), "", formatClaims(claims, { usage: true, ...options })].join("\n");
}

/**
 * The permissions that a token grants, without the token: for a shared screen, or beside a token that is piped. Says how
 * a client uses it only with `usage`.
 *
 * @throws {TypeError} if `joinUrl` is not a URL with http or https.
 */
export function formatClaims(claims: TokenClaims, options: TerminalOptions & TokenUseOptions): string {
  const screen = timedScreenOf(options);
  const { sentence, facts, isEndless } = tokenWords(claims, screen.clock);
  const use = tokenUse(isEndless, { ...options, usage: options.usage ?? false });
  return [...wrap(clean(sentence), screen.width), "", ...factLines(facts, screen), ...useLines(use, screen)].join("\n");
}

function useLines({ usage, joinUrl, revocation }: TokenUse, { width }: TimedScreen): string[] {
  // What is copied is on a line of its own, even if it is wider than the terminal.
  return [
    ...(usage ? ["", ...wrap(usage.words, width), ...wrap(usage.code, width)] : []),
    ...(joinUrl === undefined ? [] : ["", "To join with it:", clean(joinUrl)]),
    ...(revocation ? ["", ...wrap(revocation.words, width)] : []),
    ...(revocation?.command === undefined ? [] : [clean(revocation.command)]),
  ];
}

/**
 * Whether a token is good, the next step if it is not, what a client would be answered now, and what the token allows.
 */
export function formatCheckedToken(checked: CheckedToken, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const { verdict, tone, next, admission, admissionTone, facts } = checkedTokenParts(checked, options);
  return [
    ...textLines(verdict, tone, screen),
    ...textLines(next, "plain", screen),
    ...textLines(admission, admissionTone, screen),
    ...(facts.length === 0 ? [] : ["", ...factLines(facts, screen)]),
  ].join("\n");
}
