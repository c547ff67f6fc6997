import { expiresIn, MediaBadRequestError, type MediaClient } from "@media-ops/sdk";

/** Creates a token for watching one channel for ten minutes. */
export async function viewerToken(client: MediaClient, channelId: string): Promise<string> {
  try {
    const { access_token } = await client.tokens.create({
      channel_id: channelId,
      role: "recvonly",
      expiration_time: expiresIn("10m"),
    });
    return access_token;
  } catch (error) {
    if (error instanceof MediaBadRequestError) {
      const faults = error.problem.errors?.map(({ pointer, detail }) => `${pointer}: ${detail}`) ?? [];
      throw new Error(`no token for ${channelId}: ${faults.join(" ")}`, { cause: error });
    }
    throw error;
  }
}
