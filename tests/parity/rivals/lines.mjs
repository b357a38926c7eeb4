// Answers one JSON line a case, until there are no more lines.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** A module out of the packages in the folder that the program is given. */
export function installed(name) {
  const { resolve } = createRequire(join(process.argv[2], "package.json"));
  return import(pathToFileURL(resolve(name)));
}

/** The options that a configuration spells after its name: `name/option=1/option=2`. */
export function optionsOf(configuration) {
  const [name, ...parts] = configuration.split("/");
  const options = parts.map((part) => part.split("=")).map(([key, value]) => [key, Number(value)]);
  return [name, Object.fromEntries(options)];
}

/** Write what `measure` says of each case; what it throws is its answer, too. */
export async function answer(measure) {
  for await (const line of createInterface({ input: process.stdin })) {
    let said;
    try {
      said = await measure(JSON.parse(line));
    } catch (error) {
      said = { error: `${error.name}: ${error.message}` };
    }
    process.stdout.write(`${JSON.stringify(said)}\n`);
  }
  process.exit(0);
}
