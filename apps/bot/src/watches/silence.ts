import { language } from "../language.js";
import { strong } from "../projects/words.js";
import { apartButton, type Draft, mrkdwnSection, row, slackDate } from "../slack/blocks.js";
import { NOT_SHOWN, type StoredIncident } from "./run-store.js";
import type { Watch } from "./watch-store.js";

/** A service that does not answer its followers. */
export interface Silence {
  readonly projectId: string;
  /** In ms since 1970. */
  readonly since: number;
}

/** The id under which a channel's message about a silent service is stored, in place of a watch's. */
export const silenceId = (projectId: string, placeId: string): string => `silent ${placeId} ${projectId}`;

/** Whether an incident is that of a silent service. */
export const isSilence = ({ watchId }: Pick<StoredIncident, "watchId">): boolean => watchId.startsWith("silent ");

/**
 * The channels whose watches see nothing: without a message, quiet would look like an all-clear. Channels
 * whose watches are all muted or quiet now are left alone.
 */
export function placesOf(silence: Silence, watches: readonly Watch[], isLoud: (watch: Watch) => boolean): string[] {
  const own = watches.filter((watch) => watch.command.in === silence.projectId && isLoud(watch));
  return [...new Set(own.map(({ placeId }) => placeId))];
}

/** A silence in the form in which incidents are stored. */
export function silenceIncident(silence: Silence, placeId: string): StoredIncident {
  const { projectId, since } = silence;
  return {
    watchId: silenceId(projectId, placeId),
    beganAt: since,
    placeId,
    projectId,
    kind: "api",
    incident: {
      kind: "api",
      measure: "count",
      limit: 0,
      overMs: 0,
      value: 0,
      worst: 0,
      began: since,
      lookedUntil: since,
      count: 0,
      isFailure: true,
      groups: [],
      overTime: [],
      times: 1,
    },
    ...NOT_SHOWN,
  };
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
