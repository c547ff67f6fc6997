import type { ReactNode } from "react";

/** A decorative picture of the app, of Slackbot, or of a person with their initials. */
export function Avatar({ name, size = 36 }: { name: "app" | "Slackbot" | (string & {}); size?: number }): ReactNode {
  const drawn = DRAWN[name];
  return (
    <svg className="avatar" viewBox="0 0 36 36" width={size} height={size} aria-hidden="true">
      <rect width="36" height="36" rx="8" fill={drawn?.color ?? colorOf(name)} />
      {drawn?.picture ?? (
        <text x="18" y="23.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
          {initials(name)}
        </text>
      )}
    </svg>
  );
}

const DRAWN: Readonly<Record<string, { readonly color: string; readonly picture: ReactNode }>> = {
  app: {
    color: "#1d3557",
    picture: (
      <g stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M9 15v6M14 11v14M19 7.5v21" />
        <path d="M24 12v12M28.5 15.5v5" stroke="#8ecae6" />
      </g>
    ),
  },
  Slackbot: {
    color: "#6b7280",
    picture: (
      <g fill="#fff">
        <circle cx="12.5" cy="16" r="2.4" />
        <circle cx="23.5" cy="16" r="2.4" />
        <path d="M11 22.5c4 4 10 4 14 0" fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      </g>
    ),
  },
};

// White letters have enough contrast on each of them.
const PEOPLE = ["#7c3aed", "#b4236a", "#0f766e", "#b45309", "#1d4ed8", "#be123c"];

function colorOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return PEOPLE[sum % PEOPLE.length] ?? "#1d4ed8";
}

function initials(name: string): string {
  const letters = name.split(/\s+/).map((word) => word.charAt(0).toUpperCase());
  return letters.slice(0, 2).join("");
}
