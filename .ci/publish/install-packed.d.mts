/** A pnpm to run: the one that runs this, or the one that the repository names. */
export function pnpmCommand(): Promise<[command: string, ...args: string[]]>;

/**
 * Packs packages as they would be published, and installs them together into a folder's node_modules, with all that they
 * depend on. Needs a build, and no network.
 *
 * @param folders Where the packages are, from the root of the repository.
 * @returns The tarballs, in the order of the folders.
 */
export function installPacked(folders: readonly string[], into: string, signal: AbortSignal): Promise<string[]>;
