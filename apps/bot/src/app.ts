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
import { tellInWindow, worker } from "./answering.js";
import { readKept } from "./features.js";
import { showHome } from "./home/home.js";
import { readSlackRequest } from "./http/slack-request.js";
import type { Parts } from "./request.js";
import { actions, forms, opensWindow, run, shortcuts, unknownAction, unknownForm } from "./run.js";
import type { Access } from "./slack/access.js";
import { clientOptionsOf, slackLogger } from "./slack/client.js";
import { actionFrom, commandFrom, personFrom, servedIn, usedIn, valuesIn } from "./slack/payloads.js";
import { publishHome, viewOf } from "./slack/views.js";
import { keyInChat, secretFaults, undoEscapes } from "./typed-text.js";
import { type Jobs, untilDone } from "./work/jobs.js";

export interface AppOptions {
  parts: Parts;
  jobs: Jobs;
  receiver: Receiver;
  access: Access;
  /** Forgets a workspace that has removed the bot, and not added it again since. */
  forget(teamId: string, removedAt: number): Promise<void>;
}

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** A request that no listener has got. */
interface Unanswered {
  error: Error;
  body: StringIndexed;
}

/** Lets in only what Slack could have sent. */
class CheckedApp extends App {
  override async processEvent(event: ReceiverEvent): Promise<void> {
    const body = readSlackRequest(event.body);
    if (body === undefined) return event.ack();
    return super.processEvent({ ...event, body });
  }
}

const DOUBLE_CLICK_MS = 2000;

/** Puts together what Slack sends and what the features do with it. All is acknowledged before it is done. */
export function createApp({ parts, jobs, receiver, access, forget }: AppOptions): App {
  const { config, log } = parts;
  const { work, tellUnanswered } = worker(parts, jobs);
  // Whoever sets up the app may name the command otherwise; a button does not tell, but what was typed last does.
  let typedLast: string | undefined;
  const app = new CheckedApp({
    receiver,
    // A workflow's own token may do less than the bot's, and is not the one to learn by who somebody is.
    attachFunctionToken: false,
    authorize: (source) => access.authorize(source),
    logger: slackLogger(log),
    clientOptions: clientOptionsOf(config, log),
    convoStore: false,
    extendedErrorHandler: true,
  });

  const onCommand = async ({ command, client: slack, context, ack }: CommandArgs): Promise<void> => {
    await ack();
    typedLast = command.command;
    const text = undoEscapes(command.text ?? "");
    work(
      { slack, ...servedIn(context), ...commandFrom(command) },
      {
        repeat: `command ${command.trigger_id}`,
        isUrgent: opensWindow(text, parts.now()),
        async run(request) {
          const draft = (await keyInChat(text, request)) ?? (await run(text, request));
          if (draft) await request.answer.say(draft);
        },
      },
    );
  };

  // Nearly all that comes is a command: it is taken before Bolt asks every listener, one after another.
  app.use((args) => ("command" in args ? onCommand(args) : args.next()));

  app.action<BlockAction>({ type: "block_actions" }, async ({ body, client: slack, context, ack }) => {
    await ack();
    const [pressed] = body.actions;
    if (!pressed) return;
    const action = named(actions, pressed.action_id.split(":", 1)[0] ?? "") ?? unknownAction;
    const served = servedIn(context);
    const used = usedIn(body);
    const from = actionFrom(body, used);
    const where = used.messageTs ?? used.view?.id ?? "home";
    const { isUrgent, onceForMs = DOUBLE_CLICK_MS } = action;
    const wish = `press ${served.teamId} ${body.user.id} ${where} ${pressed.action_id} ${used.value}`;
    work(
      { slack, ...served, ...from, prefix: from.prefix ?? typedLast },
      {
        repeat: `press ${body.trigger_id}`,
        wish: [wish, onceForMs],
        isUrgent: typeof isUrgent === "function" ? isUrgent(used, parts.now()) : isUrgent,
        run: (request) => action.run(request, used),
      },
    );
  });

  app.view<ViewSubmitAction>(
    { callback_id: /./, type: "view_submission" },
    async ({ body, view, client: slack, context, ack }) => {
      const form = named(forms, view.callback_id);
      if (!form) return ack({ response_action: "update", view: viewOf(unknownForm) });
      const sent = { values: valuesIn(view.state.values), kept: readKept(view.private_metadata), viewId: view.id };
      const faults = secretFaults(sent.values, form) ?? form.faults?.(sent, parts.now());
      if (faults) return ack({ response_action: "errors", errors: { ...faults } });
      await (form.meanwhile ? ack({ response_action: "update", view: viewOf(form.meanwhile) }) : ack());
      const { channelId, responseUrl, prefix } = sent.kept;
      work(
        { slack, ...servedIn(context), ...personFrom(body), channelId, responseUrl, prefix },
        {
          repeat: `view ${view.id} ${view.hash}`,
          tell: form.meanwhile && tellInWindow(view.id, form.meanwhile.title),
          run: (request) => form.run(request, sent),
        },
      );
    },
  );

  app.shortcut(/./, async ({ shortcut, client: slack, context, ack }) => {
    await ack();
    const handler = named(shortcuts, shortcut.callback_id);
    if (!handler) return;
    const from = { ...servedIn(context), ...personFrom(shortcut), channelId: undefined, prefix: typedLast };
    work(
      { slack, ...from, triggerId: shortcut.trigger_id },
      { repeat: `shortcut ${shortcut.trigger_id}`, isUrgent: true, run: handler },
    );
  });

  app.event("app_home_opened", async ({ event, body, client: slack, context }) => {
    if (event.tab !== "home") return;
    const from = { ...servedIn(context), userId: event.user, channelId: undefined, prefix: typedLast };
    work(
      { slack, ...from },
      {
        repeat: `event ${body.event_id}`,
        tell: (request, { blocks }) => publishHome(slack, event.user, blocks, request.log),
        run: showHome,
      },
    );
  });

  // Slack tells it once, and nobody would ask for it again.
  const removed = (teamId: string, atSeconds: number): void =>
    untilDone(
      jobs,
      () => forget(teamId, atSeconds * 1000),
      (err, isTriedAgain) =>
        log.error({ err, teamId, isTriedAgain }, "a workspace removed the bot, and is not forgotten"),
    );

  app.event("app_uninstalled", async ({ body, context }) => {
    removed(servedIn(context).teamId, body.event_time);
  });

  app.event("tokens_revoked", async ({ event, body, context }) => {
    // Those of users are none of ours.
    if (event.tokens.bot?.length) removed(servedIn(context).teamId, body.event_time);
  });

  // What happens before a listener runs: the workspace is not known, or its token is no longer good.
  app.error(async ({ error, body }: Unanswered) => {
    log.error({ err: error }, "a request of Slack could not be taken");
    jobs.add(() => tellUnanswered(error, body, config.publicUrl), { of: "unanswered" });
  });
  return app;
}

/** What a table has under a name that came with a request: nothing that every object has, such as `constructor`. */
function named<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
