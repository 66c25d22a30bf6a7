/** Who asks for what in the bench? All that the rules of a scenario depend on. */

/** Who asks for what in a scenario: all that its contract depends on. */
export interface Case {
  readonly id: string;
  readonly task: string;
  readonly category: string;
  readonly customer: string;
  readonly street: string;
  readonly address: string;
}

const STREETS = ["via Po", "via Garibaldi", "corso Francia", "via Roma", "piazza Castello"];
const TASKS = ["address_change", "move_house", "correction", "second_site"];
const CATEGORIES = ["happy_path", "approval", "security", "error_handling"];

/** The four cases, the same for every N. */
export const CASES: readonly Case[] = Array.from({ length: 4 }, (_, index) => {
  const street = `${STREETS[index % STREETS.length]} ${index + 3}`;
  return {
    id: `bench-${String(index).padStart(3, "0")}`,
    task: TASKS[index % TASKS.length] ?? "address_change",
    category: CATEGORIES[index % CATEGORIES.length] ?? "happy_path",
    customer: `C-${1000 + index * 3}`,
    street,
    address: `${street}, Torino`,
  };
});
