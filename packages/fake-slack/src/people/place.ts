import type { Channel } from "../world/model.js";
import type { Person } from "./person.js";

/** A channel. */
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

  /** Lets somebody in, or the bot. */
  add(member: Pick<Person, "id">): void {
    this.#channel.members.add(member.id);
  }

  has(member: Pick<Person, "id">): boolean {
    return this.#channel.members.has(member.id);
  }

  remove(member: Pick<Person, "id">): void {
    this.#channel.members.delete(member.id);
  }

  /** Nothing can be said there any more. */
  archive(): void {
    this.#channel.isArchived = true;
  }
}
