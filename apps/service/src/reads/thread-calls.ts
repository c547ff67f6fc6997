import type { MessagePort, Worker } from "node:worker_threads";
import { Refusal, type RefusalKind, toRefusal } from "../refusal.js";

/** A function that one thread offers to another. Its signal is aborted when the caller has left. */
type Offered = (argument: never, signal: AbortSignal) => Promise<unknown>;

/** What is left of a refusal or an error on its way to another thread. */
interface Refused extends Pick<Refusal, "kind" | "headers" | "errors" | "isQuiet"> {
  readonly message: string;
  readonly cause: { readonly message: string; readonly stack: string | undefined } | undefined;
}

type Message =
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly type: "left"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "refused"; readonly id: number; readonly refused: Refused };

/** The calls between two threads: each calls the functions that the other one offers. */
export class ThreadCalls {
  readonly #port: MessagePort | Worker;
  readonly #offered: Readonly<Record<string, Offered>>;
  readonly #waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  readonly #running = new Map<number, AbortController>();
  #lastId = 0;

  constructor(port: MessagePort | Worker, offered: Readonly<Record<string, Offered>>) {
    this.#port = port;
    this.#offered = offered;
    port.on("message", (message: Message) => this.#receive(message));
  }

  /**
   * Calls a function of the other thread.
   *
   * @param signal Aborted when the caller has left.
   * @throws {Refusal} if the call failed, with the other thread's error as its cause.
   */
  async call(name: string, argument: unknown, signal?: AbortSignal): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const leave = (): void => this.#send({ type: "left", id });
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ type: "call", id, name, argument });
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave);
    return answered.finally(() => signal?.removeEventListener("abort", leave));
  }

  #receive(message: Message): void {
    const { id } = message;
    if (message.type === "call") void this.#answer(message);
    else if (message.type === "left") this.#running.get(id)?.abort();
    else {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (message.type === "answer") waiting?.resolve(message.answer);
      else waiting?.reject(toError(message.refused));
    }
  }

  async #answer({ id, name, argument }: Extract<Message, { type: "call" }>): Promise<void> {
    const caller = new AbortController();
    this.#running.set(id, caller);
    try {
      const offered = this.#offered[name];
      if (!offered) throw new Error(`The thread offers no ${name}.`);
      this.#send({ type: "answer", id, answer: await offered(argument as never, caller.signal) });
    } catch (error) {
      this.#send({ type: "refused", id, refused: toRefused(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #send(message: Message): void {
    this.#port.postMessage(message);
  }
}

function toRefused(error: unknown): Refused {
  const { kind, message, headers, errors, isQuiet, cause } = toRefusal(error);
  const shown = cause instanceof Error ? { message: cause.message, stack: cause.stack } : undefined;
  return { kind, message, headers, errors, isQuiet, cause: shown };
}

function toError({ kind, message, cause, headers, errors, isQuiet }: Refused): Error {
  return new Refusal(kind satisfies RefusalKind, message, {
    headers,
    ...(errors && { errors }),
    isQuiet,
    ...(cause && { cause: Object.assign(new Error(cause.message), { stack: cause.stack }) }),
  });
}
