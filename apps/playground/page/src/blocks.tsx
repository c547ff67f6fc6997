import type { Entry } from "@media-ops/fake-slack";
import { createContext, lazy, type ReactNode, Suspense, useContext, useId, useState } from "react";
import { isObject } from "../../src/json.js";
import type { Surface } from "../../src/window/protocol.js";
import { DataTable } from "./data-table.js";
import { initialValue, isInitial, menuOf, optionValue } from "./form.js";
import { type Json, labelIn, listIn, numberIn, stringIn } from "./json.js";
import { keyAt, Parts, readRichText, SlackText } from "./slack-text.js";
import { useStage, type WindowAction } from "./stage.js";

// Loaded on demand, because the chart library is large.
const Chart = lazy(async () => ({ default: (await import("./chart.js")).Chart }));

interface SurfaceState {
  readonly on: Surface;
  /** Errors by block id. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly perform: (action: WindowAction) => Promise<unknown>;
}

const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error("An element must be inside Blocks.");
  return surface;
}

/** Renders the blocks of a message, a modal or a home. */
export function Blocks({ blocks, ...surface }: SurfaceState & { readonly blocks: readonly Json[] }): ReactNode {
  return (
    <SurfaceContext value={surface}>
      {blocks.map((block, at) => {
        const type = stringIn(block.type);
        const Drawn = drawn[type];
        return (
          <div key={stringIn(block.block_id) || keyAt(at)} className="block" data-block={type}>
            {Drawn ? <Drawn block={block} /> : <Unknown type={type} />}
          </div>
        );
      })}
    </SurfaceContext>
  );
}

const drawn: Readonly<Record<string, (props: { block: Json }) => ReactNode>> = {
  actions: Actions,
  context: ({ block }) => <Texts className="context" texts={listIn(block.elements)} />,
  data_table: DataTable,
  data_visualization: ({ block }) => (
    <Suspense fallback={<div className="loading">…</div>}>
      <Chart block={block} />
    </Suspense>
  ),
  divider: () => <hr />,
  // The higher heading levels belong to the page and the conversation.
  header: ({ block: { text } }) => <h3 className="header">{isObject(text) && <SlackText text={text} />}</h3>,
  input: InputBlock,
  rich_text: ({ block }) => <Parts parts={readRichText(block)} />,
  section: ({ block: { text, fields } }) => (
    <div className="section">
      {isObject(text) && <SlackText text={text} />}
      <Texts className="fields" texts={listIn(fields)} />
    </div>
  ),
};

function Unknown({ type }: { type: string }): ReactNode {
  return (
    <div className="unknown">
      Not drawn here: <code>{type || "a block without a type"}</code>
    </div>
  );
}

function Texts({ className, texts }: { className: string; texts: readonly Json[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <div className={className}>
      {texts.map((text, at) => (
        <div key={keyAt(at)}>
          <SlackText text={text} />
        </div>
      ))}
    </div>
  );
}

function Actions({ block }: { block: Json }): ReactNode {
  return (
    <div className="actions">
      {listIn(block.elements).map((element, at) => (
        <Element key={stringIn(element.action_id) || keyAt(at)} block={block} element={element} />
      ))}
    </div>
  );
}

/** Elements with several controls, which need a group label. */
const GROUPS = new Set(["radio_buttons", "checkboxes"]);

function InputBlock({ block }: { block: Json }): ReactNode {
  const id = useId();
  const blockId = stringIn(block.block_id);
  const error = useSurface().errors?.[blockId];
  const hint = labelIn(block.hint);
  const isOptional = block.optional === true;
  const { element } = block;
  if (!isObject(element)) return null;
  const isGroup = GROUPS.has(stringIn(element.type));
  const [Box, Label] = isGroup ? (["fieldset", "legend"] as const) : (["div", "label"] as const);
  const input = {
    id,
    name: blockId,
    required: !isOptional,
    "aria-describedby": [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined,
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

interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** The attributes that identify, label and validate an input's control. Undefined outside inputs. */
  readonly input?: {
    readonly id: string;
    readonly name: string;
    readonly required: boolean;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean;
  };
}

const elements: Readonly<Record<string, (props: ElementProps) => ReactNode>> = {
  button: Button,
  static_select: Select,
  conversations_select: Select,
  radio_buttons: Boxes,
  checkboxes: Boxes,
  plain_text_input: TextInput,
  number_input: TextInput,
  datetimepicker: ({ input }) => <input {...input} className="control is-picker" type="datetime-local" />,
};

function Element(props: ElementProps): ReactNode {
  const type = stringIn(props.element.type);
  const Drawn = elements[type];
  return Drawn ? <Drawn {...props} /> : <Unknown type={type} />;
}

/** Returns a function that sends a press or a choice to the app, once the person has confirmed it if necessary. */
function useSend({ block, element }: ElementProps): (entry?: Entry) => Promise<void> {
  const { confirm } = useStage();
  const { on, perform } = useSurface();
  return async (entry) => {
    if (isObject(element.confirm) && !(await confirm(element.confirm))) return;
    const where = { on, blockId: stringIn(block.block_id), actionId: stringIn(element.action_id) };
    await perform(entry === undefined ? { do: "press", ...where } : { do: "choose", ...where, entry });
  };
}

const STYLES: Readonly<Record<string, string>> = {
  primary: "button is-primary",
  danger: "button is-danger-quiet",
};

function Button(props: ElementProps): ReactNode {
  const { style, text } = props.element;
  const send = useSend(props);
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await send();
    setBusy(false);
  };
  return (
    <button
      type="button"
      className={STYLES[stringIn(style)] ?? "button"}
      aria-busy={isBusy}
      onClick={() => void press()}
    >
      {labelIn(text)}
    </button>
  );
}

/** Radio buttons and checkboxes. */
function Boxes({ element, input }: ElementProps): ReactNode {
  const isOne = element.type === "radio_buttons";
  return listIn(element.options).map((option) => {
    const { text, description } = option;
    const value = optionValue(option);
    return (
      <label key={value} className="choice">
        <input
          type={isOne ? "radio" : "checkbox"}
          name={input?.name}
          required={isOne && input?.required}
          value={value}
          defaultChecked={isInitial(element, option)}
        />
        <span>
          {isObject(text) && <SlackText text={text} />}
          {isObject(description) && (
            <span className="muted is-small">
              <SlackText text={description} />
            </span>
          )}
        </span>
      </label>
    );
  });
}

/** A menu of options, or of the person's conversations. */
function Select(props: ElementProps): ReactNode {
  const { element, input } = props;
  const { places, here } = useStage();
  const send = useSend(props);
  const { options, initial } = menuOf(element, places, here);
  const placeholder = labelIn(element.placeholder) || "Choose one";
  return (
    <select
      {...input}
      // The app may choose another option in an update.
      key={initial}
      className="control"
      aria-label={input ? undefined : placeholder}
      defaultValue={initial}
      // Slack does not send an empty choice.
      onChange={({ target }) => !input && target.value !== "" && void send(target.value)}
    >
      <option value="">{placeholder}</option>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function TextInput({ element, input }: ElementProps): ReactNode {
  const shared = {
    ...input,
    className: "control",
    maxLength: numberIn(element.max_length),
    placeholder: labelIn(element.placeholder),
    autoComplete: "off",
    spellCheck: false,
    defaultValue: initialValue(element),
  };
  if (element.multiline === true) return <textarea {...shared} rows={3} />;
  return (
    <input
      {...shared}
      type={element.type === "number_input" ? "number" : "text"}
      min={stringIn(element.min_value)}
      max={stringIn(element.max_value)}
    />
  );
}
