/** How bad is what nobody asked for, where the configuration says nothing? */
import type { Severities } from "./config.ts";

/** The severities that hold where the configuration says nothing. */
export const DEFAULT_SEVERITIES: Severities = {
  missing: 3,
  missing_message: 3,
  protected: 5,
  unrequested_message: 6,
  other_record: 8,
  file: 8,
  forbidden: 10,
};
