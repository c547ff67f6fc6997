import { chmod, lstat, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { createPrompter } from "./prompter.js";
import { CliError } from "./session.js";
import { type RunningService, startRunningService } from "./test/services.js";
import { errOf, newUser } from "./test/user.js";

let service: RunningService;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startRunningService(atEnd);
});

const fileOf = (home: string) => join(home, ".config/media-ops/profiles.json");
const answers = () => `${service.url}\ndemo\n${service.apiKey}\n`;

describe("media login", () => {
  it("stores address, project and key in a file that only its owner can read, and uses them from then on", async () => {
    const { home, media } = await newUser();
    const err = await errOf(media(["login"], { input: answers() }), 0);
    expect(err).toContain("Logged in.");
    expect(err).not.toContain(service.apiKey);
    expect((await stat(fileOf(home))).mode & 0o777).toBe(0o600);
    expect((await media(["logs", "sessions"])).code).toBe(0);
    expect((await media(["token", "lobby"])).err).toContain("lobby (project demo)");
  });

  it("stores nothing if the service rejects the key", async () => {
    const { home, media } = await newUser();
    const { code, err } = await media(["login"], { input: `${service.url}\ndemo\nmo_wrong_key\n` });
    expect(code).toBe(1);
    expect(err).toContain("✗ The API key was refused.");
    expect(err).toContain("Create keys on the service's machine");
    expect(err).toMatch(/Nothing was changed\.\n$/);
    await expect(stat(fileOf(home))).rejects.toThrow("ENOENT");
  });

  it("stores nothing if the key belongs to another project", async () => {
    const { media } = await newUser();
    const { code, err } = await media(["login"], { input: `${service.url}\nother\n${service.apiKey}\n` });
    expect(code).toBe(1);
    expect(err).toContain("✗ This belongs to another project.");
  });

  it("reports an invalid address at once, before it requests the key", async () => {
    const { media } = await newUser();
    for (const address of ["127.0.0.1:8080", "http://me:secret@127.0.0.1:8080"]) {
      const { code, err } = await media(["login"], { input: `${address}\n` });
      expect(code).toBe(2);
      expect(err).toBe("The address must be like https://media.example, without user, query or hash.\n");
    }
  });

  it("refuses a profile name that needs quotes, or looks like a flag", async () => {
    const { media } = await newUser();
    for (const name of ["my profile", ".hidden", "\u001b[31mred", "a\nb"]) {
      const { code, err } = await media(["login", name], { input: answers() });
      expect(code).toBe(2);
      expect(err).toContain("A profile name has letters, digits");
    }
    expect((await media(["login", "__proto__"], { input: answers() })).code).toBe(0);
    expect((await media(["status"])).out).toContain("profile __proto__");
  });

  it("warns if the environment takes precedence over the new profile", async () => {
    const { media } = await newUser({ MEDIA_API_KEY: "mo_a_b" });
    expect((await media(["login"], { input: answers() })).err).toContain("But MEDIA_API_KEY is set");
    expect((await media(["use", "default"], { env: { MEDIA_PROFILE: "x" } })).err).toContain(
      "But MEDIA_PROFILE is set",
    );
    expect((await media(["use", "default"], { env: { MEDIA_PROFILE: "default" } })).err).not.toContain("But");
  });

  it("changes nothing if the input ends early", async () => {
    const { media } = await newUser();
    const { code, err } = await media(["login"], { input: `${service.url}\n` });
    const message = "The input ended before the last answer. Nothing was changed.\n";
    expect({ code, err }).toEqual({ code: 1, err: message });
  });

  it("removes other users' access to the file, and says so", async () => {
    const { home, media } = await newUser();
    await media(["login"], { input: answers() });
    await chmod(fileOf(home), 0o644);
    expect((await media(["logs", "sessions"])).err).toContain("Other users of this machine could read");
    expect((await stat(fileOf(home))).mode & 0o777).toBe(0o600);
  });

  it("keeps a link to the file, and writes its target", async () => {
    const { home, media } = await newUser();
    await media(["login"], { input: answers() });
    await rename(fileOf(home), join(home, "kept.json"));
    await symlink(join(home, "kept.json"), fileOf(home));
    await media(["login", "staging"], { input: answers() });
    expect(await readFile(join(home, "kept.json"), "utf8")).toContain("staging");
    expect((await lstat(fileOf(home))).isSymbolicLink()).toBe(true);
  });

  it("reports that the file can't be written", async () => {
    const { home, media } = await newUser();
    await writeFile(join(home, ".config"), "");
    const { code, err } = await media(["login"], { input: answers() });
    expect(code).toBe(1);
    expect(err).toBe(`Cannot write ${fileOf(home)}: ENOTDIR: not a directory. Nothing was changed.\n`);
  });

  it("ignores a settings folder with a relative path", async () => {
    const { home, media } = await newUser({ XDG_CONFIG_HOME: "here" });
    expect((await media(["login"], { input: answers() })).err).toContain(fileOf(home));
  });

  it("reports a file that was broken by hand", async () => {
    const { home, media } = await newUser();
    await media(["login"], { input: answers() });
    await writeFile(fileOf(home), "{");
    const { code, err } = await media(["logs", "sessions"]);
    expect(code).toBe(1);
    expect(err).toContain(`${fileOf(home)} is not valid.`);
    // A key in the environment needs no file.
    const env = { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey };
    expect((await media(["logs", "sessions"], { env })).code).toBe(0);
  });
});

