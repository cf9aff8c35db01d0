/** Whether this is the single executable that `npm run build` makes, which contains all modules. */
const isExecutable = 'Bun' in globalThis && Bun.isStandaloneExecutable;

/**
 * The main module of a thread, by its name in this folder. Sources end with .ts, built files with .js. In the executable the main
 * module is at the top, and the others keep their folders below it.
 */
export function threadFile(name: string): URL {
  if (isExecutable) return new URL(`./runtime/${name}.js`, import.meta.url);
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new URL(`./${name}${ending}`, import.meta.url);
}

/** The command line to start this program again: the executable needs no module name. */
export function ownCommand(argv: readonly string[]): string[] {
  return [process.execPath, ...process.execArgv, ...argv.slice(isExecutable ? 2 : 1)];
}
