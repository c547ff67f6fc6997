import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { newCredential } from "../keys/credential.js";
import { createLog } from "../log.js";
import { redact } from "./redact.js";

const { text: apiKey, keyId } = newCredential("mo");
const { text: intakeKey } = newCredential("mi");
const token = await new SignJWT({ jti: "x" }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));
const secretOf = (key: string): string => key.split("_").slice(2).join("_");

describe("a text that leaves the service", () => {
  it.each([
    ["alone", apiKey],
    ["in an address", `https://x.example/?key=${apiKey}&a=1`],
    ["in a path", `/intake/${apiKey}/event`],
    ["in an encoded address", apiKey.replaceAll("_", "%5F")],
    ["between letters", `xx${apiKey}`],
    ["in JSON within JSON", JSON.stringify({ body: JSON.stringify({ key: apiKey }) })],
    ["twice", `${apiKey} ${apiKey}`],
  ])("holds no API key %s, but tells which one it was", (_, text) => {
    expect(redact(text)).not.toContain(secretOf(apiKey));
    expect(redact(text)).toContain(keyId);
  });

  it("holds no intake key and no token", () => {
    const text = redact(`key ${intakeKey}, token ${token}.`);
    expect(text).not.toContain(secretOf(intakeKey));
    expect(text).not.toContain(token.split(".")[1]);
    expect(text).not.toContain(token.split(".")[2]);
  });

  it("is left as it is otherwise", () => {
    const text = "POST /orgs/list-session-logs of mo_demo, lobby_1@demo, eyJ, a.b.c";
    expect(redact(text)).toBe(text);
  });
});

it("a line of the log holds no secret, wherever it was put", () => {
  const lines: string[] = [];
  const log = createLog({ level: "trace", to: { write: (line) => void lines.push(line) } });
  const error = new Error(`cannot use ${apiKey}`, { cause: new Error(`because of ${token}`) });
  log.error(
    { err: error, headers: { authorization: `Bearer ${apiKey}` }, url: `/intake/${intakeKey}/auth` },
    `key ${apiKey}`,
  );
  log.child({ key: apiKey }).info("%s", token);
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) });
  for (const secret of [secretOf(apiKey), secretOf(intakeKey), token.slice(20)]) {
    expect(lines.join("")).not.toContain(secret);
  }
});
