/** The targets of `npm run build -- --all`. Bun downloads the runtime of each once. */
export const targets = [
  'linux-x64',
  'linux-x64-baseline', // processors without AVX2
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const;

interface Report {
  readonly header: { readonly glibcVersionRuntime?: string };
}

/** The target that is this machine. */
export function ownTarget(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { header } = process.report.getReport() as unknown as Report;
  const isMusl = platform === 'linux' && header.glibcVersionRuntime === undefined;
  return `${platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}
