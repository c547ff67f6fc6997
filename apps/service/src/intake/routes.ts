import { keepConnection } from "../http/connection-limits.js";
import type { Action, Call, Gate } from "../http/route.js";
import { jsonAnswer } from "../http/send-answer.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import type { IntakeKeyRing } from "../keys/intake-key-ring.js";
import { Refusal } from "../refusal.js";
import { type IntakeOptions, intakeKinds, MAX_INTAKE_BYTES, takeIn } from "./take-in.js";

/** The routes to which the media server sends. Some media servers can't send headers: the key may be in the path, too. */
export function intakeRoutes(options: IntakeOptions): Action<Credential>[] {
  const gate = new IntakeGate(options.keys);
  return intakeKinds.flatMap((kind) =>
    [`/intake/${kind}`, `/intake/:key/${kind}`].map(
      (path): Action<Credential> => ({
        method: "POST",
        path,
        maxBytes: MAX_INTAKE_BYTES,
        gate,
        answer: async (_, { keyId }, body) => jsonAnswer(await takeIn({ kind, body, keyId }, options)),
      }),
    ),
  );
}

class IntakeGate implements Gate<Credential> {
  readonly #keys: IntakeKeyRing;

  constructor(keys: IntakeKeyRing) {
    this.#keys = keys;
  }

  async admit(call: Call) {
    const credential = credentialIn(call);
    if (!credential || !(await this.#keys.isGood(credential))) throw unauthorized();
    keepConnection(call.request.socket);
    return { caller: credential };
  }
}

/** The key in the path if there is one, otherwise that of the header. */
function credentialIn({ path = "", request }: Call): Credential | undefined {
  const [, inPath] = /^\/intake\/([^/]+)\//.exec(path) ?? [];
  return credentialOf(inPath === undefined ? request.headers.authorization : `Bearer ${inPath}`, "mi");
}

function unauthorized(): Refusal {
  const detail =
    'The intake key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the intake key, or POST to /intake/<intake key>/event.';
  return new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
}
