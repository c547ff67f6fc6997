import { changeWords, type Incident } from "@media-ops/formatters";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { ErrorCode, type WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { type Outgoing, postDraft, sendDraft } from "../slack/answer.js";
import { isClosedPlace, refusalOf } from "../slack/client.js";
import { blockIdOf, fingerprintOf, incidentDraft, isMutedAt } from "./message.js";
import { isLoudAt, readWatchCommand, type WatchCommand } from "./rule.js";
import type { StoredIncident } from "./run-store.js";
import { isSilence, silencedWatch } from "./silence.js";
import { SlackPace } from "./slack-pace.js";
import type { Watch } from "./watch-store.js";

/** Options of {@link Reporter}. */
export interface ReporterOptions {
  readonly slack: WebClient;
  readonly log: Logger;
  /** The pause between two calls for one channel. */
  readonly channelMs: number;
  now(): number;
  watch(watchId: string): Watch | undefined;
  /** Whether a watch goes on with an incident, or may go on with it. */
  isCurrent(found: StoredIncident): boolean;
  /** Whether the watch was changed since, so that it no longer looks how the incident goes on. */
  isDropped(found: StoredIncident): boolean;
  /** Stores what Slack shows of an incident. */
  save(found: StoredIncident): Promise<void>;
  /** The bot can't post to a watch's channel any more. */
  onPlaceGone(watch: Watch, code: string): Promise<void>;
  /** Sends an incident to the watch's URL outside Slack; whether nothing is left to send. */
  sendOutside(found: StoredIncident, watch: Watch): Promise<boolean>;
  /** Stores what was sent outside Slack. */
  saveSent(found: StoredIncident): Promise<void>;
}

// A message is edited at most once in this time while it only counts on.
const EDIT_MS = 60_000;
// A request to Slack ends within 10 s: after that, a message of a process that has died is there, or never will be.
const IN_FLIGHT_MS = 12_000;
// More than a channel has within the time of a crash.
const SEARCHED = 100;

// Slack's errors if a message was deleted, or can't be edited any more.
const FIXED = new Set(["message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"]);

/** Stands for what a message shows if it can't be edited any more. */
const DELETED = "deleted";

const keyOf = ({ watchId, beganAt }: Pick<StoredIncident, "watchId" | "beganAt">): string => `${watchId} ${beganAt}`;

/**
 * Brings what Slack shows in line with what the watches of one workspace found: one message per incident, edited in
 * place, with notes in its thread. URLs outside Slack are called beside that: neither waits for the other.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #pace: SlackPace;
  readonly #incidents = new Map<string, StoredIncident>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #busy = { slack: new Set<string>(), outside: new Set<string>() };

  constructor(options: ReporterOptions, incidents: readonly StoredIncident[]) {
    this.#options = options;
    this.#pace = new SlackPace(options.channelMs);
    for (const found of incidents) this.#incidents.set(keyOf(found), found);
  }

  get(watchId: string, beganAt: number): StoredIncident | undefined {
    return this.#incidents.get(keyOf({ watchId, beganAt }));
  }

  get all(): readonly StoredIncident[] {
    return [...this.#incidents.values()];
  }

  put(found: StoredIncident): void {
    this.#incidents.set(keyOf(found), found);
  }

  /** Changes what is known of an incident, and returns it. One that was closed meanwhile stays closed. */
  change(found: StoredIncident, changes: Partial<StoredIncident>): StoredIncident {
    const known = this.#incidents.get(keyOf(found));
    const changed = { ...(known ?? { ...found, isOpen: false }), ...changes };
    if (known) this.#incidents.set(keyOf(found), changed);
    return changed;
  }

  /** Leaves what Slack shows of an incident as it is. */
  async close(found: StoredIncident): Promise<void> {
    await this.#options.save(this.change(found, { isOpen: false }));
    this.#incidents.delete(keyOf(found));
  }

  /** Starts the calls that are due and that Slack's limits allow. */
  tick(): void {
    // What nobody has seen yet comes first, then what is over.
    const urgency = (found: StoredIncident): number =>
      found.messageTs === undefined ? 0 : found.incident.ended === undefined ? 2 : 1;
    for (const found of [...this.#incidents.values()].sort((a, b) => urgency(a) - urgency(b))) {
      this.#begin("outside", found, this.#stepOutside(found));
      this.#begin("slack", found, this.#stepFor(found));
    }
  }

  /** Makes a call for an incident, unless one of its kind is under way. */
  #begin(kind: "slack" | "outside", found: StoredIncident, step: (() => Promise<void>) | undefined): void {
    const busy = this.#busy[kind];
    const key = keyOf(found);
    if (!step || busy.has(key)) return;
    busy.add(key);
    const running = step()
      .catch((error: unknown) => {
        if (kind === "slack") this.#pace.failed(found.placeId);
        this.#options.log.error({ err: error, watch: found.watchId }, "failed to report an incident; it is retried");
      })
      .finally(() => {
        busy.delete(key);
        this.#underWay.delete(running);
      });
    this.#underWay.add(running);
  }

  /** Waits for the calls that are under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Whether nothing is left to do now. */
  get isIdle(): boolean {
    const isDone = (found: StoredIncident) => !this.#stepFor(found, () => true) && !this.#stepOutside(found);
    return this.#underWay.size === 0 && [...this.#incidents.values()].every(isDone);
  }

  /** What has to be done for an incident now; undefined if nothing, or if Slack's limits don't allow it. */
  #stepFor(
    found: StoredIncident,
    isFree = (call: "post" | "edit") => this.#pace.isFree(found.placeId, call),
  ): (() => Promise<void>) | undefined {
    const { now, isCurrent } = this.#options;
    const watch = this.#watchOf(found);
    const command = this.#commandOf(found, this.#options.watch(found.watchId));
    const { messageTs, incident, postingAt } = found;
    if (!found.isOpen || !command) return undefined;
    // What is left to send outside Slack is sent first.
    const close = this.#stepOutside(found) ? undefined : () => this.close(found);
    if (silencedWatch(found) !== undefined) return watch && incident.ended === undefined ? undefined : close;
    const isSilent = isSilence(found);
    if (messageTs === undefined) {
      if (postingAt !== undefined) {
        const isThere = now() - postingAt >= IN_FLIGHT_MS && isFree("post");
        return isThere ? () => this.#findPosted(found) : undefined;
      }
      // A silence that is over before it was posted is none.
      if (isSilent && incident.ended !== undefined) return close;
      if (!isSilent && (!watch || this.#isSilenced(found, watch))) {
        return watch && incident.ended === undefined ? undefined : close;
      }
      return isFree("post") ? () => this.#post(found, watch, command) : undefined;
    }
    const isOver = (!watch && !isSilent) || (incident.ended !== undefined && !isCurrent(found));
    if (found.shown === DELETED) return isOver ? close : undefined;
    const { state, content } = fingerprintOf(found, { watch, now: now() });
    const [shownState, shownContent] = found.shown?.split(".") ?? [];
    const isDue = shownState !== state || (shownContent !== content && now() - (found.shownAt ?? 0) >= EDIT_MS);
    if (isDue) {
      return isFree("edit") ? () => this.#edit(found, watch, command) : undefined;
    }
    const note = watch && !isMutedAt(watch, now()) ? this.#noteOn(found) : undefined;
    if (note !== undefined) {
      return isFree("post") ? () => this.#note(found, note) : undefined;
    }
    return isOver ? close : undefined;
  }

  /** What has to be sent outside Slack now; undefined if nothing. */
  #stepOutside(found: StoredIncident): (() => Promise<void>) | undefined {
    const watch = this.#watchOf(found);
    const { incident, messageTs, sent } = found;
    if (watch?.target === undefined || !found.isOpen || sent === sentKey(incident)) return undefined;
    const isNews = sent === undefined && messageTs === undefined;
    if (isNews && this.#isSilenced(found, watch)) return undefined;
    // A silence that is over before it was sent is none.
    if (isNews && isSilence(found) && incident.ended !== undefined) return undefined;
    return () => this.#send(found, watch);
  }

  /** The watch whose message or URL shows an incident; undefined if it was stopped or changed since. */
  #watchOf(found: StoredIncident): Watch | undefined {
    const { watch, isDropped } = this.#options;
    return isDropped(found) ? undefined : watch(silencedWatch(found) ?? found.watchId);
  }

  /**
   * What is worth a note in the thread. Of an incident that comes and goes, only its first return is, and that it stays
   * over: the message itself shows the rest.
   */
  #noteOn(found: StoredIncident): string | undefined {
    const { incident, noted = incident } = found;
    const { times, ended } = incident;
    if (times > 1 && ended !== undefined && this.#options.isCurrent(found)) return undefined;
    if (times <= 2 || ended !== undefined) return changeWords(noted, incident);
    const { ended: _, ...before } = noted;
    return changeWords({ ...before, times }, incident);
  }

  /** The command of an incident's watch; of one that was stopped, as its message last had it. */
  #commandOf(found: StoredIncident, watch: Watch | undefined): WatchCommand | undefined {
    return watch?.command ?? readWatchCommand(`watch ${found.kind} in:${found.projectId}`);
  }

  /** Whether an incident must not be posted now; one that is over by then is never posted. */
  #isSilenced({ incident }: StoredIncident, watch: Watch): boolean {
    const now = this.#options.now();
    return !isLoudAt(watch, now) || (incident.ended !== undefined && !isLoudAt(watch, incident.ended));
  }

  async #post(found: StoredIncident, watch: Watch | undefined, command: WatchCommand): Promise<void> {
    const { slack, log, save } = this.#options;
    const { placeId } = found;
    const { draft, shown } = this.#draw(found, watch, command);
    await this.#pace.run(placeId, "post", async () => {
      await save(this.change(found, { postingAt: shown.at, noted: found.incident }));
      let posted: StoredIncident;
      try {
        const { ts } = await postDraft(slack, placeId, draft, log);
        posted = this.change(found, { messageTs: ts });
      } catch (error) {
        // Without an answer from Slack, nobody knows whether the message is there.
        if (!isAnswer(error)) throw error;
        await save(this.change(found, { postingAt: undefined }));
        return this.#refused(error, found, watch);
      }
      await this.#shown(posted, shown);
    });
  }

  /** The message of an incident, and what is stored of it once Slack shows it. */
  #draw(found: StoredIncident, watch: Watch | undefined, command: WatchCommand) {
    const now = this.#options.now();
    const draft = incidentDraft(found, command, { watch, now });
    return { draft, shown: { ...fingerprintOf(found, { watch, now }), at: now } };
  }

  /** @param shown.at when the message was drawn. */
  async #shown(found: StoredIncident, { state, content, at }: ReturnType<typeof fingerprintOf> & { at: number }) {
    const changes = { postingAt: undefined, shown: `${state}.${content}`, shownAt: at };
    await this.#options.save(this.change(found, changes));
  }

  /** Looks for a message that may have been posted before a process died, so that it isn't posted twice. */
  async #findPosted(found: StoredIncident): Promise<void> {
    const { slack, log, save } = this.#options;
    const { placeId, postingAt = 0, watchId, beganAt } = found;
    const own = blockIdOf(watchId, beganAt);
    await this.#pace.run(placeId, "post", async () => {
      const oldest = String((postingAt - IN_FLIGHT_MS) / 1000);
      let messageTs: string | undefined;
      try {
        const { messages = [] } = await slack.conversations.history({ channel: placeId, oldest, limit: SEARCHED });
        messageTs = messages.find(({ blocks }) => blocks?.some((block) => block.block_id === own))?.ts;
      } catch (error) {
        if (!isAnswer(error) || isLimited(error)) throw error;
        log.warn(
          { err: error, watch: watchId },
          "can't look for a message that may have been posted; it is posted again",
        );
      }
      await save(this.change(found, { messageTs, postingAt: undefined }));
    });
  }

  async #edit(found: StoredIncident, watch: Watch | undefined, command: WatchCommand): Promise<void> {
    const { slack, log } = this.#options;
    const { placeId, messageTs = "" } = found;
    const { draft, shown } = this.#draw(found, watch, command);
    const update = (message: Outgoing) =>
      slack.chat.update({ blocks: [], ...message, channel: placeId, ts: messageTs });
    await this.#pace.run(placeId, "edit", async () => {
      try {
        await sendDraft(draft, update, log);
      } catch (error) {
        if (!isAnswer(error)) throw error;
        return this.#refused(error, found, watch, "edit");
      }
      await this.#shown(found, shown);
    });
  }

  /** Adds a note to the thread. Stored first: of two notes, a lost one does less harm than a repeated one. */
  async #note(found: StoredIncident, note: string): Promise<void> {
    const { slack, save, log } = this.#options;
    const { placeId, messageTs = "" } = found;
    await this.#pace.run(placeId, "post", async () => {
      await save(this.change(found, { noted: found.incident }));
      const text = escapeMrkdwn(note);
      try {
        await slack.chat.postMessage({ channel: placeId, thread_ts: messageTs, text, unfurl_links: false });
      } catch (error) {
        log.warn({ err: error, watch: found.watchId }, "failed to add a note to the thread of an incident");
        if (isAnswer(error)) this.#limited(error, placeId, "post");
      }
    });
  }

  async #send(found: StoredIncident, watch: Watch): Promise<void> {
    const key = sentKey(found.incident);
    if (!(await this.#options.sendOutside(found, watch))) return;
    await this.#options.saveSent(this.change(found, { sent: key }));
  }

  /** Slack refused a call: waits as it asks, or gives up. */
  async #refused(error: unknown, found: StoredIncident, watch: Watch | undefined, call: "post" | "edit" = "post") {
    const { log, save, onPlaceGone } = this.#options;
    if (this.#limited(error, found.placeId, call)) return;
    const code = refusalOf(error)?.code ?? "";
    log.warn({ err: error, watch: found.watchId, code }, "Slack refused the message of an incident");
    if (FIXED.has(code)) {
      // Somebody deleted it: the incident goes on without a message, instead of with a new one.
      await save(this.change(found, { shown: DELETED }));
    } else if (isClosedPlace(error)) {
      await this.close(found);
      if (watch) await onPlaceGone(watch, code);
    } else this.#pace.failed(found.placeId);
  }

  #limited(error: unknown, channel: string, call: "post" | "edit"): boolean {
    if (!isLimited(error)) return false;
    this.#pace.limited(channel, call, error.retryAfter);
    return true;
  }
}

/** What of an incident is sent outside Slack: that it began, and that it is over. */
export const sentKey = ({ times, ended }: Pick<Incident, "times" | "ended">): string =>
  `${times}:${ended === undefined ? "began" : "ended"}`;

/** Whether Slack answered, so that it is known that nothing was posted. */
const isAnswer = (error: unknown): boolean => refusalOf(error) !== undefined || isLimited(error);

function isLimited(error: unknown): error is { retryAfter: number } {
  return error instanceof Error && "code" in error && error.code === ErrorCode.RateLimitedError;
}
