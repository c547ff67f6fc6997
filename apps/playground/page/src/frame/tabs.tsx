import type { ReactNode } from "react";

interface TabsProps<Tab extends string> {
  readonly label: string;
  /** The tabs and their names. */
  readonly tabs: readonly (readonly [tab: Tab, name: ReactNode])[];
  readonly chosen: Tab;
  readonly choose: (tab: Tab) => void;
  /** The id of the panel that the chosen tab shows. */
  readonly panel: string;
}

/** Tabs with arrow key navigation. Their element ids are `tab-` followed by the tab. */
export function Tabs<Tab extends string>({ label, tabs, chosen, choose, panel }: TabsProps<Tab>): ReactNode {
  const chosenAt = tabs.findIndex(([tab]) => tab === chosen);
  const onKeyDown = (key: string): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const next = step && tabs.at((chosenAt + step) % tabs.length)?.[0];
    if (!next) return;
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className="tabs">
      {tabs.map(([tab, name]) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === chosen}
          aria-controls={tab === chosen ? panel : undefined}
          tabIndex={tab === chosen ? 0 : -1}
          onKeyDown={({ key }) => onKeyDown(key)}
          onClick={() => choose(tab)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
