import type { IncomingMessage } from "node:http";
import { bodyOf, urlOf } from "../http.js";
import { isObject, parsed } from "../json.js";
import { Refusal } from "../refusal.js";
import type { Json } from "../world/model.js";

/** The arguments of a call: those of the address, overridden by those of the body. */
export async function argumentsOf(request: IncomingMessage): Promise<Json> {
  const inAddress = Object.fromEntries(urlOf(request).searchParams);
  const body = await bodyOf(request);
  if (body.length === 0) return inAddress;
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return { ...inAddress, ...jsonIn(body) };
  if (!type.startsWith("multipart/form-data")) {
    return { ...inAddress, ...Object.fromEntries(new URLSearchParams(body.toString())) };
  }
  const texts = [...(await formOf(body, type))].filter(([, value]) => typeof value === "string");
  return { ...inAddress, ...Object.fromEntries(texts) };
}

function jsonIn(body: Buffer): Json {
  const json = parsed(body.toString());
  if (typeof json === "string") throw new Refusal("invalid_json");
  if (!isObject(json)) throw new Refusal("json_not_object");
  return json;
}

/** The fields of a multipart body. */
export function formOf(body: Buffer, type: string): Promise<FormData> {
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

export function textArg(args: Json, name: string): string | undefined {
  const value = args[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @throws {Refusal} if the argument is missing. */
export function neededArg(args: Json, name: string): string {
  const value = textArg(args, name);
  if (value === undefined) {
    throw new Refusal("invalid_arguments", {
      response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
    });
  }
  return value;
}

/** In a form a flag is a text. */
export function flagArg(args: Json, name: string): boolean {
  return [true, 1, "true", "1"].some((yes) => args[name] === yes);
}

/** Several texts: a list, its JSON, or separated by commas. */
export function listArg(args: Json, name: string): string[] {
  const value = parsed(args[name]);
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  const text = textArg(args, name);
  return text === undefined ? [] : text.split(",").map((item) => item.trim());
}
