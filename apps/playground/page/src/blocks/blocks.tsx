import { lazy, type ReactNode, Suspense, useId } from "react";
import { Element, Unknown } from "../elements/element.js";
import { useSurface } from "../elements/surface.js";
import { isObject, type Json, labelIn, listIn, stringIn } from "../json.js";
import { readRichText } from "../text/rich-text.js";
import { Parts, SlackText } from "../text/slack-text.js";
import { DataTable } from "./data-table.js";

// Loaded on demand, because the chart library is large.
const Chart = lazy(async () => ({ default: (await import("./chart.js")).Chart }));

const drawn: Readonly<Record<string, (props: { block: Json }) => ReactNode>> = {
  actions: Actions,
  context: Context,
  data_table: DataTable,
  data_visualization: ({ block }) => (
    <Suspense fallback={<div className="loading">…</div>}>
      <Chart block={block} />
    </Suspense>
  ),
  divider: () => <hr />,
  header: Header,
  input: InputBlock,
  rich_text: ({ block }) => <Parts parts={readRichText(block)} />,
  section: Section,
};

/** Renders the blocks of a message, a modal or a home. */
export function Blocks({ blocks }: { blocks: readonly Json[] }): ReactNode {
  return blocks.map((block, at) => {
    const type = stringIn(block.type);
    const Drawn = drawn[type];
    return (
      <div key={stringIn(block.block_id) || `at-${at}`} className="block" data-block={type}>
        {Drawn ? <Drawn block={block} /> : <Unknown type={type} />}
      </div>
    );
  });
}

function Section({ block: { text, fields } }: { block: Json }): ReactNode {
  return (
    <div className="section">
      {isObject(text) && <SlackText text={text} />}
      <Texts className="fields" texts={listIn(fields)} />
    </div>
  );
}

function Context({ block }: { block: Json }): ReactNode {
  return <Texts className="context" texts={listIn(block.elements)} />;
}

function Texts({ className, texts }: { className: string; texts: readonly Json[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <div className={className}>
      {texts.map((text, at) => (
        <div key={`at-${String(at)}`}>
          <SlackText text={text} />
        </div>
      ))}
    </div>
  );
}

// The higher heading levels belong to the page and the conversation.
function Header({ block: { text } }: { block: Json }): ReactNode {
  return <h3 className="header">{isObject(text) && <SlackText text={text} />}</h3>;
}

function Actions({ block }: { block: Json }): ReactNode {
  return (
    <div className="actions">
      {listIn(block.elements).map((element, at) => (
        <Element key={stringIn(element.action_id) || `at-${at}`} block={block} element={element} />
      ))}
    </div>
  );
}

/** Elements with several controls, which need a group label. */
const GROUPS = new Set(["radio_buttons", "checkboxes"]);

/** An input with its label, hint and error. */
function InputBlock({ block }: { block: Json }): ReactNode {
  const id = useId();
  const blockId = stringIn(block.block_id);
  const error = useSurface().errors[blockId];
  const hint = labelIn(block.hint);
  const isOptional = block.optional === true;
  const { element } = block;
  if (!isObject(element)) return null;
  const isGroup = GROUPS.has(stringIn(element.type));
  const [Box, Label] = isGroup ? (["fieldset", "legend"] as const) : (["div", "label"] as const);
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const input = {
    id,
    name: blockId,
    required: !isOptional,
    "aria-describedby": about,
    "aria-invalid": error !== undefined,
  };
  return (
    <Box className="input" data-input={blockId}>
      <Label className="label" {...(!isGroup && { htmlFor: id })}>
        {labelIn(block.label)}
        {isOptional && <span className="muted"> (optional)</span>}
      </Label>
      <Element block={block} element={element} input={input} />
      {error !== undefined && (
        <div className="error is-small" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
      {hint && (
        <div className="muted is-small" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </Box>
  );
}
