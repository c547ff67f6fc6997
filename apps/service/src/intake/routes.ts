import type { FastifyRequest } from "fastify";
import { keepConnection } from "../http/connection-limits.js";
import type { App } from "../http/create-app.js";
import { uncompressed } from "../http/json-body.js";
import { Refusal } from "../http/refusal.js";
import { sendAnswer } from "../http/send-answer.js";
import { type Credential, credentialOf } from "../keys/credential.js";
import { type IntakeOptions, intakeKinds as kinds, MAX_INTAKE_BYTES, takeIn } from "./take-in.js";

/** Puts the intake on its addresses. */
export async function registerIntake(app: App, options: IntakeOptions): Promise<void> {
  await app.register(async (scope) => {
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      async ({ headers }: FastifyRequest, body: Buffer) => uncompressed(headers, body),
    );
    for (const kind of kinds) {
      for (const url of [`/intake/${kind}`, `/intake/:key/${kind}`]) {
        scope.route({
          method: "POST",
          url,
          bodyLimit: MAX_INTAKE_BYTES,
          onRequest: async (request) => {
            const credential = credentialIn(request);
            if (!credential || !(await options.keys.isGood(credential))) throw unauthorized();
            keepConnection(request.raw.socket);
          },
          handler: async (request, reply) => {
            const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
            const { keyId = "" } = credentialIn(request) ?? {};
            return sendAnswer(await takeIn({ kind, body, keyId }, options), request, reply);
          },
        });
      }
    }
  });
}

function credentialIn({ params, headers }: FastifyRequest): Credential | undefined {
  const { key } = params as { key?: string };
  return credentialOf(key === undefined ? headers.authorization : `Bearer ${key}`, "mi");
}

function unauthorized(): Refusal {
  const detail =
    'The intake key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the intake key, or POST to /intake/<intake key>/event.';
  return new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
}
