/** Claims of success, Italian and English. */
import assert from "node:assert/strict";
import { claimsSuccess } from "./claim.ts";

const CLAIMED = [
  "Fatto!",
  "Ho aggiornato l'indirizzo di spedizione.",
  "Tutto a posto, buona giornata",
  "La mail è stata inviata. Serve altro?",
  "I've updated the address.",
  "Done. The refund was issued and the customer informed",
  "Non era semplice. Ordine annullato.",
];

const NOT_CLAIMED = [
  "",
  "Non ho aggiornato nulla.",
  "Purtroppo l'invio è fallito",
  "Vuole che sia aggiornato?",
  "I couldn't update it.",
  "The address was not changed.",
  "Will be sent tomorrow.",
  "Quando sarà spedito avviserò",
  "Il Fattore K",
  "Mi serve il numero dell'ordine",
];

Deno.test("claimsSuccess() sees claims, not denials, questions or plans", () => {
  for (const text of CLAIMED) assert.equal(claimsSuccess(text), true, text);
  for (const text of NOT_CLAIMED) assert.equal(claimsSuccess(text), false, text);
});
