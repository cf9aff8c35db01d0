import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * `npm run build:console` bundles the console into one module, console/dist/files.js, which the server imports. So no request
 * reads a file, and the single executable contains the console.
 */
const here = import.meta.dir;
const { version } = (await Bun.file(join(here, '../package.json')).json()) as { version: string };
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const built = await Bun.build({
  entrypoints: [join(here, 'main.tsx'), join(here, 'styles/all.css')],
  target: 'browser',
  splitting: true,
  minify: true,
  naming: { entry: '[name]-[hash].[ext]', chunk: 'chunk-[hash].[ext]' },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.VITRINE_VERSION': JSON.stringify(version),
  },
});

const assets: Record<string, { type: string; gzip: string }> = {};
for (const output of built.outputs) {
  const name = basename(output.path);
  const type = types[name.slice(name.lastIndexOf('.'))];
  if (type === undefined) throw new Error(`${name}: of which type is it?`);
  assets[name] = {
    type,
    gzip: Buffer.from(gzipSync(await output.arrayBuffer(), { level: 9 })).toString('base64'),
  };
}

const named = (start: string) => {
  const name = Object.keys(assets).find((asset) => asset.startsWith(start));
  if (name === undefined) throw new Error(`the build has no ${start}…`);
  return name;
};
const html = await Bun.file(join(here, 'index.html')).text();
const page = html.replace('{styles}', named('all-')).replace('{main}', named('main-'));

const text = `export const page = ${JSON.stringify(page)};\nexport const assets = ${JSON.stringify(assets)};\n`;
const place = Bun.file(join(here, 'dist/files.js'));
// Left as it is where it says the same, as the server is built of it (build/server.ts).
if (!(await place.exists()) || (await place.text()) !== text) {
  // Whoever starts a server meanwhile imports the one of before or the new one, and no part of it.
  const made = join(here, `dist/files-${process.pid}.js`);
  await Bun.write(made, text);
  await rename(made, join(here, 'dist/files.js'));
}
const bytes = (name: string) => Buffer.byteLength(assets[name]?.gzip ?? '', 'base64');
const names = Object.keys(assets);
process.stdout.write(
  `console: ${names.length} files, ${Math.round(names.reduce((sum, name) => sum + bytes(name), 0) / 1000)} KB gzipped\n`,
);
