// A bare server in a process of its own, which verifies the token of a client with jose, and does nothing else: it counts
// nobody and keeps nothing. It is sent the API key, and says at which port it is.
import { once } from "node:events";
import { jwtVerify } from "jose";
import { serveBareJson } from "../service/bare-json.js";

interface Attempt {
  readonly metadata: { readonly access_token: string };
}

const [apiKey] = await once(process, "message");
const algorithm = { name: "HMAC", hash: "SHA-256" };
const key = await crypto.subtle.importKey("raw", Buffer.from(apiKey), algorithm, false, ["verify"]);

serveBareJson(async (body) => {
  const { metadata } = body as Attempt;
  try {
    await jwtVerify(metadata.access_token, key);
    return { allowed: true };
  } catch {
    return { allowed: false, reason: "The token is not good." };
  }
});
