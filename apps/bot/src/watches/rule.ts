import { type DailySpan, type LogWhere, type Threshold, whereOf } from "@media-ops/commands";
import type { LogKind } from "@media-ops/sdk";
import { type CommandNamed, language } from "../language.js";

/** What of a watch says when it may speak. */
interface Volume {
  readonly command: WatchCommand;
  readonly timeZone: string;
  readonly mutedUntil?: number | undefined;
  readonly paused?: string | undefined;
}

/** The command of a watch, with its project. */
export type WatchCommand = CommandNamed<"watch"> & { readonly in: string };

/** What a watch looks for. */
export interface Rule {
  readonly kind: LogKind;
  /** The entries that it is about. */
  readonly where: LogWhere;
  readonly measure: Threshold["measure"];
  readonly limit: number;
  /** Whether the limit itself already counts. */
  readonly orEqual: boolean;
  /** The time over which it measures. */
  readonly overMs: number;
}

/** A single entry is enough, unless the command says otherwise. */
const ANY: Threshold = { measure: "count", limit: 0, orEqual: false };

const OVER_MS = 5 * 60_000;

/** The rule of a command. */
export function ruleOf({ kind, filters, when = ANY, over = OVER_MS, in: project }: WatchCommand): Rule {
  return { kind, where: whereOf(kind, filters, project), ...when, overMs: over };
}

/** Whether a value is beyond the limit. */
export const exceeds = ({ limit, orEqual }: Rule, value: number): boolean => (orEqual ? value >= limit : value > limit);

/** Parses the stored text of a watch's command; undefined if this bot doesn't know it. */
export function readWatchCommand(text: string): WatchCommand | undefined {
  // No part of a watch depends on the current time.
  const read = language.parse(text, { now: 0 });
  if (!read.ok || read.command.name !== "watch" || read.command.in === undefined) return undefined;
  return { ...read.command, in: read.command.in };
}

/** Whether a time is within the quiet hours of a watch, in the time zone of the person who set them. */
export function isQuiet(quiet: DailySpan | undefined, timeZone: string, time: number): boolean {
  if (!quiet) return false;
  const minute = minuteOf(time, timeZone);
  const { from, to } = quiet;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Whether a watch may speak at a time. */
export const isLoudAt = ({ command, timeZone, mutedUntil, paused }: Volume, time: number): boolean =>
  paused === undefined && (mutedUntil ?? 0) <= time && !isQuiet(command.quiet, timeZone, time);

/** The minute of the day in a time zone. */
export function minuteOf(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const [hour = 0, minute = 0] = parts.format(time).split(":").map(Number);
  return hour * 60 + minute;
}
