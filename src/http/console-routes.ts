import { gunzipSync } from 'node:zlib';
import type { BuiltFile } from '../../console/dist/files.js';
import { Failure } from '../failure.ts';
import type { Handler, Incoming, Route } from './route.ts';

/** For all of our pages: they can only run and fetch what this server provides. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

interface Files {
  page(root: string): string;
  readonly assets: ReadonlyMap<string, Asset>;
}

interface Asset {
  readonly type: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly plain: Uint8Array<ArrayBuffer>;
}

/**
 * The console: one page for every path below /_console/, which routes by itself, and its files. Their names contain a hash, so
 * they can be cached for ever.
 */
export function consoleRoutes(): Route[] {
  let loading: Promise<Files> | undefined;
  const files = () => {
    loading ??= loadFiles();
    return loading;
  };
  const page: Handler = async ({ request }) => {
    const { pathname } = new URL(request.url);
    // The base path is relative to the page, so that it works behind any path prefix.
    const depth = pathname.slice(pathname.indexOf('/_console/') + '/_console/'.length).split('/').length - 1;
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      ...pageHeaders,
    };
    return new Response((await files()).page('../'.repeat(depth) || './'), { headers });
  };
  const asset = async ({ request, param }: Incoming) => {
    const found = (await files()).assets.get(param('name'));
    if (!found) throw new Failure('absent', `The console has no file ${param('name')}: reload the page`);
    const zipped = takesGzip.test(request.headers.get('accept-encoding') ?? '');
    return new Response(zipped ? found.gzip : found.plain, {
      headers: {
        'content-type': found.type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(zipped && { 'content-encoding': 'gzip' }),
        ...pageHeaders,
      },
    });
  };
  return [
    { path: '/_console/_assets/:name', cors: false, verbs: { GET: asset } },
    { path: '/_console', cors: false, verbs: { GET: redirect } },
    { path: '/_console/*', cors: false, verbs: { GET: page } },
  ];
}

/** Matches gzip, but not gzip;q=0. */
const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$|;(?!\s*q\s*=\s*0(?:\.0*)?\s*(?:,|$)))/i;

const redirect: Handler = () =>
  new Response(null, { status: 308, headers: { location: '_console/', ...pageHeaders } });

async function loadFiles(): Promise<Files> {
  const { page, assets } = await import('../../console/dist/files.js').catch(() => {
    throw new Failure(
      'notSetUp',
      'The console is not built: run npm run build:console, then restart the server',
    );
  });
  return {
    page: (root) => page.replaceAll('{root}', root),
    assets: new Map(Object.entries(assets).map(([name, file]) => [name, unpack(file)])),
  };
}

function unpack({ type, gzip }: BuiltFile): Asset {
  const zipped = Uint8Array.from(Buffer.from(gzip, 'base64'));
  return { type, gzip: zipped, plain: Uint8Array.from(gunzipSync(zipped)) };
}
