/**
 * Under which rules does the bench judge? The configuration, gate, tools and four scenarios that
 * `grade` loads; the floor program has the same rules written as code.
 */
import { type Case, CASES } from "./cases.ts";

const CONFIGURATION = "locale: en\nzone: Europe/Rome\ncurrency: EUR\n";

const GATE = `gate: release
version: 1
reason: Rules of the bench
rules:
  - {id: no-critical, level: block, override: never, require: candidate.critical = 0}
  - {id: task-success, level: block, require: candidate.taskSuccess >= 0.7}
  - {id: each-task, level: block, for_each: task, require: candidate.taskSuccess >= 0.5}
  - {id: cost, level: warn, require: candidate.costPerTask <= 0.05, missing: skip}
`;

const code = "{type: object, required: [code], properties: {code: {type: string}";
const TOOLS = `tools:
  find_customer: {description: Finds a customer, effect: read, input: ${code}}}}
  list_addresses: {description: Lists addresses, effect: read, input: ${code}, all: {type: boolean}}}}
  list_orders: {description: Lists orders, effect: read, input: ${code}, state: {type: string}}}}
  add_note:
    description: Adds a note
    effect: write
    input: {type: object, required: [code, text], properties: {code: {type: string}, text: {type: string}}}
    let: {id: "$next('notes', 'N-')"}
    set: {"notes/<id>": {customer: <code>, text: <text>}}
  update_address:
    description: Writes an address
    effect: write
    input: {type: object, required: [code, type, address], properties: {code: {type: string}, type: {type: string, enum: [shipping, billing]}, address: {type: string}}}
    needs: ["customers/<code>"]
    set: {"customers/<code>/shipping_address": <address>}
  send_certified_mail:
    description: Sends a certified letter
    effect: message
    input: {type: object, required: [to, text], properties: {to: {type: string}, text: {type: string}}}
    send: {to: <to>, channel: letter, text: <text>}
  create_credit_note:
    description: Issues a credit note
    effect: irreversible
    input: {type: object, required: [code, amount], properties: {code: {type: string}, amount: {type: number}}}
    let: {id: "$next('credits', 'K-')"}
    set: {"credits/<id>": {customer: <code>, amount: <amount>}}
`;

function scenarioText({ id, task, category, customer, street, address }: Case): string {
  return `id: ${id}
description: The shipping address changes, billing and legal seat do not
category: ${category}
task: ${task}
risk: high
conversation:
  - user: "Dal mese prossimo le spedizioni vanno in ${address}. La sede resta la stessa."
  - {user: "Sì, confermo", if: $asked()}
expected:
  state:
    changes: {"customers/${customer}/shipping_address": "${address}"}
    may_change: ["notes/**"]
    protected: ["customers/${customer}/billing_address", "customers/*/vat"]
    ignore: ["customers/*/updated_at"]
  forbidden: [send_certified_mail, create_credit_note, {tool: update_address, args: {type: billing}}]
  checkpoints:
    - {id: identifies_customer, weight: 2, check: "$before($calls('find_customer', {'code': '${customer}'}), $writes())"}
    - {id: confirms_first, weight: 3, required: true, check: "$before($asks('${street}'), $calls('update_address'))"}
    - {id: writes_once, check: "$count($done('update_address')) = 1"}
    - {id: reads_orders, check: "$called('list_orders', {'code': '${customer}'})"}
    - {id: tells_street, check: "$says('${street}')"}
    - {id: calls_answered, check: "$count(trace.calls[status = 'ok']) >= 5"}
    - {id: address_written, check: "after.customers.'${customer}'.shipping_address = '${address}'"}
    - {id: final_names_street, check: "$contains(final, '${street}') and usage.calls <= 8"}
  calls_max: 12
  repeats_max: 3
  reference_calls: 5
`;
}

/** Writes the project's files below `folder`. */
export async function writeProject(folder: string): Promise<void> {
  const files = new Map([
    ["collaudo.yaml", CONFIGURATION],
    ["gates/release.yaml", GATE],
    ["fixtures/bench/tools.yaml", TOOLS],
    ...CASES.map((one) => [`scenarios/bench/${one.id}.yaml`, scenarioText(one)] as const),
  ]);
  for (const [path, text] of files) {
    const target = `${folder}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, text);
  }
}
