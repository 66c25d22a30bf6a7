/** In which world do the bench's runs happen? Seeded records, the same for every N. */
import type { JsonObject, State } from "../../lib/model/json.ts";

/** mulberry32: numbers in [0,1) that depend on the seed alone. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The world before a case: 100 customers, 60 orders, 40 notes, 8 fields each. */
export function worldOf(index: number): State {
  const random = seeded(1000 + index);
  const pick = (limit: number) => Math.floor(random() * limit);
  const customers: JsonObject = {};
  for (let n = 0; n < 100; n++) {
    customers[`C-${1000 + n}`] = {
      name: `Studio Bianchi ${n}`,
      email: `s${n}@example.test`,
      vat: `IT${String(10000000000 + pick(899999999)).slice(0, 11)}`,
      shipping_address: `Via Verdi ${pick(90) + 1}, Torino`,
      billing_address: `Via Verdi ${pick(90) + 1}, Torino`,
      credit: pick(5000) / 4,
      active: random() < 0.9,
      updated_at: "2026-09-30",
    };
  }
  const orders: JsonObject = {};
  for (let n = 0; n < 60; n++) {
    orders[`O-${5000 + n}`] = {
      customer: `C-${1000 + pick(100)}`,
      state: random() < 0.5 ? "open" : "shipped",
      amount: pick(90000) / 100,
      currency: "EUR",
      items: pick(9) + 1,
      placed: "2026-09-12",
      carrier: "BRT",
      gift: random() < 0.1,
    };
  }
  const notes: JsonObject = {};
  for (let n = 0; n < 40; n++) {
    notes[`N-${100 + n}`] = {
      customer: `C-${1000 + pick(100)}`,
      text: "Chiamare dopo le 15",
      author: "crm",
      pinned: random() < 0.2,
      kind: "call",
      day: "2026-09-20",
      reads: pick(40),
      language: "it",
    };
  }
  return { customers, orders, notes };
}
