/** Is this the single executable that `npm run build` makes, with all modules inside it? */
const isExecutable = 'Bun' in globalThis && Bun.isStandaloneExecutable;

/**
 * The first module of a thread, by its name in this folder. Sources end with .ts and what is made of them with .js; in
 * the executable the main module is at the top and the others are where they were, below it.
 */
export function threadFile(name: string): URL {
  if (isExecutable) return new URL(`./runtime/${name}.js`, import.meta.url);
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new URL(`./${name}${ending}`, import.meta.url);
}

/** The program and its arguments, to start it once more: the executable needs no name of a module. */
export function ownCommand(argv: readonly string[]): string[] {
  return [process.execPath, ...process.execArgv, ...argv.slice(isExecutable ? 2 : 1)];
}
