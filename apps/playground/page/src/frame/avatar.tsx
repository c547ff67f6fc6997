import type { ReactNode } from "react";

type Who = { readonly kind: "app" | "slackbot" } | { readonly kind: "person"; readonly name: string };

/** A decorative picture of a person or an app. */
export function Avatar({ who, size = 36 }: { who: Who; size?: number }): ReactNode {
  return (
    <svg className="avatar" viewBox="0 0 36 36" width={size} height={size} aria-hidden="true">
      <rect width="36" height="36" rx="8" fill={who.kind === "person" ? colorOf(who.name) : COLORS[who.kind]} />
      {who.kind === "person" ? (
        <text x="18" y="23.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
          {initials(who.name)}
        </text>
      ) : (
        DRAWN[who.kind]
      )}
    </svg>
  );
}

const COLORS = { app: "#1d3557", slackbot: "#6b7280" } as const;

const DRAWN = {
  app: (
    <g stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
      <path d="M9 15v6M14 11v14M19 7.5v21" />
      <path d="M24 12v12M28.5 15.5v5" stroke="#8ecae6" />
    </g>
  ),
  slackbot: (
    <g fill="#fff">
      <circle cx="12.5" cy="16" r="2.4" />
      <circle cx="23.5" cy="16" r="2.4" />
      <path d="M11 22.5c4 4 10 4 14 0" fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
    </g>
  ),
} as const;

// White letters have enough contrast on each of them.
const PEOPLE = ["#7c3aed", "#b4236a", "#0f766e", "#b45309", "#1d4ed8", "#be123c"];

function colorOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return PEOPLE[sum % PEOPLE.length] ?? "#1d4ed8";
}

function initials(name: string): string {
  return name
    .split(/\s+/)
    .map((word) => word.charAt(0).toUpperCase())
    .slice(0, 2)
    .join("");
}