describe("several profiles", () => {
  it("are listed without their keys, selected, used once, and removed", async () => {
    const { home, media } = await newUser();
    await media(["login"], { input: answers() });
    await media(["login", "staging"], { input: answers() });
    expect((await media(["profiles"])).out).toBe(
      `  default  ${service.url}  project demo\n* staging  ${service.url}  project demo\n`,
    );
    expect((await media(["use", "default"])).code).toBe(0);
    expect((await media(["profiles"])).out).toContain("* default");
    expect((await media(["status", "--profile", "staging"])).out).toContain("profile staging");
    expect((await media(["status"], { env: { MEDIA_PROFILE: "staging" } })).out).toContain("profile staging");
    expect((await media(["logout"])).err).toContain("Profile staging is now the current profile.");
    expect(await readFile(fileOf(home), "utf8")).not.toContain("default");
    expect((await media(["use", "default"])).err).toContain('Unknown profile "default". Profiles: staging.');
  });

  it("yield to the environment unless one is named", async () => {
    const { media } = await newUser();
    await media(["login"], { input: answers() });
    const env = { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey };
    expect((await media(["status"], { env })).out).toContain("the environment");
    expect((await media(["status", "--profile=default"], { env })).out).toContain("profile default");
  });
});

/** A user at a terminal, with the typed input and the content of the screen. */
function atTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  const output = new PassThrough().on("data", (chunk) => {
    shown += chunk;
  });
  return { input, prompter: createPrompter(input, output), screen: () => shown };
}

const anything = (answer: string) => answer;

describe("at a terminal", () => {
  it("shows a question but not a secret", async () => {
    const { input, prompter, screen } = atTerminal();
    const address = prompter.ask("Address: ", anything);
    input.write("http://media.example\r");
    expect(await address).toBe("http://media.example");
    const key = prompter.ask("API key: ", anything, { isSecret: true });
    input.write("mo_secret\u007f\u007ft\r");
    expect(await key).toBe("mo_secrt");
    const project = prompter.ask("Project: ", anything);
    input.write("demo\r");
    expect(await project).toBe("demo");
    await prompter.close();
    for (const shown of ["Address: ", "http://media.example", "API key: ", "Project: ", "demo"]) {
      expect(screen()).toContain(shown);
    }
    expect(screen()).not.toContain("mo_");
    expect(screen()).not.toMatch(/secr|\*/);
  });

  it.each(["\r", ""])("hides a secret that is pasted with all other answers, ended with %j", async (end) => {
    const { input, prompter, screen } = atTerminal();
    const address = prompter.ask("Address: ", anything);
    input.write(`http://media.example\rdemo\rmo_secret${end}`);
    expect(await address).toBe("http://media.example");
    expect(await prompter.ask("Project: ", anything)).toBe("demo");
    const key = prompter.ask("API key: ", anything, { isSecret: true });
    if (end === "") input.write("\r");
    expect(await key).toBe("mo_secret");
    const more = prompter.ask("More: ", anything);
    input.write("\u001b[A\r");
    expect(await more).toBe("");
    await prompter.close();
    expect(screen()).not.toContain("secret");
    expect(screen().match(/\n/g)).toHaveLength(4);
  });

  it.each(["\r", ""])(
    "repeats a question after an invalid answer, and drops the text pasted after it, %j",
    async (end) => {
      const { input, prompter, screen } = atTerminal();
      const address = prompter.ask("Address: ", (answer) => {
        if (answer.startsWith("http")) return answer;
        throw new CliError("That is no address.");
      });
      input.write(`media.example\rdemo\rmo_secret${end}`);
      await expect.poll(screen).toMatch(/That is no address\.\n.*Address: /s);
      input.write("http://media.example\r");
      expect(await address).toBe("http://media.example");
      await prompter.close();
      expect(screen()).not.toContain("secret");
      expect(screen().match(/That is no address/g)).toHaveLength(1);
    },
  );

  it("changes nothing after Ctrl-C, and exits like a stopped command", async () => {
    const { input, prompter } = atTerminal();
    const answer = prompter.ask("API key: ", anything, { isSecret: true });
    input.write("mo_\u0003");
    await expect(answer).rejects.toMatchObject({ message: "Stopped. Nothing was changed.", exitCode: 130 });
    expect(prompter.stopped.aborted).toBe(true);
  });
});
