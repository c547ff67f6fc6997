import type { LogKind } from "@media-ops/sdk";
import { rowOf } from "./columns.js";
import { formatCount } from "./values/numbers.js";

/** "1 webhook", "1,204 webhooks". */
export function amountOf(kind: LogKind, count: number): string {
  const { one, many } = rowOf(kind);
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** What stands in the place of entries where there are none. */
export const noneFound = (kind: LogKind): string => `No ${rowOf(kind).many} were found.`;

/** As a heading or a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
