import type { User, World } from "../world/model.js";

/** Asks whoever looks at it to allow the app, as one of these people. */
export function askingPage(world: World, scopes: readonly string[], people: readonly User[]): string {
  const choices = people.map(({ id, name, teamId }) => {
    const team = world.teams.get(teamId)?.name ?? teamId;
    return `<option value="${escaped(id)}">${escaped(name)} in ${escaped(team)}</option>`;
  });
  return page(
    "Allow the app?",
    `<p>It asks for:</p>
<ul>${scopes.map((scope) => `<li>${escaped(scope)}</li>`).join("")}</ul>
<form method="post">
<label>You are <select name="user">${choices.join("")}</select></label>
<button name="decision" value="deny">Cancel</button>
<button name="decision" value="allow">Allow</button>
</form>`,
  );
}

/** Why Slack does not even ask: `invalid_client_id`. */
export function refusingPage(error: string): string {
  return page("Something went wrong", `<p>Slack says: <code>${escaped(error)}</code></p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
