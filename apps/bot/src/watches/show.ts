import { changeWords } from "@media-ops/formatters";
import { fingerprintOf, isMutedAt, isSilence, silencedWatch } from "./message.js";
import { isLoudAt } from "./rule.js";
import { sentKey } from "./target.js";
import type { StoredIncident, Watch } from "./watch-store.js";

/** What is known about an incident besides the incident itself. */
export interface Sight {
  /** The watch whose message or URL shows it; undefined if that was stopped or changed since. */
  readonly watch: Watch | undefined;
  /** Whether the watch goes on with the incident, or may go on with it. */
  readonly isCurrent: boolean;
  /** Whether any log of its project is followed. */
  readonly isFollowed: boolean;
  readonly now: number;
}

/** The next thing to do in Slack for an incident. */
export type Step = { readonly do: "post" | "edit" | "find" | "close" } | { readonly do: "note"; readonly note: string };

// A message is edited at most once in this time while it only counts on.
const EDIT_MS = 60_000;

/** A request to Slack ends within 10 s: after that, a message of a process that has died is there, or never will be. */
export const IN_FLIGHT_MS = 12_000;

/** Stands for what a message shows if it can't be edited any more. */
export const DELETED = "deleted";

/** What has to be done next, so that Slack shows an incident: one message, edited in place, with notes in its thread. */
export function nextStep(found: StoredIncident, sight: Sight): Step | undefined {
  const { watch, isCurrent, now } = sight;
  const { messageTs, postingAt, shown, shownAt = 0 } = found;
  const isOver = found.incident.ended !== undefined;
  const isSilent = isSilence(found);
  // No watch looks any more, so it isn't known whether the service answers again.
  if (isSilent && !isOver && !sight.isFollowed) return { do: "close" };
  // What is left to send outside Slack is sent first.
  const close = isDueOutside(found, sight) ? undefined : ({ do: "close" } as const);
  if (silencedWatch(found) !== undefined) return watch && !isOver ? undefined : close;
  if (messageTs === undefined) {
    if (postingAt !== undefined) return now - postingAt >= IN_FLIGHT_MS ? { do: "find" } : undefined;
    // A silence that is over before it was posted is none.
    if (isSilent ? !isOver : watch && !isHushed(found, watch, now)) return { do: "post" };
    return !isSilent && watch && !isOver ? undefined : close;
  }
  const isDone = (!watch && !isSilent) || (isOver && !isCurrent);
  if (shown !== DELETED) {
    const { state, content } = fingerprintOf(found, { watch, now });
    const [shownState, shownContent] = shown?.split(".") ?? [];
    if (shownState !== state || (shownContent !== content && now - shownAt >= EDIT_MS)) return { do: "edit" };
    const note = watch && !isMutedAt(watch, now) ? noteOn(found, isCurrent) : undefined;
    if (note !== undefined) return { do: "note", note };
  }
  return isDone ? close : undefined;
}

/** Whether something has to be sent to the watch's URL outside Slack now. */
export function isDueOutside(found: StoredIncident, { watch, now }: Pick<Sight, "watch" | "now">): boolean {
  const { incident, messageTs, sent } = found;
  if (watch?.target === undefined || sent === sentKey(incident)) return false;
  if (sent !== undefined || messageTs !== undefined) return true;
  // A silence that is over before it was sent is none.
  return !isHushed(found, watch, now) && !(isSilence(found) && incident.ended !== undefined);
}

/** Whether an incident must not be posted now; one that is over by then is never posted. */
const isHushed = ({ incident: { ended } }: StoredIncident, watch: Watch, now: number): boolean =>
  !isLoudAt(watch, now) || (ended !== undefined && !isLoudAt(watch, ended));

/** What is worth a note in the thread: of an incident that comes and goes, only its first return, and its end. */
function noteOn({ incident, noted = incident }: StoredIncident, isCurrent: boolean): string | undefined {
  const { times, ended } = incident;
  if (times > 1 && ended !== undefined && isCurrent) return undefined;
  if (times <= 2 || ended !== undefined) return changeWords(noted, incident);
  const { ended: _, ...before } = noted;
  return changeWords({ ...before, times }, incident);
}
