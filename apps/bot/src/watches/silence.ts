import { language } from "../language.js";
import { strong } from "../projects/words.js";
import { apartButton, type Draft, mrkdwnSection, row, slackDate } from "../slack/blocks.js";
import type { StoredIncident, Watch } from "./watch-store.js";

/** Whether an incident is that of a silent service. */
export const isSilence = ({ watchId }: Pick<StoredIncident, "watchId">): boolean => watchId.startsWith("silent ");

/** The watch whose URL outside Slack gets a silence; undefined if a channel gets it. */
export const silencedWatch = ({ watchId }: Pick<StoredIncident, "watchId">): string | undefined =>
  /^silent @(\S+)/.exec(watchId)?.[1];

/** A service that doesn't answer its followers since a time. */
interface Silence {
  readonly projectId: string;
  readonly since: number;
}

/**
 * What has to be posted about a silent service, to each channel and each URL with watches that may post now: without it,
 * quiet would look like an all-clear.
 */
export function silenceIncidents(silence: Silence, watches: readonly Watch[]): StoredIncident[] {
  const own = watches.filter(({ command }) => command.in === silence.projectId);
  const places = [...new Set(own.map(({ placeId }) => placeId))];
  return [
    ...places.map((placeId) => silenceIncident(silence, `silent ${placeId} ${silence.projectId}`, placeId)),
    ...own.flatMap(({ id, placeId, target }) =>
      target === undefined ? [] : [silenceIncident(silence, `silent @${id}`, placeId)],
    ),
  ];
}

/** A silence in the form in which incidents are stored. */
export function silenceIncident({ projectId, since }: Silence, watchId: string, placeId: string): StoredIncident {
  const none = {
    limit: 0,
    overMs: 0,
    value: 0,
    worst: 0,
    count: 0,
    isFailure: true,
    times: 1,
    groups: [],
    overTime: [],
  };
  const incident = { kind: "api", measure: "count", ...none, began: since, lookedUntil: since } as const;
  return { watchId, beganAt: since, placeId, projectId, kind: "api", incident, isOpen: true };
}

/** The message about a silent service. */
export function silenceDraft({ incident, projectId }: StoredIncident, blockId: string): Draft {
  const { began, ended } = incident;
  const text =
    ended === undefined
      ? `*?* ${strong(projectId)}'s service hasn't answered since ${slackDate(began)}: its watches here see nothing until it does.`
      : `✓ ${strong(projectId)}'s service answers again. From ${slackDate(began)} to ${slackDate(ended)} it didn't; what was logged in that time is looked through now.`;
  const status = row(apartButton("Status", language.write({ name: "status", in: projectId }), "status"));
  return { blocks: [{ ...mrkdwnSection(text), block_id: blockId }, ...status], text };
}
