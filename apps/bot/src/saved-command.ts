import { roundPeriod } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { Button, PlainTextOption } from "@slack/types";
import type { Project } from "./connections/connections.js";
import { type Command, type CommandNamed, language } from "./language.js";
import { openProject } from "./projects/open-project.js";
import { type Actions, ONCE_MS, type Request, type UsedControl } from "./request.js";
import {
  button,
  type Draft,
  MAX_BUTTON_VALUE,
  MAX_OPTION_VALUE,
  optionOf,
  plainMessage,
  Refused,
  runButton,
  smallPrint,
} from "./slack/answer.js";
import { refusalOf } from "./slack/client.js";
import type { FileForm } from "./slack/send-file.js";

/** The controls of the answers that can be read again: the first parts of their action ids, which Slack keeps. */
export const controls = {
  logs: { page: "log-page", closer: "log-closer", share: "log-share", csv: "log-csv" },
  summary: { page: "show-summary", share: "share-summary" },
  trace: { page: "trace-page", closer: "trace-closer", share: "trace-share", csv: "trace-csv", back: "the trace" },
  why: { page: "why-page", closer: "why-closer", share: "why-share", back: "the causes" },
  live: { page: "live-page", back: "live" },
} as const;

type Answered = CommandNamed<keyof typeof controls>;

interface Controls {
  readonly page: string;
  readonly closer?: string;
  readonly share?: string;
  readonly csv?: string;
}

/** A command as a control keeps it, beside the view of its answer: its state is nowhere else. */
export interface Saved<Asked extends Answered = Answered> {
  readonly command: Asked;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** Where a Back button leads: see {@link wayBack}. */
  readonly back?: string | undefined;
}

/** How the answers of a command are kept in controls. */
interface SavedForm<Asked extends Answered, View extends object> {
  readonly name: Asked["name"];
  /** The number of words that the view is written in. @default 1 */
  readonly words?: number;
  write(view: View): string;
  /** Parses the output of `write`; undefined for any other text. */
  read(words: string): View | undefined;
  /** When a period such as "last 2 hours" ends; undefined if the view keeps its times. */
  endOf?(view: View, now: number): number | undefined;
}

/** Writes and reads what the controls of a command's answers contain. */
export function savedAs<Asked extends Answered, View extends object>(form: SavedForm<Asked, View>) {
  type Kept = Saved<Asked> & View;
  const { name, words = 1 } = form;
  const head = new RegExp(`^(\\S+(?: \\S+){${words - 1}}) (?:~(\\d{1,12}) )?(?:(\\d{1,4}):)?`);
  const isNamed = (command: Command): command is Asked => command.name === name;

  /** Undefined if the text is too long. The way back is dropped first. */
  const write = (saved: Kept, longest: number = MAX_BUTTON_VALUE): string | undefined => {
    const { command, periodMs, back } = saved;
    const period = periodMs === undefined ? "" : `~${periodMs} `;
    const way = back === undefined ? "" : `${back.length}:${back} `;
    const text = `${form.write(saved)} ${period}${way}${language.write(command)}`;
    if (text.length <= longest) return text;
    return back === undefined ? undefined : write({ ...saved, back: undefined }, longest);
  };

  /** Parses the output of {@link write}; undefined for any other text. "Last 2 hours" are those before now. */
  const read = (text: string, now: number): Kept | undefined => {
    const [begun, viewed, period, length] = head.exec(text) ?? [];
    const view = viewed === undefined ? undefined : form.read(viewed);
    if (begun === undefined || !view) return undefined;
    const end = begun.length + Number(length ?? 0);
    const parsed = language.parse(text.slice(end), { now });
    if (!parsed.ok || !isNamed(parsed.command)) return undefined;
    const periodMs = period === undefined ? undefined : Number(period);
    const until = form.endOf?.(view, now);
    const since = until === undefined || periodMs === undefined ? {} : { since: until - periodMs };
    const back = length === undefined ? undefined : text.slice(begun.length, end);
    return { ...view, command: { ...parsed.command, ...since }, periodMs, back };
  };

  const valued = (label: string, action: string, saved: Kept): Button | undefined => {
    const value = write(saved);
    return value === undefined ? undefined : button({ label, action, value });
  };
  return {
    name,
    write,
    read,
    /** What a control contains; throws {@link Refused} for any other text, as a message may be older than the bot. */
    in(value: unknown, { now, prefix }: Pick<Request, "now" | "prefix">): Kept {
      const saved = typeof value === "string" ? read(value, now()) : undefined;
      if (!saved) throw new Refused(`This message is too old to use. ${prefix} ${name} shows a new one.`);
      return saved;
    },
    button: valued,
    page: (label: string, id: string, saved: Kept) => valued(label, `${controls[name].page}:${id}`, saved),
    option(label: string, saved: Kept): PlainTextOption | undefined {
      const value = write(saved, MAX_OPTION_VALUE);
      return value === undefined ? undefined : optionOf(value, label);
    },
  };
}

/** A way back to an answer, for the controls of those that it leads to. A way back to a log is its bookmark. */
export const wayBack = (to: keyof typeof controls, value: string | undefined): string | undefined =>
  value === undefined ? undefined : `@${controls[to].page} ${value}`;

