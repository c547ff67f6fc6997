import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVault, MASTER_KEY_BYTES } from "./index.js";

describe("a vault", () => {
  const vault = createVault(Buffer.alloc(MASTER_KEY_BYTES, 7));

  it("decrypts any secret that it encrypted", async () => {
    const text = fc.string({ unit: "binary" });
    await fc.assert(
      fc.asyncProperty(text, text, async (secret, purpose) => {
        expect(await vault.open(await vault.seal(secret, purpose), purpose)).toBe(secret);
      }),
    );
  });

  it("refuses another purpose, and a secret that was changed", async () => {
    const sealed = await vault.seal("secret", "test 1");
    await expect(vault.open(sealed, "test 2")).rejects.toThrow("not sealed as test 2");
    const [header, ...rest] = sealed.split(".");
    const forged = JSON.parse(Buffer.from(header ?? "", "base64url").toString());
    const other = Buffer.from(JSON.stringify({ ...forged, purpose: "test 2" })).toString("base64url");
    await expect(vault.open([other, ...rest].join("."), "test 2")).rejects.toThrow("decryption");
  });

  it("refuses another master key, whose id differs", async () => {
    const other = createVault(Buffer.alloc(MASTER_KEY_BYTES, 8));
    await expect(other.open(await vault.seal("secret", "test"), "test")).rejects.toThrow("decryption");
    expect(other.keyId).not.toBe(vault.keyId);
    expect(createVault(Buffer.alloc(MASTER_KEY_BYTES, 7)).keyId).toBe(vault.keyId);
  });

  it("never encrypts a secret twice to the same text", async () => {
    expect(await vault.seal("secret", "test")).not.toBe(await vault.seal("secret", "test"));
  });

  // Otherwise, secrets that an older version encrypted could no longer be read.
  it("decrypts secrets of older versions, and recognizes its master key", async () => {
    const sealed =
      "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiOFNtOE5vbTBrR0luVFloeSIsInB1cnBvc2UiOiJ0ZXN0IDEifQ..ewtf3sf5EBs_v50T.4I9bUXszjyMYIw.QC2gJ8MoyeObNnJteOLKfw";
    expect(vault.keyId).toBe("8Sm8Nom0kGInTYhy");
    expect(await vault.open(sealed, "test 1")).toBe("geheim ✓");
  });
});
