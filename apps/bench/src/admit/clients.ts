import { randomUUID } from "node:crypto";
import { apiKeyToTokenKey, signToken, type TokenClaims, type TokenKey } from "@media-ops/tokens";
import { newId } from "../intake/events.js";
import type { Post } from "../load/post.js";

const HOUR_S = 3600;

/** Where a client wants to go, and what its token says beside that. */
export interface Wish {
  readonly channelId: string;
  readonly nodeName: string;
  readonly claims: TokenClaims;
}

/** What a media server sends of its clients. */
export class Clients {
  readonly #key: TokenKey;
  readonly #intakeKey: string;

  /** @param apiKey Signs their tokens. */
  constructor(apiKey: string, intakeKey: string) {
    this.#key = apiKeyToTokenKey(apiKey);
    this.#intakeKey = intakeKey;
  }

  /** A client that wants to connect, with a token of its own. */
  async asking({ channelId, nodeName, claims }: Wish): Promise<Post> {
    const now = Math.floor(Date.now() / 1000);
    const own = { iat: now, jti: randomUUID(), exp: now + HOUR_S, channel_id: channelId, role: "sendrecv" } as const;
    return this.#post("auth", {
      ...envelope(nodeName),
      role: "sendrecv",
      channel_id: channelId,
      connection_id: newId(),
      multistream: true,
      simulcast: false,
      spotlight: false,
      data_channel_signaling: true,
      ignore_disconnect_websocket: false,
      e2ee: false,
      audio: { codec_type: "OPUS" },
      video: { codec_type: "VP9", bit_rate: 1500 },
      metadata: { access_token: await signToken({ ...own, ...claims }, this.#key) },
      channel_connections: 0,
      channel_sendrecv_connections: 0,
      channel_sendonly_connections: 0,
      channel_recvonly_connections: 0,
    });
  }

  /** A node that is gone, and with it everybody's place on it. */
  vanished(nodeName: string): Post {
    return this.#post("session", { ...envelope(nodeName), type: "session.vanished", id: newId() });
  }

  #post(kind: string, body: object): Post {
    return { path: `/intake/${kind}`, key: this.#intakeKey, body: JSON.stringify(body) };
  }
}

const envelope = (nodeName: string) => ({
  timestamp: new Date().toISOString().replace("Z", "123Z"),
  version: "2026.1.0",
  label: "bench",
  node_name: nodeName,
});
