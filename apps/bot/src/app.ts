import { setTimeout as wait } from "node:timers/promises";
import {
  type AllMiddlewareArgs,
  App,
  type BlockAction,
  type Receiver,
  type ReceiverEvent,
  type SlackCommandMiddlewareArgs,
  type StringIndexed,
  type ViewSubmitAction,
} from "@slack/bolt";
import { showHome } from "./home/home.js";
import {
  actionFrom,
  answerPlace,
  commandFrom,
  mentionFrom,
  personFrom,
  readSlackRequest,
  servedIn,
  shortcutFrom,
  undoEscapes,
  usedIn,
} from "./http/entrance.js";
import { answerMention, commandIn } from "./mentions/mention.js";
import { reportProblem, say, showInWindow } from "./problem.js";
import {
  admit,
  type BotParts,
  createRequest,
  type IncomingRequest,
  type Request,
  type RequestSource,
  readKept,
} from "./request.js";
import { actions, forms, runTyped, secretFaults, shortcuts, typedCommand, unknownAction, unknownForm } from "./run.js";
import { type Access, INSTALL_PATH, NotInstalledError } from "./slack/access.js";
import { type Draft, postToResponseUrl, Refused } from "./slack/answer.js";
import { clientOptionsOf, slackLogger } from "./slack/client.js";
import { publishHome, valuesIn, viewOf } from "./slack/views.js";
import { type Aside, untilDone } from "./work/jobs.js";

interface AppOptions {
  parts: BotParts;
  receiver: Receiver;
  access: Access;
  /** Deletes a workspace's data after it removed the bot, unless it has added the bot again since. */
  forget(teamId: string, removedAt: number): Promise<void>;
}

/** Processes only requests that have the shape of Slack's. */
class CheckedApp extends App {
  override async processEvent(event: ReceiverEvent): Promise<void> {
    const body = readSlackRequest(event.body);
    if (body === undefined) return event.ack();
    return super.processEvent({ ...event, body });
  }
}

const DOUBLE_CLICK_MS = 2000;
// Slack sends events again for up to an hour.
const MENTION_MS = 60 * 60_000;

