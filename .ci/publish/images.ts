import { parse } from "yaml";

/** An instruction of a Dockerfile, such as COPY, with its arguments. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: Instruction[];
}

/** Parses a Dockerfile into its stages. */
export function readStages(dockerfile: string): Stage[] {
  const lines = dockerfile.replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, " ");
  const stages: Stage[] = [];
  for (const [, name = "", text = ""] of lines.matchAll(/^([A-Z]+)\s+(.*)$/gm)) {
    if (name === "FROM") {
      const [, from = "", as = ""] = /^(?:--\S+\s+)*(\S+)\s+AS\s+(\S+)$/.exec(text) ?? [];
      stages.push({ name: as, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name, text });
    }
  }
  return stages;
}

/** Returns all instructions of a stage, after those of its base stages. */
export function instructionsOf(stages: readonly Stage[], name: string): Instruction[] {
  const stage = stages.find((one) => one.name === name);
  return stage ? [...instructionsOf(stages, stage.from), ...stage.instructions] : [];
}

/** Returns the settings that a container of an image starts with. */
export function imageSettings(stages: readonly Stage[], target: string) {
  const instructions = instructionsOf(stages, target);
  const all = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ text }) => text);
  const last = (name: string): string => all(name).at(-1) ?? "";
  const words = (name: string): string[] => all(name).flatMap((text) => text.split(/\s+/));
  const list = (text: string): string[] => JSON.parse(text || "[]");
  return {
    entrypoint: list(last("ENTRYPOINT")),
    command: list(last("CMD")),
    healthCheck: list(last("HEALTHCHECK").replace(/^.*?CMD\s+/, "")),
    env: Object.fromEntries(words("ENV").map(splitPair)),
    user: last("USER"),
    volumes: words("VOLUME"),
    ports: words("EXPOSE"),
    stopSignal: last("STOPSIGNAL"),
  };
}

function splitPair(pair: string): [string, string] {
  const [name = "", value = ""] = pair.split(/=(.*)/, 2);
  return [name, value];
}

/** The members of compose.yaml that the checks read. */
interface Compose {
  services: Record<
    string,
    {
      build?: { target: string };
      environment: Record<string, string>;
      expose?: string[];
      ports?: string[];
      volumes: Array<string | { source: string }>;
      read_only?: boolean;
      profiles?: string[];
      depends_on?: Record<string, object>;
    }
  >;
  volumes: Record<string, unknown>;
}

/**
 * Parses compose.yaml as Compose does, with variables of an .env file. Of Compose's substitutions, supports `:-` and
 * `:+`.
 */
export function readCompose(text: string, variables: Readonly<Record<string, string>>): Compose {
  const interpolated = (value: string): string =>
    value.replace(/\$\{(\w+):([-+])([^}]*)\}/g, (_, name: string, sign: string, other: string) => {
      const given = variables[name] ?? "";
      return (given === "") === (sign === "-") ? other : given;
    });
  return parse(text, (_, value) => (typeof value === "string" ? interpolated(value) : value), { merge: true });
}
