import type { Channel } from "../world/model.js";

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

  /** Adds a person. A workspace's `inviteBot` adds the bot. */
  add(member: { readonly id: string }): void {
    this.#channel.members.add(member.id);
  }

  /** Whether a person, or the bot, is a member. */
  has(member: { readonly id: string }): boolean {
    return this.#channel.members.has(member.id);
  }
}
