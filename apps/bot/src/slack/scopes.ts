/** What the bot may do in a workspace: no more than it needs. `manifest.yaml` and the documentation say what each is for. */
export const SCOPES = ["commands", "chat:write", "files:write", "im:write", "users:read", "usergroups:read"] as const;
