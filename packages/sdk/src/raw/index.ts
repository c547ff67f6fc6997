import createClient, { type Client } from "openapi-fetch";
import type { paths as ExtensionPaths } from "../generated/extensions.js";
import type { paths as MediaPaths } from "../generated/media.js";
import { checkClientOptions, defaultHeaders, type MediaClientOptions } from "../options.js";

/** Every path of the service, with its requests and responses, for openapi-fetch. */
export type RawPaths = MediaPaths & ExtensionPaths;

/** Options of {@link createRawClient}. */
export type RawClientOptions = Pick<
  MediaClientOptions,
  "baseUrl" | "apiKey" | "fetch" | "headers" | "dangerouslyAllowBrowser"
>;

/**
 * Creates an openapi-fetch client of the service, for requests that the media client does not offer. It neither retries
 * nor times out, reads responses of any size, returns failing responses as `error` instead of throwing, and has its own
 * middleware.
 *
 * @example
 * const { data, error } = await createRawClient().POST("/orgs/list-api-logs", { body: { limit: 10 } });
 */
export function createRawClient(options: RawClientOptions = {}): Client<RawPaths> {
  const { baseUrl, apiKey } = checkClientOptions(options);
  const send = options.fetch ?? ((input: Request) => fetch(input));
  return createClient<RawPaths>({ baseUrl, headers: defaultHeaders(options, apiKey), fetch: send });
}
