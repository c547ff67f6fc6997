import { uninstall } from "../oauth/uninstall.js";
import type { Installation, Team, User, World } from "../world/model.js";
import { addChannel, addGroup, addUser } from "../world/teams.js";
import { Person } from "./person.js";
import { Place } from "./place.js";
import type { Delivery } from "./seat.js";

export interface UserOptions {
  name: string;
  /** @default the name */
  realName?: string;
  /** @default false */
  isAdmin?: boolean;
  /** @default false */
  isOwner?: boolean;
  /** @default "UTC" */
  timeZone?: string;
  /** Which kind of guest she is. @default none */
  guest?: "multi-channel" | "single-channel";
  /** Where she belongs if she comes from another workspace into a shared channel. @default here */
  home?: Workspace;
  /** The workspaces of her organization that she belongs to. @default her own */
  workspaces?: readonly Workspace[];
  /** @default false */
  isBot?: boolean;
}

export interface ChannelOptions {
  name: string;
  /** @default nobody */
  members?: readonly Person[];
  /** @default "public" */
  kind?: "public" | "private";
  /**
   * Whether the bot is in it.
   * @default false
   */
  withBot?: boolean;
}

/** A workspace, whether the app is installed in it or not. */
export class Workspace {
  readonly id: string;
  readonly name: string;
  readonly #world: World;
  readonly #team: Team;
  readonly #people = new Map<string, Person>();

  constructor(world: World, team: Team) {
    this.id = team.id;
    this.name = team.name;
    this.#world = world;
    this.#team = team;
  }

  get isInstalled(): boolean {
    return this.#team.installation !== undefined;
  }

  get botToken(): string {
    return this.#installation.botToken;
  }

  get botUserId(): string {
    return this.#installation.botUserId;
  }

  get botId(): string {
    return this.#installation.botId;
  }

  /** All who are in it, she among them who has installed the app (`slackowner`); the bot is not. */
  get people(): readonly Person[] {
    const users = [...this.#team.users.values()];
    return users.filter(({ isBot }) => !isBot).map((user) => this.#personOf(user));
  }

  /** Somebody by her name. */
  person(name: string): Person | undefined {
    return this.people.find((person) => person.name === name);
  }

  /** The channels. */
  get places(): readonly Place[] {
    const channels = [...this.#team.channels.values()];
    return channels.filter(({ kind }) => kind !== "im").map((channel) => new Place(channel));
  }

  addUser(options: UserOptions): Person {
    const { home, workspaces, ...rest } = options;
    const ids = workspaces?.map(({ id }) => id);
    return this.#personOf(addUser(this.#world, this.#team, { ...rest, homeTeamId: home?.id, workspaces: ids }));
  }

  addChannel({ name, members = [], kind = "public", withBot = false }: ChannelOptions): Place {
    const ids = members.map(({ id }) => id);
    const everyone = withBot ? [...ids, this.botUserId] : ids;
    return new Place(addChannel(this.#world, this.#team, { name, kind, members: everyone }));
  }

  /** A user group, as in `@ops`. */
  addGroup({ handle, members = [] }: { handle: string; members?: readonly Person[] }): { readonly id: string } {
    const ids = members.map(({ id }) => id);
    return { id: addGroup(this.#world, this.#team, handle, ids).id };
  }

  /** An owner takes the app out; the app is told, again and again where it does not answer. */
  uninstall(): Promise<Delivery[]> {
    return uninstall(this.#world, this.#team);
  }

  /** The same each time, as she has things entered that nobody else knows. */
  #personOf(user: User): Person {
    const person = this.#people.get(user.id) ?? new Person(this.#world, this.#team, user);
    this.#people.set(user.id, person);
    return person;
  }

  get #installation(): Installation {
    const { installation, name } = this.#team;
    if (!installation) throw new Error(`The app is not installed in ${name}.`);
    return installation;
  }
}
