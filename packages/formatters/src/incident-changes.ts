import { capital } from "./columns.js";
import { causeOf, countIn, type Incident, isSlowness, type Leader, placeOf, stateOf } from "./incident.js";
import { causeName, namesOf, placeName } from "./incident-names.js";
import { backWords, recoveredWords, shareText } from "./incident-words.js";
import { formatCount, formatDuration, formatWithin } from "./values/numbers.js";

/** So many times more entries are worth a note. */
const MORE = 10;
/** So is a percentile or a share that has grown by this factor. */
const WORSE = 2;

/**
 * What is worth a note in the thread of an incident since the last note, as one plain sentence: that it came back or
 * recovered, that it got much worse, or that the most frequent cause or the worst place is another one; otherwise
 * `undefined`. It contains untrusted names, which are not escaped.
 *
 * @param before the incident at the last note
 */
export function changeWords(before: Incident, after: Incident): string | undefined {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (is === "over" && was !== "over") return `${recoveredWords(after)}.`;
  // Nothing new is known.
  if (is === "unknown") return undefined;
  if (after.times > before.times || (is === "on" && was === "over")) return againWords(after);
  return worseWords(before, after) ?? otherWords(before, after);
}

function againWords(incident: Incident): string {
  const back = backWords(incident);
  return `${capital(namesOf(incident).now)} again${back && `: it ${back}`}.`;
}

function worseWords(before: Incident, after: Incident): string | undefined {
  const [earlier, later] = [countIn(before.count), countIn(after.count)];
  if (earlier > 0 && later >= MORE * earlier)
    return `${capital(namesOf(after).amount)} by now, ${formatCount(earlier)} before.`;
  const { measure, overMs } = after;
  const worst = [countIn(before.worst), countIn(after.worst)] as const;
  if (measure === "count" || worst[0] === 0 || worst[1] < WORSE * worst[0]) return undefined;
  const [was, is] = worst.map(isSlowness(after) ? formatDuration : shareText);
  if (isSlowness(after)) return `${measure} rose to ${is}, from ${was}.`;
  return `Up to ${is} ${namesOf(after).did} within ${formatWithin(overMs)}, ${was} before.`;
}

/** "The most frequent cause is now ICE timeout, before channel full; the worst is now client c2, before client c1." */
function otherWords(before: Incident, after: Incident): string | undefined {
  const { kind, isFailure } = after;
  const parts = [
    otherOne("the most frequent cause", [causeOf(before), causeOf(after)], causeName),
    otherOne(isFailure ? "the worst" : "the most frequent", [placeOf(before), placeOf(after)], (one) =>
      placeName(kind, one),
    ),
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : `${capital(parts.join("; "))}.`;
}

function otherOne(
  what: string,
  [was, is]: [Leader | undefined, Leader | undefined],
  write: (one: Leader) => string,
): string {
  if (!was || !is || (was.field === is.field && was.name === is.name)) return "";
  return `${what} is now ${write(is)}, before ${write(was)}`;
}