/** Connects Slack's requests to the features. Each request is acknowledged before its work starts. */
export function createApp({ parts, receiver, access, forget }: AppOptions): void {
  const { config, log, jobs } = parts;
  const take = (source: RequestSource, work: RequestWork): void => takeRequest(parts, source, work);
  // The operator may rename the command. Only typed commands contain its name, so buttons use the latest one.
  const lastTyped: { prefix?: string } = {};
  const app = new CheckedApp({
    receiver,
    // A workflow's own token has fewer permissions than the bot's, and can't look up people.
    attachFunctionToken: false,
    authorize: (source) => access.authorize(source),
    logger: slackLogger(log),
    clientOptions: clientOptionsOf(config, log),
    convoStore: false,
    extendedErrorHandler: true,
  });

  const onCommand = async ({
    command,
    client: slack,
    context,
    ack,
  }: SlackCommandMiddlewareArgs & AllMiddlewareArgs): Promise<void> => {
    await ack();
    lastTyped.prefix = command.command;
    const typed = typedCommand(undoEscapes(command.text ?? ""), parts.now());
    take(
      { slack, ...servedIn(context), ...commandFrom(command), via: "command" },
      {
        repeat: `command ${command.trigger_id}`,
        isUrgent: typed.opensWindow,
        async run(request) {
          const draft = await runTyped(typed, request);
          if (draft) await request.answer.say(draft);
        },
      },
    );
  };

  // Most requests are commands, so they are handled before Bolt tries every listener in turn.
  app.use((args) => ("command" in args ? onCommand(args) : args.next()));

  app.action<BlockAction>({ type: "block_actions" }, async ({ body, client: slack, context, ack }) => {
    await ack();
    const [pressed] = body.actions;
    if (!pressed) return;
    const action = ownEntry(actions, pressed.action_id.split(":", 1)[0] ?? "") ?? unknownAction;
    const served = servedIn(context);
    const used = usedIn(body);
    const from = actionFrom(body, used);
    const where = used.messageTs ?? used.view?.id ?? "home";
    const { isUrgent, onceForMs: forMs = DOUBLE_CLICK_MS } = action;
    const key = `press ${served.teamId} ${body.user.id} ${where} ${pressed.action_id} ${used.value}`;
    take(
      { slack, ...served, ...from, via: "button", prefix: from.prefix ?? lastTyped.prefix },
      {
        repeat: `press ${body.trigger_id}`,
        once: { key, forMs },
        isUrgent: typeof isUrgent === "function" ? isUrgent(used, parts.now()) : isUrgent,
        refused: (request, why) => action.refused?.(request, used, why),
        run: (request) => action.run(request, used),
      },
    );
  });

  app.view<ViewSubmitAction>(
    { callback_id: /./, type: "view_submission" },
    async ({ body, view, client: slack, context, ack }) => {
      const form = ownEntry(forms, view.callback_id);
      if (!form) return ack({ response_action: "update", view: viewOf(unknownForm) });
      const sent = { values: valuesIn(view.state.values), kept: readKept(view.private_metadata), viewId: view.id };
      const faults = secretFaults(sent.values, form) ?? form.faults?.(sent, parts.now());
      if (faults) return ack({ response_action: "errors", errors: { ...faults } });
      await (form.meanwhile ? ack({ response_action: "update", view: viewOf(form.meanwhile) }) : ack());
      const place = answerPlace(body, sent.kept);
      take(
        { slack, ...servedIn(context), ...personFrom(body), ...place, via: "window", prefix: sent.kept.prefix },
        {
          repeat: `view ${view.id} ${view.hash}`,
          showProblem: form.meanwhile && showInWindow(view.id, form.meanwhile.title),
          refused: (request, why) => form.refused?.(request, sent, why),
          run: (request) => form.run(request, sent),
        },
      );
    },
  );

  app.shortcut(/./, async ({ shortcut, client: slack, context, ack }) => {
    await ack();
    const run = ownEntry(shortcuts, shortcut.callback_id);
    if (!run) return;
    const served = servedIn(context);
    const { message, ...from } = shortcutFrom(shortcut);
    const key = `shortcut ${served.teamId} ${from.userId} ${shortcut.callback_id} ${from.channelId} ${message?.ts}`;
    take(
      { slack, ...served, ...from, via: "shortcut", prefix: lastTyped.prefix },
      {
        repeat: `shortcut ${shortcut.trigger_id}`,
        ...(message && { once: { key, forMs: DOUBLE_CLICK_MS } }),
        isUrgent: true,
        run: (request) => run(request, message),
      },
    );
  });

  app.event("app_mention", async ({ event, body, client: slack, context }) => {
    const mention = mentionFrom(event);
    if (!mention) return;
    const { text, ts, ...from } = mention;
    const served = servedIn(context);
    take(
      { slack, ...served, ...from, via: "mention", prefix: lastTyped.prefix },
      {
        repeat: `event ${body.event_id}`,
        // An edited message may be sent as another event.
        once: { key: `mention ${served.teamId} ${from.channelId} ${ts}`, forMs: MENTION_MS },
        run: (request) => answerMention(commandIn(text, context.botUserId), from.threadTs ?? ts, request),
      },
    );
  });

  app.event("app_home_opened", async ({ event, body, client: slack, context }) => {
    if (event.tab !== "home") return;
    take(
      { slack, ...servedIn(context), userId: event.user, channelId: undefined, via: "home", prefix: lastTyped.prefix },
      {
        repeat: `event ${body.event_id}`,
        showProblem: async (request, { blocks }) => void (await publishHome(slack, event.user, blocks, request.log)),
        run: showHome,
      },
    );
  });

  // Slack sends the event once, so the bot retries until it succeeds.
  const removed = (teamId: string, atSeconds: number): void =>
    untilDone(
      jobs,
      () => forget(teamId, atSeconds * 1000),
      (err, isTriedAgain) =>
        log.error({ err, teamId, isTriedAgain }, "failed to delete the data of a workspace that removed the bot"),
    );

  app.event("app_uninstalled", async ({ body, context }) => {
    removed(servedIn(context).teamId, body.event_time);
  });

  app.event("tokens_revoked", async ({ event, body, context }) => {
    // Revoked user tokens don't matter: the bot uses none.
    if (event.tokens.bot?.length) removed(servedIn(context).teamId, body.event_time);
  });

  // Handles errors before a listener runs: the workspace is unknown, or its token is revoked.
  app.error(async ({ error, body }: { error: Error; body: StringIndexed }) => {
    log.error({ err: error }, "failed to handle a request from Slack");
    jobs.add(() => answerUnhandled(error, body, config.publicUrl), { of: "unanswered" });
  });
}

/** The table's own entry for a name from a request; never an inherited member such as `constructor`. */
function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The work for one request, and how its repeats are recognized. */
interface RequestWork {
  /** The deduplication key of this delivery: a second delivery with it is a retry by Slack. */
  repeat: string;
  /** The deduplication key of the person's action: a second action with it within `forMs` is a double click. */
  once?: { readonly key: string; readonly forMs: number } | undefined;
  isUrgent?: boolean | undefined;
  /** Shows why the work failed. @default a message that only the person sees */
  showProblem?: ((request: IncomingRequest, draft: Draft) => Promise<void>) | undefined;
  /** Records that the work did not begin: it is a repeat, or the bot does not serve the person. @default nothing */
  refused?: ((request: IncomingRequest, why: string) => Promise<void> | undefined) | undefined;
  run(request: Request): Promise<void>;
}

