import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

/** Makes one file of a program, which node runs. */
export async function bundle(program: string, outfile: string): Promise<void> {
  await build({ ...options, entryPoints: [program], platform: "node", outfile });
}

/** How many bytes a program has on its way to where it runs. For browsers and what is like them: some peers bring more to node. */
export async function bundledBytes(program: string): Promise<number> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [program],
    platform: "browser",
    minify: true,
    write: false,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}

const options = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" } satisfies BuildOptions;
