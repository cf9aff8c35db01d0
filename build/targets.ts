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
