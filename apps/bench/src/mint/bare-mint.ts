// A bare server in a process of its own, which signs the claims that a request asks for with jose, and does nothing else:
// it checks nothing and records nothing. It is sent the API key, and says at which port it is.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type JWTPayload, SignJWT } from "jose";
import { serveBareJson } from "../service/bare-json.js";
import { headerOf } from "./header.js";

interface Wanted extends JWTPayload {
  readonly expiration_time: string;
}

const [apiKey] = await once(process, "message");
const header = headerOf(apiKey);
const algorithm = { name: "HMAC", hash: "SHA-256" };
const key = await crypto.subtle.importKey("raw", Buffer.from(apiKey), algorithm, false, ["sign"]);

serveBareJson(async (body) => {
  const { expiration_time, ...granted } = body as Wanted;
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    jti: randomUUID(),
    exp: Math.floor(Date.parse(expiration_time) / 1000),
    ...granted,
  };
  return { access_token: await new SignJWT(claims).setProtectedHeader(header).sign(key) };
});
