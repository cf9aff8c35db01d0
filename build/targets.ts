/** What `npm run build -- --all` builds for. The runtime of each is fetched by Bun, once. */
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
