import * as z from "zod";

/** An app of the demo project: it calls the service with the project's key, as any app would. */
export interface Caller {
  /** Calls an address of the service; gives the status of the answer, and what it says. */
  call(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Called>;
  /** A token that lets a client in. */
  mint(request: Readonly<Record<string, unknown>>): Promise<string | undefined>;
}

/** What became of a call. */
interface Called {
  readonly status: number;
  readonly text: string;
}

const tokenSchema = z.object({ access_token: z.string() });

/** What is under way is broken off when the signal says so. */
export function createCaller(serviceUrl: string, apiKey: string, signal: AbortSignal): Caller {
  const call: Caller["call"] = async (path, body = {}, headers = {}) => {
    const response = await fetch(serviceUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    call,
    async mint(request) {
      const { status, text } = await call("/projects/create-access-token", request);
      return status === 200 ? tokenSchema.parse(JSON.parse(text)).access_token : undefined;
    },
  };
}
