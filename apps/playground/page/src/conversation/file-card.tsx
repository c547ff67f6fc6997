import type { SeenFile } from "@media-ops/fake-slack";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";

/** A file in a message: to look into, or to take away. */
export function FileCard({ file }: { file: SeenFile }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const url = useBlobUrl(file.content);
  return (
    <div className="file">
      <svg viewBox="0 0 24 30" width="28" height="34" aria-hidden="true">
        <path d="M3 1h12l7 7v19a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2Z" fill="var(--accent)" />
        <path d="M15 1v7h7" fill="#fff" fillOpacity=".45" />
        <path d="M6 15h12M6 19h12M6 23h8" stroke="#fff" strokeWidth="1.6" />
      </svg>
      <div className="file-name">
        <strong>{file.title || file.name}</strong>
        <span className="muted is-small">
          {file.title && file.title !== file.name ? `${file.name} · ` : ""}
          {sizeOf(file.content)}
        </span>
      </div>
      <button type="button" className="button" aria-label={`Preview ${file.name}`} onClick={() => setOpen(true)}>
        Preview
      </button>
      <a className="button" aria-label={`Download ${file.name}`} href={url} download={file.name}>
        Download
      </a>
      {isOpen && createPortal(<Preview file={file} onClose={() => setOpen(false)} />, document.body)}
    </div>
  );
}

/** What a browser draws without a pause. */
const MOST_SHOWN = 200_000;

function Preview({ file, onClose }: { file: SeenFile; onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const more = file.content.length - MOST_SHOWN;
  return (
    <dialog ref={dialog} className="dialog is-wide" aria-labelledby={id} onClose={onClose}>
      <header className="dialog-head">
        <h2 id={id}>{file.title || file.name}</h2>
        <button type="button" className="button is-icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
      <pre className="dialog-body preview" tabIndex={0}>
        {file.content.slice(0, MOST_SHOWN)}
        {more > 0 && `\n… and ${more.toLocaleString("en-US")} more characters`}
      </pre>
    </dialog>
  );
}

/** An address in the page itself under which the content can be had. */
function useBlobUrl(content: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([content], { type: "text/plain;charset=utf-8" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url;
}

function sizeOf(content: string): string {
  const bytes = new TextEncoder().encode(content).length;
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