/** A command's answer under way, with its project: running the command anywhere has the same meaning. */
export interface Opened<Kept extends Saved = Saved> {
  readonly project: Project;
  readonly saved: Kept;
  /** When the service is asked, and the time zone for its times. */
  readonly now: number;
  readonly timeZone: string;
}

/** How a command is answered: its service is asked, and the answer is drawn, shared or sent as a file. */
interface Report<Kept extends Saved, Answer extends Opened<Kept>> {
  read(opened: Opened<Kept>, request: Request): Promise<Answer>;
  /** The answer for one person, with its controls and what was `said` about the last one. */
  draw(answer: Answer, request: Request, below: { said: SlackBlock[]; isShareable: boolean }): Draft | Promise<Draft>;
  /** The answer for everyone, in UTC: readers may be in other time zones. A text says why there is none. */
  share?(answer: Answer, sharedBy: SlackBlock): Draft | string;
  /** Sends the whole answer as a file, and returns a sentence that says where it is; undefined if it would be empty. */
  upload?(answer: Answer, form: FileForm, request: Request): Promise<string | undefined>;
}

/** The answers of a command, and what their controls do. */
export function answering<Asked extends Answered, View extends object, Answer extends Opened<Saved<Asked> & View>>(
  kept: ReturnType<typeof savedAs<Asked, View>>,
  report: Report<Saved<Asked> & View, Answer>,
) {
  type Kept = Saved<Asked> & View;
  const open = async (saved: Kept, request: Request): Promise<Answer> => {
    const { command } = saved;
    const { timeZone } = request;
    const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
    const now = request.now();
    const periodMs = saved.periodMs ?? periodOf(command, { now, timeZone });
    const opened = { ...saved, command: { ...command, in: project.id }, periodMs };
    return report.read({ project, saved: opened, now, timeZone }, request);
  };

  const draw = async (
    answer: Answer,
    request: Request,
    done: { said?: string | undefined; isShared?: boolean } = {},
  ) => {
    const said = done.said === undefined ? [] : [smallPrint(escapeMrkdwn(done.said))];
    const isShareable = report.share !== undefined && !done.isShared && (await canShare(request));
    return report.draw(answer, request, { said, isShareable });
  };
  const answer = async (saved: Kept, request: Request) => draw(await open(saved, request), request);

  const share = async (saved: Kept, request: Request): Promise<void> => {
    const opened = await open(saved, request);
    const shared = report.share?.({ ...opened, timeZone: "UTC" }, smallPrint(`Shared by <@${request.userId}>`)) ?? "";
    if (typeof shared !== "string") await request.answer.share(shared);
    const said = typeof shared === "string" ? shared : "Shared with everyone here.";
    await request.answer.replace(await draw(opened, request, { said, isShared: true }));
  };

  const addFile = async (saved: Kept, request: Request): Promise<void> => {
    const opened = await open(saved, request);
    const said = await report.upload?.(opened, "csv", request);
    await request.answer.replace(await draw(opened, request, { said }));
  };

  const on =
    (run: (saved: Kept, request: Request) => Promise<void>) =>
    (request: Request, { value }: UsedControl) =>
      run(kept.in(value, request), request);
  const { page, closer, share: sharing, csv }: Controls = controls[kept.name];
  const actions: Actions = {
    [page]: { run: on(async (saved, request) => request.answer.replace(await answer(saved, request))) },
    ...(closer && {
      [closer]: { run: on(async (saved, request) => request.answer.say(await answer(saved, request))) },
    }),
    ...(sharing && { [sharing]: { run: on(share), onceForMs: ONCE_MS } }),
    ...(csv && { [csv]: { run: on(addFile), onceForMs: ONCE_MS } }),
  };
  return {
    open,
    answer,
    actions,
    /** Answers with a file, and a button that shows the answer here; with the answer itself if the file would be empty. */
    async file(saved: Kept, form: FileForm, request: Request, label: string): Promise<Draft> {
      const opened = await open(saved, request);
      const words = await report.upload?.(opened, form, request);
      if (words === undefined) return draw(opened, request);
      return plainMessage(words, runButton(label, language.write(opened.saved.command)));
    },
  };
}

/** The length of a period that is described as "last 2 hours"; undefined if it is described by clock times. */
export function periodOf(command: Saved["command"], when: { now: number; timeZone: string }): number | undefined {
  if (command.name === "live") return undefined;
  const { since, until, zone } = command;
  // A second run must cover the period that the first heading names.
  return since === undefined || until !== undefined || zone !== undefined ? undefined : roundPeriod(since, when);
}

/** Whether sharing has an audience: not in the direct conversation with the bot. */
export async function canShare(request: Pick<Request, "slack" | "userId" | "channelId">): Promise<boolean> {
  const { slack, userId, channelId } = request;
  if (channelId === undefined) return false;
  if (!channelId.startsWith("D")) return true;
  try {
    const { channel } = await slack.conversations.open({ users: userId, prevent_creation: true });
    return channel?.id !== channelId;
  } catch (error) {
    // The bot can't see this conversation, so it is one between other people. If Slack doesn't say, sharing is not
    // offered.
    return refusalOf(error)?.code === "channel_not_found";
  }
}
