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
import { answerUnhandled, type RequestWork, showInWindow, takeRequest } from "./answering.js";
import { readKept } from "./features.js";
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
} from "./http/slack-request.js";
import { answerMention, commandIn } from "./mentions/mention.js";
import type { BotParts, RequestSource } from "./request.js";
import { actions, forms, runTyped, secretFaults, shortcuts, typedCommand, unknownAction, unknownForm } from "./run.js";
import type { Access } from "./slack/access.js";
import { clientOptionsOf, slackLogger } from "./slack/client.js";
import { publishHome, valuesIn, viewOf } from "./slack/views.js";
import { type Jobs, untilDone } from "./work/jobs.js";

interface AppOptions {
  parts: BotParts;
  jobs: Jobs;
  receiver: Receiver;
  access: Access;
  /** Deletes a workspace's data after it removed the bot, unless it has added the bot again since. */
  forget(teamId: string, removedAt: number): Promise<void>;
}

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

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
export function createApp({ parts, jobs, receiver, access, forget }: AppOptions): void {
  const { config, log } = parts;
  const take = (source: RequestSource, work: RequestWork): void => takeRequest(parts, jobs, source, work);
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

  const onCommand = async ({ command, client: slack, context, ack }: CommandArgs): Promise<void> => {
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
        ...(action.refused && { refused: (request, why) => action.refused?.(request, used, why) }),
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
          ...(form.refused && { refused: (request, why) => form.refused?.(request, sent, why) }),
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
