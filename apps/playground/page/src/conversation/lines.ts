import type { SeenMessage } from "@media-ops/fake-slack";
import type { Notice } from "../state/window-state.js";
import { dayOf } from "../text/slack-date.js";

/** A line of a conversation. */
export type Line =
  | { readonly kind: "day"; readonly key: string; readonly at: number }
  | { readonly kind: "message"; readonly key: string; readonly message: SeenMessage; readonly isNext: boolean }
  | { readonly kind: "notice"; readonly key: string; readonly notice: Notice };

/** Messages within this time show their sender once. */
const SAME_MS = 5 * 60_000;

export function linesOf(messages: readonly SeenMessage[], notices: readonly Notice[], timeZone: string): Line[] {
  const all = [
    ...messages.map((message) => ({ at: Number(message.ts) * 1000, message })),
    ...notices.map((notice) => ({ at: notice.at, notice })),
  ].sort((a, b) => a.at - b.at);
  const lines: Line[] = [];
  let day = "";
  let last: { at: number; from: string } | undefined;
  for (const one of all) {
    const today = dayOf(one.at, timeZone);
    if (today !== day) {
      lines.push({ kind: "day", key: `day ${today}`, at: one.at });
      last = undefined;
    }
    day = today;
    if ("notice" in one) {
      lines.push({ kind: "notice", key: `notice ${one.notice.id}`, notice: one.notice });
      last = undefined;
      continue;
    }
    const { message } = one;
    const isNext = last?.from === message.from && one.at - last.at < SAME_MS && !message.isOnlyVisibleToYou;
    lines.push({ kind: "message", key: message.ts, message, isNext });
    last = message.isOnlyVisibleToYou ? undefined : { at: one.at, from: message.from };
  }
  return lines;
}
