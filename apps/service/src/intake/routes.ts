import type { Socket } from "node:net";
import { keepConnection } from "../http/listening.js";
import { checkNoSecret, checkUtf8, readJson } from "../http/operations.js";
import { type Action, type Admission, type Call, type Gate, jsonAnswer } from "../http/route.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import type { IntakeKeyRing } from "../keys/intake-keys.js";
import type { Metrics } from "../metrics.js";
import { Refusal } from "../refusal.js";
import { redact } from "../secrets/redact.js";
import type { Intake } from "./intake.js";
import type { Quarantine } from "./quarantine.js";

interface IntakeRoutesOptions {
  readonly intake: Intake;
  readonly intakeKeys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  readonly metrics: Metrics;
  now(): number;
}

// The last segment of the path.
const intakeKinds = ["auth", "session", "event"] as const;

// The end of a session may report thousands of connections.
const MAX_INTAKE_BYTES = 4 * 1024 * 1024;

/** The routes to which the media server sends. Some can't send headers, so the key may also be in the path. */
export function intakeRoutes(options: IntakeRoutesOptions): Action<Credential>[] {
  const gate = new IntakeGate(options.intakeKeys);
  return intakeKinds.flatMap((kind) =>
    [`/intake/${kind}`, `/intake/:key/${kind}`].map(
      (path): Action<Credential> => ({
        method: "POST",
        path,
        maxBytes: MAX_INTAKE_BYTES,
        gate,
        answer: async (_, { keyId }, body) => jsonAnswer(await takeIn(kind, body, keyId, options)),
      }),
    ),
  );
}

// A key that was checked is trusted on its connection for this long, which delays a revocation by as much.
const KNOWN_FOR_MS = 1000;

interface KnownKey extends Admission<Credential> {
  readonly authorization: string | undefined;
  readonly path: string | undefined;
  readonly until: number;
}

class IntakeGate implements Gate<Credential> {
  readonly #keys: IntakeKeyRing;
  /** A media server sends thousands of events a second, and hashing the same key for each would cost too much. */
  readonly #known = new WeakMap<Socket, KnownKey>();

  constructor(keys: IntakeKeyRing) {
    this.#keys = keys;
  }

  async admit(call: Call): Promise<Admission<Credential>> {
    const { path, request } = call;
    const { authorization } = request.headers;
    const known = this.#known.get(request.socket);
    const isKnown = known?.path === path && known?.authorization === authorization;
    if (known && isKnown && performance.now() < known.until) return known;
    const caller = credentialIn(call);
    if (!caller || !(await this.#keys.isGood(caller))) throw unauthorized();
    keepConnection(request.socket);
    this.#known.set(request.socket, { caller, authorization, path, until: performance.now() + KNOWN_FOR_MS });
    return { caller };
  }
}

function credentialIn({ path = "", request }: Call): Credential | undefined {
  const [, inPath] = /^\/intake\/([^/]+)\//.exec(path) ?? [];
  return credentialOf(inPath === undefined ? request.headers.authorization : `Bearer ${inPath}`, "mi");
}

function unauthorized(): Refusal {
  const detail =
    'The intake key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the intake key, or POST to /intake/<intake key>/event.';
  return new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
}

/** A malformed body is kept in the quarantine. */
async function takeIn(
  kind: (typeof intakeKinds)[number],
  body: Buffer,
  keyId: string,
  { intake, metrics, quarantine, now }: IntakeRoutesOptions,
): Promise<object> {
  try {
    checkUtf8(body);
    const text = body.toString();
    const answer = await intake[kind]({ text, value: readWithoutSecrets(text) });
    metrics.intake.labels(kind, "taken").inc();
    return answer;
  } catch (error) {
    const isFaulty = error instanceof Refusal && error.kind === "bad-request";
    metrics.intake.labels(kind, isFaulty ? "quarantined" : "failed").inc();
    if (isFaulty) {
      const at = new Date(now()).toISOString();
      await quarantine.add({ at, path: `/intake/${kind}`, keyId, reason: reasonOf(error), body: body.toString() });
    }
    throw error;
  }
}

/** The JSON in a body, as it may be kept: without secrets, except in the metadata, which holds the access token. */
function readWithoutSecrets(text: string): unknown {
  const value: unknown = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // Nearly every client has a token, and nothing else to hide. If it is somewhere else, too, it stays in the text.
  const token: unknown = Object(Object(value).metadata).access_token;
  const rest = typeof token === "string" && token.startsWith("eyJ") ? text.replace(token, () => "") : text;
  if (redact(rest) === rest) return value;
  const { metadata, auth_metadata, ...named }: Record<string, unknown> = { ...value };
  // With another name, it would be another channel or connection.
  const { id, type, channel_id, session_id, connection_id, node_name } = named;
  checkNoSecret({ id, type, channel_id, session_id, connection_id, node_name });
  return { ...JSON.parse(redact(text)), metadata, auth_metadata };
}

function reasonOf({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return errors.map(({ pointer, detail }) => `${pointer || "the body"}: ${detail}`).join(" ");
}
