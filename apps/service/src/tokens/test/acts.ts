import type { AuditLog, CheckedToken, IssuedTokens } from "@media-ops/contract";
import { type FakeMedia, startFakeMedia } from "@media-ops/fake-media";
import { freePort } from "@media-ops/testing/servers";
import { readUnverifiedToken } from "@media-ops/tokens";
import { onTestFinished } from "vitest";
import { createIntakeKey } from "../../keys/intake-keys.js";
import {
  type Answer,
  pathOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../../test/harness.js";

/** A service and a media server whose clients it admits. */
export async function startBoth(atEnd: NonNullable<TestServiceOptions["atEnd"]> = onTestFinished) {
  const apiPort = await freePort();
  const test = await startTestService({ env: { MEDIA_UPSTREAM_URL: `http://127.0.0.1:${apiPort}` }, atEnd });
  const { text: intakeKey } = await createIntakeKey(test.service.storage.query, "test", Date.now());
  const media = await startFakeMedia({ intakeUrl: `${test.service.internalUrl}/intake`, intakeKey, apiPort });
  atEnd(() => media.close({ abrupt: true }));
  return { ...test, media, ...callsOf(test) };
}

/** The calls that list, revoke and check tokens. */
export function callsOf({ call, mint: mintWith }: Pick<TestService, "call" | "mint">) {
  const mint = (body: object = {}, requestedBy?: string, key?: string): Promise<string> =>
    mintWith(body, {
      headers: requestedBy === undefined ? {} : { "x-requested-by": requestedBy },
      ...(key !== undefined && { key }),
    });
  const list = async (body: object = {}) => (await call(pathOf.listAccessTokens, { body })).body as IssuedTokens;
  const listAll = async (limit: number): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page: IssuedTokens = await list({ limit, ...(cursor && { cursor }) });
      ids.push(...page.tokens.map(({ jwt_id }) => jwt_id));
      cursor = page.next_cursor;
    } while (cursor);
    return ids;
  };
  const revoke = (body: object, headers = {}): Promise<Answer> =>
    call(pathOf.revokeAccessToken, { body, headers: { "x-requested-by": "ben", ...headers } });
  const check = async (body: object) => (await call(pathOf.checkAccessToken, { body })).body as CheckedToken;
  const audit = async (body: object = {}) => ((await call(pathOf.listAuditLog, { body })).body as AuditLog).entries;
  return { mint, list, listAll, revoke, check, audit };
}

/** The id in a token. */
export const idOf = (token: string): string => readUnverifiedToken(token).claims.jti ?? "";

/** Connects a client to a channel with a token. */
export const connect: (media: FakeMedia, accessToken: string, channelId?: string) => ReturnType<FakeMedia["connect"]> =
  (media, accessToken, channelId = "lobby@demo") => media.connect({ channelId, accessToken });
