import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Claims } from "./claims.js";
import type { Config } from "./config.js";
import type { Caller, Clients, Listings } from "./connections/clients.js";
import type { Connections } from "./connections/connections.js";
import type { ReadBudget } from "./connections/read-budget.js";
import { groupsIn } from "./policy/decide.js";
import type { Member } from "./policy/policy.js";
import { type Answer, createAnswer } from "./slack/answer.js";
import { wordsOnly } from "./slack/blocks.js";
import { Refused } from "./slack/draft.js";
import { affiliationOf, isAdminOf, isFromElsewhere, type People, type Served, timeZoneOf } from "./slack/people.js";
import { openModal, waitingModal } from "./slack/views.js";
import type { Mintings } from "./tokens/mintings.js";

/** What all features work with. */
export interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly connections: Connections;
  readonly clients: Clients;
  readonly reads: ReadBudget;
  readonly mintings: Mintings;
  readonly claims: Claims;
  readonly people: People;
  readonly listings: Listings;
  /** Goes on with something that nobody waits for; the bot does not end before it is done. */
  later(task: () => Promise<void>): void;
}

/** Where something was asked from. */
interface Place {
  readonly teamId: string;
  readonly userId: string;
  /** The conversation; none from the app's home and from shortcuts. */
  readonly channelId: string | undefined;
}

/** A person whom the bot may serve. */
interface Asker {
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
  readonly timeZone: string;
}

/** Something that a person asked of the bot, acknowledged and to be answered. */
export interface Request extends Place, Parts, Caller {
  readonly slack: WebClient;
  readonly answer: Answer;
  /** Lets the bot open one window, within 3 s. */
  readonly triggerId: string | undefined;
  /** Opens a window that says to wait, and gives its id; the one that stands open already if there is one. */
  openWindow(title: string): Promise<string>;
  /** How commands begin here: `/media`. */
  readonly prefix: string;
  /**
   * Who asks.
   *
   * @throws {Refused} unless they are a member or a guest of the workspace, and if Slack does not say who they are.
   */
  asker(): Promise<Asker>;
  /** The person's own zone, by its IANA name. */
  timeZone(): Promise<string>;
  /** What a policy goes by. */
  member(): Promise<Member>;
}

export interface RequestOptions extends Place, Served {
  slack: WebClient;
  /** The person's workspace according to the request. */
  claimedTeamId?: string | undefined;
  responseUrl?: string | undefined;
  triggerId?: string | undefined;
  prefix?: string | undefined;
}

export function createRequest(
  parts: Parts,
  { responseUrl, prefix = "/media", ...from }: RequestOptions,
  { answerBy, aside }: Pick<Caller, "answerBy" | "aside">,
): Request {
  const { people, config } = parts;
  const { slack, teamId, userId, channelId, triggerId } = from;
  const log = parts.log.child({ teamId, userId });
  let window: Promise<string> | undefined;
  let asker: Promise<Asker> | undefined;
  const whoAsks = (): Promise<Asker> => {
    asker ??= askerOf(people, from, log);
    return asker;
  };
  return {
    ...parts,
    log,
    slack,
    teamId,
    userId,
    channelId,
    triggerId,
    prefix,
    answer: createAnswer({ slack, userId, channelId, responseUrl, log }),
    allowance: parts.reads.open(teamId),
    answerBy,
    aside,
    openWindow(title) {
      window ??= openModal(slack, triggerId ?? "", waitingModal(title));
      return window;
    },
    asker: whoAsks,
    timeZone: async () => (await whoAsks()).timeZone,
    async member() {
      const [{ isAdmin, isGuest }, groups] = await Promise.all([
        whoAsks(),
        people.groupsOf(slack, teamId, userId, groupsIn(config.policy)),
      ]);
      return { userId, isAdmin, isGuest, groups };
    },
  };
}

async function askerOf(people: People, from: RequestOptions, log: Logger): Promise<Asker> {
  const { slack, teamId, userId, claimedTeamId } = from;
  const outsider = new Refused(wordsOnly(from.isOrgWide ? OUTSIDER_OF_ORGANIZATION : OUTSIDER));
  if (isFromElsewhere(from, claimedTeamId)) throw outsider;
  const user = await people.of(slack, teamId, userId).catch((error: unknown) => {
    log.warn({ err: error }, "Slack does not say who a person is, so nothing is done for them");
    throw new Refused(wordsOnly(WHO_ARE_YOU));
  });
  const affiliation = user ? affiliationOf(user, from, claimedTeamId) : "outsider";
  if (!user || (affiliation !== "member" && affiliation !== "guest")) {
    log.warn({ affiliation }, "Refused a person whom the bot does not serve");
    throw outsider;
  }
  return { isGuest: affiliation === "guest", isAdmin: isAdminOf(user, from), timeZone: timeZoneOf(user) };
}

const OUTSIDER = "Only members of the workspace that this bot serves can use it.";
const OUTSIDER_OF_ORGANIZATION = "Only members of the organization that this bot serves can use it.";
const WHO_ARE_YOU = "Slack doesn't say who you are, so nothing was done. Try again in a minute.";
