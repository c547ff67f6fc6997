import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { urlOf } from "../http.js";
import { isObject, parsed } from "../json.js";
import { Refusal } from "../refusal.js";
import type { Json } from "../world/model.js";

/** The arguments of a call: those of the URL, overridden by those of the body. Slack may refuse the body. */
export async function argumentsOf(request: IncomingMessage): Promise<Json | Refusal> {
  const inAddress = Object.fromEntries(urlOf(request).searchParams);
  const type = request.headers["content-type"] ?? "";
  const body = await buffer(request);
  if (body.length === 0) return inAddress;
  if (!type.startsWith("application/json")) return { ...inAddress, ...Object.fromEntries(await formOf(body, type)) };
  const json = parsed(body.toString());
  if (typeof json === "string") return new Refusal("invalid_json");
  return isObject(json) ? { ...inAddress, ...json } : new Refusal("json_not_object");
}

/** The fields of a form, in one part or in several. */
export async function formOf(body: Buffer, type: string): Promise<Iterable<[string, string | Blob]>> {
  if (!type.startsWith("multipart/form-data")) return new URLSearchParams(body.toString());
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

/** A text, or a number as text; undefined if it is missing or empty. */
export function textArg(args: Json, name: string): string | undefined {
  const value = args[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a flag is set; in a form, it is a text. */
export function flagArg(args: Json, name: string): boolean {
  return [true, 1, "true", "1"].some((set) => args[name] === set);
}

/** @throws {Refusal} if the argument is missing. */
export function neededArg(args: Json, name: string): string {
  const value = textArg(args, name);
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`);
  return value;
}

/** Slack's refusal of arguments, with the reason. */
export function invalidArguments(reason: string): Refusal {
  return new Refusal("invalid_arguments", { response_metadata: { messages: [`[ERROR] ${reason}`] } });
}
