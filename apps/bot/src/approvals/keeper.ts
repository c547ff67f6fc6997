import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { AuditLog } from "../audit/audit-log.js";
import { actPlace, auditChannelOf, postAudit } from "../audit/post.js";
import type { Config } from "../config.js";
import { strong } from "../projects/words.js";
import { type Access, backgroundClient } from "../slack/access.js";
import { createAnswer } from "../slack/answer.js";
import { mrkdwnMessage } from "../slack/blocks.js";
import { Looker } from "../work/looker.js";
import { showDecision } from "./message.js";
import type { RequestStore, TokenRequest } from "./request-store.js";

/** Options of {@link RequestKeeper}. */
export interface RequestKeeperOptions {
  readonly config: Config;
  readonly access: Access;
  readonly approvals: RequestStore;
  readonly audit: AuditLog;
  readonly log: Logger;
}

// Nobody minds if a message says a few seconds later that its time is over: the press is checked by the clock.
const LOOK_MS = 5000;

/** Lapses the requests that nobody decided, and shows decisions that a stopped process didn't. */
export class RequestKeeper {
  readonly #options: RequestKeeperOptions;
  readonly #looker: Looker;

  constructor(options: RequestKeeperOptions) {
    this.#options = options;
    this.#looker = new Looker(
      () => this.#look(),
      LOOK_MS,
      (err) => options.log.warn({ err }, "failed to look for requests whose time is over"),
    );
  }

  /** Resolves once the requests that are over by now show it. */
  settled(): Promise<void> {
    return this.#looker.settled();
  }

  /** Stops after the work in progress. */
  stop(): Promise<void> {
    return this.#looker.stop();
  }

  async #look(): Promise<void> {
    const { approvals, log } = this.#options;
    // One workspace's audit log may be unreachable while those of others are not.
    const onFault = (err: unknown): void => log.warn({ err }, "failed to end a request whose time is over");
    for (const request of await approvals.lapse()) await this.#lapse(request).catch(onFault);
    await approvals.failStuck();
    for (const request of await approvals.unshown()) await this.#show(request).catch(onFault);
  }

  async #lapse(request: TokenRequest): Promise<void> {
    const { audit, config, log } = this.#options;
    const { id: subject, projectId, userId, placeId } = request;
    const { teamId } = request.served;
    const action = "token.request";
    await audit.record(
      { teamId, userId, placeId, projectId, subject, action, via: "timer" },
      { outcome: "lapsed", detail: "Nobody decided within 15 minutes." },
    );
    const slack = await this.#show(request);
    if (!slack) return;
    const words = `Nobody decided your request for an access token of ${strong(projectId)} within 15 minutes. Ask again if you still need it.`;
    await createAnswer(slack, { userId }, log)
      .say(mrkdwnMessage(words))
      .catch((err: unknown) => log.warn({ err }, "failed to notify a person that their request lapsed"));
    const channel = auditChannelOf(config, teamId);
    // The request in the audit channel shows it already.
    if (request.messages.some((one) => one.channel === channel)) return;
    const heading = `The request of <@${userId}> for an access token in ${actPlace(placeId)} lapsed.`;
    await postAudit({ heading, facts: [["Request", subject]] }, { config, slack, log, teamId }, { action, subject });
  }

  /** Shows what became of a request; returns Slack's client, or undefined if the workspace removed the bot. */
  async #show(request: TokenRequest): Promise<WebClient | undefined> {
    const { config, access, approvals, log } = this.#options;
    const slack = await backgroundClient(access, request.served, { config, log });
    // Without Slack there is nothing to show.
    if (!slack) await approvals.shown(request.served.teamId, request.id);
    else await showDecision(request, { slack, approvals, log });
    return slack;
  }
}
