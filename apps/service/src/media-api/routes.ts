import type { IncomingHttpHeaders } from "node:http";
import type { MediaApiRequest } from "@media-ops/contract";
import { intakeContract } from "@media-ops/openapi/contract";
import { type ActOptions, recorded } from "../audit/acts.js";
import type { ApiCaller } from "../http/api-gate.js";
import { bodyValidator, checkNoSecret, MAX_BODY_BYTES, parseJsonBody } from "../http/operations.js";
import type { Action, Call } from "../http/route.js";
import { checkOwnChannel, Refusal, unavailable } from "../refusal.js";
import type { MediaCall, MediaServer } from "./media-server.js";

/** The path of the proxy to the media server's API. */
export const mediaApiPath = "/media-api";

interface MediaApiOptions extends ActOptions {
  readonly mediaServer: MediaServer | undefined;
  readonly operations: readonly string[];
}

// A long delay, because the operator has to act first.
const RETRY_AFTER_SECONDS = 60;

// Operations that change who is connected. Others only read.
const IS_ACT = /^Disconnect/;

/** The route of the proxy to the media server's API. What ends connections is recorded in the audit log. */
export function mediaApiRoute({ mediaServer, operations, ...acting }: MediaApiOptions): Action<ApiCaller> {
  return {
    method: "POST",
    path: mediaApiPath,
    maxBytes: MAX_BODY_BYTES,
    gate: acting.gate,
    async answer(call, caller, bytes) {
      if (!mediaServer) {
        const detail = "This service knows no media server. Its operator has to set MEDIA_UPSTREAM_URL.";
        throw unavailable(detail, RETRY_AFTER_SECONDS);
      }
      const target = targetIn(call.request.headers);
      const operation = target.slice(target.indexOf(".") + 1);
      const pass = () => mediaServer.pass(readMediaCall(call, target, bytes, caller.key.projectId, operations));
      // One that is not passed on is no act: callers can name any number of them.
      if (!IS_ACT.test(operation) || !operations.includes(operation)) return pass();
      const described = { action: `media-api.${operation}`, subject: subjectIn(bytes) };
      return recorded({ ...caller, request: call.request, requestId: call.id }, described, acting, async (act) => {
        const answer = await pass();
        const detail = `the media server answered ${answer.status}`;
        if (answer.status < 400) await acting.write([act.done(detail)]);
        else await act.failed(detail);
        return answer;
      });
    },
  };
}

function subjectIn(bytes: Buffer): string | undefined {
  try {
    const { connection_id, channel_id }: Record<string, unknown> = Object(parseJsonBody(bytes));
    const named = [connection_id, channel_id].filter((id) => typeof id === "string");
    return named.length === 0 ? undefined : named.join(" in ");
  } catch {
    return undefined;
  }
}

const { pattern, maxLength }: Readonly<Record<string, unknown>> =
  intakeContract.components?.parameters?.MediaTarget?.schema ?? {};
const TARGET = new RegExp(String(pattern), "u");
const readBody = bodyValidator<MediaApiRequest>("intake.yaml#/components/schemas/MediaApiRequest");

function readMediaCall(
  { id }: Call,
  target: string,
  body: Buffer,
  projectId: string,
  operations: readonly string[],
): MediaCall {
  const operation = target.slice(target.indexOf(".") + 1);
  if (!operations.includes(operation)) {
    const detail = `This service does not pass on the operation ${operation}, only ${operations.join(", ")}.`;
    throw new Refusal("bad-request", `${detail} Its operator can allow others with MEDIA_MEDIA_API_OPERATIONS.`);
  }
  const value = parseJsonBody(body);
  const { channel_id: channelId } = readBody(value === undefined ? {} : value);
  checkNoSecret({ channel_id: channelId });
  checkOwnChannel(channelId, projectId);
  if (namesForeignChannel(value, projectId)) {
    const detail = `The body names another project's channel in addition to channel_id. Leave it out, or use that project's key.`;
    throw new Refusal("forbidden", detail);
  }
  return { projectId, target, channelId, body, requestId: id };
}

/** Whether a member named like a channel, in any case, has another project's: the media server may act on it. */
function namesForeignChannel(value: unknown, projectId: string, isChannel = false): boolean {
  if (typeof value === "string") {
    const at = value.lastIndexOf("@");
    return isChannel && at !== -1 && value.slice(at + 1) !== projectId;
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, one]) =>
      namesForeignChannel(name, projectId, isChannel) ||
      namesForeignChannel(one, projectId, isChannel || /channel/i.test(name)),
  );
}

function targetIn({ "x-media-target": target }: IncomingHttpHeaders): string {
  // Two headers arrive joined, and do not name an operation either.
  if (typeof target === "string" && target.length <= Number(maxLength) && TARGET.test(target)) return target;
  const fault = target === undefined ? "is missing" : "is not an operation";
  const right = "Send it once, as Media_<YYYYMMDD>.<OperationName>, such as Media_20151104.DisconnectChannel";
  throw new Refusal("bad-request", `The header x-media-target ${fault}. ${right}.`);
}