// Slack may send a request again for up to an hour if it received no acknowledgement.
const REPEATS_MS = 60 * 60_000;
// Slack allows 3 s to open a window. If the database and Slack have not answered by then, it opens without them.
const WINDOW_MS = 1000;
const OPENS_MS = 2000;
// After about this long, people assume that the bot is down. Service calls have to end within it.
const ANSWER_MS = 14_000;
const WAITING = "Media Ops";
const TOO_MANY =
  "Too many requests of yours, or of your workspace, are waiting, so this one was not taken. Try again when some of them have been answered.";
const REPEATED = "The same request was sent again.";
const NOT_SERVED = "The bot does not serve this person.";
const UNKNOWN_WORKSPACE = "The bot no longer knows this workspace. Someone who may install apps has to add it again";
const FAILED = "The bot failed before it could read this request. Try again in a minute.";

/** Queues the work for a request and runs it once, if the person may use the bot. If it fails, the person sees why. */
function takeRequest(parts: BotParts, source: RequestSource, work: RequestWork): void {
  const { repeat, once, isUrgent = false, showProblem = say, refused, run } = work;
  const { claims, jobs } = parts;
  const answerBy = parts.now() + ANSWER_MS;
  const job = async (aside: Aside): Promise<void> => {
    const request = createRequest(parts, source, { answerBy, aside });
    let opened: Promise<string | undefined> | undefined;
    const late = setTimeout(() => {
      if (isUrgent) opened = request.openWindow(WAITING).catch(() => undefined);
    }, WINDOW_MS);
    try {
      const admission = admit(request, source);
      // The promise is awaited below, or never for a repeat: without a handler, its rejection would end the process.
      admission.catch(() => {});
      if (!(await claims.first(repeat, REPEATS_MS))) return await refused?.(request, REPEATED);
      if (once && !(await claims.first(once.key, once.forMs))) return await refused?.(request, REPEATED);
      const admitted = await admission.catch(async (error: unknown) => {
        await refused?.(request, NOT_SERVED);
        throw error;
      });
      await run(admitted);
    } catch (error) {
      // A window that is opening would stay empty. While Slack limits the bot's calls, it can't open.
      const viewId = await Promise.race([opened, opened && wait(OPENS_MS, undefined, { ref: false })]);
      await reportProblem(request, error, viewId === undefined ? showProblem : showInWindow(viewId, WAITING));
      // The person can then try again at once.
      if (once) await claims.release(once.key).catch(() => {});
    } finally {
      clearTimeout(late);
      request.allowance.end();
    }
  };
  const { teamId, userId } = source;
  if (jobs.add(job, { urgent: isUrgent, of: teamId, by: userId })) return;
  const refuse = async (aside: Aside): Promise<void> => {
    const request = createRequest(parts, source, { answerBy, aside });
    await refused?.(request, TOO_MANY);
    await reportProblem(request, new Refused(TOO_MANY), showProblem);
    request.allowance.end();
  };
  const isReported = jobs.add(refuse, { of: `refused ${teamId}`, by: userId });
  parts.log.warn({ teamId, userId, isReported }, "a request was refused, because too many are unfinished");
}

/** Answers a person if their request reached no listener. Slack's response URL needs no token. */
async function answerUnhandled(error: Error, body: StringIndexed, publicUrl: string | undefined): Promise<void> {
  // A window has no response URL: it keeps that of the message that it was opened from.
  const url: unknown = body.response_url ?? readKept(String(body.view?.private_metadata)).responseUrl;
  if (typeof url !== "string") return;
  const unknown = publicUrl ? `${UNKNOWN_WORKSPACE}: ${publicUrl}${INSTALL_PATH}` : `${UNKNOWN_WORKSPACE}.`;
  const text = isCausedBy(error, NotInstalledError) ? unknown : FAILED;
  await postToResponseUrl(url, { text, response_type: "ephemeral", replace_original: false });
}

/** Whether an error has this cause. Slack's libraries keep the error that they wrap as `original`. */
function isCausedBy(error: unknown, cause: new (where: string) => Error): boolean {
  if (error instanceof cause) return true;
  if (!(error instanceof Error)) return false;
  const inner = "original" in error ? error.original : error.cause;
  return inner !== undefined && isCausedBy(inner, cause);
}
