/**
 * In which words is told what must be known first? English and Italian of one type: a word that one
 * of them lacks does not compile. Names come in escaped for their place already.
 */

/** Entered in the English catalogue as `alerts`. */
export const ALERTS_ENGLISH = {
  source_changed: (what: string) => `The agent changed what it is evaluated by: ${what}`,
  other_model: (wanted: string, answered: string) =>
    `Another model answered than the configured ${wanted}: ${answered}`,
  other_baseline_model: (then: string, now: string) =>
    `The baseline was measured with another model: ${then}, not ${now}`,
  inScenarios: (scenarios: string) => ` (in ${scenarios})`,
};

/** Entered in the Italian catalogue as `alerts`. */
export const ALERTS_ITALIAN: typeof ALERTS_ENGLISH = {
  source_changed: (what) => `L'agente ha cambiato ciò su cui è valutato: ${what}`,
  other_model: (wanted, answered) =>
    `Ha risposto un altro modello invece di quello configurato, ${wanted}: ${answered}`,
  other_baseline_model: (then, now) =>
    `Il riferimento è stato misurato con un altro modello: ${then}, non ${now}`,
  inScenarios: (scenarios) => ` (in ${scenarios})`,
};
