// All that needs the library stands here alone, so that it is loaded when the first such block is shown.
import { type ReactNode, useMemo } from "react";
import { type Block, Message } from "slack-blocks-to-jsx";
import "slack-blocks-to-jsx/dist/style.css";
import "../styles/library.css";
import { useTheme } from "../frame/theme.js";
import type { Json } from "../json.js";
import { useStage } from "../state/stage.js";
import { LIBRARY_BLOCKS } from "./library-blocks.js";

function isLibraryBlock(block: Json): block is Json & Block {
  return typeof block.type === "string" && LIBRARY_BLOCKS.has(block.type);
}

/** A block that has nothing to press, as the library draws it. */
export function LibraryBlock({ block }: { block: Json }): ReactNode {
  // The library makes the block's id one of the document's, where it may be another's.
  const { block_id: _, ...drawn } = block;
  return isLibraryBlock(drawn) ? <Library block={drawn} /> : null;
}

export function LibraryEmoji({ name }: { name: string }): ReactNode {
  const block = useMemo<Block>(
    () => ({ type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "emoji", name }] }] }),
    [name],
  );
  return (
    <span className="library-emoji" role="img" aria-label={name.replaceAll("_", " ")}>
      <Library block={block} />
    </span>
  );
}

function Library({ block }: { block: Block }): ReactNode {
  const theme = useTheme();
  const { people, app, places } = useStage();
  const data = useMemo(
    () => ({
      users: [...people.map(({ id, realName }) => ({ id, name: realName })), { id: app.userId, name: app.name }],
      channels: places.map(({ id, name }) => ({ id, name })),
    }),
    [people, app, places],
  );
  return <Message blocks={[block]} data={data} logo="" name={app.name} theme={theme} withoutWrapper />;
}
