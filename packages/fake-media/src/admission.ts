import type { Channels, Entrant } from "./channels.js";
import type { MediaSums, SentRequest } from "./courier.js";
import { type Intake, isAcknowledged, type Refusal, readVerdict, refuse } from "./intake.js";
import type { ConnectOptions, FakeMediaOptions, Json } from "./options.js";
import { channelTraits, clientTraits, idFor, metadataOf, randomFor } from "./random.js";
import type { Stamp } from "./timeline.js";

/** What it takes to admit clients. */
export interface AdmissionParts {
  options: FakeMediaOptions & { seed: number; nodeName: string };
  /** The fields of every request: version, label. */
  identity: Json;
  intake: Intake;
  stamp: () => Stamp;
  sums: MediaSums;
  onSent: (sent: SentRequest) => void;
}

/** An admitted client, before it connects or fails to. */
export interface Admitted extends Entrant {
  readonly allowed: true;
  readonly at: Stamp;
}

/** Asks the intake whether clients may connect. */
export class Admissions {
  readonly #parts: AdmissionParts;
  readonly #channels: Channels;
  #clients = 0;

  constructor(parts: AdmissionParts, channels: Channels) {
    this.#parts = parts;
    this.#channels = channels;
  }

  /** Calls auth. A client is not admitted if the node has died meanwhile. */
  async decide(options: ConnectOptions, hasDied: () => boolean): Promise<Admitted | Refusal> {
    const { intake, stamp, sums, onSent, identity } = this.#parts;
    const { seed, nodeName: standard, reportsConnections, accessToken: tokenFor } = this.#parts.options;
    const { channelId, role = "sendrecv", clientId, bundleId, nodeName = standard } = options;
    const { idFrom = this.#clients++ } = options;
    const id = idFor(seed, "connection", idFrom);
    const random = randomFor(seed, "client", idFrom);
    const accessToken = options.accessToken ?? tokenFor?.(channelId, role);
    const metadata = metadataOf({ ...options, ...(accessToken !== undefined && { accessToken }) });
    const traits = { ...channelTraits(seed, channelId), ...clientTraits(random) };

    sums.attempts++;
    let body: Json | undefined;
    const answer = await intake.post("auth", () => {
      body = {
        timestamp: stamp().text,
        ...identity,
        node_name: nodeName,
        role,
        channel_id: channelId,
        connection_id: id,
        ...(clientId !== undefined && { client_id: clientId }),
        ...(bundleId !== undefined && { bundle_id: bundleId }),
        ...traits,
        ...(metadata !== undefined && { metadata }),
        ...(reportsConnections !== false && this.#channels.counts(channelId)),
      };
      return JSON.stringify(body);
    });
    if (body) onSent({ to: "auth", body, status: answer.status, acknowledged: isAcknowledged(answer) });
    if (!isAcknowledged(answer)) sums.unanswered++;
    const word = readVerdict(answer);
    const verdict = word.allowed && hasDied() ? refuse(DIED) : word;
    if (!verdict.allowed) {
      sums.refused[verdict.reason] = (sums.refused[verdict.reason] ?? 0) + 1;
      return verdict;
    }
    sums.allowed++;
    return {
      allowed: true,
      id,
      channelId,
      nodeName,
      role,
      clientId: verdict.clientId ?? clientId ?? id,
      bundleId: bundleId ?? id,
      eventMetadata: verdict.eventMetadata,
      random,
      at: stamp(),
    };
  }
}

/** The reason why a client is not let in by a node that has died. */
export const DIED = "The node has died.";
