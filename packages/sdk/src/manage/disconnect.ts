import { isObject } from "../answer.js";
import { mediaApiPath } from "../operations.js";
import type { CallOptions } from "../options.js";
import { type MediaPromise, type Send, toMediaPromise } from "../transport.js";
import { sendRequest } from "./pages.js";

/** The connections to end: one, or all of a channel. */
export interface DisconnectRequest {
  /** `<channel_name>@<project_id>`. */
  channel_id: string;
  /** Only this connection. @default all of the channel */
  connection_id?: string | undefined;
}

/** Ends connections through the media server's API. */
export type Disconnect = (request: DisconnectRequest, options?: CallOptions) => MediaPromise<object>;

// The date is that of the media server's API.
const TARGET = "Media_20151104.";

/** Creates the part of a client that ends connections. */
export function createDisconnect(send: Send): Disconnect {
  return (request, options = {}) => {
    const operation = request?.connection_id === undefined ? "DisconnectChannel" : "DisconnectConnection";
    const headers = { ...options.headers, "x-media-target": `${TARGET}${operation}` };
    // By the time of a retry, a channel may have other clients.
    const call = { maxRetries: 0, ...options, headers };
    return toMediaPromise(sendRequest(send, mediaApiPath, isObject, request, call));
  };
}
