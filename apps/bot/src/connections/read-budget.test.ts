import { describe, expect, it } from "vitest";
import { createReadBudget, NoRoomError } from "./read-budget.js";

describe("the budget of what is read at once", () => {
  it("refuses a workspace that reads more than its share, and still has room for another one", () => {
    const reads = createReadBudget({ total: 100, perTeam: 40 });
    const [first, second, other] = [reads.open("T1"), reads.open("T1"), reads.open("T2")];
    first.take(30);
    expect(() => second.take(11)).toThrow(NoRoomError);
    second.take(10);
    other.take(40);
  });

  it("refuses everyone what would be too much for all together", () => {
    const reads = createReadBudget({ total: 100, perTeam: 40 });
    for (const team of ["T1", "T2"]) reads.open(team).take(40);
    expect(() => reads.open("T3").take(21)).toThrow(NoRoomError);
    reads.open("T3").take(20);
  });

  it("has room again when a request has ended, and gives an ended one nothing", () => {
    const reads = createReadBudget({ total: 100, perTeam: 40 });
    const first = reads.open("T1");
    first.take(40);
    first.end();
    first.end();
    expect(() => first.take(1)).toThrow(NoRoomError);
    const second = reads.open("T1");
    second.take(40);
    expect(() => second.take(1)).toThrow(NoRoomError);
  });

  it("counts an answer until the last request that shares it has ended, in whatever order they end", () => {
    const reads = createReadBudget({ total: 100, perTeam: 40 });
    const [owner, sharer] = [reads.open("T1"), reads.open("T1")];
    owner.take(40);
    sharer.share(owner);
    owner.share(sharer);
    owner.end();
    expect(() => reads.open("T1").take(1)).toThrow(NoRoomError);
    sharer.end();
    reads.open("T1").take(40);
  });

  it("is by itself a small part of the memory, of which one workspace gets a quarter", () => {
    const [allowance, other] = [createReadBudget(), createReadBudget()].map((reads) => reads.open("T1"));
    expect(() => allowance?.take(32 * 2 ** 20 + 1)).toThrow(NoRoomError);
    other?.take(8 * 2 ** 20);
  });
});
