/** What may come in `metadata` or `auth_metadata`. */
interface MaybeToken {
  readonly access_token?: unknown;
}

/** The access token that a client brings; undefined where it brings none. */
export function findToken(request: { readonly metadata?: unknown; readonly auth_metadata?: unknown }): unknown {
  return tokenIn(request.metadata) ?? tokenIn(request.auth_metadata);
}

function tokenIn(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { access_token }: MaybeToken = metadata;
  return access_token ?? undefined;
}
