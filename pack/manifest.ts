/** The package.json of a checkout, as far as a package needs it. */
export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const entry = (path: string) => ({ types: `./lib/${path}.d.ts`, default: `./lib/${path}.js` });

/** Keys that are about a checkout. */
const left = [
  'private',
  'workspaces',
  'scripts',
  'devDependencies',
  'allowScripts',
  'exports',
  'files',
  'dependencies',
];

/**
 * The package.json of the package: what was built in place of the sources, and of the dependencies those that the built code
 * imports. What the console is made of is inside it already.
 */
export function packageManifest(manifest: Manifest, imported: ReadonlySet<string>): object {
  const kept = Object.entries(manifest).filter(([key]) => !left.includes(key));
  const isUsed = (name: string) => name === 'bun' || imported.has(name);
  return {
    ...Object.fromEntries(kept),
    sideEffects: false,
    // Where `npm pack` is ended before its end, the next one finds them, and with them the way back.
    scripts: { prepack: manifest.scripts.prepack, postpack: manifest.scripts.postpack },
    files: ['bin', 'lib', 'docs', 'deploy', 'examples', 'bench/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
    exports: {
      './client': entry('client/client'),
      './client/admin': entry('client/admin'),
      './define': entry('src/define'),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => isUsed(name))),
  };
}
