import { readFileSync } from "node:fs";
import { join } from "node:path";
import { language } from "@media-ops/bot";
import { type FakeSlack, type Person, type Place, startFakeSlack, textOf, type Workspace } from "@media-ops/fake-slack";
import { expect } from "vitest";
import { parse } from "yaml";
import { type AtEnd, root } from "./document.js";

/** A workspace in which the app of the manifest is installed. */
export interface Slack {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  /** An admin. */
  readonly ann: Person;
  readonly general: Place;
}

export async function startSlack(atEnd: AtEnd): Promise<Slack> {
  const { oauth_config, features } = parse(readFileSync(join(root, "apps/bot/manifest.yaml"), "utf8"));
  const commands = features.slash_commands.map(({ command }: { command: string }) => command);
  const slack = await startFakeSlack({ scopes: oauth_config.scopes.bot, commands });
  atEnd(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", isAdmin: true });
  return { slack, team, ann, general: team.addChannel({ name: "general", members: [ann] }) };
}

/** The bot understands what is typed; answers to what it does not would look like others. */
export function expectUnderstood(line: string): void {
  const [, words = ""] = /^\/media(?: (.+))?$/.exec(line) ?? [];
  if (words !== "") expect(language.parse(words, { now: Date.now() }), line).toMatchObject({ ok: true });
}

/** Types a command, and waits for an answer in which a text stands. */
export async function ask({ slack, ann, general }: Slack, line: string, expected: string): Promise<void> {
  expectUnderstood(line);
  const before = new Set(ann.sees(general).map(({ ts }) => ts));
  await ann.command(line, { in: general });
  await slack.until(() =>
    ann.sees(general).find((message) => !before.has(message.ts) && textOf(message).includes(expected)),
  );
}
