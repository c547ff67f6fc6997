import type { IncomingMessage, ServerResponse } from "node:http";
import { type App, HTTPModuleFunctions, type Receiver } from "@slack/bolt";
import type { Logger } from "pino";
import { isObject, MalformedRequestError } from "./slack-request.js";

// The largest window that Slack allows is smaller, even as a form in which each letter takes nine bytes.
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Receives Slack's signed requests. Bolt's own receiver reads members of a body before it knows that it is an object,
 * and outside of every error handler, so that a signed `payload=null` ends the process.
 */
export class HttpReceiver implements Receiver {
  readonly #signingSecret: string;
  readonly #log: Logger;
  #app: App | undefined;

  constructor(signingSecret: string, log: Logger) {
    this.#signingSecret = signingSecret;
    this.#log = log;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Does nothing: the bot's server passes the requests to `receive`. */
  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  /** Answers one request that was sent to the address for Slack. */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const options = { enabled: true, signingSecret: this.#signingSecret, bodyLimit: MAX_BODY_BYTES };
    let signed: SignedRequest;
    try {
      signed = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
    } catch (error) {
      const isTooLarge = HTTPModuleFunctions.isRawBodyError(error) && error.statusCode === 413;
      this.#log.warn(
        `Failed to parse and verify the request data: ${error instanceof Error ? error.message : "unknown"}`,
      );
      // The rest of the body would be taken for the next request.
      response.setHeader("connection", "close");
      return end(response, isTooLarge ? 413 : 401);
    }
    try {
      await this.#handle(signed, response);
    } catch (error) {
      if (error instanceof MalformedRequestError) this.#log.warn(malformedText(error));
      else this.#log.error({ err: error }, "Failed to handle a request from Slack");
      end(response, error instanceof MalformedRequestError ? 400 : 500);
    }
  }

  async #handle(signed: SignedRequest, response: ServerResponse): Promise<void> {
    const body = contentOf(signed);
    if (body.ssl_check === "1") return end(response, 200);
    if (body.type === "url_verification") return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    await this.#app?.processEvent({
      body,
      ack: async (answer: unknown) => {
        if (response.headersSent) throw new Error("This request was acknowledged before.");
        HTTPModuleFunctions.buildContentResponse(response, answer);
      },
    });
    // A listener failed before it acknowledged; Bolt has logged that, and Slack shows the person an error.
    if (!response.headersSent) end(response, 500);
  }
}

type SignedRequest = Awaited<ReturnType<typeof HTTPModuleFunctions.parseAndVerifyHTTPRequest>>;

/** The log line for a malformed request. */
export const malformedText = ({ message }: MalformedRequestError): string =>
  `Refused a malformed request that Slack has signed: ${message}`;

function contentOf(signed: SignedRequest): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = HTTPModuleFunctions.parseHTTPRequestBody(signed);
  } catch {
    // The parser's own error repeats a part of the body, which may be a secret.
    throw new MalformedRequestError("neither JSON nor a form");
  }
  if (!isObject(content)) throw new MalformedRequestError("expected an object");
  return content;
}

/** Ends a response that has no body. */
export function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}
