import type { Channel } from "../world/model.js";

/** A member of a channel. */
interface PlaceMember {
  readonly id: string;
}

/** A channel or a direct conversation. */
export class Place {
  readonly id: string;
  readonly name: string;
  readonly teamId: string;
  readonly kind: Channel["kind"];
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.id = channel.id;
    this.name = channel.name;
    this.teamId = channel.teamId;
    this.kind = channel.kind;
    this.#channel = channel;
  }

  /** Adds a person, or the bot. */
  add(member: PlaceMember): void {
    this.#channel.members.add(member.id);
  }

  has(member: PlaceMember): boolean {
    return this.#channel.members.has(member.id);
  }
}
