import { type Delivery, deliver } from "../delivery/deliver.js";
import type { Channel, Group, Installation, Team, User } from "../world/model.js";
import { addChannel, addGroup, addUser, type NewUser, uninstallApp, type World } from "../world/world.js";
import { Person } from "./person.js";
import { Place } from "./seen.js";

/** A person to add: flags default to false, the real name to the name, and the time zone to UTC. */
interface UserOptions extends Pick<NewUser, "name" | "realName" | "isAdmin" | "timeZone" | "guest" | "isBot"> {
  /** Their own workspace, if they are in a shared channel of this one. @default this one */
  home?: Workspace;
  /** Their workspaces within the organization. @default their own */
  workspaces?: readonly Workspace[];
}

/** A channel to add. */
interface ChannelOptions {
  name: string;
  /** @default none */
  members?: readonly Person[];
  /** @default "public" */
  kind?: Exclude<Channel["kind"], "im">;
  /** Whether the bot is a member. @default false */
  withBot?: boolean;
}

/** A workspace, whether or not the app is installed in it. */
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

  /** What people write to mention the bot: `<@U…>`. */
  get botMention(): string {
    return `<@${this.botUserId}>`;
  }

  get botId(): string {
    return this.#installation.botId;
  }

  /** Everyone except the bot, including the person who installed the app (`slackowner`). */
  get people(): readonly Person[] {
    const users = [...this.#team.users.values()];
    return users.filter(({ isBot }) => !isBot).map((user) => this.#personOf(user));
  }

  person(name: string): Person | undefined {
    return this.people.find((person) => person.name === name);
  }

  /** The channels. */
  get places(): readonly Place[] {
    const channels = [...this.#team.channels.values()];
    return channels.filter(({ kind }) => kind !== "im").map((channel) => new Place(channel));
  }

  addUser({ home, workspaces, ...options }: UserOptions): Person {
    const ids = workspaces?.map(({ id }) => id);
    return this.#personOf(addUser(this.#world, this.#team, { ...options, homeTeamId: home?.id, workspaces: ids }));
  }

  addChannel({ name, members = [], kind = "public", withBot = false }: ChannelOptions): Place {
    const ids = members.map(({ id }) => id);
    const everyone = withBot ? [...ids, this.botUserId] : ids;
    return new Place(addChannel(this.#world, this.#team, { name, kind, members: everyone }));
  }

  /** Adds the bot to a channel. */
  inviteBot(place: Place): void {
    this.#channelOf(place).members.add(this.botUserId);
  }

  /** Removes the bot from a channel. */
  removeBot(place: Place): void {
    this.#channelOf(place).members.delete(this.botUserId);
  }

  /** Archives a channel: nobody can write there any more. */
  archive(place: Place): void {
    this.#channelOf(place).isArchived = true;
  }

  /** A user group, such as `@ops`; its members are ids of people, and may be replaced. */
  addGroup({ handle, members = [] }: { handle: string; members?: readonly Person[] }): Group {
    const ids = members.map(({ id }) => id);
    return addGroup(this.#world, this.#team, handle, ids);
  }

  /** Uninstalls the app, and sends it `app_uninstalled` and `tokens_revoked`. */
  async uninstall(): Promise<Delivery[]> {
    const installation = uninstallApp(this.#world, this.#team);
    if (!installation) return [];
    const revoked = { type: "tokens_revoked", tokens: { oauth: [], bot: [installation.botUserId] } };
    const events = [{ type: "app_uninstalled" }, revoked];
    return Promise.all(
      events.map((payload) => deliver(this.#world, { kind: "event", teamId: this.#team.id, payload })),
    );
  }

  /** Always the same object for a user, because it holds the state of their window. */
  #personOf(user: User): Person {
    const person = this.#people.get(user.id) ?? new Person(this.#world, this.#team, user);
    this.#people.set(user.id, person);
    return person;
  }

  #channelOf({ id, name }: Place): Channel {
    const channel = this.#team.channels.get(id);
    if (!channel) throw new Error(`${this.name} has no channel ${name}.`);
    return channel;
  }

  get #installation(): Installation {
    const { installation, name } = this.#team;
    if (!installation) throw new Error(`The app is not installed in ${name}.`);
    return installation;
  }
}
