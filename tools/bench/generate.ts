/**
 * What does the bench judge? A seeded project (one suite of four scenarios with a side-effect
 * contract and eight checkpoints each, a gate, tools) and N recorded runs of it: twelve events,
 * about 4 KB a line, a world of 200 records with 8 fields, one to three changes. The same runs in
 * two forms: before-states shared by hash, or both states whole in each line.
 */
import { hashState } from "../../lib/model/hash.ts";
import type { JsonObject, State } from "../../lib/model/json.ts";
import { type Case, CASES } from "./cases.ts";
import { seeded, worldOf } from "./world.ts";

/** How the states are stored. */
export type Form = "shared" | "whole";

type Fate =
  | "good"
  | "billing"
  | "unconfirmed"
  | "other_customer"
  | "idle"
  | "certified_mail"
  | "cut_short";

const FATES: readonly (readonly [share: number, fate: Fate])[] = [
  [0.78, "good"],
  [0.05, "billing"],
  [0.04, "unconfirmed"],
  [0.04, "other_customer"],
  [0.03, "idle"],
  [0.03, "certified_mail"],
  [1, "cut_short"],
];

function fateOf(random: () => number): Fate {
  let left = random();
  for (const [share, fate] of FATES) {
    if (left < share) return fate;
    left -= share;
  }
  return "good";
}

interface Written {
  readonly events: JsonObject[];
  readonly changes: JsonObject[];
  readonly after: State;
  readonly ended: JsonObject;
}

