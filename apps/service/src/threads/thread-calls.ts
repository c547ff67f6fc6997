import type { MessagePort, Worker } from "node:worker_threads";
import type { LogKind, NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import { Refusal, toRefusal } from "../refusal.js";

/** A function that one thread offers to another. Its signal is aborted when the caller has left. */
type Offered = (argument: never, signal: AbortSignal) => Promise<unknown>;

/** An error on its way to another thread. */
export type SentError = Pick<Error, "name" | "message" | "stack">;

interface SentRefusal extends Pick<Refusal, "kind" | "headers" | "errors" | "isQuiet" | "message"> {
  readonly cause: SentError | undefined;
}

type Message =
  | {
      readonly type: "call";
      readonly id: number;
      readonly name: string;
      readonly argument: unknown;
    }
  | { readonly type: "left"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "refused"; readonly id: number; readonly refusal: SentRefusal };

// Each message costs both threads as much as several entries. Readers don't wait: see `settled`.
const GATHER_MS = 10;

/** The calls between two threads: each calls the functions that the other one offers. */
export class ThreadCalls {
  readonly #port: MessagePort | Worker;
  readonly #offered: Readonly<Record<string, Offered>>;
  readonly #waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  readonly #running = new Map<number, AbortController>();
  #lastId = 0;

  constructor(port: MessagePort | Worker, offered: Readonly<Record<string, Offered>>) {
    this.#port = port;
    this.#offered = offered;
    port.on("message", (message: Message) => this.#receive(message));
  }

  /** @throws {Refusal} if the call failed; its cause is the other thread's error. */
  call<Result = unknown>(name: string, argument?: unknown, signal?: AbortSignal): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Result>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ type: "call", id, name, argument });
    if (!signal) return answered;
    const leave = (): void => this.#send({ type: "left", id });
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    return answered.finally(() => signal.removeEventListener("abort", leave));
  }

  #receive(message: Message): void {
    const { id } = message;
    if (message.type === "call") void this.#answer(message);
    else if (message.type === "left") this.#running.get(id)?.abort();
    else {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (message.type === "answer") waiting?.resolve(message.answer as never);
      else waiting?.reject(toError(message.refusal));
    }
  }

  async #answer({ id, name, argument }: Extract<Message, { type: "call" }>): Promise<void> {
    const offered = this.#offered[name];
    const caller = new AbortController();
    this.#running.set(id, caller);
    try {
      if (!offered) throw new Error(`The thread offers no ${name}.`);
      this.#send({ type: "answer", id, answer: await offered(argument as never, caller.signal) });
    } catch (error) {
      const { kind, message, headers, errors, isQuiet, cause } = toRefusal(error);
      const refusal = { kind, message, headers, errors, isQuiet, cause: cause === undefined ? cause : toSent(cause) };
      this.#send({ type: "refused", id, refusal });
    } finally {
      this.#running.delete(id);
    }
  }

  #send(message: Message): void {
    this.#port.postMessage(message);
  }
}

/** Passes entries to the main thread's writer: those of some milliseconds in one message. */
export class EntryPort implements EntryWriter {
  readonly #calls: Pick<ThreadCalls, "call">;
  #entries: NewEntry[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<ThreadCalls, "call">) {
    this.#calls = calls;
  }

  record(entry: NewEntry): void {
    this.#entries.push(entry);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  async settled(kind?: LogKind): Promise<void> {
    void this.flush();
    await this.#calls.call("settled", kind);
  }

  /** Sends all recorded entries. Resolves once the writer has them. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#entries;
    this.#entries = [];
    if (entries.length > 0) await this.#calls.call("entries", entries);
  }
}

/** Any thrown value, in a form that can be sent: a thread's own error classes can't. */
export function toSent(error: unknown): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, ...(stack !== undefined && { stack }) };
}

/** The error that was sent. */
export const fromSent = ({ message, ...error }: SentError): Error => Object.assign(new Error(message), error);

function toError({ kind, message, cause, errors, ...options }: SentRefusal): Error {
  const more = { ...(errors && { errors }), ...(cause && { cause: fromSent(cause) }) };
  return new Refusal(kind, message, { ...options, ...more });
}
