/** The part of a checkout's package.json that the package needs. */
export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const entry = (path: string) => ({ types: `./lib/${path}.d.ts`, default: `./lib/${path}.js` });

/** Keys that only matter in a checkout. */
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
 * The package.json of the package: with the built files instead of the sources, and only with the dependencies that the built
 * code imports. Those of the console are bundled in it.
 */
export function packageManifest(manifest: Manifest, imported: ReadonlySet<string>): object {
  const kept = Object.entries(manifest).filter(([key]) => !left.includes(key));
  const isUsed = (name: string) => name === 'bun' || imported.has(name);
  return {
    ...Object.fromEntries(kept),
    sideEffects: false,
    // If `npm pack` is interrupted, the next run needs these scripts to restore the checkout.
    scripts: { prepack: manifest.scripts.prepack, postpack: manifest.scripts.postpack },
    files: ['bin', 'lib', 'docs', 'deploy', 'examples', 'bench/*.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
    exports: {
      './client': entry('client/client'),
      './client/admin': entry('client/admin'),
      './define': entry('src/define'),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => isUsed(name))),
  };
}