/** The n-th run: its case is `n mod 4`, its trial `n div 4 + 1`. */
function writeRun(n: number, before: State, random: () => number): Written {
  const subject = CASES[n % CASES.length] as Case;
  const fate = fateOf(random);
  const after: State = { ...before };
  const changes: JsonObject[] = [];
  const set = (id: string, field: string, value: string) => {
    const customers = after.customers as JsonObject;
    const record = customers[id] as JsonObject;
    const path = `customers/${id}/${field}`;
    changes.push({ path, op: "changed", before: record[field] ?? null, after: value });
    after.customers = { ...customers, [id]: { ...record, [field]: value } };
  };
  const wrote = deeds(subject, fate, { random, set });
  let note: string | null = null;
  if (random() < 0.5) {
    note = `N-${900 + Math.floor(random() * 90)}`;
    const record = {
      ...(before.notes as JsonObject)["N-100"] as JsonObject,
      text: "Nuovo indirizzo",
    };
    after.notes = { ...(before.notes as JsonObject), [note]: record };
    changes.push({ path: `notes/${note}`, op: "added", after: record });
  }
  changes.sort((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
  return {
    events: eventsOf(subject, fate, { wrote, note, before, random }),
    changes,
    after,
    ended: fate === "cut_short" ? { kind: "limit", detail: "calls" } : { kind: "completed" },
  };
}

function deeds(
  subject: Case,
  fate: Fate,
  world: { random: () => number; set(id: string, field: string, value: string): void },
): string[] {
  if (fate === "idle") return [];
  const field = fate === "billing" ? "billing_address" : "shipping_address";
  world.set(subject.customer, field, subject.address);
  const wrote = [`customers/${subject.customer}/${field}`];
  if (world.random() < 0.5) {
    world.set(subject.customer, "updated_at", "2026-10-01");
    wrote.push(`customers/${subject.customer}/updated_at`);
  }
  if (fate === "other_customer") {
    world.set("C-1099", "shipping_address", subject.address);
    wrote.push("customers/C-1099/shipping_address");
  }
  return wrote;
}

interface Told {
  readonly wrote: readonly string[];
  readonly note: string | null;
  readonly before: State;
  readonly random: () => number;
}

function eventsOf(subject: Case, fate: Fate, told: Told): JsonObject[] {
  const { customer, street, address } = subject;
  const record = (told.before.customers as JsonObject)[customer] ?? null;
  const orders = Object.entries(told.before.orders as JsonObject).slice(0, 5)
    .map(([id, order]) => ({ id, ...(order as JsonObject) }));
  const write = call("c3", fate === "idle" ? "list_addresses" : "update_address", {
    args: fate === "idle"
      ? { code: customer }
      : { code: customer, type: fate === "billing" ? "billing" : "shipping", address },
    effect: fate === "idle" ? "read" : "write",
    result: { ok: true },
    wrote: told.wrote,
  });
  const ask = say("assistant", `Aggiorno l'indirizzo di spedizione a ${street}, conferma?`);
  const events = [
    say("user", `Dal mese prossimo le spedizioni vanno in ${address}. La sede resta la stessa.`),
    call("c1", "find_customer", { args: { code: customer }, effect: "read", result: record }),
    call("c2", "list_addresses", { args: { code: customer }, effect: "read", result: record }),
    ...(fate === "unconfirmed" ? [write, ask] : [ask]),
    say("user", "Sì, confermo"),
    ...(fate === "unconfirmed" ? [] : [write]),
    fate === "certified_mail"
      ? call("c4", "send_certified_mail", {
        args: { to: "studio@example.test", text: address },
        effect: "message",
        status: "error",
        result: { error: "not available" },
      })
      : call("c4", "list_orders", { args: { code: customer }, effect: "read", result: orders }),
    told.note === null
      ? call("c5", "find_customer", { args: { code: "C-1098" }, effect: "read", result: record })
      : call("c5", "add_note", {
        args: { code: customer, text: "Nuovo indirizzo" },
        effect: "write",
        result: { note: told.note },
        wrote: [`notes/${told.note}`],
      }),
    { kind: "notice", level: "info", text: "context at 40 percent" },
    call("c6", "list_orders", {
      args: { code: customer, state: "open" },
      effect: "read",
      result: orders.slice(0, 3),
    }),
    call("c7", "list_addresses", {
      args: { code: customer, all: true },
      effect: "read",
      result: record,
    }),
    say("assistant", `Fatto: da ottobre le spedizioni vanno in ${address}. Buona giornata!`),
  ];
  return timed(events as JsonObject[], told.random);
}

function timed(events: readonly JsonObject[], random: () => number): JsonObject[] {
  let atMs = 0;
  let turn = 0;
  return events.map((event) => {
    if (event.role === "user") turn += 1;
    atMs += 20 + Math.floor(random() * 400);
    const end = event.kind === "call" ? { endMs: atMs + 15 } : {};
    return { ...event, atMs, turn, ...end };
  });
}

function say(role: string, text: string): JsonObject {
  return { kind: "message", role, text };
}

function call(id: string, tool: string, told: Record<string, unknown>): JsonObject {
  return {
    kind: "call",
    id,
    tool,
    status: "ok",
    wrote: [],
    source: "tools",
    ...told,
  } as JsonObject;
}

/** Writes `runs-<form>-<count>.jsonl` below `folder`, streamed; returns its path. */
export async function writeRuns(folder: string, form: Form, count: number): Promise<string> {
  const path = `${folder}/runs-${form}-${count}.jsonl`;
  const worlds = CASES.map((_, index) => worldOf(index));
  const hashes = worlds.map(hashState);
  const random = seeded(42);
  const file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  let text = form === "shared"
    ? worlds.map((state, i) => stateLine(state, hashes[i])).join("")
    : "";
  for (let n = 0; n < count; n++) {
    const before = worlds[n % worlds.length] as State;
    const { events, changes, after, ended } = writeRun(n, before, random);
    const state = form === "whole"
      ? { before, after }
      : { before: { ref: hashes[n % worlds.length] }, after: { changes, hash: hashState(after) } };
    text += `${JSON.stringify({ ...headOf(n), ended, events, state, usage: usageOf(random) })}\n`;
    if (text.length > 1 << 20) {
      await writer.write(encoder.encode(text));
      text = "";
    }
  }
  await writer.write(encoder.encode(text));
  await writer.close();
  return path;
}

function stateLine(state: State, hash: string | undefined): string {
  return `${JSON.stringify({ schema: "collaudo/state@1", hash, state })}\n`;
}

function headOf(n: number) {
  return {
    schema: "collaudo/run@1",
    scenario: (CASES[n % CASES.length] as Case).id,
    trial: Math.floor(n / CASES.length) + 1,
    mode: "recorded",
    agent: { name: "crm", model: "bench" },
    startedAt: "2026-10-01T09:00:00+02:00",
  };
}

function usageOf(random: () => number) {
  return {
    inputTokens: 2000 + Math.floor(random() * 4000),
    outputTokens: 200 + Math.floor(random() * 300),
    latencyMs: 1500 + Math.floor(random() * 4000),
    cost: {
      amount: Math.floor(random() * 40000) / 1e6,
      currency: "EUR",
      billing: "metered",
    },
  };
}
