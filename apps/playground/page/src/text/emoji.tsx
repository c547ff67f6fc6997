import { lazy, type ReactNode, Suspense } from "react";

const LibraryEmoji = lazy(async () => ({ default: (await import("../blocks/library.js")).LibraryEmoji }));

/** An emoji by its name, as the library knows it; until that is loaded, and where it does not, the name. */
export function Emoji({ name, unicode }: { name: string; unicode?: string | undefined }): ReactNode {
  if (unicode)
    return unicode
      .split("-")
      .map((code) => String.fromCodePoint(Number.parseInt(code, 16)))
      .join("");
  return (
    <Suspense fallback={`:${name}:`}>
      <LibraryEmoji name={name} />
    </Suspense>
  );
}
